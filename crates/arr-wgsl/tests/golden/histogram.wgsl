// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_sort_short_key, arr_sort_count_key, arr_sort_move_key, arr_sort_count_2_key, arr_sort_move_2_key.

// From kernels of products and sorts: sort_start, sort_places, sort_places_2, sort_end.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

struct zeros_Params {
  k: i32,
}
@group(0) @binding(0) var<uniform> zeros_params: zeros_Params;
@group(0) @binding(3) var<storage, read_write> zeros_zeros_2: array<f32>;
// A point of a nest: scatter_add(zeros(k), at, x)
@compute @workgroup_size(256)
fn zeros(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(zeros_params.k) { return; }
  let i = i32(point);
  zeros_zeros_2[i] = 0.0f;
}

struct zeros_3_Params {
  n: i32,
  k: i32,
}
@group(0) @binding(0) var<uniform> zeros_3_params: zeros_3_Params;
@group(0) @binding(3) var<storage, read> zeros_3_at: array<i32>;
@group(0) @binding(4) var<storage, read> zeros_3_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> zeros_3_zeros_2: array<f32>;
// In order: scatter_add(zeros(k), at, x)
@compute @workgroup_size(2)
fn zeros_3(@builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  if lane != 0u { return; }
  for (var i_2: i32 = 0i; i_2 < zeros_3_params.n; i_2 += 1i) {
    let at_2 = zeros_3_at[i_2];
    let x_2 = zeros_3_x[i_2];
    if at_2 < 0i || at_2 >= zeros_3_params.k {
      if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(at_2)); atomicStore(&fault[3], bitcast<u32>(at_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(zeros_3_params.k)); atomicStore(&fault[5], bitcast<u32>(zeros_3_params.k >> 31u)); }
      return;
    }
    let old = zeros_3_zeros_2[at_2];
    let t = (old + x_2);
    zeros_3_zeros_2[at_2] = t;
  }
}

struct scatter_start_Params {
  copied: i32,
}
@group(0) @binding(0) var<uniform> scatter_start_params: scatter_start_Params;
@group(0) @binding(3) var<storage, read_write> scatter_start_copies_7: array<f32>;
@compute @workgroup_size(256)
fn scatter_start(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= scatter_start_params.copied { return; }
  scatter_start_copies_7[point] = (-0.0f);
}

struct zeros_copies_Params {
  n: i32,
  copies_6: i32,
  part_3: i32,
  size: i32,
  k: i32,
}
@group(0) @binding(0) var<uniform> zeros_copies_params: zeros_copies_Params;
@group(0) @binding(3) var<storage, read> zeros_copies_at: array<i32>;
@group(0) @binding(4) var<storage, read> zeros_copies_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> zeros_copies_copies_7: array<f32>;
// Sums at computed places, in copies: scatter_add(zeros(k), at, x)
@compute @workgroup_size(64)
fn zeros_copies(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let mine = i32((group.x + group.y * groups.x) * 64u + lane);
  if mine >= zeros_copies_params.copies_6 { return; }
  let copy_start = mine * zeros_copies_params.size;
  let chunk_start = mine * zeros_copies_params.part_3;
  let chunk_end = chunk_start + min(zeros_copies_params.part_3, zeros_copies_params.n - chunk_start);
  for (var turn: i32 = chunk_start; turn < chunk_end; turn += 1i) {
    let i_2 = turn;
    let at_2 = zeros_copies_at[i_2];
    let x_2 = zeros_copies_x[i_2];
    if at_2 < 0i || at_2 >= zeros_copies_params.k {
      if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(at_2)); atomicStore(&fault[3], bitcast<u32>(at_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(zeros_copies_params.k)); atomicStore(&fault[5], bitcast<u32>(zeros_copies_params.k >> 31u)); }
      return;
    }
    let old = zeros_copies_copies_7[copy_start + at_2];
    let t = (old + x_2);
    zeros_copies_copies_7[copy_start + at_2] = t;
  }
}

