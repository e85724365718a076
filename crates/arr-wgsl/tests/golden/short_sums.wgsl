// `main`: made by the Arr compiler.

// From the library: arr_f32_infinity, arr_f32_is_nan, arr_f32_max.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

struct turn_loop_Params {
  chunk_length: i32,
  chunk_first: i32,
}
@group(0) @binding(0) var<uniform> turn_loop_params: turn_loop_Params;
@group(0) @binding(3) var<storage, read_write> turn_loop_y_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> turn_loop_arrays: array<f32>;
var<private> turn_2: i32;
var<private> data: i32;
var<private> data_2: i32;
var<private> y_state_at: i32;
var<private> y_data_2: i32;
var<private> mul: f32;
var<private> for_data_2: i32;
var<private> for_at: i32;
var<private> data_3: i32;
var<private> data_4: i32;

fn turn_loop_scalars() {
  y_state_at = 0i;
  data_2 = 0i;
}

fn turn_loop_at(element: i32) {
  let copied = turn_loop_y_state_own_2[element];
  turn_loop_arrays[data_2 + element] = copied;
}

fn turn_loop_scalars_2() {
    let i = (turn_loop_params.chunk_first + turn_2);
    let y_at = y_state_at;
    var sum: f32 = 0.0f;
    y_data_2 = y_at;
    for (var i_2: i32 = 0i; i_2 < 4i; i_2 += 1i) {
      let y_2 = turn_loop_arrays[y_data_2 + i_2];
      let t = (sum + y_2);
      sum = t;
    }
    let sum_2 = sum;
    mul = (0.1f * sum_2);
    let place = (y_at != 0i);
    let place_2 = select(4i, 0i, place);
    for_at = place_2;
    for_data_2 = for_at;
}

fn turn_loop_at_2(j: i32) {
    let y_3 = turn_loop_arrays[y_data_2 + j];
    let mul_2 = (0.5f * y_3);
    let add = (mul_2 + mul);
    turn_loop_arrays[for_data_2 + j] = add;
}

fn turn_loop_scalars_3() {
    y_state_at = for_at;
}

fn turn_loop_scalars_4() {
  data_3 = y_state_at;
}

fn turn_loop_at_3(element_2: i32) {
  let copied_2 = turn_loop_arrays[data_3 + element_2];
  turn_loop_y_state_own_2[element_2] = copied_2;
}

// In order, in one workgroup: let y = loop y = x for i < n do for j => 0.5f32 * y[j] + 0.1f32 * sum(y)
@compute @workgroup_size(32)
fn turn_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  turn_loop_scalars();
  {
    let points = 4u;
    for (var point = lane; point < points; point += 32u) {
      turn_loop_at(i32(point));
    }
  }
  for (var turn: i32 = 0i; turn < turn_loop_params.chunk_length; turn += 1i) {
    turn_2 = turn;
    storageBarrier();
    workgroupBarrier();
    turn_loop_scalars_2();
    storageBarrier();
    workgroupBarrier();
    {
      let points = 4u;
      for (var point = lane; point < points; point += 32u) {
        turn_loop_at_2(i32(point));
      }
    }
    turn_loop_scalars_3();
  }
  turn_loop_scalars_4();
  storageBarrier();
  workgroupBarrier();
  {
    let points = 4u;
    for (var point = lane; point < points; point += 32u) {
      turn_loop_at_3(i32(point));
    }
  }
}

@group(0) @binding(3) var<storage, read> max_2_y_4: array<f32>;
// In order: in sum(y) + maximum(y)
@compute @workgroup_size(2)
fn max_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum_3: f32 = 0.0f;
  for (var i_3: i32 = 0i; i_3 < 4i; i_3 += 1i) {
    let y_5 = max_2_y_4[i_3];
    let t_3 = (sum_3 + y_5);
    sum_3 = t_3;
  }
  let sum_4 = sum_3;
  var max_3: f32 = (-arr_f32_infinity());
  for (var i_4: i32 = 0i; i_4 < 4i; i_4 += 1i) {
    let y_6 = max_2_y_4[i_4];
    let t_5 = arr_f32_max(max_3, y_6);
    max_3 = t_5;
  }
  let max_4 = max_3;
  slots[0] = bitcast<u32>(sum_4);
  slots[2] = bitcast<u32>(max_4);
}

// In order
@compute @workgroup_size(2)
fn add_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let sum_4 = bitcast<f32>(slots[0]);
  let max_4 = bitcast<f32>(slots[2]);
  let add_3 = (sum_4 + max_4);
  slots[4] = bitcast<u32>(add_3);
}

// The host:
// retain x
// var y.state: buffer f32 = x
// let work: i64 = add n, 174762
// let work.2: i64 = sub work, 1
// let work.3: i64 = div work.2, 174762
// let y.state.own.2: buffer f32 = unique y.state @3
// set y.state = y.state.own.2
// let arrays: buffer f32 = alloc [8] @3
// for chunk < work.3 with chunk.first step 174762 @3 {
//   let chunk.length: i64 = sub n, chunk.first
//   let chunk.length: i64 = min 174762, chunk.length
//   run turn_loop over 1 by 1 (chunk.length, chunk.first; y.state.own.2, arrays)
// }
// release arrays
// let y.4: buffer f32 = y.state
// let y.4.data: address f32 = data y.4
// run max_2 over 1 by 1 (; y.4)
// release y.4
// run add_2 over 1 by 1 (; )
// return add.2
