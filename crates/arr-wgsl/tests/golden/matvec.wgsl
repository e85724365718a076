// `main`: made by the Arr compiler.

// From the library: arr_f32_is_nan, arr_f32_exact, arr_f32_exp_most, arr_f32_ln2_high, arr_f32_ln2_low, arr_f32_scale, arr_f32_exp_tail, arr_f32_expm1, arr_f32_tanh.

// From kernels of products and sorts: product_tiles, product_parts, product_sums, product_dots, product_points.

struct tanh_3_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> tanh_3_params: tanh_3_Params;
@group(0) @binding(3) var<storage, read_write> tanh_3_tanh_2: array<f32>;
@group(0) @binding(4) var<storage, read> tanh_3_y: array<f32>;
// A point of a nest: def main(a: [n][m]f32, x: [m]f32, y: [n]f32) -> [n]f32 = tanh(a @ x + y)
@compute @workgroup_size(256)
fn tanh_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(tanh_3_params.n) { return; }
  let i = i32(point);
  let dot_2 = tanh_3_tanh_2[i];
  let y_2 = tanh_3_y[i];
  let add = (dot_2 + y_2);
  let tanh_4 = arr_f32_tanh(add);
  tanh_3_tanh_2[i] = tanh_4;
}

struct tanh_5_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> tanh_5_params: tanh_5_Params;
@group(0) @binding(3) var<storage, read> tanh_5_a: array<f32>;
@group(0) @binding(4) var<storage, read> tanh_5_x: array<f32>;
@group(0) @binding(5) var<storage, read> tanh_5_y: array<f32>;
@group(0) @binding(6) var<storage, read_write> tanh_5_tanh_2: array<f32>;
// A point of a nest: def main(a: [n][m]f32, x: [m]f32, y: [n]f32) -> [n]f32 = tanh(a @ x + y)
@compute @workgroup_size(256)
fn tanh_5(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(tanh_5_params.n) { return; }
  let i_2 = i32(point);
  let i_2_step = i_2 * tanh_5_params.m;
  var dot_3: f32 = 0.0f;
  let a_data_row = i_2_step;
  for (var s_2: i32 = 0i; s_2 < tanh_5_params.m; s_2 += 1i) {
    let a_2 = tanh_5_a[a_data_row + s_2];
    let x_2 = tanh_5_x[s_2];
    let mul = (a_2 * x_2);
    let t_2 = (dot_3 + mul);
    dot_3 = t_2;
  }
  let dot_4 = dot_3;
  let y_3 = tanh_5_y[i_2];
  let add_2 = (dot_4 + y_3);
  let tanh_6 = arr_f32_tanh(add_2);
  tanh_5_tanh_2[i_2] = tanh_6;
}

