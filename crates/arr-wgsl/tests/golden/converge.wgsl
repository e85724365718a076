// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_checked_stop, arr_checked_wide, arr_checked_add, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

struct while_loop_Params {
  size: i32,
  n: i32,
  start: i32,
}
@group(0) @binding(0) var<uniform> while_loop_params: while_loop_Params;
@group(0) @binding(3) var<storage, read_write> while_loop_u_state_own: array<f32>;
@group(0) @binding(4) var<storage, read_write> while_loop_arrays: array<f32>;
var<workgroup> while_loop_f32_0: array<f32, 256>;
var<workgroup> while_loop_u32_told_0: u32;
var<private> k_state: i32;
var<private> data: i32;
var<private> data_2: i32;
var<private> and: bool;
var<private> u_state_at: i32;
var<private> sum: f32;
var<private> u_data_2: i32;
var<private> k: i32;
var<private> u_3_data_2: i32;
var<private> for_data_2: i32;
var<private> k_2: i32;
var<private> for_at: i32;
var<private> data_3: i32;
var<private> data_4: i32;

fn while_loop_scalars() {
  u_state_at = 0i;
  data_2 = 0i;
}

fn while_loop_at(element: i32) {
  let copied = while_loop_u_state_own[element];
  while_loop_arrays[data_2 + element] = copied;
}

fn while_loop_scalars_2() {
    let u_at = u_state_at;
    k = k_state;
    sum = 0.0f;
    u_data_2 = u_at;
}

fn while_loop_join(sum_part: f32) {
    let t_2 = (sum + sum_part);
    sum = t_2;
}

fn while_loop_at_2(i: i32) {
    let u_2 = while_loop_arrays[u_data_2 + i];
    let mul = (u_2 * u_2);
    let t = (sum + mul);
    sum = t;
}

fn while_loop_scalars_3() {
    let sum_2 = sum;
    let gt = arr_f32_lt(1.0f, sum_2);
    let lt = (k < 20i);
    and = (gt && lt);
}

fn while_loop_scalars_4() {
    let u_3_at = u_state_at;
    k_2 = k_state;
    let place = (u_3_at != 0i);
    let place_2 = select(while_loop_params.start, 0i, place);
    for_at = place_2;
    u_3_data_2 = u_3_at;
    for_data_2 = for_at;
}

fn while_loop_at_3(i_2: i32) {
    let v = while_loop_arrays[u_3_data_2 + i_2];
    let mul_2 = (0.5f * v);
    while_loop_arrays[for_data_2 + i_2] = mul_2;
}

fn while_loop_scalars_5() {
    let s = arr_checked_add(k_2, 1i, 1u);
    u_state_at = for_at;
    k_state = s;
}

fn while_loop_scalars_6() {
  data_3 = u_state_at;
}

fn while_loop_at_4(element_2: i32) {
  let copied_2 = while_loop_arrays[data_3 + element_2];
  while_loop_u_state_own[element_2] = copied_2;
}

// In order, in one workgroup: loop (u, k) = (x, 0) while sum(u * u) > 1.0 and k < 20 do (for v in u => 0.5 * v, k + 1)
@compute @workgroup_size(256)
fn while_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  k_state = bitcast<i32>(slots[0]);
  while_loop_scalars();
  {
    let points = select(0u, u32(while_loop_params.size), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      while_loop_at(i32(point));
    }
  }
  loop {
    while_loop_scalars_2();
    storageBarrier();
    workgroupBarrier();
    let sum_before = sum;
    sum = 0.0f;
    {
      let points = select(0u, u32(while_loop_params.n), atomicLoad(&fault[0]) == 0u);
      for (var point = lane; point < points; point += 256u) {
        while_loop_at_2(i32(point));
      }
    }
    while_loop_f32_0[lane] = sum;
    workgroupBarrier();
    for (var width = 128u; width > 0u; width /= 2u) {
      if lane < width {
        while_loop_join(while_loop_f32_0[lane + width]);
        while_loop_f32_0[lane] = sum;
      }
      workgroupBarrier();
    }
    sum = sum_before;
    while_loop_join(while_loop_f32_0[0]);
    while_loop_scalars_3();
    workgroupBarrier();
    if lane == 0u { while_loop_u32_told_0 = select(0u, 1u, and && atomicLoad(&fault[0]) == 0u); }
    let told = workgroupUniformLoad(&while_loop_u32_told_0);
    if told == 0u { break; }
    while_loop_scalars_4();
    storageBarrier();
    workgroupBarrier();
    {
      let points = select(0u, u32(while_loop_params.n), atomicLoad(&fault[0]) == 0u);
      for (var point = lane; point < points; point += 256u) {
        while_loop_at_3(i32(point));
      }
    }
    while_loop_scalars_5();
  }
  while_loop_scalars_6();
  {
    let points = select(0u, u32(while_loop_params.size), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      while_loop_at_4(i32(point));
    }
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(k_state);
  }
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

