// `main`: made by the Arr compiler.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

fn arr_f32_is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn arr_f32_ordered(a: f32, b: f32) -> bool {
    return !(arr_f32_is_nan(a) || arr_f32_is_nan(b));
}

fn arr_f32_lt(a: f32, b: f32) -> bool {
    return (a < b) && arr_f32_ordered(a, b);
}

struct sum_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_parts_params: sum_parts_Params;
@group(0) @binding(3) var<storage, read> sum_parts_u: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_parts_sum_parts_2: array<f32>;
var<workgroup> sum_parts_sum_all: array<f32, 256>;

fn sum_parts_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: loop (u, k) = (x, 0) while sum(u * u) > 1.0 and k < 20 do (for v in u => 0.5 * v, k + 1)
fn sum_parts_at(i: i32, sum: ptr<function, f32>) {
  let u_2 = sum_parts_u[i];
  let mul = (u_2 * u_2);
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
@group(0) @binding(3) var<storage, read> sum_3_u: array<f32>;
var<workgroup> sum_3_sum_all: array<f32, 256>;

fn sum_3_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: loop (u, k) = (x, 0) while sum(u * u) > 1.0 and k < 20 do (for v in u => 0.5 * v, k + 1)
fn sum_3_at(i: i32, sum: ptr<function, f32>) {
  let u_2 = sum_3_u[i];
  let mul = (u_2 * u_2);
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

// In order
@compute @workgroup_size(2)
fn gt(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<f32>(slots[0]);
  let sum_4 = sum;
  let gt_2 = arr_f32_lt(1.0f, sum_4);
  slots[2] = select(0u, 1u, gt_2);
}

struct gt_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> gt_all_params: gt_all_Params;
@group(0) @binding(3) var<storage, read> gt_all_u: array<f32>;
var<workgroup> gt_all_f32_0: array<f32, 256>;
var<private> gt_2: bool;
var<private> sum: f32;

fn gt_all_scalars() {
  sum = 0.0f;
}

fn gt_all_join(sum_part: f32) {
  let t_2 = (sum + sum_part);
  sum = t_2;
}

fn gt_all_at(i: i32) {
  let u_2 = gt_all_u[i];
  let mul = (u_2 * u_2);
  let t = (sum + mul);
  sum = t;
}

fn gt_all_scalars_2() {
  let sum_4 = sum;
  gt_2 = arr_f32_lt(1.0f, sum_4);
}

// Small nests one after the other, the first of them: loop (u, k) = (x, 0) while sum(u * u) > 1.0 and k < 20 do (for v in u => 0.5 * v, k + 1)
@compute @workgroup_size(256)
fn gt_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  gt_all_scalars();
  storageBarrier();
  workgroupBarrier();
  sum = 0.0f;
  {
    let points = u32(gt_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      gt_all_at(i32(point));
    }
  }
  gt_all_f32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      gt_all_join(gt_all_f32_0[lane + width]);
      gt_all_f32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = gt_all_f32_0[0];
  storageBarrier();
  workgroupBarrier();
  gt_all_scalars_2();
  if lane == 0u {
    slots[2] = select(0u, 1u, gt_2);
  }
}

struct and_Params {
  lt: u32,
}
@group(0) @binding(0) var<uniform> and_params: and_Params;
// In order
@compute @workgroup_size(2)
fn and(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let gt_2 = (slots[2] != 0u);
  let and_2 = (gt_2 && (and_params.lt != 0u));
  slots[4] = select(0u, 1u, and_2);
}

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_u_3: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: loop (u, k) = (x, 0) while sum(u * u) > 1.0 and k < 20 do (for v in u => 0.5 * v, k + 1)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i_2 = i32(point);
  let v = for_2_u_3[i_2];
  let mul_2 = (0.5f * v);
  for_2_for_3[i_2] = mul_2;
}

// The host:
// retain x
// var u.state: buffer f32 = x
// var k.state: i64 = 0
// repeat counted {
//   let u: buffer f32 = u.state
//   let u.data: address f32 = data u
//   let fits: bool = le n, 32768
//   if fits {
//     run gt_all over 1 by 1 (n; u)
//   } else {
//     let short: bool = le n, 4096
//     if short {
//       run sum_3 over 1 by 1 (n; u)
//     } else {
//       let s.2: i64 = add n, 4095
//       let s.3: i64 = div s.2, 4096
//       let groups: i64 = min s.3, 1024
//       let sum.parts: buffer f32 = alloc [groups] @1
//       run sum_parts over n by 4096 at most 1024 (n; u, sum.parts)
//       run sum_2 over 1 by 1 (groups; sum.parts)
//       release sum.parts
//     }
//     run gt over 1 by 1 (; )
//   }
//   let k: i64 = k.state
//   let lt: bool = lt k, 20
//   run and over 1 by 1 (lt; )
//   fetch and
// } while and {
//   let u.3: buffer f32 = u.state
//   let u.3.data: address f32 = data u.3
//   let for: buffer f32 = alloc [n] @2
//   let for.data: address f32 = data for
//   run for_2 over n by 256 (n; u.3, for)
//   release u.3
//   let k.2: i64 = k.state
//   let s: i64 = add k.2, 1
//   set u.state = for
//   set k.state = s
// }
// let u.4: buffer f32 = u.state
// let k.3: i64 = k.state
// return u.4 [n], k.3
