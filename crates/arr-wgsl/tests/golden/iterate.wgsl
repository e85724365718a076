// `main`: made by the Arr compiler.

struct turn_loop_Params {
  size: i32,
  n: i32,
  chunk_length: i32,
  chunk_first: i32,
  start: i32,
  s: i32,
}
@group(0) @binding(0) var<uniform> turn_loop_params: turn_loop_Params;
@group(0) @binding(3) var<storage, read_write> turn_loop_u_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> turn_loop_arrays: array<f32>;
var<private> turn_2: i32;
var<private> data: i32;
var<private> data_2: i32;
var<private> u_state_at: i32;
var<private> u_data_2: i32;
var<private> u_data_row_3: i32;
var<private> u_data_row_2_2: i32;
var<private> for_data_2: i32;
var<private> for_at: i32;
var<private> data_3: i32;
var<private> data_4: i32;

fn turn_loop_scalars() {
  u_state_at = 0i;
  data_2 = 0i;
}

fn turn_loop_at(element: i32) {
  let copied = turn_loop_u_state_own_2[element];
  turn_loop_arrays[data_2 + element] = copied;
}

fn turn_loop_scalars_2() {
    let t = (turn_loop_params.chunk_first + turn_2);
    let u_at = u_state_at;
    let place = (u_at != 0i);
    let place_2 = select(turn_loop_params.start, 0i, place);
    for_at = place_2;
    u_data_2 = u_at;
    u_data_row_3 = u_data_2 + (-1i);
    u_data_row_2_2 = u_data_2 + 1i;
    for_data_2 = for_at;
}

fn turn_loop_at_2(i: i32) {
    let eq = (i == 0i);
    let eq_2 = (i == turn_loop_params.s);
    let or = (eq || eq_2);
    var if_2: f32;
    let u_2 = turn_loop_arrays[u_data_2 + i];
    let mul_2 = (0.5f * u_2);
    if or {
      if_2 = u_2;
    } else {
      let u_3 = turn_loop_arrays[u_data_row_3 + i];
      let u_4 = turn_loop_arrays[u_data_row_2_2 + i];
      let add = (u_3 + u_4);
      let mul = (0.25f * add);
      let add_2 = (mul + mul_2);
      if_2 = add_2;
    }
    let if_3 = if_2;
    turn_loop_arrays[for_data_2 + i] = if_3;
}

fn turn_loop_scalars_3() {
    u_state_at = for_at;
}

fn turn_loop_scalars_4() {
  data_3 = u_state_at;
}

fn turn_loop_at_3(element_2: i32) {
  let copied_2 = turn_loop_arrays[data_3 + element_2];
  turn_loop_u_state_own_2[element_2] = copied_2;
}

// In order, in one workgroup: loop u = x for t < steps do
@compute @workgroup_size(256)
fn turn_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  turn_loop_scalars();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at(i32(point));
    }
  }
  for (var turn: i32 = 0i; turn < turn_loop_params.chunk_length; turn += 1i) {
    turn_2 = turn;
    turn_loop_scalars_2();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(turn_loop_params.n);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_2(i32(point));
      }
    }
    turn_loop_scalars_3();
  }
  turn_loop_scalars_4();
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_3(i32(point));
    }
  }
}

struct for_2_Params {
  n: i32,
  s: i32,
  u_data_row: i32,
  u_data_row_2: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_u: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: for i < n => if i == 0 or i == n - 1 then u[i] else 0.25 * (u[i - 1] + u[i + 1]) + 0.5 * u[i]
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let eq = (i == 0i);
  let eq_2 = (i == for_2_params.s);
  let or = (eq || eq_2);
  var if_2: f32;
  let u_2 = for_2_u[i];
  let mul_2 = (0.5f * u_2);
  if or {
    if_2 = u_2;
  } else {
    let u_3 = for_2_u[for_2_params.u_data_row + i];
    let u_4 = for_2_u[for_2_params.u_data_row_2 + i];
    let add = (u_3 + u_4);
    let mul = (0.25f * add);
    let add_2 = (mul + mul_2);
    if_2 = add_2;
  }
  let if_3 = if_2;
  for_2_for_3[i] = if_3;
}

// The host:
// let s: i64 = sub n, 1
// retain x
// var u.state: buffer f32 = x
// let size: i64 = max n, 0
// let start: i64 = add 0, size
// let start.2: i64 = add start, size
// let work: i64 = div n, 32
// let work.2: i64 = add work, 1
// let work.3: i64 = add work.2, 1
// let work.4: i64 = div 1048576, work.3
// let work.5: i64 = max work.4, 1
// let work.6: i64 = add steps, work.5
// let work.7: i64 = sub work.6, 1
// let work.8: i64 = div work.7, work.5
// let fits: bool = le start.2, 16777216
// let fits.2: bool = le n, 8192
// let fit: bool = and fits, fits.2
// let fits.3: bool = le work.3, 1048576
// let fit.2: bool = and fit, fits.3
// if fit.2 {
//   let u.state.own.2: buffer f32 = unique u.state @2
//   set u.state = u.state.own.2
//   let arrays: buffer f32 = alloc [start.2] @2
//   for chunk < work.8 with chunk.first step work.5 @2 {
//     let chunk.length: i64 = sub steps, chunk.first
//     let chunk.length: i64 = min work.5, chunk.length
//     run turn_loop over 1 by 1 (size, n, chunk.length, chunk.first, start, s; u.state.own.2, arrays)
//   }
//   release arrays
// } else {
//   for t < steps source @2 {
//     let u: buffer f32 = u.state
//     let u.data: address f32 = data u
//     let u.data.row: address f32 = offset u.data[-1]
//     let u.data.row.2: address f32 = offset u.data[1]
//     let for: buffer f32 = alloc [n] @1
//     let for.data: address f32 = data for
//     run for_2 over n by 256 (n, s, u.data.row, u.data.row.2; u, for)
//     release u
//     set u.state = for
//   }
// }
// let u.5: buffer f32 = u.state
// return u.5 [n]
