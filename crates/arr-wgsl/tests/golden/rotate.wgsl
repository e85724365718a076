// `main`: made by the Arr compiler.

// From the library: arr_i32_rem.

struct turn_loop_Params {
  size: i32,
  n: i32,
  chunk_length: i32,
  start: i32,
  start_2: i32,
  chunk_first: i32,
  start_3: i32,
  s: i32,
}
@group(0) @binding(0) var<uniform> turn_loop_params: turn_loop_Params;
@group(0) @binding(3) var<storage, read_write> turn_loop_a_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> turn_loop_arrays: array<f32>;
@group(0) @binding(5) var<storage, read_write> turn_loop_b_state_own_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> turn_loop_c_state_own_2: array<f32>;
var<private> turn_2: i32;
var<private> data: i32;
var<private> data_2: i32;
var<private> data_3: i32;
var<private> data_4: i32;
var<private> data_5: i32;
var<private> data_6: i32;
var<private> a_state_at: i32;
var<private> b_state_at: i32;
var<private> c_state_at: i32;
var<private> a_data_2: i32;
var<private> b_data_row_2: i32;
var<private> next_data_2: i32;
var<private> t: i32;
var<private> a_at: i32;
var<private> c_at: i32;
var<private> b_at: i32;
var<private> next_at: i32;
var<private> data_7: i32;
var<private> data_8: i32;
var<private> data_9: i32;
var<private> data_10: i32;
var<private> data_11: i32;
var<private> data_12: i32;

fn turn_loop_scalars() {
  a_state_at = 0i;
  data_2 = 0i;
}

fn turn_loop_at(element: i32) {
  let copied = turn_loop_a_state_own_2[element];
  turn_loop_arrays[data_2 + element] = copied;
}

fn turn_loop_scalars_2() {
  b_state_at = turn_loop_params.start;
  data_4 = turn_loop_params.start;
}

fn turn_loop_at_2(element_2: i32) {
  let copied_2 = turn_loop_b_state_own_2[element_2];
  turn_loop_arrays[data_4 + element_2] = copied_2;
}

fn turn_loop_scalars_3() {
  c_state_at = turn_loop_params.start_2;
  data_6 = turn_loop_params.start_2;
}

fn turn_loop_at_3(element_3: i32) {
  let copied_3 = turn_loop_c_state_own_2[element_3];
  turn_loop_arrays[data_6 + element_3] = copied_3;
}

fn turn_loop_scalars_4() {
    t = (turn_loop_params.chunk_first + turn_2);
    a_at = a_state_at;
    b_at = b_state_at;
    c_at = c_state_at;
    let place = (a_at != turn_loop_params.start_2);
    let place_2 = (b_at != turn_loop_params.start_2);
    let place_3 = (place && place_2);
    let place_4 = (c_at != turn_loop_params.start_2);
    let place_5 = (place_3 && place_4);
    let place_6 = select(turn_loop_params.start_3, turn_loop_params.start_2, place_5);
    let place_7 = (a_at != turn_loop_params.start);
    let place_8 = (b_at != turn_loop_params.start);
    let place_9 = (place_7 && place_8);
    let place_10 = (c_at != turn_loop_params.start);
    let place_11 = (place_9 && place_10);
    let place_12 = select(place_6, turn_loop_params.start, place_11);
    let place_13 = (a_at != 0i);
    let place_14 = (b_at != 0i);
    let place_15 = (place_13 && place_14);
    let place_16 = (c_at != 0i);
    let place_17 = (place_15 && place_16);
    let place_18 = select(place_12, 0i, place_17);
    next_at = place_18;
    a_data_2 = a_at;
    let b_data_2 = b_at;
    b_data_row_2 = b_data_2 + turn_loop_params.s;
    next_data_2 = next_at;
}

fn turn_loop_at_4(i: i32) {
    let i_step = i * (-1i);
    let a_2 = turn_loop_arrays[a_data_2 + i];
    let mul = (0.5f * a_2);
    let b_2 = turn_loop_arrays[b_data_row_2 + i_step];
    let add = (mul + b_2);
    turn_loop_arrays[next_data_2 + i] = add;
}

fn turn_loop_scalars_5() {
    let rem = arr_i32_rem(t, 3i);
    let eq = (rem == 1i);
    var if_at: i32;
    if eq {
      if_at = a_at;
    } else {
      if_at = c_at;
    }
    let if_2_at = if_at;
    a_state_at = b_at;
    b_state_at = next_at;
    c_state_at = if_2_at;
}

fn turn_loop_scalars_6() {
  data_7 = a_state_at;
}

fn turn_loop_at_5(element_4: i32) {
  let copied_4 = turn_loop_arrays[data_7 + element_4];
  turn_loop_a_state_own_2[element_4] = copied_4;
}

fn turn_loop_scalars_7() {
  data_9 = b_state_at;
}

