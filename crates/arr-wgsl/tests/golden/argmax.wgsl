// `main`: made by the Arr compiler.

// From the library: arr_f32_infinity, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

struct k_parts_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> k_parts_params: k_parts_Params;
@group(0) @binding(3) var<storage, read> k_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> k_parts_k_parts_2: array<i32>;
@group(0) @binding(5) var<storage, read_write> k_parts_best_parts: array<f32>;
var<workgroup> k_parts_k_all: array<i32, 256>;
var<workgroup> k_parts_best_all: array<f32, 256>;

fn k_parts_join(k: ptr<function, i32>, best: ptr<function, f32>, k_part: i32, best_part: f32) {
  let t_9 = arr_f32_lt((*best), best_part);
  let t_10 = arr_f32_is_nan(best_part);
  let t_11 = arr_f32_is_nan((*best));
  let t_12 = (!t_11);
  let t_13 = (t_10 && t_12);
  let t_14 = (t_9 || t_13);
  let t_15 = select((*k), k_part, t_14);
  let t_16 = select((*best), best_part, t_14);
  (*k) = t_15;
  (*best) = t_16;
}

// A point of a reduction: let k = argmax(x)
fn k_parts_at(i: i32, k: ptr<function, i32>, best: ptr<function, f32>) {
  let x_2 = k_parts_x[i];
  let t = arr_f32_lt((*best), x_2);
  let t_2 = arr_f32_is_nan(x_2);
  let t_3 = arr_f32_is_nan((*best));
  let t_4 = (!t_3);
  let t_5 = (t_2 && t_4);
  let t_6 = (t || t_5);
  let t_7 = select((*k), i, t_6);
  let t_8 = select((*best), x_2, t_6);
  (*k) = t_7;
  (*best) = t_8;
}

@compute @workgroup_size(256)
fn k_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var k: i32 = 0i;
  var best: f32 = (-arr_f32_infinity());
  let points = u32(k_parts_params.n);
  let chunk = (points + groups.x * 256u - 1u) / (groups.x * 256u);
  let first = (group.x * 256u + lane) * chunk;
  for (var point = first; point < min(first + chunk, points); point++) {
    k_parts_at(i32(point), &k, &best);
  }
  k_parts_k_all[lane] = k;
  k_parts_best_all[lane] = best;
  workgroupBarrier();
  for (var width = 1u; width < 256u; width *= 2u) {
    if lane % (2u * width) == 0u {
      k_parts_join(&k, &best, k_parts_k_all[lane + width], k_parts_best_all[lane + width]);
      k_parts_k_all[lane] = k;
      k_parts_best_all[lane] = best;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    k_parts_k_parts_2[group.x] = k;
    k_parts_best_parts[group.x] = best;
  }
}

struct k_2_Params {
  groups_2: i32,
}
@group(0) @binding(0) var<uniform> k_2_params: k_2_Params;
@group(0) @binding(3) var<storage, read> k_2_k_parts_2: array<i32>;
@group(0) @binding(4) var<storage, read> k_2_best_parts: array<f32>;
var<workgroup> k_2_k_all: array<i32, 256>;
var<workgroup> k_2_best_all: array<f32, 256>;

fn k_2_join(k: ptr<function, i32>, best: ptr<function, f32>, k_part: i32, best_part: f32) {
  let t_9 = arr_f32_lt((*best), best_part);
  let t_10 = arr_f32_is_nan(best_part);
  let t_11 = arr_f32_is_nan((*best));
  let t_12 = (!t_11);
  let t_13 = (t_10 && t_12);
  let t_14 = (t_9 || t_13);
  let t_15 = select((*k), k_part, t_14);
  let t_16 = select((*best), best_part, t_14);
  (*k) = t_15;
  (*best) = t_16;
}

@compute @workgroup_size(256)
fn k_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var k: i32 = 0i;
  var best: f32 = (-arr_f32_infinity());
  let points = u32(k_2_params.groups_2);
  let chunk = (points + 256u - 1u) / (256u);
  let first = (lane) * chunk;
  for (var point = first; point < min(first + chunk, points); point++) {
    k_2_join(&k, &best, k_2_k_parts_2[point], k_2_best_parts[point]);
  }
  k_2_k_all[lane] = k;
  k_2_best_all[lane] = best;
  workgroupBarrier();
  for (var width = 1u; width < 256u; width *= 2u) {
    if lane % (2u * width) == 0u {
      k_2_join(&k, &best, k_2_k_all[lane + width], k_2_best_all[lane + width]);
      k_2_k_all[lane] = k;
      k_2_best_all[lane] = best;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(k);
    slots[2] = bitcast<u32>(best);
  }
}

struct k_3_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> k_3_params: k_3_Params;
@group(0) @binding(3) var<storage, read> k_3_x: array<f32>;
var<workgroup> k_3_k_all: array<i32, 256>;
var<workgroup> k_3_best_all: array<f32, 256>;

fn k_3_join(k: ptr<function, i32>, best: ptr<function, f32>, k_part: i32, best_part: f32) {
  let t_9 = arr_f32_lt((*best), best_part);
  let t_10 = arr_f32_is_nan(best_part);
  let t_11 = arr_f32_is_nan((*best));
  let t_12 = (!t_11);
  let t_13 = (t_10 && t_12);
  let t_14 = (t_9 || t_13);
  let t_15 = select((*k), k_part, t_14);
  let t_16 = select((*best), best_part, t_14);
  (*k) = t_15;
  (*best) = t_16;
}