struct scatter_join_Params {
  size: i32,
  copies_6: i32,
}
@group(0) @binding(0) var<uniform> scatter_join_params: scatter_join_Params;
@group(0) @binding(3) var<storage, read> scatter_join_copies_7: array<f32>;
@group(0) @binding(4) var<storage, read_write> scatter_join_zeros_2: array<f32>;
var<workgroup> arr_scatter_join_sums: array<f32, 64>;
@compute @workgroup_size(64)
fn scatter_join(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  if group >= scatter_join_params.size { return; }
  let parts = min(scatter_join_params.copies_6, 64);
  if lane < parts {
    var sum = scatter_join_copies_7[lane * scatter_join_params.size + group];
    for (var k = lane + 64; k < scatter_join_params.copies_6; k += 64) {
      let term = scatter_join_copies_7[k * scatter_join_params.size + group];
      sum = (sum + term);
    }
    arr_scatter_join_sums[lane] = sum;
  }
  workgroupBarrier();
  for (var step = 32; step > 0; step = step >> 1u) {
    if lane < step && lane + step < parts {
      let mine = arr_scatter_join_sums[lane];
      let other = arr_scatter_join_sums[lane + step];
      arr_scatter_join_sums[lane] = (mine + other);
    }
    workgroupBarrier();
  }
  if lane == 0 {
    let old = scatter_join_zeros_2[group];
    let all = arr_scatter_join_sums[0];
    scatter_join_zeros_2[group] = (old + all);
  }
}

struct scatter_join_2_Params {
  size: i32,
  copies_6: i32,
}
@group(0) @binding(0) var<uniform> scatter_join_2_params: scatter_join_2_Params;
@group(0) @binding(3) var<storage, read> scatter_join_2_copies_7: array<f32>;
@group(0) @binding(4) var<storage, read_write> scatter_join_2_zeros_2: array<f32>;
@compute @workgroup_size(256)
fn scatter_join_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= scatter_join_2_params.size { return; }
  var sum = scatter_join_2_zeros_2[point];
  for (var k = 0; k < scatter_join_2_params.copies_6; k++) {
    let term = scatter_join_2_copies_7[k * scatter_join_2_params.size + point];
    sum = (sum + term);
  }
  scatter_join_2_zeros_2[point] = sum;
}

struct zeros_terms_Params {
  n: i32,
  k: i32,
}
@group(0) @binding(0) var<uniform> zeros_terms_params: zeros_terms_Params;
@group(0) @binding(3) var<storage, read> zeros_terms_at: array<i32>;
@group(0) @binding(4) var<storage, read> zeros_terms_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> zeros_terms_places: array<u32>;
@group(0) @binding(6) var<storage, read_write> zeros_terms_terms_2: array<f32>;
// The terms of sums at computed places: scatter_add(zeros(k), at, x)
@compute @workgroup_size(256)
fn zeros_terms(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let mine = i32((group.x + group.y * groups.x) * 256u + lane);
  if mine >= zeros_terms_params.n { return; }
  let at_2 = zeros_terms_at[mine];
  let x_2 = zeros_terms_x[mine];
  if at_2 < 0i || at_2 >= zeros_terms_params.k {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(at_2)); atomicStore(&fault[3], bitcast<u32>(at_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(zeros_terms_params.k)); atomicStore(&fault[5], bitcast<u32>(zeros_terms_params.k >> 31u)); }
    return;
  }
  let place_4 = (0i + at_2);
  let place_5 = (place_4 + 1i);
  let place_6 = u32(place_5);
  zeros_terms_places[mine] = place_6;
  zeros_terms_terms_2[mine] = x_2;
}

struct scatter_sorted_Params {
  terms: i32,
}
@group(0) @binding(0) var<uniform> scatter_sorted_params: scatter_sorted_Params;
@group(0) @binding(3) var<storage, read> scatter_sorted_places: array<u32>;
@group(0) @binding(4) var<storage, read> scatter_sorted_terms_2: array<f32>;
@group(0) @binding(5) var<storage, read> scatter_sorted_order: array<i32>;
@group(0) @binding(6) var<storage, read_write> scatter_sorted_zeros_2: array<f32>;
@compute @workgroup_size(256)
fn scatter_sorted(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let first = group * 256 + lane;
  if first >= scatter_sorted_params.terms { return; }
  let place = scatter_sorted_places[i32(scatter_sorted_order[first])];
  if place == 0u { return; }
  if first > 0 && scatter_sorted_places[i32(scatter_sorted_order[first - 1])] == place { return; }
  let point = i32(place - 1u);
  var sum = scatter_sorted_zeros_2[point];
  for (var k = first; k < scatter_sorted_params.terms && scatter_sorted_places[i32(scatter_sorted_order[k])] == place; k++) {
    let term = scatter_sorted_terms_2[i32(scatter_sorted_order[k])];
    sum = (sum + term);
  }
  scatter_sorted_zeros_2[point] = sum;
}

