// `main`: made by the Arr compiler.

// From the library: arr_f64_is_nan, arr_f64_exact, arr_f64_exp_least, arr_f64_exp_most, arr_f64_ln2_high, arr_f64_ln2_low, arr_f64_scale, arr_f64_exp_tail, arr_f64_exp.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

struct sum_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_parts_params: sum_parts_Params;
@group(0) @binding(3) var<storage, read> sum_parts_x: array<f64>;
@group(0) @binding(4) var<storage, read> sum_parts_y: array<f64>;
@group(0) @binding(5) var<storage, read_write> sum_parts_sum_parts_2: array<f64>;
var<workgroup> sum_parts_sum_all: array<f64, 256>;

fn sum_parts_join(sum: ptr<function, f64>, sum_part: f64) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: def main(x: [n]f64, y: [n]f64) -> f64 = sum(exp(x) * y)
fn sum_parts_at(i: i32, sum: ptr<function, f64>) {
  let x_2 = sum_parts_x[i];
  let exp_2 = arr_f64_exp(x_2);
  let y_2 = sum_parts_y[i];
  let mul = (exp_2 * y_2);
  let t = ((*sum) + mul);
  (*sum) = t;
}

@compute @workgroup_size(256)
fn sum_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f64 = 0.0lf;
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
@group(0) @binding(3) var<storage, read> sum_2_sum_parts_2: array<f64>;
var<workgroup> sum_2_sum_all: array<f64, 256>;

fn sum_2_join(sum: ptr<function, f64>, sum_part: f64) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

@compute @workgroup_size(256)
fn sum_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f64 = 0.0lf;
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
    { let bits = bitcast<u64>(sum); slots[0] = u32(bits & 0xfffffffflu); slots[1] = u32(bits >> 32u); }
  }
}

struct sum_3_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_3_params: sum_3_Params;
@group(0) @binding(3) var<storage, read> sum_3_x: array<f64>;
@group(0) @binding(4) var<storage, read> sum_3_y: array<f64>;
var<workgroup> sum_3_sum_all: array<f64, 256>;

fn sum_3_join(sum: ptr<function, f64>, sum_part: f64) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: def main(x: [n]f64, y: [n]f64) -> f64 = sum(exp(x) * y)
fn sum_3_at(i: i32, sum: ptr<function, f64>) {
  let x_2 = sum_3_x[i];
  let exp_2 = arr_f64_exp(x_2);
  let y_2 = sum_3_y[i];
  let mul = (exp_2 * y_2);
  let t = ((*sum) + mul);
  (*sum) = t;
}

@compute @workgroup_size(256)
fn sum_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f64 = 0.0lf;
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
    { let bits = bitcast<u64>(sum); slots[0] = u32(bits & 0xfffffffflu); slots[1] = u32(bits >> 32u); }
  }
}

// In order
@compute @workgroup_size(2)
fn sum_4(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<f64>(u64(slots[0]) | (u64(slots[1]) << 32u));
  let sum_5 = sum;
  { let bits = bitcast<u64>(sum_5); slots[2] = u32(bits & 0xfffffffflu); slots[3] = u32(bits >> 32u); }
}

struct sum_2_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_2_all_params: sum_2_all_Params;
@group(0) @binding(3) var<storage, read> sum_2_all_x: array<f64>;
@group(0) @binding(4) var<storage, read> sum_2_all_y: array<f64>;
var<workgroup> sum_2_all_f64_0: array<f64, 256>;
var<private> sum_5: f64;
var<private> sum: f64;

fn sum_2_all_scalars() {
  sum = 0.0lf;
}

fn sum_2_all_join(sum_part: f64) {
  let t_2 = (sum + sum_part);
  sum = t_2;
}

fn sum_2_all_at(i: i32) {
  let x_2 = sum_2_all_x[i];
  let exp_2 = arr_f64_exp(x_2);
  let y_2 = sum_2_all_y[i];
  let mul = (exp_2 * y_2);
  let t = (sum + mul);
  sum = t;
}

fn sum_2_all_scalars_2() {
  sum_5 = sum;
}

// Small nests one after the other, the first of them: def main(x: [n]f64, y: [n]f64) -> f64 = sum(exp(x) * y)
@compute @workgroup_size(256)
fn sum_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  sum_2_all_scalars();
  sum = 0.0lf;
  {
    let points = u32(sum_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      sum_2_all_at(i32(point));
    }
  }
  sum_2_all_f64_0[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_2_all_join(sum_2_all_f64_0[lane + width]);
      sum_2_all_f64_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = sum_2_all_f64_0[0];
  sum_2_all_scalars_2();
  if lane == 0u {
    { let bits = bitcast<u64>(sum_5); slots[2] = u32(bits & 0xfffffffflu); slots[3] = u32(bits >> 32u); }
  }
}

// The host:
// let x.data: address f64 = data x
// let y.data: address f64 = data y
// let fits: bool = le n, 32768
// if fits {
//   run sum_2_all over 1 by 1 (n; x, y)
// } else {
//   let short: bool = le n, 4096
//   if short {
//     run sum_3 over 1 by 1 (n; x, y)
//   } else {
//     let s: i64 = add n, 4095
//     let s.2: i64 = div s, 4096
//     let groups: i64 = min s.2, 1024
//     let sum.parts: buffer f64 = alloc [groups] @1
//     run sum_parts over n by 4096 at most 1024 (n; x, y, sum.parts)
//     run sum_2 over 1 by 1 (groups; sum.parts)
//     release sum.parts
//   }
//   run sum_4 over 1 by 1 (; )
// }
// return sum.2
