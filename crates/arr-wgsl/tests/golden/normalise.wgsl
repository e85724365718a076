// `main`: made by the Arr compiler.

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

// A point of a reduction: let mean = sum(x) / f32(n)
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

// A point of a reduction: let mean = sum(x) / f32(n)
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

struct mean_Params {
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> mean_params: mean_Params;
// In order
@compute @workgroup_size(2)
fn mean(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<f32>(slots[0]);
  let sum_4 = sum;
  let mean_2 = (sum_4 / mean_params.f32_2);
  slots[2] = bitcast<u32>(mean_2);
}

struct sum_3_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_3_parts_params: sum_3_parts_Params;
@group(0) @binding(3) var<storage, read> sum_3_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_3_parts_sum_3_parts_2: array<f32>;
var<workgroup> sum_3_parts_sum_5_all: array<f32, 256>;

fn sum_3_parts_join(sum_5: ptr<function, f32>, sum_3_part: f32) {
  let t_4 = ((*sum_5) + sum_3_part);
  (*sum_5) = t_4;
}

// A point of a reduction: let spread = sqrt(sum((x - mean) * (x - mean)) / f32(n))
fn sum_3_parts_at(i_2: i32, sum_5: ptr<function, f32>) {
  let mean_2 = bitcast<f32>(slots[2]);
  let x_3 = sum_3_parts_x[i_2];
  let sub = (x_3 - mean_2);
  let mul = (sub * sub);
  let t_3 = ((*sum_5) + mul);
  (*sum_5) = t_3;
}

@compute @workgroup_size(256)
fn sum_3_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum_5: f32 = 0.0f;
  let points = u32(sum_3_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    sum_3_parts_at(i32(point), &sum_5);
  }
  sum_3_parts_sum_5_all[lane] = sum_5;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_3_parts_join(&sum_5, sum_3_parts_sum_5_all[lane + width]);
      sum_3_parts_sum_5_all[lane] = sum_5;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    sum_3_parts_sum_3_parts_2[group.x] = sum_5;
  }
}

struct sum_6_Params {
  groups_3: i32,
}
@group(0) @binding(0) var<uniform> sum_6_params: sum_6_Params;
@group(0) @binding(3) var<storage, read> sum_6_sum_3_parts_2: array<f32>;
var<workgroup> sum_6_sum_5_all: array<f32, 256>;

fn sum_6_join(sum_5: ptr<function, f32>, sum_3_part: f32) {
  let t_4 = ((*sum_5) + sum_3_part);
  (*sum_5) = t_4;
}

@compute @workgroup_size(256)
fn sum_6(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum_5: f32 = 0.0f;
  let points = u32(sum_6_params.groups_3);
  for (var point = lane; point < points; point += 256u) {
    sum_6_join(&sum_5, sum_6_sum_3_parts_2[point]);
  }
  sum_6_sum_5_all[lane] = sum_5;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_6_join(&sum_5, sum_6_sum_5_all[lane + width]);
      sum_6_sum_5_all[lane] = sum_5;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[4] = bitcast<u32>(sum_5);
  }
}

struct sum_7_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_7_params: sum_7_Params;
@group(0) @binding(3) var<storage, read> sum_7_x: array<f32>;
var<workgroup> sum_7_sum_5_all: array<f32, 256>;

fn sum_7_join(sum_5: ptr<function, f32>, sum_3_part: f32) {
  let t_4 = ((*sum_5) + sum_3_part);
  (*sum_5) = t_4;
}

// A point of a reduction: let spread = sqrt(sum((x - mean) * (x - mean)) / f32(n))
fn sum_7_at(i_2: i32, sum_5: ptr<function, f32>) {
  let mean_2 = bitcast<f32>(slots[2]);
  let x_3 = sum_7_x[i_2];
  let sub = (x_3 - mean_2);
  let mul = (sub * sub);
  let t_3 = ((*sum_5) + mul);
  (*sum_5) = t_3;
}

@compute @workgroup_size(256)
fn sum_7(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum_5: f32 = 0.0f;
  let points = u32(sum_7_params.n);
  for (var point = lane; point < points; point += 256u) {
    sum_7_at(i32(point), &sum_5);
  }
  sum_7_sum_5_all[lane] = sum_5;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      sum_7_join(&sum_5, sum_7_sum_5_all[lane + width]);
      sum_7_sum_5_all[lane] = sum_5;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[4] = bitcast<u32>(sum_5);
  }
}

