// `main`: made by the Arr compiler.

// From the library: arr_f32_infinity, arr_f32_is_nan, arr_f32_min.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

struct min_parts_Params {
  n: i32,
  at_data_row: i32,
}
@group(0) @binding(0) var<uniform> min_parts_params: min_parts_Params;
@group(0) @binding(3) var<storage, read> min_parts_at: array<f32>;
@group(0) @binding(4) var<storage, read_write> min_parts_min_parts_2: array<f32>;
var<workgroup> min_parts_min_2_all: array<f32, 256>;

fn min_parts_join(min_2: ptr<function, f32>, min_part: f32) {
  let t_2 = arr_f32_min((*min_2), min_part);
  (*min_2) = t_2;
}

// A point of a reduction: minimum(for i < n => at[i, 0] + at[i, 1])
fn min_parts_at_2(i: i32, min_2: ptr<function, f32>) {
  let i_step = i * 3i;
  let at_2 = min_parts_at[i_step];
  let at_3 = min_parts_at[min_parts_params.at_data_row + i_step];
  let add = (at_2 + at_3);
  let t = arr_f32_min((*min_2), add);
  (*min_2) = t;
}

@compute @workgroup_size(256)
fn min_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var min_2: f32 = arr_f32_infinity();
  let points = u32(min_parts_params.n);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    min_parts_at_2(i32(point), &min_2);
  }
  min_parts_min_2_all[lane] = min_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      min_parts_join(&min_2, min_parts_min_2_all[lane + width]);
      min_parts_min_2_all[lane] = min_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    min_parts_min_parts_2[group.x] = min_2;
  }
}

struct min_3_Params {
  groups_2: i32,
}
@group(0) @binding(0) var<uniform> min_3_params: min_3_Params;
@group(0) @binding(3) var<storage, read> min_3_min_parts_2: array<f32>;
var<workgroup> min_3_min_2_all: array<f32, 256>;

fn min_3_join(min_2: ptr<function, f32>, min_part: f32) {
  let t_2 = arr_f32_min((*min_2), min_part);
  (*min_2) = t_2;
}

@compute @workgroup_size(256)
fn min_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var min_2: f32 = arr_f32_infinity();
  let points = u32(min_3_params.groups_2);
  for (var point = lane; point < points; point += 256u) {
    min_3_join(&min_2, min_3_min_parts_2[point]);
  }
  min_3_min_2_all[lane] = min_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      min_3_join(&min_2, min_3_min_2_all[lane + width]);
      min_3_min_2_all[lane] = min_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(min_2);
  }
}

struct min_4_Params {
  n: i32,
  at_data_row: i32,
}
@group(0) @binding(0) var<uniform> min_4_params: min_4_Params;
@group(0) @binding(3) var<storage, read> min_4_at: array<f32>;
var<workgroup> min_4_min_2_all: array<f32, 256>;

fn min_4_join(min_2: ptr<function, f32>, min_part: f32) {
  let t_2 = arr_f32_min((*min_2), min_part);
  (*min_2) = t_2;
}

// A point of a reduction: minimum(for i < n => at[i, 0] + at[i, 1])
fn min_4_at_2(i: i32, min_2: ptr<function, f32>) {
  let i_step = i * 3i;
  let at_2 = min_4_at[i_step];
  let at_3 = min_4_at[min_4_params.at_data_row + i_step];
  let add = (at_2 + at_3);
  let t = arr_f32_min((*min_2), add);
  (*min_2) = t;
}

@compute @workgroup_size(256)
fn min_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var min_2: f32 = arr_f32_infinity();
  let points = u32(min_4_params.n);
  for (var point = lane; point < points; point += 256u) {
    min_4_at_2(i32(point), &min_2);
  }
  min_4_min_2_all[lane] = min_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      min_4_join(&min_2, min_4_min_2_all[lane + width]);
      min_4_min_2_all[lane] = min_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(min_2);
  }
}

// In order
@compute @workgroup_size(2)
fn min_5(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var min_2 = bitcast<f32>(slots[0]);
  let min_6 = min_2;
  slots[2] = bitcast<u32>(min_6);
}

struct min_2_all_Params {
  n: i32,
  at_data_row: i32,
}
@group(0) @binding(0) var<uniform> min_2_all_params: min_2_all_Params;
@group(0) @binding(3) var<storage, read> min_2_all_at_2: array<f32>;
var<workgroup> min_2_all_f32_0: array<f32, 256>;
var<private> min_6: f32;
var<private> min_2: f32;

fn min_2_all_scalars() {
  min_2 = arr_f32_infinity();
}

fn min_2_all_join(min_part: f32) {
  let t_2 = arr_f32_min(min_2, min_part);
  min_2 = t_2;
}

fn min_2_all_at(i: i32) {
  let i_step = i * 3i;
  let at_2 = min_2_all_at_2[i_step];
  let at_3 = min_2_all_at_2[min_2_all_params.at_data_row + i_step];
  let add = (at_2 + at_3);
  let t = arr_f32_min(min_2, add);
  min_2 = t;
}

fn min_2_all_scalars_2() {
  min_6 = min_2;
}

// Small nests one after the other, the first of them: minimum(for i < n => at[i, 0] + at[i, 1])
@compute @workgroup_size(256)
fn min_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  min_2_all_scalars();
  min_2 = arr_f32_infinity();
  {
    let points = u32(min_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      min_2_all_at(i32(point));
    }
  }
  min_2_all_f32_0[lane] = min_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      min_2_all_join(min_2_all_f32_0[lane + width]);
      min_2_all_f32_0[lane] = min_2;
    }
    workgroupBarrier();
  }
  min_2 = min_2_all_f32_0[0];
  min_2_all_scalars_2();
  if lane == 0u {
    slots[2] = bitcast<u32>(min_6);
  }
}

// The host:
// let at.data: address f32 = data at
// let at.data.row: address f32 = offset at.data[1]
// let fits: bool = le n, 32768
// if fits {
//   run min_2_all over 1 by 1 (n, at.data.row; at)
// } else {
//   let short: bool = le n, 4096
//   if short {
//     run min_4 over 1 by 1 (n, at.data.row; at)
//   } else {
//     let s: i64 = add n, 4095
//     let s.2: i64 = div s, 4096
//     let groups: i64 = min s.2, 1024
//     let min.parts: buffer f32 = alloc [groups] @1
//     run min_parts over n by 4096 at most 1024 (n, at.data.row; at, min.parts)
//     run min_3 over 1 by 1 (groups; min.parts)
//     release min.parts
//   }
//   run min_5 over 1 by 1 (; )
// }
// check non_empty n @1
// return min.2
