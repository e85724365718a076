// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_checked_stop, arr_checked_wide, arr_checked_signed, arr_checked_mul.

// From kernels of products and sorts: product_tiles, product_parts, product_sums, product_dots, product_points.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: loop l = (for i < n, j < n => 0.0f32) for j < n do
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) * u32(for_2_params.n) { return; }
  let i = i32(point / u32(for_2_params.n));
  let j = i32(point % u32(for_2_params.n));
  let i_step = i * for_2_params.n;
  let for_data_row = i_step;
  for_2_for_3[for_data_row + j] = 0.0f;
}

struct turn_loop_Params {
  size_4: i32,
  n: i32,
  chunk_length: i32,
  start_2: i32,
  chunk_first: i32,
  start_3: i32,
}
@group(0) @binding(0) var<uniform> turn_loop_params: turn_loop_Params;
@group(0) @binding(3) var<storage, read_write> turn_loop_l_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> turn_loop_arrays: array<f32>;
@group(0) @binding(5) var<storage, read> turn_loop_a: array<f32>;
var<private> turn_2: i32;
var<private> data: i32;
var<private> data_2: i32;
var<private> l_state_at: i32;
var<private> a_data_row: i32;
var<private> l_data_2: i32;
var<private> j_2: i32;
var<private> l_data_row_2_2: i32;
var<private> column_data_2: i32;
var<private> l_at: i32;
var<private> for_2_data_2: i32;
var<private> root: f32;
var<private> for_2_at: i32;
var<private> data_3: i32;
var<private> data_4: i32;

fn turn_loop_scalars() {
  l_state_at = turn_loop_params.start_2;
  data_2 = turn_loop_params.start_2;
}

fn turn_loop_at(element: i32) {
  let copied = turn_loop_l_state_own_2[element];
  turn_loop_arrays[data_2 + element] = copied;
}

fn turn_loop_scalars_2() {
    j_2 = (turn_loop_params.chunk_first + turn_2);
    let j_2_step = (j_2 * turn_loop_params.n);
    l_at = l_state_at;
    let s = arr_checked_mul(turn_loop_params.n, j_2, 1u);
    let t = (s >= 4096i);
    l_data_2 = l_at;
    column_data_2 = 0i;
    a_data_row = j_2;
    l_data_row_2_2 = l_data_2 + j_2_step;
}

fn turn_loop_at_2(i_3: i32) {
    let i_3_step = i_3 * turn_loop_params.n;
    let a_3 = turn_loop_a[a_data_row + i_3_step];
    var sum_2: f32 = 0.0f;
    let l_data_row_4 = l_data_2 + i_3_step;
    for (var i_4: i32 = 0i; i_4 < j_2; i_4 += 1i) {
      let l_2 = turn_loop_arrays[l_data_row_4 + i_4];
      let l_3 = turn_loop_arrays[l_data_row_2_2 + i_4];
      let mul = (l_2 * l_3);
      let t_2 = (sum_2 + mul);
      sum_2 = t_2;
    }
    let sum_3 = sum_2;
    let sub_2 = (a_3 - sum_3);
    turn_loop_arrays[column_data_2 + i_3] = sub_2;
}

fn turn_loop_scalars_3() {
    let column_2 = turn_loop_arrays[column_data_2 + j_2];
    let abs_2 = abs(column_2);
    let add = (abs_2 + 1.0f);
    root = sqrt(add);
    let place = (l_at != turn_loop_params.start_2);
    let place_2 = select(turn_loop_params.start_3, turn_loop_params.start_2, place);
    for_2_at = place_2;
    for_2_data_2 = for_2_at;
}

fn turn_loop_at_3(i_5: i32, k: i32) {
    let i_5_step = i_5 * turn_loop_params.n;
    let ge = (i_5 >= j_2);
    let column_3 = turn_loop_arrays[column_data_2 + i_5];
    let l_data_row_3_2 = l_data_2 + i_5_step;
    let for_2_data_row_2 = for_2_data_2 + i_5_step;
    let eq = (k == j_2);
    let and = (eq && ge);
    var if_2: f32;
    let l_4 = turn_loop_arrays[l_data_row_3_2 + k];
    if and {
      let div = (column_3 / root);
      if_2 = div;
    } else {
      if_2 = l_4;
    }
    let if_3 = if_2;
    turn_loop_arrays[for_2_data_row_2 + k] = if_3;
}

fn turn_loop_scalars_4() {
    l_state_at = for_2_at;
}

fn turn_loop_scalars_5() {
  data_3 = l_state_at;
}

fn turn_loop_at_4(element_2: i32) {
  let copied_2 = turn_loop_arrays[data_3 + element_2];
  turn_loop_l_state_own_2[element_2] = copied_2;
}