struct tanh_rows_Params {
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> tanh_rows_params: tanh_rows_Params;
@group(0) @binding(3) var<storage, read> tanh_rows_a: array<f32>;
@group(0) @binding(4) var<storage, read> tanh_rows_x: array<f32>;
@group(0) @binding(5) var<storage, read> tanh_rows_y: array<f32>;
@group(0) @binding(6) var<storage, read_write> tanh_rows_tanh_2: array<f32>;
var<workgroup> tanh_rows_f32_0: array<f32, 128>;
var<private> i_2: i32;
var<private> i_2_step: i32;
var<private> dot_3: f32;
var<private> a_data_row: i32;
var<private> tanh_6: f32;

fn tanh_rows_scalars() {
  dot_3 = 0.0f;
  a_data_row = i_2_step;
}

fn tanh_rows_join(dot_2_part: f32) {
  let t_3 = (dot_3 + dot_2_part);
  dot_3 = t_3;
}

fn tanh_rows_at(s_2: i32) {
  let a_2 = tanh_rows_a[a_data_row + s_2];
  let x_2 = tanh_rows_x[s_2];
  let mul = (a_2 * x_2);
  let t_2 = (dot_3 + mul);
  dot_3 = t_2;
}

fn tanh_rows_scalars_2() {
  let dot_4 = dot_3;
  let y_3 = tanh_rows_y[i_2];
  let add_2 = (dot_4 + y_3);
  tanh_6 = arr_f32_tanh(add_2);
}

fn tanh_rows_first() {
  tanh_rows_tanh_2[i_2] = tanh_6;
}

// A workgroup a point of a nest: def main(a: [n][m]f32, x: [m]f32, y: [n]f32) -> [n]f32 = tanh(a @ x + y)
@compute @workgroup_size(128)
fn tanh_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(tanh_rows_params.n) { return; }
  i_2 = i32(mine);
  i_2_step = i_2 * tanh_rows_params.m;
  tanh_rows_scalars();
  let dot_3_before = dot_3;
  dot_3 = 0.0f;
  {
    let points = u32(tanh_rows_params.m);
    for (var point = lane; point < points; point += 128u) {
      tanh_rows_at(i32(point));
    }
  }
  tanh_rows_f32_0[lane] = dot_3;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      tanh_rows_join(tanh_rows_f32_0[lane + width]);
      tanh_rows_f32_0[lane] = dot_3;
    }
    workgroupBarrier();
  }
  dot_3 = dot_3_before;
  tanh_rows_join(tanh_rows_f32_0[0]);
  tanh_rows_scalars_2();
  if lane == 0u {
    tanh_rows_first();
  }
}

// The host:
// let tanh: buffer f32 = alloc [n] @1
// let s: i64 = mul n, m
// let t: bool = ge s, 4096
// let a.data: address f32 = data a
// let x.data: address f32 = data x
// let tanh.data: address f32 = data tanh
// let y.data: address f32 = data y
// if t {
//   let rows: i64 = max n, 0
//   let inner: i64 = max m, 0
//   let least: i64 = min rows, 1
//   let tiled: bool = ge least, 16
//   let long: bool = ge inner, 128
//   let elements: i64 = max rows, 0
//   let elements.2: i64 = mul elements, 1
//   let few: bool = lt elements.2, 16384
//   let wide: bool = ge rows, 1
//   let step: i64 = select wide, 1, 1
//   let near: bool = eq step, 1
//   let good: bool = or few, near
//   let dots: bool = and long, good
//   if tiled {
//     let tile_rows: i64 = add rows, 63
//     let tile_rows.2: i64 = div tile_rows, 64
//     let squares: i64 = max tile_rows.2, 0
//     let squares.2: i64 = mul squares, 1
//     let few.2: bool = lt squares.2, 64
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
//       let partial: buffer f32 = alloc [parts.3, 1, rows, 1]
//       run product_parts over 1, tile_rows.2, 1, parts.3 by 1 (rows, inner, tile_rows.2, part.6, parts.3, a.data, x.data, m; a, x, partial)
//       run product_sums over 1, rows, 1 by 256 (rows, parts.3, tanh.data; partial, tanh)
//       release partial
//     } else {
//       run product_tiles over 1, tile_rows.2, 1 by 1 (rows, inner, tile_rows.2, a.data, x.data, m, tanh.data; a, x, tanh)
//     }
//   } else {
//     if dots {
//       run product_dots over 1, rows, 1 by 1 (rows, inner, tanh.data, a.data, m, x.data; a, x, tanh)
//     } else {
//       run product_points over 1, rows, 1 by 256 (rows, inner, tanh.data, a.data, m, x.data; a, x, tanh)
//     }
//   }
//   run tanh_3 over n by 256 (n; tanh, y)
// } else {
//   let fits: bool = ge m, 128
//   let fits.2: bool = le n, 16384
//   let fit: bool = and fits, fits.2
//   if fit {
//     run tanh_rows over n by 1 (m, n; a, x, y, tanh)
//   } else {
//     run tanh_5 over n by 256 (n, m; a, x, y, tanh)
//   }
// }
// return tanh [n]
