// `main`: made by the Arr compiler.

struct sort_short_Params {
  elements: i32,
  length_2: i32,
}
@group(0) @binding(0) var<uniform> sort_short_params: sort_short_Params;
@group(0) @binding(3) var<storage, read> sort_short_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> sort_short_order: array<i32>;
fn arr_sort_short_key(place: i32) -> u32 {
  let key = sort_short_x[0 + place];
  let bits = bitcast<u32>(key);
  let size = bits & 0x7fffffffu;
  if size > 0x7f800000u { return ~u32(0); }
  if size == 0 { return 0x80000000u; }
  return select(bits | 0x80000000u, ~bits, bits != size);
}
@compute @workgroup_size(256)
fn sort_short(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= sort_short_params.elements { return; }
  let position = point % sort_short_params.length_2;
  let row = point - position;
  let mine = arr_sort_short_key(point);
  var before = 0;
  for (var k = 0; k < sort_short_params.length_2; k++) {
    let other = arr_sort_short_key(row + k);
    if other < mine || (other == mine && k < position) { before++; }
  }
  sort_short_order[0 + row + before] = i32(position);
}

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

struct sort_count_Params {
  tiles_2: i32,
  rows: i32,
  length_2: i32,
  shift: i32,
}
@group(0) @binding(0) var<uniform> sort_count_params: sort_count_Params;
@group(0) @binding(3) var<storage, read> sort_count_x: array<f32>;
@group(0) @binding(4) var<storage, read> sort_count_positions: array<u32>;
@group(0) @binding(5) var<storage, read_write> sort_count_counts: array<u32>;
fn arr_sort_count_key(place: i32) -> u32 {
  let key = sort_count_x[0 + place];
  let bits = bitcast<u32>(key);
  let size = bits & 0x7fffffffu;
  if size > 0x7f800000u { return ~u32(0); }
  if size == 0 { return 0x80000000u; }
  return select(bits | 0x80000000u, ~bits, bits != size);
}
var<workgroup> arr_sort_count_found: array<atomic<u32>, 16>;
@compute @workgroup_size(128)
fn sort_count(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile = group % sort_count_params.tiles_2;
  let number = group / sort_count_params.tiles_2;
  if number >= sort_count_params.rows { return; }
  let row = number * sort_count_params.length_2;
  let first = (tile * 128 + lane) * 16;
  for (var k = first; k < min(first + 16, sort_count_params.length_2); k++) {
    let position = sort_count_positions[row + k];
    let digit = u32(arr_sort_count_key(row + i32(position)) >> u32(sort_count_params.shift)) & 15u;
    atomicAdd(&arr_sort_count_found[digit], 1u);
  }
  workgroupBarrier();
  if lane < 16 {
    let digit = lane;
    sort_count_counts[(number * 16 + digit) * sort_count_params.tiles_2 + tile] = atomicLoad(&arr_sort_count_found[lane]);
  }
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

struct sort_move_Params {
  tiles_2: i32,
  rows: i32,
  length_2: i32,
  shift: i32,
}
@group(0) @binding(0) var<uniform> sort_move_params: sort_move_Params;
@group(0) @binding(3) var<storage, read> sort_move_x: array<f32>;
@group(0) @binding(4) var<storage, read> sort_move_positions: array<u32>;
@group(0) @binding(5) var<storage, read_write> sort_move_counts: array<u32>;
@group(0) @binding(6) var<storage, read_write> sort_move_moved: array<u32>;
fn arr_sort_move_key(place: i32) -> u32 {
  let key = sort_move_x[0 + place];
  let bits = bitcast<u32>(key);
  let size = bits & 0x7fffffffu;
  if size > 0x7f800000u { return ~u32(0); }
  if size == 0 { return 0x80000000u; }
  return select(bits | 0x80000000u, ~bits, bits != size);
}
var<workgroup> arr_sort_move_found: array<u32, 2048>;
@compute @workgroup_size(128)
fn sort_move(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile = group % sort_move_params.tiles_2;
  let number = group / sort_move_params.tiles_2;
  if number >= sort_move_params.rows { return; }
  let row = number * sort_move_params.length_2;
  let first = (tile * 128 + lane) * 16;
  for (var k = first; k < min(first + 16, sort_move_params.length_2); k++) {
    let position = sort_move_positions[row + k];
    let digit = u32(arr_sort_move_key(row + i32(position)) >> u32(sort_move_params.shift)) & 15u;
    arr_sort_move_found[digit * 128u + lane_index] += 1u;
  }
  workgroupBarrier();
  if lane < 16 {
    let digit = lane;
    var place = sort_move_counts[(number * 16 + digit) * sort_move_params.tiles_2 + tile];
    for (var k = 0; k < 128; k++) {
      let here = arr_sort_move_found[digit * 128 + k];
      arr_sort_move_found[digit * 128 + k] = place;
      place += here;
    }
  }
  workgroupBarrier();
  for (var k = first; k < min(first + 16, sort_move_params.length_2); k++) {
    let position = sort_move_positions[row + k];
    let digit = u32(arr_sort_move_key(row + i32(position)) >> u32(sort_move_params.shift)) & 15u;
    let at = digit * 128u + lane_index;
    sort_move_moved[row + i32(arr_sort_move_found[at])] = position;
    arr_sort_move_found[at] += 1u;
  }
}

struct sort_count_2_Params {
  tiles_2: i32,
  rows: i32,
  length_2: i32,
  places: i32,
}
@group(0) @binding(0) var<uniform> sort_count_2_params: sort_count_2_Params;
@group(0) @binding(3) var<storage, read> sort_count_2_x: array<f32>;
@group(0) @binding(4) var<storage, read> sort_count_2_moved: array<u32>;
@group(0) @binding(5) var<storage, read_write> sort_count_2_counts: array<u32>;
fn arr_sort_count_2_key(place: i32) -> u32 {
  let key = sort_count_2_x[0 + place];
  let bits = bitcast<u32>(key);
  let size = bits & 0x7fffffffu;
  if size > 0x7f800000u { return ~u32(0); }
  if size == 0 { return 0x80000000u; }
  return select(bits | 0x80000000u, ~bits, bits != size);
}
var<workgroup> arr_sort_count_2_found: array<atomic<u32>, 16>;
@compute @workgroup_size(128)
fn sort_count_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile = group % sort_count_2_params.tiles_2;
  let number = group / sort_count_2_params.tiles_2;
  if number >= sort_count_2_params.rows { return; }
  let row = number * sort_count_2_params.length_2;
  let first = (tile * 128 + lane) * 16;
  for (var k = first; k < min(first + 16, sort_count_2_params.length_2); k++) {
    let position = sort_count_2_moved[row + k];
    let digit = u32(arr_sort_count_2_key(row + i32(position)) >> u32(sort_count_2_params.places)) & 15u;
    atomicAdd(&arr_sort_count_2_found[digit], 1u);
  }
  workgroupBarrier();
  if lane < 16 {
    let digit = lane;
    sort_count_2_counts[(number * 16 + digit) * sort_count_2_params.tiles_2 + tile] = atomicLoad(&arr_sort_count_2_found[lane]);
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

struct sort_move_2_Params {
  tiles_2: i32,
  rows: i32,
  length_2: i32,
  places: i32,
}
@group(0) @binding(0) var<uniform> sort_move_2_params: sort_move_2_Params;
@group(0) @binding(3) var<storage, read> sort_move_2_x: array<f32>;
@group(0) @binding(4) var<storage, read> sort_move_2_moved: array<u32>;
@group(0) @binding(5) var<storage, read_write> sort_move_2_counts: array<u32>;
@group(0) @binding(6) var<storage, read_write> sort_move_2_positions: array<u32>;
fn arr_sort_move_2_key(place: i32) -> u32 {
  let key = sort_move_2_x[0 + place];
  let bits = bitcast<u32>(key);
  let size = bits & 0x7fffffffu;
  if size > 0x7f800000u { return ~u32(0); }
  if size == 0 { return 0x80000000u; }
  return select(bits | 0x80000000u, ~bits, bits != size);
}
var<workgroup> arr_sort_move_2_found: array<u32, 2048>;
@compute @workgroup_size(128)
fn sort_move_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile = group % sort_move_2_params.tiles_2;
  let number = group / sort_move_2_params.tiles_2;
  if number >= sort_move_2_params.rows { return; }
  let row = number * sort_move_2_params.length_2;
  let first = (tile * 128 + lane) * 16;
  for (var k = first; k < min(first + 16, sort_move_2_params.length_2); k++) {
    let position = sort_move_2_moved[row + k];
    let digit = u32(arr_sort_move_2_key(row + i32(position)) >> u32(sort_move_2_params.places)) & 15u;
    arr_sort_move_2_found[digit * 128u + lane_index] += 1u;
  }
  workgroupBarrier();
  if lane < 16 {
    let digit = lane;
    var place = sort_move_2_counts[(number * 16 + digit) * sort_move_2_params.tiles_2 + tile];
    for (var k = 0; k < 128; k++) {
      let here = arr_sort_move_2_found[digit * 128 + k];
      arr_sort_move_2_found[digit * 128 + k] = place;
      place += here;
    }
  }
  workgroupBarrier();
  for (var k = first; k < min(first + 16, sort_move_2_params.length_2); k++) {
    let position = sort_move_2_moved[row + k];
    let digit = u32(arr_sort_move_2_key(row + i32(position)) >> u32(sort_move_2_params.places)) & 15u;
    let at = digit * 128u + lane_index;
    sort_move_2_positions[row + i32(arr_sort_move_2_found[at])] = position;
    arr_sort_move_2_found[at] += 1u;
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
