// `main`: made by the Arr compiler.

// From kernels of products and sorts: product_tiles, product_parts, product_sums, product_dots, product_points.

struct dot_3_Params {
  n: i32,
  k: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> dot_3_params: dot_3_Params;
@group(0) @binding(3) var<storage, read> dot_3_a: array<f32>;
@group(0) @binding(4) var<storage, read> dot_3_b: array<f32>;
@group(0) @binding(5) var<storage, read_write> dot_3_dot_2: array<f32>;
// A point of a nest: def main(a: [n][m]f32, b: [m][k]f32) -> [n][k]f32 = a @ b
@compute @workgroup_size(256)
fn dot_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(dot_3_params.n) * u32(dot_3_params.k) { return; }
  let i = i32(point / u32(dot_3_params.k));
  let j = i32(point % u32(dot_3_params.k));
  let i_step = i * dot_3_params.m;
  let i_step_2 = i * dot_3_params.k;
  let a_data_row = i_step;
  let dot_data_row = i_step_2;
  var dot_4: f32 = 0.0f;
  let b_data_row = j;
  for (var s_3: i32 = 0i; s_3 < dot_3_params.m; s_3 += 1i) {
    let s_3_step = s_3 * dot_3_params.k;
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
  m: i32,
  k: i32,
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
  let s_3_step = s_3 * dot_rows_params.k;
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

// A workgroup a point of a nest: def main(a: [n][m]f32, b: [m][k]f32) -> [n][k]f32 = a @ b
@compute @workgroup_size(128)
fn dot_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(dot_rows_params.n) * u32(dot_rows_params.k) { return; }
  i = i32(mine / u32(dot_rows_params.k));
  i_step = i * dot_rows_params.m;
  i_step_2 = i * dot_rows_params.k;
  j = i32(mine % u32(dot_rows_params.k));
  dot_rows_scalars();
  let dot_4_before = dot_4;
  dot_4 = 0.0f;
  {
    let points = u32(dot_rows_params.m);
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
// let dot: buffer f32 = alloc [n, k] @1
// let s: i64 = mul n, k
// let s.2: i64 = mul s, m
// let t: bool = ge s.2, 4096
// let a.data: address f32 = data a
// let b.data: address f32 = data b
// let dot.data: address f32 = data dot
// if t {
//   let rows: i64 = max n, 0
//   let columns: i64 = max k, 0
//   let inner: i64 = max m, 0
//   let least: i64 = min rows, columns
//   let tiled: bool = ge least, 16
//   let long: bool = ge inner, 128
//   let elements: i64 = max rows, 0
//   let elements.2: i64 = max columns, 0
//   let elements.3: i64 = mul elements, elements.2
//   let few: bool = lt elements.3, 16384
//   let wide: bool = ge rows, columns
//   let step: i64 = select wide, 1, k
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
//       run product_parts over tile_columns.2, tile_rows.2, 1, parts.3 by 1 (rows, columns, inner, tile_rows.2, tile_columns.2, part.6, parts.3, a.data, b.data, m, k; a, b, partial)
//       run product_sums over 1, rows, columns by 256 (rows, columns, parts.3, dot.data, k; partial, dot)
//       release partial
//     } else {
//       run product_tiles over tile_columns.2, tile_rows.2, 1 by 1 (rows, columns, inner, tile_rows.2, tile_columns.2, a.data, b.data, m, k, dot.data; a, b, dot)
//     }
//   } else {
//     if dots {
//       run product_dots over 1, rows, columns by 1 (rows, columns, inner, dot.data, k, a.data, m, b.data; a, b, dot)
//     } else {
//       run product_points over 1, rows, columns by 256 (rows, columns, inner, dot.data, k, a.data, m, b.data; a, b, dot)
//     }
//   }
// } else {
//   let fits: bool = ge m, 128
//   let s.4: i64 = mul n, k
//   let fits.2: bool = le s.4, 16384
//   let fit: bool = and fits, fits.2
//   if fit {
//     run dot_rows over n, k by 1 (m, k, n; a, b, dot)
//   } else {
//     run dot_3 over n, k by 256 (n, k, m; a, b, dot)
//   }
// }
// return dot [n, k]
