// `main`: made by the Arr compiler.

struct product_tiles_Params {
  rows: i32,
  columns: i32,
  inner: i32,
  tile_rows_2: i32,
  tile_columns_2: i32,
  a_data: i32,
  b_data: i32,
  k: i32,
  m: i32,
  dot_data: i32,
}
@group(0) @binding(0) var<uniform> product_tiles_params: product_tiles_Params;
@group(0) @binding(3) var<storage, read> product_tiles_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_tiles_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_tiles_dot_2: array<f32>;
var<workgroup> arr_product_tiles_left: array<vec4<f32>, 256>;
var<workgroup> arr_product_tiles_right: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn product_tiles(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile_column = group % product_tiles_params.tile_columns_2;
  let tile_row = (group / product_tiles_params.tile_columns_2) % product_tiles_params.tile_rows_2;
  let square = group / (product_tiles_params.tile_columns_2 * product_tiles_params.tile_rows_2);
  if square >= 1 { return; }
  let batch = square;
  let first = 0;
  let end = product_tiles_params.inner;
  let left = product_tiles_params.a_data;
  let right = product_tiles_params.b_data;
  var sum0 = vec4<f32>();
  var sum1 = vec4<f32>();
  var sum2 = vec4<f32>();
  var sum3 = vec4<f32>();
  for (var start = first; start < end; start += 16) {
    {
      let four = lane / 16;
      let inner = lane % 16;
      let k = start + inner;
      let first = tile_row * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = left + k;
        if first + 0 < product_tiles_params.rows { value[0] = product_tiles_a[place + ((first + 0) * product_tiles_params.k)]; }
        if first + 1 < product_tiles_params.rows { value[1] = product_tiles_a[place + ((first + 1) * product_tiles_params.k)]; }
        if first + 2 < product_tiles_params.rows { value[2] = product_tiles_a[place + ((first + 2) * product_tiles_params.k)]; }
        if first + 3 < product_tiles_params.rows { value[3] = product_tiles_a[place + ((first + 3) * product_tiles_params.k)]; }
      }
      arr_product_tiles_left[inner * 16 + four] = value;
    }
    {
      let four = lane % 16;
      let inner = lane / 16;
      let k = start + inner;
      let first = tile_column * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = right + (k * product_tiles_params.m);
        if first + 0 < product_tiles_params.columns { value[0] = product_tiles_b[place + (first + 0)]; }
        if first + 1 < product_tiles_params.columns { value[1] = product_tiles_b[place + (first + 1)]; }
        if first + 2 < product_tiles_params.columns { value[2] = product_tiles_b[place + (first + 2)]; }
        if first + 3 < product_tiles_params.columns { value[3] = product_tiles_b[place + (first + 3)]; }
      }
      arr_product_tiles_right[inner * 16 + four] = value;
    }
    workgroupBarrier();
    for (var k = 0; k < 16; k++) {
      let l = arr_product_tiles_left[k * 16 + lane / 16];
      let r = arr_product_tiles_right[k * 16 + lane % 16];
      sum0 += l[0] * r;
      sum1 += l[1] * r;
      sum2 += l[2] * r;
      sum3 += l[3] * r;
    }
    workgroupBarrier();
  }
  let row0 = tile_row * 64 + 4 * (lane / 16);
  let column0 = tile_column * 64 + 4 * (lane % 16);
  var sums = array<vec4<f32>, 4>(sum0, sum1, sum2, sum3);
  for (var i = 0; i < 4; i++) {
    for (var j = 0; j < 4; j++) {
      let row = row0 + i;
      let column = column0 + j;
      if row < product_tiles_params.rows && column < product_tiles_params.columns {
        var sum = sums[i][j];
        let into = product_tiles_params.dot_data + (row * product_tiles_params.m) + column;
        product_tiles_dot_2[into] = sum;
      }
    }
  }
}