// In order, in one workgroup: loop l = (for i < n, j < n => 0.0f32) for j < n do
@compute @workgroup_size(256)
fn turn_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  turn_loop_scalars();
  {
    let points = select(0u, u32(turn_loop_params.size_4), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at(i32(point));
    }
  }
  for (var turn: i32 = 0i; turn < turn_loop_params.chunk_length; turn += 1i) {
    turn_2 = turn;
    turn_loop_scalars_2();
    storageBarrier();
    workgroupBarrier();
    {
      let points = select(0u, u32(turn_loop_params.n), atomicLoad(&fault[0]) == 0u);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_2(i32(point));
      }
    }
    storageBarrier();
    workgroupBarrier();
    turn_loop_scalars_3();
    {
      let points = select(0u, u32(turn_loop_params.n) * u32(turn_loop_params.n), atomicLoad(&fault[0]) == 0u);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_3(i32(point / u32(turn_loop_params.n)), i32(point % u32(turn_loop_params.n)));
      }
    }
    turn_loop_scalars_4();
  }
  turn_loop_scalars_5();
  storageBarrier();
  workgroupBarrier();
  {
    let points = select(0u, u32(turn_loop_params.size_4), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_4(i32(point));
    }
  }
}

struct column_4_Params {
  n: i32,
  a_data_row: i32,
}
@group(0) @binding(0) var<uniform> column_4_params: column_4_Params;
@group(0) @binding(3) var<storage, read> column_4_a: array<f32>;
@group(0) @binding(4) var<storage, read_write> column_4_column: array<f32>;
// A point of a nest: let column = for i < n => a[i, j] - sum(for k < j => l[i, k] * l[j, k])
@compute @workgroup_size(256)
fn column_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(column_4_params.n) { return; }
  let i_2 = i32(point);
  let i_2_step = i_2 * column_4_params.n;
  let a_2 = column_4_a[column_4_params.a_data_row + i_2_step];
  let sum = column_4_column[i_2];
  let sub = (a_2 - sum);
  column_4_column[i_2] = sub;
}

struct column_5_Params {
  n: i32,
  a_data_row: i32,
  j_2: i32,
  l_data_row_2: i32,
}
@group(0) @binding(0) var<uniform> column_5_params: column_5_Params;
@group(0) @binding(3) var<storage, read> column_5_a: array<f32>;
@group(0) @binding(4) var<storage, read> column_5_l: array<f32>;
@group(0) @binding(5) var<storage, read_write> column_5_column: array<f32>;
// A point of a nest: let column = for i < n => a[i, j] - sum(for k < j => l[i, k] * l[j, k])
@compute @workgroup_size(256)
fn column_5(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(column_5_params.n) { return; }
  let i_3 = i32(point);
  let i_3_step = i_3 * column_5_params.n;
  let a_3 = column_5_a[column_5_params.a_data_row + i_3_step];
  var sum_2: f32 = 0.0f;
  let l_data_row = i_3_step;
  for (var i_4: i32 = 0i; i_4 < column_5_params.j_2; i_4 += 1i) {
    let l_2 = column_5_l[l_data_row + i_4];
    let l_3 = column_5_l[column_5_params.l_data_row_2 + i_4];
    let mul = (l_2 * l_3);
    let t_2 = (sum_2 + mul);
    sum_2 = t_2;
  }
  let sum_3 = sum_2;
  let sub_2 = (a_3 - sum_3);
  column_5_column[i_3] = sub_2;
}

struct column_rows_Params {
  j_2: i32,
  n: i32,
  a_data_row: i32,
  l_data_row_2: i32,
}
@group(0) @binding(0) var<uniform> column_rows_params: column_rows_Params;
@group(0) @binding(3) var<storage, read> column_rows_a: array<f32>;
@group(0) @binding(4) var<storage, read> column_rows_l: array<f32>;
@group(0) @binding(5) var<storage, read_write> column_rows_column: array<f32>;
var<workgroup> column_rows_f32_0: array<f32, 128>;
var<private> i_3: i32;
var<private> i_3_step: i32;
var<private> sum_2: f32;
var<private> l_data_row: i32;
var<private> a_3: f32;
var<private> sub_2: f32;

fn column_rows_scalars() {
  a_3 = column_rows_a[column_rows_params.a_data_row + i_3_step];
  sum_2 = 0.0f;
  l_data_row = i_3_step;
}

fn column_rows_join(sum_2_part: f32) {
  let t_3 = (sum_2 + sum_2_part);
  sum_2 = t_3;
}

