// `main`: made by the Arr compiler.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

struct sum_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_parts_params: sum_parts_Params;
@group(0) @binding(3) var<storage, read> sum_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read> sum_parts_y: array<f32>;
@group(0) @binding(5) var<storage, read_write> sum_parts_sum_parts_2: array<f32>;
var<workgroup> sum_parts_sum_all: array<f32, 256>;

fn sum_parts_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: def main(x: [n]f32, y: [n]f32) -> f32 = sqrt(sum(x * y)) / f32(n)
fn sum_parts_at(i: i32, sum: ptr<function, f32>) {
  let x_2 = sum_parts_x[i];
  let y_2 = sum_parts_y[i];
  let mul = (x_2 * y_2);
  let t = ((*sum) + mul);
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
@group(0) @binding(4) var<storage, read> sum_3_y: array<f32>;
var<workgroup> sum_3_sum_all: array<f32, 256>;

fn sum_3_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: def main(x: [n]f32, y: [n]f32) -> f32 = sqrt(sum(x * y)) / f32(n)
fn sum_3_at(i: i32, sum: ptr<function, f32>) {
  let x_2 = sum_3_x[i];
  let y_2 = sum_3_y[i];
  let mul = (x_2 * y_2);
  let t = ((*sum) + mul);
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

struct div_Params {
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> div_params: div_Params;
// In order
@compute @workgroup_size(2)
fn div(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<f32>(slots[0]);
  let sum_4 = sum;
  let sqrt_2 = sqrt(sum_4);
  let div_2 = (sqrt_2 / div_params.f32_2);
  slots[2] = bitcast<u32>(div_2);
}

struct div_all_Params {
  n: i32,
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> div_all_params: div_all_Params;
@group(0) @binding(3) var<storage, read> div_all_x: array<f32>;
@group(0) @binding(4) var<storage, read> div_all_y: array<f32>;
var<workgroup> div_all_f32_0: array<f32, 256>;
var<private> div_2: f32;
var<private> sum: f32;

fn div_all_scalars() {
  sum = 0.0f;
}

fn div_all_join(sum_part: f32) {
  let t_2 = (sum + sum_part);
  sum = t_2;
}

fn div_all_at(i: i32) {
  let x_2 = div_all_x[i];
  let y_2 = div_all_y[i];
  let mul = (x_2 * y_2);
  let t = (sum + mul);
  sum = t;
}

fn div_all_scalars_2() {
  let sum_4 = sum;
  let sqrt_2 = sqrt(sum_4);
  div_2 = (sqrt_2 / div_all_params.f32_2);
}

// Small nests one after the other, the first of them: def main(x: [n]f32, y: [n]f32) -> f32 = sqrt(sum(x * y)) / f32(n)
@compute @workgroup_size(256)
fn div_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  div_all_scalars();
  sum = 0.0f;
  {
    let points = u32(div_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      div_all_at(i32(point));
    }
  }
  div_all_f32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      div_all_join(div_all_f32_0[lane + width]);
      div_all_f32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = div_all_f32_0[0];
  div_all_scalars_2();
  if lane == 0u {
    slots[2] = bitcast<u32>(div_2);
  }
}

// The host:
// let x.data: address f32 = data x
// let y.data: address f32 = data y
// let f32: f32 = f32 n
// let fits: bool = le n, 32768
// if fits {
//   run div_all over 1 by 1 (n, f32; x, y)
// } else {
//   let short: bool = le n, 4096
//   if short {
//     run sum_3 over 1 by 1 (n; x, y)
//   } else {
//     let s: i64 = add n, 4095
//     let s.2: i64 = div s, 4096
//     let groups: i64 = min s.2, 1024
//     let sum.parts: buffer f32 = alloc [groups] @1
//     run sum_parts over n by 4096 at most 1024 (n; x, y, sum.parts)
//     run sum_2 over 1 by 1 (groups; sum.parts)
//     release sum.parts
//   }
//   run div over 1 by 1 (f32; )
// }
// return div