fn turn_loop_at_6(element_5: i32) {
  let copied_5 = turn_loop_arrays[data_9 + element_5];
  turn_loop_b_state_own_2[element_5] = copied_5;
}

fn turn_loop_scalars_8() {
  data_11 = c_state_at;
}

fn turn_loop_at_7(element_6: i32) {
  let copied_6 = turn_loop_arrays[data_11 + element_6];
  turn_loop_c_state_own_2[element_6] = copied_6;
}

// In order, in one workgroup: loop (a, b, c) = (x, y, x) for t < steps do
@compute @workgroup_size(256)
fn turn_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  turn_loop_scalars();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at(i32(point));
    }
  }
  turn_loop_scalars_2();
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_2(i32(point));
    }
  }
  turn_loop_scalars_3();
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_3(i32(point));
    }
  }
  for (var turn: i32 = 0i; turn < turn_loop_params.chunk_length; turn += 1i) {
    turn_2 = turn;
    turn_loop_scalars_4();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(turn_loop_params.n);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_4(i32(point));
      }
    }
    turn_loop_scalars_5();
  }
  turn_loop_scalars_6();
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_5(i32(point));
    }
  }
  turn_loop_scalars_7();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_6(i32(point));
    }
  }
  turn_loop_scalars_8();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_7(i32(point));
    }
  }
}

struct next_Params {
  n: i32,
  b_data_row: i32,
}
@group(0) @binding(0) var<uniform> next_params: next_Params;
@group(0) @binding(3) var<storage, read> next_a: array<f32>;
@group(0) @binding(4) var<storage, read> next_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> next_next_2: array<f32>;
// A point of a nest: let next = for i < n => 0.5f32 * a[i] + b[n - 1 - i]
@compute @workgroup_size(256)
fn next(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(next_params.n) { return; }
  let i = i32(point);
  let i_step = i * (-1i);
  let a_2 = next_a[i];
  let mul = (0.5f * a_2);
  let b_2 = next_b[next_params.b_data_row + i_step];
  let add = (mul + b_2);
  next_next_2[i] = add;
}

// The host:
// let s: i64 = sub n, 1
// retain x
// var a.state: buffer f32 = x
// retain y
// var b.state: buffer f32 = y
// retain x
// var c.state: buffer f32 = x
// let size: i64 = max n, 0
// let start: i64 = add 0, size
// let start.2: i64 = add start, size
// let start.3: i64 = add start.2, size
// let start.4: i64 = add start.3, size
// let work: i64 = div n, 32
// let work.2: i64 = add work, 1
// let work.3: i64 = add work.2, 1
// let work.4: i64 = div 1048576, work.3
// let work.5: i64 = max work.4, 1
// let work.6: i64 = add steps, work.5
// let work.7: i64 = sub work.6, 1
// let work.8: i64 = div work.7, work.5
// let fits: bool = le start.4, 16777216
// let fits.2: bool = le n, 8192
// let fit: bool = and fits, fits.2
// let fits.3: bool = le work.3, 1048576
// let fit.2: bool = and fit, fits.3
// if fit.2 {
//   let a.state.own.2: buffer f32 = unique a.state @2
//   set a.state = a.state.own.2
//   let b.state.own.2: buffer f32 = unique b.state @2
//   set b.state = b.state.own.2
//   let c.state.own.2: buffer f32 = unique c.state @2
//   set c.state = c.state.own.2
//   let arrays: buffer f32 = alloc [start.4] @2
//   for chunk < work.8 with chunk.first step work.5 @2 {
//     let chunk.length: i64 = sub steps, chunk.first
//     let chunk.length: i64 = min work.5, chunk.length
//     run turn_loop over 1 by 1 (size, n, chunk.length, start, start.2, chunk.first, start.3, s; a.state.own.2, arrays, b.state.own.2, c.state.own.2)
//   }
//   release arrays
// } else {
//   for t < steps source @2 {
//     let a: buffer f32 = a.state
//     let a.data: address f32 = data a
//     let b: buffer f32 = b.state
//     let b.data: address f32 = data b
//     let b.data.row: address f32 = offset b.data[s]
//     let next: buffer f32 = alloc [n] @1
//     let next.data: address f32 = data next
//     run next over n by 256 (n, b.data.row; a, b, next)
//     let c: buffer f32 = c.state
//     let rem: i64 = rem t, 3
//     let eq: bool = eq rem, 1
//     var if: buffer f32
//     if eq {
//       release c
//       set if = a
//     } else {
//       release a
//       set if = c
//     }
//     let if.2: buffer f32 = if
//     set a.state = b
//     set b.state = next
//     set c.state = if.2
//   }
// }
// let a.3: buffer f32 = a.state
// let b.3: buffer f32 = b.state
// let c.2: buffer f32 = c.state
// return a.3 [n], b.3 [n], c.2 [n]