struct product_parts_Params {
  rows: i32,
  columns: i32,
  inner: i32,
  tile_rows_2: i32,
  tile_columns_2: i32,
  part_6: i32,
  parts_3: i32,
  a_data: i32,
  b_data: i32,
  k: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> product_parts_params: product_parts_Params;
@group(0) @binding(3) var<storage, read> product_parts_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_parts_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_parts_partial: array<f32>;
var<workgroup> arr_product_parts_left: array<vec4<f32>, 256>;
var<workgroup> arr_product_parts_right: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn product_parts(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile_column = group % product_parts_params.tile_columns_2;
  let tile_row = (group / product_parts_params.tile_columns_2) % product_parts_params.tile_rows_2;
  let square = group / (product_parts_params.tile_columns_2 * product_parts_params.tile_rows_2);
  let part = square / 1;
  if part >= product_parts_params.parts_3 { return; }
  let batch = square % 1;
  let first = part * product_parts_params.part_6;
  let end = min(first + product_parts_params.part_6, product_parts_params.inner);
  let left = product_parts_params.a_data;
  let right = product_parts_params.b_data;
  var sum0 = vec4<f32>();
  var sum1 = vec4<f32>();
  var sum2 = vec4<f32>();
  var sum3 = vec4<f32>();
  for (var start = first; start < end; start += 16) {
    {
      let four = lane / 16;
      let inner = lane % 16;
      let k = start + inner;
      let first = tile_row * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = left + k;
        if first + 0 < product_parts_params.rows { value[0] = product_parts_a[place + ((first + 0) * product_parts_params.k)]; }
        if first + 1 < product_parts_params.rows { value[1] = product_parts_a[place + ((first + 1) * product_parts_params.k)]; }
        if first + 2 < product_parts_params.rows { value[2] = product_parts_a[place + ((first + 2) * product_parts_params.k)]; }
        if first + 3 < product_parts_params.rows { value[3] = product_parts_a[place + ((first + 3) * product_parts_params.k)]; }
      }
      arr_product_parts_left[inner * 16 + four] = value;
    }
    {
      let four = lane % 16;
      let inner = lane / 16;
      let k = start + inner;
      let first = tile_column * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = right + (k * product_parts_params.m);
        if first + 0 < product_parts_params.columns { value[0] = product_parts_b[place + (first + 0)]; }
        if first + 1 < product_parts_params.columns { value[1] = product_parts_b[place + (first + 1)]; }
        if first + 2 < product_parts_params.columns { value[2] = product_parts_b[place + (first + 2)]; }
        if first + 3 < product_parts_params.columns { value[3] = product_parts_b[place + (first + 3)]; }
      }
      arr_product_parts_right[inner * 16 + four] = value;
    }
    workgroupBarrier();
    for (var k = 0; k < 16; k++) {
      let l = arr_product_parts_left[k * 16 + lane / 16];
      let r = arr_product_parts_right[k * 16 + lane % 16];
      sum0 += l[0] * r;
      sum1 += l[1] * r;
      sum2 += l[2] * r;
      sum3 += l[3] * r;
    }
    workgroupBarrier();
  }
  let row0 = tile_row * 64 + 4 * (lane / 16);
  let column0 = tile_column * 64 + 4 * (lane % 16);
  var sums = array<vec4<f32>, 4>(sum0, sum1, sum2, sum3);
  for (var i = 0; i < 4; i++) {
    for (var j = 0; j < 4; j++) {
      let row = row0 + i;
      let column = column0 + j;
      if row < product_parts_params.rows && column < product_parts_params.columns {
        var sum = sums[i][j];
        product_parts_partial[((part * 1 + batch) * product_parts_params.rows + row) * product_parts_params.columns + column] = sum;
      }
    }
  }
}