// A point of a reduction: let k = argmax(x)
fn k_3_at(i: i32, k: ptr<function, i32>, best: ptr<function, f32>) {
  let x_2 = k_3_x[i];
  let t = arr_f32_lt((*best), x_2);
  let t_2 = arr_f32_is_nan(x_2);
  let t_3 = arr_f32_is_nan((*best));
  let t_4 = (!t_3);
  let t_5 = (t_2 && t_4);
  let t_6 = (t || t_5);
  let t_7 = select((*k), i, t_6);
  let t_8 = select((*best), x_2, t_6);
  (*k) = t_7;
  (*best) = t_8;
}

@compute @workgroup_size(256)
fn k_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var k: i32 = 0i;
  var best: f32 = (-arr_f32_infinity());
  let points = u32(k_3_params.n);
  let chunk = (points + 256u - 1u) / (256u);
  let first = (lane) * chunk;
  for (var point = first; point < min(first + chunk, points); point++) {
    k_3_at(i32(point), &k, &best);
  }
  k_3_k_all[lane] = k;
  k_3_best_all[lane] = best;
  workgroupBarrier();
  for (var width = 1u; width < 256u; width *= 2u) {
    if lane % (2u * width) == 0u {
      k_3_join(&k, &best, k_3_k_all[lane + width], k_3_best_all[lane + width]);
      k_3_k_all[lane] = k;
      k_3_best_all[lane] = best;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(k);
    slots[2] = bitcast<u32>(best);
  }
}

@group(0) @binding(3) var<storage, read> x_3_x: array<f32>;
// In order
@compute @workgroup_size(2)
fn x_3(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var k = bitcast<i32>(slots[0]);
  let k_4 = k;
  let x_4 = x_3_x[k_4];
  slots[4] = bitcast<u32>(k_4);
  slots[6] = bitcast<u32>(x_4);
}

struct x_3_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> x_3_all_params: x_3_all_Params;
@group(0) @binding(3) var<storage, read> x_3_all_x: array<f32>;
var<workgroup> x_3_all_i32_0: array<i32, 256>;
var<workgroup> x_3_all_f32_1: array<f32, 256>;
var<private> k_4: i32;
var<private> x_4: f32;
var<private> k: i32;
var<private> best: f32;

fn x_3_all_scalars() {
  k = 0i;
  best = (-arr_f32_infinity());
}

fn x_3_all_join(k_part: i32, best_part: f32) {
  let t_9 = arr_f32_lt(best, best_part);
  let t_10 = arr_f32_is_nan(best_part);
  let t_11 = arr_f32_is_nan(best);
  let t_12 = (!t_11);
  let t_13 = (t_10 && t_12);
  let t_14 = (t_9 || t_13);
  let t_15 = select(k, k_part, t_14);
  let t_16 = select(best, best_part, t_14);
  k = t_15;
  best = t_16;
}

fn x_3_all_at(i: i32) {
  let x_2 = x_3_all_x[i];
  let t = arr_f32_lt(best, x_2);
  let t_2 = arr_f32_is_nan(x_2);
  let t_3 = arr_f32_is_nan(best);
  let t_4 = (!t_3);
  let t_5 = (t_2 && t_4);
  let t_6 = (t || t_5);
  let t_7 = select(k, i, t_6);
  let t_8 = select(best, x_2, t_6);
  k = t_7;
  best = t_8;
}

fn x_3_all_scalars_2() {
  k_4 = k;
  x_4 = x_3_all_x[k_4];
}

// Small nests one after the other, the first of them: let k = argmax(x)
@compute @workgroup_size(256)
fn x_3_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  x_3_all_scalars();
  k = 0i;
  best = (-arr_f32_infinity());
  {
    let points = u32(x_3_all_params.n);
    let chunk = (points + 255u) / 256u;
    let first = lane * chunk;
    for (var point = first; point < min(first + chunk, points); point++) {
      x_3_all_at(i32(point));
    }
  }
  x_3_all_i32_0[lane] = k;
  x_3_all_f32_1[lane] = best;
  workgroupBarrier();
  for (var width = 1u; width < 256u; width *= 2u) {
    if lane % (2u * width) == 0u {
      x_3_all_join(x_3_all_i32_0[lane + width], x_3_all_f32_1[lane + width]);
      x_3_all_i32_0[lane] = k;
      x_3_all_f32_1[lane] = best;
    }
    workgroupBarrier();
  }
  k = x_3_all_i32_0[0];
  best = x_3_all_f32_1[0];
  x_3_all_scalars_2();
  if lane == 0u {
    slots[4] = bitcast<u32>(k_4);
    slots[6] = bitcast<u32>(x_4);
  }
}

// The host:
// let x.data: address f32 = data x
// let fits: bool = le n, 32768
// if fits {
//   run x_3_all over 1 by 1 (n; x)
// } else {
//   let short: bool = le n, 4096
//   if short {
//     run k_3 over 1 by 1 (n; x)
//   } else {
//     let s: i64 = add n, 4095
//     let s.2: i64 = div s, 4096
//     let groups: i64 = min s.2, 1024
//     let k.parts: buffer i64 = alloc [groups] @1
//     let best.parts: buffer f32 = alloc [groups] @1
//     run k_parts over n by 4096 at most 1024 (n; x, k.parts, best.parts)
//     run k_2 over 1 by 1 (groups; k.parts, best.parts)
//     release k.parts
//     release best.parts
//   }
//   run x_3 over 1 by 1 (; x)
// }
// check non_empty n @1
// return k.2, x.3
