// `main`: made by the Arr compiler.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

struct sum_parts_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> sum_parts_params: sum_parts_Params;
@group(0) @binding(3) var<storage, read> sum_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_parts_sum_parts_2: array<f32>;
var<workgroup> sum_parts_sum_all: array<f32, 256>;

fn sum_parts_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_4 = ((*sum) + sum_part);
  (*sum) = t_4;
}

// A point of a reduction: def main(x: [n][m]f32) -> f32 = sum(for i < n => sum(x[i] * x[i]))
fn sum_parts_at(i: i32, sum: ptr<function, f32>) {
  let i_step = i * sum_parts_params.m;
  var sum_2: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_parts_params.m; i_2 += 1i) {
    let x_2 = sum_parts_x[x_data_row + i_2];
    let mul = (x_2 * x_2);
    let t = (sum_2 + mul);
    sum_2 = t;
  }
  let sum_3 = sum_2;
  let t_3 = ((*sum) + sum_3);
  (*sum) = t_3;
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

struct sum_4_Params {
  groups_2: i32,
}
@group(0) @binding(0) var<uniform> sum_4_params: sum_4_Params;
@group(0) @binding(3) var<storage, read> sum_4_sum_parts_2: array<f32>;
var<workgroup> sum_4_sum_all: array<f32, 256>;

fn sum_4_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_4 = ((*sum) + sum_part);
  (*sum) = t_4;
}

@compute @workgroup_size(256)
fn sum_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_4_params.groups_2);
  for (var point = lane; point < points; point += 256u) {
    sum_4_join(&sum, sum_4_sum_parts_2[point]);
  }
  sum_4_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_4_join(&sum, sum_4_sum_all[lane + width]);
      sum_4_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(sum);
  }
}

struct sum_5_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> sum_5_params: sum_5_Params;
@group(0) @binding(3) var<storage, read> sum_5_x: array<f32>;
var<workgroup> sum_5_sum_all: array<f32, 256>;

fn sum_5_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_4 = ((*sum) + sum_part);
  (*sum) = t_4;
}

// A point of a reduction: def main(x: [n][m]f32) -> f32 = sum(for i < n => sum(x[i] * x[i]))
fn sum_5_at(i: i32, sum: ptr<function, f32>) {
  let i_step = i * sum_5_params.m;
  var sum_2: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_5_params.m; i_2 += 1i) {
    let x_2 = sum_5_x[x_data_row + i_2];
    let mul = (x_2 * x_2);
    let t = (sum_2 + mul);
    sum_2 = t;
  }
  let sum_3 = sum_2;
  let t_3 = ((*sum) + sum_3);
  (*sum) = t_3;
}

@compute @workgroup_size(256)
fn sum_5(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_5_params.n);
  for (var point = lane; point < points; point += 256u) {
    sum_5_at(i32(point), &sum);
  }
  sum_5_sum_all[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_5_join(&sum, sum_5_sum_all[lane + width]);
      sum_5_sum_all[lane] = sum;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(sum);
  }
}

// In order
@compute @workgroup_size(2)
fn sum_6(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<f32>(slots[0]);
  let sum_7 = sum;
  slots[2] = bitcast<u32>(sum_7);
}

struct sum_4_all_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> sum_4_all_params: sum_4_all_Params;
@group(0) @binding(3) var<storage, read> sum_4_all_x: array<f32>;
var<workgroup> sum_4_all_f32_0: array<f32, 256>;
var<private> sum_7: f32;
var<private> sum: f32;

fn sum_4_all_scalars() {
  sum = 0.0f;
}

fn sum_4_all_join(sum_part: f32) {
  let t_4 = (sum + sum_part);
  sum = t_4;
}

fn sum_4_all_at(i: i32) {
  let i_step = i * sum_4_all_params.m;
  var sum_2: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_4_all_params.m; i_2 += 1i) {
    let x_2 = sum_4_all_x[x_data_row + i_2];
    let mul = (x_2 * x_2);
    let t = (sum_2 + mul);
    sum_2 = t;
  }
  let sum_3 = sum_2;
  let t_3 = (sum + sum_3);
  sum = t_3;
}

fn sum_4_all_scalars_2() {
  sum_7 = sum;
}

// Small nests one after the other, the first of them: def main(x: [n][m]f32) -> f32 = sum(for i < n => sum(x[i] * x[i]))
@compute @workgroup_size(256)
fn sum_4_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  sum_4_all_scalars();
  sum = 0.0f;
  {
    let points = u32(sum_4_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      sum_4_all_at(i32(point));
    }
  }
  sum_4_all_f32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_4_all_join(sum_4_all_f32_0[lane + width]);
      sum_4_all_f32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = sum_4_all_f32_0[0];
  sum_4_all_scalars_2();
  if lane == 0u {
    slots[2] = bitcast<u32>(sum_7);
  }
}

// The host:
// let x.data: address f32 = data x
// let s.3: i64 = mul n, m
// let fits: bool = le s.3, 32768
// if fits {
//   run sum_4_all over 1 by 1 (n, m; x)
// } else {
//   let short: bool = le n, 4096
//   if short {
//     run sum_5 over 1 by 1 (n, m; x)
//   } else {
//     let s: i64 = add n, 4095
//     let s.2: i64 = div s, 4096
//     let groups: i64 = min s.2, 1024
//     let sum.parts: buffer f32 = alloc [groups] @1
//     run sum_parts over n by 4096 at most 1024 (n, m; x, sum.parts)
//     run sum_4 over 1 by 1 (groups; sum.parts)
//     release sum.parts
//   }
//   run sum_6 over 1 by 1 (; )
// }
// return sum.4