// The host:
// let zeros: buffer f32 = alloc [k] @2
// let zeros.data: address f32 = data zeros
// run zeros over k by 256 (k; zeros)
// let at.data: address i64 = data at
// let x.data: address f32 = data x
// let zeros.2: buffer f32 = zeros
// let zeros.2.data: address f32 = data zeros.2
// let size: i64 = max k, 0
// let long: bool = ge n, 256
// let copies: i64 = max size, 1
// let copies.2: i64 = div 4194304, copies
// let copies.3: i64 = div n, 16
// let copies.4: i64 = min copies.2, copies.3
// let copies.5: i64 = min copies.4, 4096
// let copies.6: i64 = max copies.5, 1
// let few: bool = lt copies.2, 64
// if long {
//   if few {
//     let terms: i64 = max n, 0
//     let places: buffer u32 = zeros [terms] @3
//     let terms.2: buffer f32 = alloc [terms] @3
//     let order: buffer i64 = alloc [terms] @3
//     run zeros_terms over n by 256 (n, k; at, x, places, terms.2)
//     let elements: i64 = max terms, 0
//     let length: i64 = max terms, 1
//     let rows: i64 = div elements, length
//     let short: bool = le terms, 256
//     if short {
//       run sort_short over elements by 256 (elements, length; places, order)
//     } else {
//       let tiles: i64 = add length, 2047
//       let tiles.2: i64 = div tiles, 2048
//       let positions: buffer u32 = alloc [elements] @3
//       let moved: buffer u32 = alloc [elements] @3
//       let counts: buffer u32 = alloc [rows, 16, tiles.2] @3
//       run sort_start over elements by 256 (elements, length; positions)
//       for pass < 4 with shift step 8 @3 {
//         run sort_count over tiles.2, rows by 1 (tiles.2, rows, length, shift; places, positions, counts)
//         run sort_places over rows by 1 (rows, tiles.2; counts)
//         run sort_move over tiles.2, rows by 1 (tiles.2, rows, length, shift; places, positions, counts, moved)
//         let places.2: i64 = add shift, 4
//         run sort_count_2 over tiles.2, rows by 1 (tiles.2, rows, length, places.2; places, moved, counts)
//         run sort_places_2 over rows by 1 (rows, tiles.2; counts)
//         run sort_move_2 over tiles.2, rows by 1 (tiles.2, rows, length, places.2; places, moved, counts, positions)
//       }
//       run sort_end over elements by 256 (elements; positions, order)
//       release positions
//       release moved
//       release counts
//     }
//     run scatter_sorted over terms by 256 (terms; places, terms.2, order, zeros)
//     release places
//     release terms.2
//     release order
//   } else {
//     let part: i64 = sub copies.6, 1
//     let part.2: i64 = add n, part
//     let part.3: i64 = div part.2, copies.6
//     let copies.7: buffer f32 = alloc [copies.6, size] @3
//     let copied: i64 = mul copies.6, size
//     run scatter_start over copied by 256 (copied; copies.7)
//     run zeros_copies over copies.6 by 64 (n, copies.6, part.3, size, k; at, x, copies.7)
//     let few.2: bool = lt size, 4096
//     if few.2 {
//       run scatter_join over size by 1 (size, copies.6; copies.7, zeros)
//     } else {
//       run scatter_join_2 over size by 256 (size, copies.6; copies.7, zeros)
//     }
//     release copies.7
//   }
// } else {
//   run zeros_3 over 1 by 1 (n, k; at, x, zeros)
// }
// check size_non_neg k @1
// return zeros.2 [k]
