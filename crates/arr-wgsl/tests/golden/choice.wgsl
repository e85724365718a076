// `main`: made by the Arr compiler.

// From the library: arr_f32_is_nan, arr_f32_exact, arr_f32_exp_least, arr_f32_exp_most, arr_f32_ln2_high, arr_f32_ln2_low, arr_f32_scale, arr_f32_exp_tail, arr_f32_ordered, arr_f32_lt, arr_f32_exp.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

struct sum_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_parts_params: sum_parts_Params;
@group(0) @binding(3) var<storage, read> sum_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_parts_sum_parts_2: array<f32>;
var<workgroup> sum_parts_sum_all: array<f32, 256>;

fn sum_parts_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: def main(x: [n]f32) -> [n]f32 = if sum(x) > 1.0 then exp(x) else for i < n => x[n - 1 - i]
fn sum_parts_at(i: i32, sum: ptr<function, f32>) {
  let x_2 = sum_parts_x[i];
  let t = ((*sum) + x_2);
  (*sum) = t;
}

@compute @workgroup_size(256)
fn sum_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    sum_parts_at(i32(point), &sum);
  }
  sum_parts_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_parts_join(&sum, sum_parts_sum_all[lane + width]);
      sum_parts_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    sum_parts_sum_parts_2[group.x] = sum;
  }
}

struct sum_2_Params {
  groups_2: i32,
}
@group(0) @binding(0) var<uniform> sum_2_params: sum_2_Params;
@group(0) @binding(3) var<storage, read> sum_2_sum_parts_2: array<f32>;
var<workgroup> sum_2_sum_all: array<f32, 256>;

fn sum_2_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

@compute @workgroup_size(256)
fn sum_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_2_params.groups_2);
  for (var point = lane; point < points; point += 256u) {
    sum_2_join(&sum, sum_2_sum_parts_2[point]);
  }
  sum_2_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_2_join(&sum, sum_2_sum_all[lane + width]);
      sum_2_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(sum);
  }
}

struct sum_3_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_3_params: sum_3_Params;
@group(0) @binding(3) var<storage, read> sum_3_x: array<f32>;
var<workgroup> sum_3_sum_all: array<f32, 256>;

fn sum_3_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: def main(x: [n]f32) -> [n]f32 = if sum(x) > 1.0 then exp(x) else for i < n => x[n - 1 - i]
fn sum_3_at(i: i32, sum: ptr<function, f32>) {
  let x_2 = sum_3_x[i];
  let t = ((*sum) + x_2);
  (*sum) = t;
}

@compute @workgroup_size(256)
fn sum_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_3_params.n);
  for (var point = lane; point < points; point += 256u) {
    sum_3_at(i32(point), &sum);
  }
  sum_3_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_3_join(&sum, sum_3_sum_all[lane + width]);
      sum_3_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(sum);
  }
}

// In order
@compute @workgroup_size(2)
fn sum_4(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<f32>(slots[0]);
  let sum_5 = sum;
  slots[2] = bitcast<u32>(sum_5);
}

struct sum_2_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_2_all_params: sum_2_all_Params;
@group(0) @binding(3) var<storage, read> sum_2_all_x: array<f32>;
var<workgroup> sum_2_all_f32_0: array<f32, 256>;
var<private> sum_5: f32;
var<private> sum: f32;

fn sum_2_all_scalars() {
  sum = 0.0f;
}

fn sum_2_all_join(sum_part: f32) {
  let t_2 = (sum + sum_part);
  sum = t_2;
}

fn sum_2_all_at(i: i32) {
  let x_2 = sum_2_all_x[i];
  let t = (sum + x_2);
  sum = t;
}

fn sum_2_all_scalars_2() {
  sum_5 = sum;
}

// Small nests one after the other, the first of them: def main(x: [n]f32) -> [n]f32 = if sum(x) > 1.0 then exp(x) else for i < n => x[n - 1 - i]
@compute @workgroup_size(256)
fn sum_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  sum_2_all_scalars();
  sum = 0.0f;
  {
    let points = u32(sum_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      sum_2_all_at(i32(point));
    }
  }
  sum_2_all_f32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_2_all_join(sum_2_all_f32_0[lane + width]);
      sum_2_all_f32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = sum_2_all_f32_0[0];
  sum_2_all_scalars_2();
  if lane == 0u {
    slots[2] = bitcast<u32>(sum_5);
  }
}

// In order
@compute @workgroup_size(2)
fn gt(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let sum_5 = bitcast<f32>(slots[2]);
  let gt_2 = arr_f32_lt(1.0f, sum_5);
  slots[4] = select(0u, 1u, gt_2);
}

struct exp_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> exp_2_params: exp_2_Params;
@group(0) @binding(3) var<storage, read> exp_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> exp_2_exp_4: array<f32>;
// A point of a nest: def main(x: [n]f32) -> [n]f32 = if sum(x) > 1.0 then exp(x) else for i < n => x[n - 1 - i]
@compute @workgroup_size(256)
fn exp_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(exp_2_params.n) { return; }
  let i_2 = i32(point);
  let x_3 = exp_2_x[i_2];
  let exp_3 = arr_f32_exp(x_3);
  exp_2_exp_4[i_2] = exp_3;
}

struct for_2_Params {
  n: i32,
  x_data_row: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: def main(x: [n]f32) -> [n]f32 = if sum(x) > 1.0 then exp(x) else for i < n => x[n - 1 - i]
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i_3 = i32(point);
  let i_3_step = i_3 * (-1i);
  let x_4 = for_2_x[for_2_params.x_data_row + i_3_step];
  for_2_for_3[i_3] = x_4;
}

// The host:
// let x.data: address f32 = data x
// let fits: bool = le n, 32768
// if fits {
//   run sum_2_all over 1 by 1 (n; x)
// } else {
//   let short: bool = le n, 4096
//   if short {
//     run sum_3 over 1 by 1 (n; x)
//   } else {
//     let s.3: i64 = add n, 4095
//     let s.4: i64 = div s.3, 4096
//     let groups: i64 = min s.4, 1024
//     let sum.parts: buffer f32 = alloc [groups] @1
//     run sum_parts over n by 4096 at most 1024 (n; x, sum.parts)
//     run sum_2 over 1 by 1 (groups; sum.parts)
//     release sum.parts
//   }
//   run sum_4 over 1 by 1 (; )
// }
// run gt over 1 by 1 (; )
// fetch gt
// var if: buffer f32
// let s: i64 = sub n, 1
// let x.data.row: address f32 = offset x.data[s]
// if gt {
//   let exp: buffer f32 = alloc [n] @2
//   let exp.data: address f32 = data exp
//   run exp_2 over n by 256 (n; x, exp)
//   set if = exp
// } else {
//   let for: buffer f32 = alloc [n] @3
//   let for.data: address f32 = data for
//   run for_2 over n by 256 (n, x.data.row; x, for)
//   set if = for
// }
// let if.2: buffer f32 = if
// return if.2 [n]
