// `main`: made by the Arr compiler.

// From the library: arr_sort_short_key, arr_sort_count_key, arr_sort_move_key, arr_sort_count_2_key, arr_sort_move_2_key.

struct sort_start_Params {
  elements: i32,
  length_2: i32,
}
@group(0) @binding(0) var<uniform> sort_start_params: sort_start_Params;
@group(0) @binding(3) var<storage, read_write> sort_start_positions: array<u32>;
@compute @workgroup_size(256)
fn sort_start(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= sort_start_params.elements { return; }
  sort_start_positions[point] = u32(point % sort_start_params.length_2);
}

struct sort_places_Params {
  rows: i32,
  tiles_2: i32,
}
@group(0) @binding(0) var<uniform> sort_places_params: sort_places_Params;
@group(0) @binding(3) var<storage, read_write> sort_places_counts: array<u32>;
var<workgroup> arr_sort_places_sums: array<u32, 256>;
@compute @workgroup_size(256)
fn sort_places(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  if group >= sort_places_params.rows { return; }
  let all = sort_places_params.tiles_2 * 16;
  let run = (all + 255) / 256;
  let first = group * all + min(lane * run, all);
  let end = group * all + min(lane * run + run, all);
  var sum = 0u;
  for (var k = first; k < end; k++) { sum += sort_places_counts[k]; }
  arr_sort_places_sums[lane] = sum;
  workgroupBarrier();
  if lane == 0 {
    var before = 0u;
    for (var k = 0; k < 256; k++) {
      let here = arr_sort_places_sums[k];
      arr_sort_places_sums[k] = before;
      before += here;
    }
  }
  workgroupBarrier();
  var place = arr_sort_places_sums[lane];
  for (var k = first; k < end; k++) {
    let here = sort_places_counts[k];
    sort_places_counts[k] = place;
    place += here;
  }
}

struct sort_places_2_Params {
  rows: i32,
  tiles_2: i32,
}
@group(0) @binding(0) var<uniform> sort_places_2_params: sort_places_2_Params;
@group(0) @binding(3) var<storage, read_write> sort_places_2_counts: array<u32>;
var<workgroup> arr_sort_places_2_sums: array<u32, 256>;
@compute @workgroup_size(256)
fn sort_places_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  if group >= sort_places_2_params.rows { return; }
  let all = sort_places_2_params.tiles_2 * 16;
  let run = (all + 255) / 256;
  let first = group * all + min(lane * run, all);
  let end = group * all + min(lane * run + run, all);
  var sum = 0u;
  for (var k = first; k < end; k++) { sum += sort_places_2_counts[k]; }
  arr_sort_places_2_sums[lane] = sum;
  workgroupBarrier();
  if lane == 0 {
    var before = 0u;
    for (var k = 0; k < 256; k++) {
      let here = arr_sort_places_2_sums[k];
      arr_sort_places_2_sums[k] = before;
      before += here;
    }
  }
  workgroupBarrier();
  var place = arr_sort_places_2_sums[lane];
  for (var k = first; k < end; k++) {
    let here = sort_places_2_counts[k];
    sort_places_2_counts[k] = place;
    place += here;
  }
}

struct sort_end_Params {
  elements: i32,
}
@group(0) @binding(0) var<uniform> sort_end_params: sort_end_Params;
@group(0) @binding(3) var<storage, read> sort_end_positions: array<u32>;
@group(0) @binding(4) var<storage, read_write> sort_end_order: array<i32>;
@compute @workgroup_size(256)
fn sort_end(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= sort_end_params.elements { return; }
  sort_end_order[0 + point] = i32(sort_end_positions[point]);
}

struct sorted_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> sorted_params: sorted_Params;
@group(0) @binding(3) var<storage, read> sorted_order: array<i32>;
@group(0) @binding(4) var<storage, read> sorted_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> sorted_sorted_2: array<f32>;
// A point of a nest: def main(x: [n]f32) -> [n]f32 = sort(x)
@compute @workgroup_size(256)
fn sorted(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sorted_params.n) { return; }
  let i = i32(point);
  let order_2 = sorted_order[i];
  let x_2 = sorted_x[order_2];
  sorted_sorted_2[i] = x_2;
}

// The host:
// let order: buffer i64 = alloc [n] @1
// let elements: i64 = max n, 0
// let length: i64 = max n, 1
// let rows: i64 = div elements, length
// let short: bool = le n, 256
// if short {
//   run sort_short over elements by 256 (elements, length; x, order)
// } else {
//   let tiles: i64 = add length, 2047
//   let tiles.2: i64 = div tiles, 2048
//   let positions: buffer u32 = alloc [elements]
//   let moved: buffer u32 = alloc [elements]
//   let counts: buffer u32 = alloc [rows, 16, tiles.2]
//   run sort_start over elements by 256 (elements, length; positions)
//   for pass < 4 with shift step 8 {
//     run sort_count over tiles.2, rows by 1 (tiles.2, rows, length, shift; x, positions, counts)
//     run sort_places over rows by 1 (rows, tiles.2; counts)
//     run sort_move over tiles.2, rows by 1 (tiles.2, rows, length, shift; x, positions, counts, moved)
//     let places: i64 = add shift, 4
//     run sort_count_2 over tiles.2, rows by 1 (tiles.2, rows, length, places; x, moved, counts)
//     run sort_places_2 over rows by 1 (rows, tiles.2; counts)
//     run sort_move_2 over tiles.2, rows by 1 (tiles.2, rows, length, places; x, moved, counts, positions)
//   }
//   run sort_end over elements by 256 (elements; positions, order)
//   release positions
//   release moved
//   release counts
// }
// let order.data: address i64 = data order
// let x.data: address f32 = data x
// let sorted: buffer f32 = alloc [n] @1
// let sorted.data: address f32 = data sorted
// run sorted over n by 256 (n; order, x, sorted)
// release order
// return sorted [n]
