// `main`: made by the Arr compiler.

fn arr_f32_is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// A number whose last bit is 0.
fn arr_f32_exact(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffffffeu);
}

const arr_f32_exp_least: f32 = -104.0;

const arr_f32_exp_most: f32 = 89.0;

// Times a whole number up to 2^8 it is exact.
const arr_f32_ln2_high: f32 = 0.693145751953125;

const arr_f32_ln2_low: f32 = 1.4286068203094172e-6;

// x 2^k, for -253 <= k <= 254.
fn arr_f32_scale(x: f32, k: f32) -> f32 {
    let whole = i32(k);
    let half = whole / 2;
    return x * bitcast<f32>(u32(half + 127) << 23u) * bitcast<f32>(u32(whole - half + 127) << 23u);
}

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
fn arr_f32_exp_tail(r: f32) -> f32 {
    return 5.0000001201e-1 + r * (1.6666665459e-1 + r * (4.1665795894e-2 + r * (8.3334519073e-3
        + r * (1.3981999507e-3 + r * 1.9875691500e-4))));
}

fn arr_f32_exp(x: f32) -> f32 {
    if (arr_f32_is_nan(x)) {
        return x;
    }
    let y = clamp(x, arr_f32_exp_least, arr_f32_exp_most);
    let k = round(y * 1.4426950408889634);
    let r = (y - arr_f32_exact(k * arr_f32_ln2_high)) - k * arr_f32_ln2_low;
    return arr_f32_scale(1.0 + (r + r * r * arr_f32_exp_tail(r)), k);
}

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