struct product_sums_Params {
  rows: i32,
  columns: i32,
  parts_3: i32,
  dot_data: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> product_sums_params: product_sums_Params;
@group(0) @binding(3) var<storage, read> product_sums_partial: array<f32>;
@group(0) @binding(4) var<storage, read_write> product_sums_dot_2: array<f32>;
@compute @workgroup_size(256)
fn product_sums(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  let points = 1 * product_sums_params.rows * product_sums_params.columns;
  if point >= points { return; }
  var sum = f32(0.0);
  for (var part = 0; part < product_sums_params.parts_3; part++) {
    sum += product_sums_partial[part * points + point];
  }
  let column = point % product_sums_params.columns;
  let row = (point / product_sums_params.columns) % product_sums_params.rows;
  let batch = point / (product_sums_params.rows * product_sums_params.columns);
  let into = product_sums_params.dot_data + (row * product_sums_params.m) + column;
  product_sums_dot_2[into] = sum;
}

struct product_dots_Params {
  rows: i32,
  columns: i32,
  inner: i32,
  dot_data: i32,
  m: i32,
  a_data: i32,
  k: i32,
  b_data: i32,
}
@group(0) @binding(0) var<uniform> product_dots_params: product_dots_Params;
@group(0) @binding(3) var<storage, read> product_dots_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_dots_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_dots_dot_2: array<f32>;
var<workgroup> arr_product_dots_sums: array<f32, 256>;
@compute @workgroup_size(256)
fn product_dots(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  if group >= 1 * product_dots_params.rows * product_dots_params.columns { return; }
  let column = group % product_dots_params.columns;
  let row = (group / product_dots_params.columns) % product_dots_params.rows;
  let batch = group / (product_dots_params.rows * product_dots_params.columns);
  let into = product_dots_params.dot_data + (row * product_dots_params.m) + column;
  let left = product_dots_params.a_data + (row * product_dots_params.k);
  let right = product_dots_params.b_data + column;
  var sum = f32(0.0);
  for (var k = lane; k < product_dots_params.inner; k += 256) {
    sum += (product_dots_a[left + k] * product_dots_b[right + (k * product_dots_params.m)]);
  }
  arr_product_dots_sums[lane] = sum;
  workgroupBarrier();
  for (var half = 128; half > 0; half = half >> 1u) {
    if lane < half { arr_product_dots_sums[lane] += arr_product_dots_sums[lane + half]; }
    workgroupBarrier();
  }
  if lane == 0 { product_dots_dot_2[into] = arr_product_dots_sums[0]; }
}

struct product_points_Params {
  rows: i32,
  columns: i32,
  inner: i32,
  dot_data: i32,
  m: i32,
  a_data: i32,
  k: i32,
  b_data: i32,
}
@group(0) @binding(0) var<uniform> product_points_params: product_points_Params;
@group(0) @binding(3) var<storage, read> product_points_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_points_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_points_dot_2: array<f32>;
@compute @workgroup_size(256)
fn product_points(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= 1 * product_points_params.rows * product_points_params.columns { return; }
  let column = point % product_points_params.columns;
  let row = (point / product_points_params.columns) % product_points_params.rows;
  let batch = point / (product_points_params.rows * product_points_params.columns);
  let into = product_points_params.dot_data + (row * product_points_params.m) + column;
  let left = product_points_params.a_data + (row * product_points_params.k);
  let right = product_points_params.b_data + column;
  var sum = f32(0.0);
  for (var k = 0; k < product_points_params.inner; k++) {
    sum += (product_points_a[left + k] * product_points_b[right + (k * product_points_params.m)]);
  }
  product_points_dot_2[into] = sum;
}

struct dot_3_Params {
  n: i32,
  m: i32,
  k: i32,
}
@group(0) @binding(0) var<uniform> dot_3_params: dot_3_Params;
@group(0) @binding(3) var<storage, read> dot_3_a: array<f32>;
@group(0) @binding(4) var<storage, read> dot_3_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> dot_3_dot_2: array<f32>;
// A point of a nest: a @ b
@compute @workgroup_size(256)
fn dot_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(dot_3_params.n) * u32(dot_3_params.m) { return; }
  let i = i32(point / u32(dot_3_params.m));
  let j = i32(point % u32(dot_3_params.m));
  let i_step = i * dot_3_params.k;
  let i_step_2 = i * dot_3_params.m;
  let a_data_row = i_step;
  let dot_data_row = i_step_2;
  var dot_4: f32 = 0.0f;
  let b_data_row = j;
  for (var s_3: i32 = 0i; s_3 < dot_3_params.k; s_3 += 1i) {
    let s_3_step = s_3 * dot_3_params.m;
    let a_2 = dot_3_a[a_data_row + s_3];
    let b_2 = dot_3_b[b_data_row + s_3_step];
    let mul = (a_2 * b_2);
    let t_2 = (dot_4 + mul);
    dot_4 = t_2;
  }
  let dot_5 = dot_4;
  dot_3_dot_2[dot_data_row + j] = dot_5;
}

struct dot_rows_Params {
  k: i32,
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> dot_rows_params: dot_rows_Params;
@group(0) @binding(3) var<storage, read> dot_rows_a: array<f32>;
@group(0) @binding(4) var<storage, read> dot_rows_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> dot_rows_dot_2: array<f32>;
var<workgroup> dot_rows_f32_0: array<f32, 128>;
var<private> i: i32;
var<private> i_step: i32;
var<private> i_step_2: i32;
var<private> j: i32;
var<private> dot_4: f32;
var<private> a_data_row: i32;
var<private> b_data_row: i32;
var<private> dot_data_row: i32;
var<private> dot_5: f32;

fn dot_rows_scalars() {
  a_data_row = i_step;
  dot_data_row = i_step_2;
  dot_4 = 0.0f;
  b_data_row = j;
}

fn dot_rows_join(dot_2_part: f32) {
  let t_3 = (dot_4 + dot_2_part);
  dot_4 = t_3;
}

fn dot_rows_at(s_3: i32) {
  let s_3_step = s_3 * dot_rows_params.m;
  let a_2 = dot_rows_a[a_data_row + s_3];
  let b_2 = dot_rows_b[b_data_row + s_3_step];
  let mul = (a_2 * b_2);
  let t_2 = (dot_4 + mul);
  dot_4 = t_2;
}

fn dot_rows_scalars_2() {
  dot_5 = dot_4;
}

fn dot_rows_first() {
  dot_rows_dot_2[dot_data_row + j] = dot_5;
}

// A workgroup a point of a nest: a @ b
@compute @workgroup_size(128)
fn dot_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(dot_rows_params.n) * u32(dot_rows_params.m) { return; }
  i = i32(mine / u32(dot_rows_params.m));
  i_step = i * dot_rows_params.k;
  i_step_2 = i * dot_rows_params.m;
  j = i32(mine % u32(dot_rows_params.m));
  dot_rows_scalars();
  let dot_4_before = dot_4;
  dot_4 = 0.0f;
  {
    let points = u32(dot_rows_params.k);
    for (var point = lane; point < points; point += 128u) {
      dot_rows_at(i32(point));
    }
  }
  dot_rows_f32_0[lane] = dot_4;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      dot_rows_join(dot_rows_f32_0[lane + width]);
      dot_rows_f32_0[lane] = dot_4;
    }
    workgroupBarrier();
  }
  dot_4 = dot_4_before;
  dot_rows_join(dot_rows_f32_0[0]);
  dot_rows_scalars_2();
  if lane == 0u {
    dot_rows_first();
  }
}

