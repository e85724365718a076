// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_loops_were_cut, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

struct sum_Params {
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_params: sum_Params;
@group(0) @binding(3) var<storage, read> sum_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_sum_4: array<f32>;
// A point of a nest: for row in x => sum(for v in row => v * v),
@compute @workgroup_size(256)
fn sum(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sum_params.m) { return; }
  let i = i32(point);
  let i_step = i * sum_params.n;
  var sum_2: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_params.n; i_2 += 1i) {
    let v = sum_x[x_data_row + i_2];
    let mul = (v * v);
    let t = (sum_2 + mul);
    sum_2 = t;
  }
  let sum_3 = sum_2;
  sum_sum_4[i] = sum_3;
  if arr_loops_were_cut() { if arr_claim_fault(1u) { } }
}

struct sum_rows_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> sum_rows_params: sum_rows_Params;
@group(0) @binding(3) var<storage, read> sum_rows_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_rows_sum_4: array<f32>;
var<workgroup> sum_rows_f32_0: array<f32, 128>;
var<private> i: i32;
var<private> i_step: i32;
var<private> sum_2: f32;
var<private> x_data_row: i32;
var<private> sum_3: f32;

fn sum_rows_scalars() {
  sum_2 = 0.0f;
  x_data_row = i_step;
}

fn sum_rows_join(sum_2_part: f32) {
  let t_2 = (sum_2 + sum_2_part);
  sum_2 = t_2;
}

fn sum_rows_at(i_2: i32) {
  let v = sum_rows_x[x_data_row + i_2];
  let mul = (v * v);
  let t = (sum_2 + mul);
  sum_2 = t;
}

fn sum_rows_scalars_2() {
  sum_3 = sum_2;
}

fn sum_rows_first() {
  sum_rows_sum_4[i] = sum_3;
}

// A workgroup a point of a nest: for row in x => sum(for v in row => v * v),
@compute @workgroup_size(128)
fn sum_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(sum_rows_params.m) { return; }
  i = i32(mine);
  i_step = i * sum_rows_params.n;
  sum_rows_scalars();
  let sum_2_before = sum_2;
  sum_2 = 0.0f;
  {
    let points = u32(sum_rows_params.n);
    for (var point = lane; point < points; point += 128u) {
      sum_rows_at(i32(point));
    }
  }
  sum_rows_f32_0[lane] = sum_2;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      sum_rows_join(sum_rows_f32_0[lane + width]);
      sum_rows_f32_0[lane] = sum_2;
    }
    workgroupBarrier();
  }
  sum_2 = sum_2_before;
  sum_rows_join(sum_rows_f32_0[0]);
  sum_rows_scalars_2();
  if lane == 0u {
    sum_rows_first();
  }
  if arr_loops_were_cut() { if arr_claim_fault(1u) { } }
}

struct for_2_Params {
  m: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_y: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_2_mul_2: array<f32>;
// A point of a nest: for v in y => loop r = v while r > 1.0f32 do 0.5f32 * r,
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.m) { return; }
  let i_3 = i32(point);
  let y_2 = for_2_y[i_3];
  var r_state: f32 = y_2;
  loop {
    let r = r_state;
    let gt = arr_f32_lt(1.0f, r);
    if !gt { break; }
    let r_2 = r_state;
    let mul_3 = (0.5f * r_2);
    r_state = mul_3;
  }
  let r_3 = r_state;
  let mul_4 = (2.0f * y_2);
  for_2_for_3[i_3] = r_3;
  for_2_mul_2[i_3] = mul_4;
  if arr_loops_were_cut() { if arr_claim_fault(2u) { } }
}

struct sum_5_Params {
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_5_params: sum_5_Params;
@group(0) @binding(3) var<storage, read> sum_5_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_5_sum_4: array<f32>;
@group(0) @binding(5) var<storage, read> sum_5_y: array<f32>;
@group(0) @binding(6) var<storage, read_write> sum_5_for_3: array<f32>;
@group(0) @binding(7) var<storage, read_write> sum_5_mul_2: array<f32>;
// A point of a nest: for row in x => sum(for v in row => v * v),
@compute @workgroup_size(256)
fn sum_5(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sum_5_params.m) { return; }
  let i = i32(point);
  let i_step = i * sum_5_params.n;
  var sum_2: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_5_params.n; i_2 += 1i) {
    let v = sum_5_x[x_data_row + i_2];
    let mul = (v * v);
    let t = (sum_2 + mul);
    sum_2 = t;
  }
  let sum_3 = sum_2;
  sum_5_sum_4[i] = sum_3;
  let y_2 = sum_5_y[i];
  var r_state: f32 = y_2;
  loop {
    let r = r_state;
    let gt = arr_f32_lt(1.0f, r);
    if !gt { break; }
    let r_2 = r_state;
    let mul_3 = (0.5f * r_2);
    r_state = mul_3;
  }
  let r_3 = r_state;
  let mul_4 = (2.0f * y_2);
  sum_5_for_3[i] = r_3;
  sum_5_mul_2[i] = mul_4;
  if arr_loops_were_cut() { if arr_claim_fault(1u) { } }
}

// The host:
// let x.data: address f32 = data x
// let sum: buffer f32 = alloc [m] @1
// let sum.data: address f32 = data sum
// let y.data: address f32 = data y
// let for: buffer f32 = alloc [m] @2
// let for.data: address f32 = data for
// let mul.2: buffer f32 = alloc [m] @2
// let mul.2.data: address f32 = data mul.2
// let fits: bool = ge m, 128
// if fits {
//   run sum_5 over m by 256 (m, n; x, sum, y, for, mul.2)
// } else {
//   let fits.2: bool = ge n, 128
//   let fits.3: bool = le m, 16384
//   let fit: bool = and fits.2, fits.3
//   let fits.4: bool = gt n, 32767
//   let fit.2: bool = or fit, fits.4
//   if fit.2 {
//     run sum_rows over m by 1 (n, m; x, sum)
//   } else {
//     run sum over m by 256 (m, n; x, sum)
//   }
//   run for_2 over m by 256 (m; y, for, mul.2)
// }
// return sum [m], for [m], mul.2 [m]
