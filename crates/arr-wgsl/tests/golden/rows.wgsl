// `main`: made by the Arr compiler.

// From the library: arr_f32_is_nan, arr_f32_exact, arr_f32_exp_least, arr_f32_exp_most, arr_f32_ln2_high, arr_f32_ln2_low, arr_f32_scale, arr_f32_exp_tail, arr_f32_exp.

struct sum_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> sum_params: sum_Params;
@group(0) @binding(3) var<storage, read> sum_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_sum_4: array<f32>;
// A point of a nest: def main(x: [n][m]f32) -> [n]f32 = for row in x => sum(exp(row))
@compute @workgroup_size(256)
fn sum(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sum_params.n) { return; }
  let i = i32(point);
  let i_step = i * sum_params.m;
  var sum_2: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_params.m; i_2 += 1i) {
    let row = sum_x[x_data_row + i_2];
    let exp_2 = arr_f32_exp(row);
    let t = (sum_2 + exp_2);
    sum_2 = t;
  }
  let sum_3 = sum_2;
  sum_sum_4[i] = sum_3;
}

struct sum_rows_Params {
  m: i32,
  n: i32,
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
  let row = sum_rows_x[x_data_row + i_2];
  let exp_2 = arr_f32_exp(row);
  let t = (sum_2 + exp_2);
  sum_2 = t;
}

fn sum_rows_scalars_2() {
  sum_3 = sum_2;
}

fn sum_rows_first() {
  sum_rows_sum_4[i] = sum_3;
}

// A workgroup a point of a nest: def main(x: [n][m]f32) -> [n]f32 = for row in x => sum(exp(row))
@compute @workgroup_size(128)
fn sum_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(sum_rows_params.n) { return; }
  i = i32(mine);
  i_step = i * sum_rows_params.m;
  sum_rows_scalars();
  let sum_2_before = sum_2;
  sum_2 = 0.0f;
  {
    let points = u32(sum_rows_params.m);
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
}

// The host:
// let x.data: address f32 = data x
// let sum: buffer f32 = alloc [n] @1
// let sum.data: address f32 = data sum
// let fits: bool = ge m, 128
// let fits.2: bool = le n, 16384
// let fit: bool = and fits, fits.2
// if fit {
//   run sum_rows over n by 1 (m, n; x, sum)
// } else {
//   run sum over n by 256 (n, m; x, sum)
// }
// return sum [n]
