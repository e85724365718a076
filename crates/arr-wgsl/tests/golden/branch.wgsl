// `main`: made by the Arr compiler.

// From the library: arr_f32_infinity, arr_f32_nan, arr_f32_is_nan, arr_f32_is_finite, arr_f32_is_negative, arr_f32_exact, arr_f32_exp_least, arr_f32_exp_most, arr_f32_lgamma_least, arr_f32_ln2_high, arr_f32_ln2_low, arr_f32_scale, arr_f32_exp_tail, arr_f32_split, arr_f32_log_tail, arr_f32_reduce, arr_u32_wide, arr_f32_reduce_large, arr_f32_sin_near, arr_f32_cos_near, arr_f32_ordered, arr_f32_lt, arr_f32_exp, arr_f32_log_of, arr_f32_log, arr_f32_sin, arr_f32_lgamma_positive, arr_f32_lgamma.

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

var<private> arr_f32_nan_bits: u32 = 0x7fc00000u;

struct arr_f32_angle {
    quadrant: u32,
    rest: f32,
}

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: for v in x => if v > 0.0 then log(v) * exp(v) + sin(v) else lgamma(0.0 - v)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let v = for_2_x[i];
  let gt = arr_f32_lt(0.0f, v);
  var if_2: f32;
  let sub = (-v);
  if gt {
    let log_2 = arr_f32_log(v);
    let exp_2 = arr_f32_exp(v);
    let mul = (log_2 * exp_2);
    let sin_2 = arr_f32_sin(v);
    let add = (mul + sin_2);
    if_2 = add;
  } else {
    let lgamma = arr_f32_lgamma(sub);
    if_2 = lgamma;
  }
  let if_3 = if_2;
  for_2_for_3[i] = if_3;
}

// The host:
// let x.data: address f32 = data x
// let for: buffer f32 = alloc [n] @1
// let for.data: address f32 = data for
// run for_2 over n by 256 (n; x, for)
// return for [n]