fn column_rows_at(i_4: i32) {
  let l_2 = column_rows_l[l_data_row + i_4];
  let l_3 = column_rows_l[column_rows_params.l_data_row_2 + i_4];
  let mul = (l_2 * l_3);
  let t_2 = (sum_2 + mul);
  sum_2 = t_2;
}

fn column_rows_scalars_2() {
  let sum_3 = sum_2;
  sub_2 = (a_3 - sum_3);
}

fn column_rows_first() {
  column_rows_column[i_3] = sub_2;
}

// A workgroup a point of a nest: let column = for i < n => a[i, j] - sum(for k < j => l[i, k] * l[j, k])
@compute @workgroup_size(128)
fn column_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(column_rows_params.n) { return; }
  i_3 = i32(mine);
  i_3_step = i_3 * column_rows_params.n;
  column_rows_scalars();
  let sum_2_before = sum_2;
  sum_2 = 0.0f;
  {
    let points = u32(column_rows_params.j_2);
    for (var point = lane; point < points; point += 128u) {
      column_rows_at(i32(point));
    }
  }
  column_rows_f32_0[lane] = sum_2;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      column_rows_join(column_rows_f32_0[lane + width]);
      column_rows_f32_0[lane] = sum_2;
    }
    workgroupBarrier();
  }
  sum_2 = sum_2_before;
  column_rows_join(column_rows_f32_0[0]);
  column_rows_scalars_2();
  if lane == 0u {
    column_rows_first();
  }
}

struct root_2_Params {
  j_2: i32,
}
@group(0) @binding(0) var<uniform> root_2_params: root_2_Params;
@group(0) @binding(3) var<storage, read> root_2_column: array<f32>;
// In order
@compute @workgroup_size(2)
fn root_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let column_2 = root_2_column[root_2_params.j_2];
  let abs_2 = abs(column_2);
  let add = (abs_2 + 1.0f);
  let root = sqrt(add);
  slots[0] = bitcast<u32>(root);
}

struct for_4_Params {
  n: i32,
  j_2: i32,
}
@group(0) @binding(0) var<uniform> for_4_params: for_4_Params;
@group(0) @binding(3) var<storage, read> for_4_column: array<f32>;
@group(0) @binding(4) var<storage, read> for_4_l: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_4_for_5: array<f32>;
// A point of a nest: in for i < n, k < n => if k == j and i >= j then column[i] / root else l[i, k]
@compute @workgroup_size(256)
fn for_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_4_params.n) * u32(for_4_params.n) { return; }
  let i_5 = i32(point / u32(for_4_params.n));
  let k = i32(point % u32(for_4_params.n));
  let root = bitcast<f32>(slots[0]);
  let i_5_step = i_5 * for_4_params.n;
  let ge = (i_5 >= for_4_params.j_2);
  let column_3 = for_4_column[i_5];
  let l_data_row_3 = i_5_step;
  let for_2_data_row = i_5_step;
  let eq = (k == for_4_params.j_2);
  let and = (eq && ge);
  var if_2: f32;
  let l_4 = for_4_l[l_data_row_3 + k];
  if and {
    let div = (column_3 / root);
    if_2 = div;
  } else {
    if_2 = l_4;
  }
  let if_3 = if_2;
  for_4_for_5[for_2_data_row + k] = if_3;
}