struct sum_3_Params {
  groups_2: i32,
}
@group(0) @binding(0) var<uniform> sum_3_params: sum_3_Params;
@group(0) @binding(3) var<storage, read> sum_3_sum_parts_2: array<f32>;
var<workgroup> sum_3_sum_all: array<f32, 256>;

fn sum_3_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

@compute @workgroup_size(256)
fn sum_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_3_params.groups_2);
  for (var point = lane; point < points; point += 256u) {
    sum_3_join(&sum, sum_3_sum_parts_2[point]);
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
    slots[2] = bitcast<u32>(sum);
  }
}

struct sum_4_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_4_params: sum_4_Params;
@group(0) @binding(3) var<storage, read> sum_4_u: array<f32>;
var<workgroup> sum_4_sum_all: array<f32, 256>;

fn sum_4_join(sum: ptr<function, f32>, sum_part: f32) {
  let t_2 = ((*sum) + sum_part);
  (*sum) = t_2;
}

// A point of a reduction: loop (u, k) = (x, 0) while sum(u * u) > 1.0 and k < 20 do (for v in u => 0.5 * v, k + 1)
fn sum_4_at(i: i32, sum: ptr<function, f32>) {
  let u_2 = sum_4_u[i];
  let mul = (u_2 * u_2);
  let t = ((*sum) + mul);
  (*sum) = t;
}

@compute @workgroup_size(256)
fn sum_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var sum: f32 = 0.0f;
  let points = u32(sum_4_params.n);
  for (var point = lane; point < points; point += 256u) {
    sum_4_at(i32(point), &sum);
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
    slots[2] = bitcast<u32>(sum);
  }
}

// In order
@compute @workgroup_size(2)
fn gt_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var sum = bitcast<f32>(slots[2]);
  let sum_2 = sum;
  let gt = arr_f32_lt(1.0f, sum_2);
  slots[4] = select(0u, 1u, gt);
}

struct gt_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> gt_all_params: gt_all_Params;
@group(0) @binding(3) var<storage, read> gt_all_u: array<f32>;
var<workgroup> gt_all_f32_0: array<f32, 256>;
var<private> gt: bool;

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
  let sum_2 = sum;
  gt = arr_f32_lt(1.0f, sum_2);
}

// Small nests one after the other, the first of them: loop (u, k) = (x, 0) while sum(u * u) > 1.0 and k < 20 do (for v in u => 0.5 * v, k + 1)
@compute @workgroup_size(256)
fn gt_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  gt_all_scalars();
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
  gt_all_scalars_2();
  if lane == 0u {
    slots[4] = select(0u, 1u, gt);
  }
}

struct and_2_Params {
  lt: u32,
}
@group(0) @binding(0) var<uniform> and_2_params: and_2_Params;
// In order
@compute @workgroup_size(2)
fn and_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let gt = (slots[4] != 0u);
  let and = (gt && (and_2_params.lt != 0u));
  slots[6] = select(0u, 1u, and);
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
// let size: i64 = max n, 0
// let start: i64 = add 0, size
// let start.2: i64 = add start, size
// let fits: bool = le start.2, 16777216
// let fits.2: bool = le n, 8192
// let fit: bool = and fits, fits.2
// if fit {
//   let u.state.own: buffer f32 = unique u.state @3
//   set u.state = u.state.own
//   let arrays: buffer f32 = alloc [start.2] @3
//   put k.state = k.state
//   run while_loop over 1 by 1 (size, n, start; u.state.own, arrays)
//   fetch k.state
//   release arrays
// } else {
//   repeat {
//     let u: buffer f32 = u.state
//     let u.data: address f32 = data u
//     let fits.3: bool = le n, 32768
//     if fits.3 {
//       run gt_all over 1 by 1 (n; u)
//     } else {
//       let short: bool = le n, 4096
//       if short {
//         run sum_4 over 1 by 1 (n; u)
//       } else {
//         let s.2: i64 = add n, 4095
//         let s.3: i64 = div s.2, 4096
//         let groups: i64 = min s.3, 1024
//         let sum.parts: buffer f32 = alloc [groups] @1
//         run sum_parts over n by 4096 at most 1024 (n; u, sum.parts)
//         run sum_3 over 1 by 1 (groups; sum.parts)
//         release sum.parts
//       }
//       run gt_2 over 1 by 1 (; )
//     }
//     let k: i64 = k.state
//     let lt: bool = lt k, 20
//     run and_2 over 1 by 1 (lt; )
//     fetch and
//   } while and {
//     let u.3: buffer f32 = u.state
//     let u.3.data: address f32 = data u.3
//     let for: buffer f32 = alloc [n] @2
//     let for.data: address f32 = data for
//     run for_2 over n by 256 (n; u.3, for)
//     release u.3
//     let k.2: i64 = k.state
//     let s: i64 = add k.2, 1
//     set u.state = for
//     set k.state = s
//   }
// }
// let u.4: buffer f32 = u.state
// let k.3: i64 = k.state
// return u.4 [n], k.3