// The host:
// let dot: buffer f32 = alloc [n, m] @1
// let s: i64 = mul n, m
// let s.2: i64 = mul s, k
// let t: bool = ge s.2, 4096
// let a.data: address f32 = data a
// let b.data: address f32 = data b
// let dot.data: address f32 = data dot
// if t {
//   let rows: i64 = max n, 0
//   let columns: i64 = max m, 0
//   let inner: i64 = max k, 0
//   let least: i64 = min rows, columns
//   let tiled: bool = ge least, 16
//   let long: bool = ge inner, 128
//   let elements: i64 = max rows, 0
//   let elements.2: i64 = max columns, 0
//   let elements.3: i64 = mul elements, elements.2
//   let few: bool = lt elements.3, 16384
//   let wide: bool = ge rows, columns
//   let step: i64 = select wide, 1, m
//   let near: bool = eq step, 1
//   let good: bool = or few, near
//   let dots: bool = and long, good
//   if tiled {
//     let tile_rows: i64 = add rows, 63
//     let tile_rows.2: i64 = div tile_rows, 64
//     let tile_columns: i64 = add columns, 63
//     let tile_columns.2: i64 = div tile_columns, 64
//     let squares: i64 = max tile_rows.2, 0
//     let squares.2: i64 = max tile_columns.2, 0
//     let squares.3: i64 = mul squares, squares.2
//     let few.2: bool = lt squares.3, 64
//     let long.2: bool = ge inner, 1024
//     let split: bool = and few.2, long.2
//     if split {
//       let part: i64 = add inner, 63
//       let part.2: i64 = div part, 64
//       let part.3: i64 = max part.2, 512
//       let part.4: i64 = add part.3, 15
//       let part.5: i64 = div part.4, 16
//       let part.6: i64 = mul part.5, 16
//       let parts: i64 = sub part.6, 1
//       let parts.2: i64 = add inner, parts
//       let parts.3: i64 = div parts.2, part.6
//       let partial: buffer f32 = alloc [parts.3, 1, rows, columns]
//       run product_parts over tile_columns.2, tile_rows.2, 1, parts.3 by 1 (rows, columns, inner, tile_rows.2, tile_columns.2, part.6, parts.3, a.data, b.data, k, m; a, b, partial)
//       run product_sums over 1, rows, columns by 256 (rows, columns, parts.3, dot.data, m; partial, dot)
//       release partial
//     } else {
//       run product_tiles over tile_columns.2, tile_rows.2, 1 by 1 (rows, columns, inner, tile_rows.2, tile_columns.2, a.data, b.data, k, m, dot.data; a, b, dot)
//     }
//   } else {
//     if dots {
//       run product_dots over 1, rows, columns by 1 (rows, columns, inner, dot.data, m, a.data, k, b.data; a, b, dot)
//     } else {
//       run product_points over 1, rows, columns by 256 (rows, columns, inner, dot.data, m, a.data, k, b.data; a, b, dot)
//     }
//   }
// } else {
//   let fits: bool = ge k, 128
//   let s.4: i64 = mul n, m
//   let fits.2: bool = le s.4, 16384
//   let fit: bool = and fits, fits.2
//   if fit {
//     run dot_rows over n, m by 1 (k, m, n; a, b, dot)
//   } else {
//     run dot_3 over n, m by 256 (n, m, k; a, b, dot)
//   }
// }
// return dot [n, m]