// The host:
// let for: buffer f32 = alloc [n, n] @1
// let for.data: address f32 = data for
// run for_2 over n, n by 256 (n; for)
// var l.state: buffer f32 = for
// let a.data: address f32 = data a
// let size: i64 = max n, 0
// let start.2: i64 = add 0, size
// let size.2: i64 = max n, 0
// let size.3: i64 = max n, 0
// let size.4: i64 = mul size.2, size.3
// let start.3: i64 = add start.2, size.4
// let start.4: i64 = add start.3, size.4
// let work: i64 = div n, 32
// let work.2: i64 = add work, 1
// let work.3: i64 = sub n, 1
// let work.4: i64 = div work.3, 32
// let work.5: i64 = add work.4, 1
// let work.6: i64 = add work.5, 9
// let work.7: i64 = add work.6, 1
// let work.8: i64 = mul work.2, work.7
// let work.9: i64 = mul n, n
// let work.10: i64 = div work.9, 32
// let work.11: i64 = add work.10, 1
// let work.12: i64 = add work.8, work.11
// let work.13: i64 = add work.12, 1
// let work.14: i64 = div 1048576, work.13
// let work.15: i64 = max work.14, 1
// let work.16: i64 = add n, work.15
// let work.17: i64 = sub work.16, 1
// let work.18: i64 = div work.17, work.15
// let fits: bool = le start.4, 16777216
// let s.2: i64 = mul n, work.3
// let fits.2: bool = le s.2, 8192
// let fit: bool = and fits, fits.2
// let fits.3: bool = le n, 8192
// let fit.2: bool = and fit, fits.3
// let s.3: i64 = mul n, n
// let fits.4: bool = le s.3, 8192
// let fit.3: bool = and fit.2, fits.4
// let fits.5: bool = le work.13, 1048576
// let fit.4: bool = and fit.3, fits.5
// if fit.4 {
//   let l.state.own.2: buffer f32 = unique l.state @5
//   set l.state = l.state.own.2
//   let arrays: buffer f32 = alloc [start.4] @5
//   for chunk < work.18 with chunk.first step work.15 @5 {
//     let chunk.length: i64 = sub n, chunk.first
//     let chunk.length: i64 = min work.15, chunk.length
//     run turn_loop over 1 by 1 (size.4, n, chunk.length, start.2, chunk.first, start.3; l.state.own.2, arrays, a)
//   }
//   release arrays
// } else {
//   for j.2 < n with j.2.step step n source @5 {
//     let s: i64 = mul n, j.2
//     let t: bool = ge s, 4096
//     let l: buffer f32 = l.state
//     let l.data: address f32 = data l
//     let column: buffer f32 = alloc [n] @2
//     let column.data: address f32 = data column
//     let a.data.row: address f32 = offset a.data[j.2]
//     let l.data.row.2: address f32 = offset l.data[j.2.step]
//     if t {
//       let start: address f32 = offset l.data[j.2.step]
//       let rows: i64 = max n, 0
//       let inner: i64 = max j.2, 0
//       let least: i64 = min rows, 1
//       let tiled: bool = ge least, 16
//       let long: bool = ge inner, 128
//       let elements: i64 = max rows, 0
//       let elements.2: i64 = mul elements, 1
//       let few: bool = lt elements.2, 16384
//       let wide: bool = ge rows, 1
//       let step: i64 = select wide, 1, 1
//       let near: bool = eq step, 1
//       let good: bool = or few, near
//       let dots: bool = and long, good
//       if tiled {
//         let tile_rows: i64 = add rows, 63
//         let tile_rows.2: i64 = div tile_rows, 64
//         let squares: i64 = max tile_rows.2, 0
//         let squares.2: i64 = mul squares, 1
//         let few.2: bool = lt squares.2, 64
//         let long.2: bool = ge inner, 1024
//         let split: bool = and few.2, long.2
//         if split {
//           let part: i64 = add inner, 63
//           let part.2: i64 = div part, 64
//           let part.3: i64 = max part.2, 512
//           let part.4: i64 = add part.3, 15
//           let part.5: i64 = div part.4, 16
//           let part.6: i64 = mul part.5, 16
//           let parts: i64 = sub part.6, 1
//           let parts.2: i64 = add inner, parts
//           let parts.3: i64 = div parts.2, part.6
//           let partial: buffer f32 = alloc [parts.3, 1, rows, 1]
//           run product_parts over 1, tile_rows.2, 1, parts.3 by 1 (rows, inner, tile_rows.2, part.6, parts.3, l.data, start, n; l, partial)
//           run product_sums over 1, rows, 1 by 256 (rows, parts.3, column.data; partial, column)
//           release partial
//         } else {
//           run product_tiles over 1, tile_rows.2, 1 by 1 (rows, inner, tile_rows.2, l.data, start, n, column.data; l, column)
//         }
//       } else {
//         if dots {
//           run product_dots over 1, rows, 1 by 1 (rows, inner, column.data, l.data, n, start; l, column)
//         } else {
//           run product_points over 1, rows, 1 by 256 (rows, inner, column.data, l.data, n, start; l, column)
//         }
//       }
//       run column_4 over n by 256 (n, a.data.row; a, column)
//     } else {
//       let fits.6: bool = ge j.2, 128
//       let fits.7: bool = le n, 16384
//       let fit.5: bool = and fits.6, fits.7
//       if fit.5 {
//         run column_rows over n by 1 (j.2, n, a.data.row, l.data.row.2; a, l, column)
//       } else {
//         run column_5 over n by 256 (n, a.data.row, j.2, l.data.row.2; a, l, column)
//       }
//     }
//     let for.2: buffer f32 = alloc [n, n] @4
//     let for.2.data: address f32 = data for.2
//     run root_2 over 1 by 1 (j.2; column)
//     run for_4 over n, n by 256 (n, j.2; column, l, for.2)
//     release l
//     release column
//     set l.state = for.2
//   }
// }
// let l.5: buffer f32 = l.state
// return l.5 [n, n]