struct spread_Params {
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> spread_params: spread_Params;
// In order
@compute @workgroup_size(2)
fn spread(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum_5 = bitcast<f32>(slots[4]);
  let sum_8 = sum_5;
  let div = (sum_8 / spread_params.f32_2);
  let spread_2 = sqrt(div);
  slots[6] = bitcast<u32>(spread_2);
}

struct div_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> div_2_params: div_2_Params;
@group(0) @binding(3) var<storage, read> div_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> div_2_div_4: array<f32>;
// A point of a nest: in (x - mean) / spread
@compute @workgroup_size(256)
fn div_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(div_2_params.n) { return; }
  let i_3 = i32(point);
  let mean_2 = bitcast<f32>(slots[2]);
  let spread_2 = bitcast<f32>(slots[6]);
  let x_4 = div_2_x[i_3];
  let sub_2 = (x_4 - mean_2);
  let div_3 = (sub_2 / spread_2);
  div_2_div_4[i_3] = div_3;
}

struct div_2_all_Params {
  n: i32,
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> div_2_all_params: div_2_all_Params;
@group(0) @binding(3) var<storage, read> div_2_all_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> div_2_all_div_4: array<f32>;
var<workgroup> div_2_all_f32_0: array<f32, 256>;
var<private> sum: f32;
var<private> sum_5: f32;
var<private> mean_2: f32;
var<private> spread_2: f32;

fn div_2_all_scalars() {
  sum = 0.0f;
}

fn div_2_all_join(sum_part: f32) {
  let t_2 = (sum + sum_part);
  sum = t_2;
}

fn div_2_all_at(i: i32) {
  let x_2 = div_2_all_x[i];
  let t = (sum + x_2);
  sum = t;
}

fn div_2_all_scalars_2() {
  let sum_4 = sum;
  mean_2 = (sum_4 / div_2_all_params.f32_2);
  sum_5 = 0.0f;
}

fn div_2_all_join_2(sum_3_part: f32) {
  let t_4 = (sum_5 + sum_3_part);
  sum_5 = t_4;
}

fn div_2_all_at_2(i_2: i32) {
  let x_3 = div_2_all_x[i_2];
  let sub = (x_3 - mean_2);
  let mul = (sub * sub);
  let t_3 = (sum_5 + mul);
  sum_5 = t_3;
}

fn div_2_all_scalars_3() {
  let sum_8 = sum_5;
  let div = (sum_8 / div_2_all_params.f32_2);
  spread_2 = sqrt(div);
}

fn div_2_all_at_3(i_3: i32) {
  let x_4 = div_2_all_x[i_3];
  let sub_2 = (x_4 - mean_2);
  let div_3 = (sub_2 / spread_2);
  div_2_all_div_4[i_3] = div_3;
}

// Small nests one after the other, the first of them: let mean = sum(x) / f32(n)
@compute @workgroup_size(256)
fn div_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  div_2_all_scalars();
  sum = 0.0f;
  {
    let points = u32(div_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      div_2_all_at(i32(point));
    }
  }
  div_2_all_f32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      div_2_all_join(div_2_all_f32_0[lane + width]);
      div_2_all_f32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = div_2_all_f32_0[0];
  div_2_all_scalars_2();
  sum_5 = 0.0f;
  {
    let points = u32(div_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      div_2_all_at_2(i32(point));
    }
  }
  workgroupBarrier();
  div_2_all_f32_0[lane] = sum_5;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      div_2_all_join_2(div_2_all_f32_0[lane + width]);
      div_2_all_f32_0[lane] = sum_5;
    }
    workgroupBarrier();
  }
  sum_5 = div_2_all_f32_0[0];
  div_2_all_scalars_3();
  {
    let points = u32(div_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      div_2_all_at_3(i32(point));
    }
  }
}

// The host:
// let x.data: address f32 = data x
// let f32: f32 = f32 n
// let div.2: buffer f32 = alloc [n] @3
// let div.2.data: address f32 = data div.2
// let fits: bool = le n, 32768
// if fits {
//   run div_2_all over 1 by 1 (n, f32; x, div.2)
// } else {
//   let short: bool = le n, 4096
//   if short {
//     run sum_3 over 1 by 1 (n; x)
//   } else {
//     let s: i64 = add n, 4095
//     let s.2: i64 = div s, 4096
//     let groups: i64 = min s.2, 1024
//     let sum.parts: buffer f32 = alloc [groups] @1
//     run sum_parts over n by 4096 at most 1024 (n; x, sum.parts)
//     run sum_2 over 1 by 1 (groups; sum.parts)
//     release sum.parts
//   }
//   run mean over 1 by 1 (f32; )
//   let short.2: bool = le n, 4096
//   if short.2 {
//     run sum_7 over 1 by 1 (n; x)
//   } else {
//     let s.3: i64 = add n, 4095
//     let s.4: i64 = div s.3, 4096
//     let groups.2: i64 = min s.4, 1024
//     let sum.3.parts: buffer f32 = alloc [groups.2] @2
//     run sum_3_parts over n by 4096 at most 1024 (n; x, sum.3.parts)
//     run sum_6 over 1 by 1 (groups.2; sum.3.parts)
//     release sum.3.parts
//   }
//   run spread over 1 by 1 (f32; )
//   run div_2 over n by 256 (n; x, div.2)
// }
// return div.2 [n]
