// `main`: made by the Arr compiler.

// From the library: arr_f32_infinity, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

struct sum_Params {
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_params: sum_Params;
@group(0) @binding(3) var<storage, read> sum_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_sum_4: array<f32>;
@group(0) @binding(5) var<storage, read_write> sum_argmax: array<i32>;
// A point of a nest: (for j < m => sum(for i < n => x[i, j]), for j < m => argmax(for i < n => abs(x[i, j])))
@compute @workgroup_size(256)
fn sum(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sum_params.m) { return; }
  let j = i32(point);
  var sum_2: f32 = 0.0f;
  let x_data_row = j;
  for (var i: i32 = 0i; i < sum_params.n; i += 1i) {
    let i_step = i * sum_params.m;
    let for_2 = sum_x[x_data_row + i_step];
    let t = (sum_2 + for_2);
    sum_2 = t;
  }
  let sum_3 = sum_2;
  var argmax_2: i32 = 0i;
  var best: f32 = (-arr_f32_infinity());
  for (var i_2: i32 = 0i; i_2 < sum_params.n; i_2 += 1i) {
    let i_2_step = i_2 * sum_params.m;
    let x_2 = sum_x[x_data_row + i_2_step];
    let abs_2 = abs(x_2);
    let t_3 = arr_f32_lt(best, abs_2);
    let t_4 = arr_f32_is_nan(abs_2);
    let t_5 = arr_f32_is_nan(best);
    let t_6 = (!t_5);
    let t_7 = (t_4 && t_6);
    let t_8 = (t_3 || t_7);
    let t_9 = select(argmax_2, i_2, t_8);
    let t_10 = select(best, abs_2, t_8);
    argmax_2 = t_9;
    best = t_10;
  }
  let argmax_3 = argmax_2;
  sum_sum_4[j] = sum_3;
  sum_argmax[j] = argmax_3;
}

struct sum_rows_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> sum_rows_params: sum_rows_Params;
@group(0) @binding(3) var<storage, read> sum_rows_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_rows_sum_4: array<f32>;
@group(0) @binding(5) var<storage, read_write> sum_rows_argmax: array<i32>;
var<workgroup> sum_rows_f32_0: array<f32, 128>;
var<workgroup> sum_rows_i32_0: array<i32, 128>;
var<workgroup> sum_rows_f32_1: array<f32, 128>;
var<private> j: i32;
var<private> sum_2: f32;
var<private> x_data_row: i32;
var<private> argmax_2: i32;
var<private> best: f32;
var<private> sum_3: f32;
var<private> argmax_3: i32;

fn sum_rows_scalars() {
  sum_2 = 0.0f;
  x_data_row = j;
}

fn sum_rows_join(sum_2_part: f32) {
  let t_2 = (sum_2 + sum_2_part);
  sum_2 = t_2;
}

fn sum_rows_at(i: i32) {
  let i_step = i * sum_rows_params.m;
  let for_2 = sum_rows_x[x_data_row + i_step];
  let t = (sum_2 + for_2);
  sum_2 = t;
}

fn sum_rows_scalars_2() {
  sum_3 = sum_2;
  argmax_2 = 0i;
  best = (-arr_f32_infinity());
}

fn sum_rows_join_2(argmax_2_part: i32, best_part: f32) {
  let t_11 = arr_f32_lt(best, best_part);
  let t_12 = arr_f32_is_nan(best_part);
  let t_13 = arr_f32_is_nan(best);
  let t_14 = (!t_13);
  let t_15 = (t_12 && t_14);
  let t_16 = (t_11 || t_15);
  let t_17 = select(argmax_2, argmax_2_part, t_16);
  let t_18 = select(best, best_part, t_16);
  argmax_2 = t_17;
  best = t_18;
}

fn sum_rows_at_2(i_2: i32) {
  let i_2_step = i_2 * sum_rows_params.m;
  let x_2 = sum_rows_x[x_data_row + i_2_step];
  let abs_2 = abs(x_2);
  let t_3 = arr_f32_lt(best, abs_2);
  let t_4 = arr_f32_is_nan(abs_2);
  let t_5 = arr_f32_is_nan(best);
  let t_6 = (!t_5);
  let t_7 = (t_4 && t_6);
  let t_8 = (t_3 || t_7);
  let t_9 = select(argmax_2, i_2, t_8);
  let t_10 = select(best, abs_2, t_8);
  argmax_2 = t_9;
  best = t_10;
}

fn sum_rows_scalars_3() {
  argmax_3 = argmax_2;
}

fn sum_rows_first() {
  sum_rows_sum_4[j] = sum_3;
  sum_rows_argmax[j] = argmax_3;
}

// A workgroup a point of a nest: (for j < m => sum(for i < n => x[i, j]), for j < m => argmax(for i < n => abs(x[i, j])))
@compute @workgroup_size(128)
fn sum_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(sum_rows_params.m) { return; }
  j = i32(mine);
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
  let argmax_2_before = argmax_2;
  argmax_2 = 0i;
  let best_before = best;
  best = (-arr_f32_infinity());
  {
    let points = u32(sum_rows_params.n);
    let chunk = (points + 127u) / 128u;
    let first = lane * chunk;
    for (var point = first; point < min(first + chunk, points); point++) {
      sum_rows_at_2(i32(point));
    }
  }
  workgroupBarrier();
  sum_rows_i32_0[lane] = argmax_2;
  sum_rows_f32_1[lane] = best;
  workgroupBarrier();
  for (var width = 1u; width < 128u; width *= 2u) {
    if lane % (2u * width) == 0u {
      sum_rows_join_2(sum_rows_i32_0[lane + width], sum_rows_f32_1[lane + width]);
      sum_rows_i32_0[lane] = argmax_2;
      sum_rows_f32_1[lane] = best;
    }
    workgroupBarrier();
  }
  argmax_2 = argmax_2_before;
  best = best_before;
  sum_rows_join_2(sum_rows_i32_0[0], sum_rows_f32_1[0]);
  sum_rows_scalars_3();
  if lane == 0u {
    sum_rows_first();
  }
}

// The host:
// let x.data: address f32 = data x
// let sum: buffer f32 = alloc [m] @1
// let sum.data: address f32 = data sum
// let argmax: buffer i64 = alloc [m] @1
// let argmax.data: address i64 = data argmax
// let fits: bool = ge n, 128
// let fits.2: bool = le m, 256
// let fit: bool = and fits, fits.2
// if fit {
//   run sum_rows over m by 1 (n, m; x, sum, argmax)
// } else {
//   run sum over m by 256 (m, n; x, sum, argmax)
// }
// let some: bool = gt m, 0
// if some {
//   check non_empty n @2
// }
// return sum [m], argmax [m]
