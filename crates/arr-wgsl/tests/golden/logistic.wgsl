// `main`: made by the Arr compiler.

// From the library: arr_f32_is_nan, arr_f32_exact, arr_f32_exp_least, arr_f32_exp_most, arr_f32_ln2_high, arr_f32_ln2_low, arr_f32_scale, arr_f32_exp_tail, arr_f32_exp, arr_f32_sigmoid.

// From kernels of products and sorts: product_tiles, product_parts, product_sums, product_dots, product_points, product_tiles_2, product_parts_2, product_sums_2, product_dots_2, product_points_2.

struct d_sum_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> d_sum_2_params: d_sum_2_Params;
@group(0) @binding(3) var<storage, read> d_sum_2_ys: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_sum_2_d_sum: array<f32>;
// A point of a nest: sum(for i < n => softplus(0.0 - ys[i] * sum(xs[i] * w)))
@compute @workgroup_size(256)
fn d_sum_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sum_2_params.n) { return; }
  let i = i32(point);
  let ys_2 = d_sum_2_ys[i];
  let sum = d_sum_2_d_sum[i];
  let mul = (ys_2 * sum);
  let sub = (-mul);
  let s_2 = arr_f32_sigmoid(sub);
  let mul_2 = (s_2 * ys_2);
  let d_2 = (-mul_2);
  d_sum_2_d_sum[i] = d_2;
}

struct d_sum_3_Params {
  n: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> d_sum_3_params: d_sum_3_Params;
@group(0) @binding(3) var<storage, read> d_sum_3_ys: array<f32>;
@group(0) @binding(4) var<storage, read> d_sum_3_xs: array<f32>;
@group(0) @binding(5) var<storage, read> d_sum_3_w: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_sum_3_d_sum: array<f32>;
// A point of a nest: sum(for i < n => softplus(0.0 - ys[i] * sum(xs[i] * w)))
@compute @workgroup_size(256)
fn d_sum_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sum_3_params.n) { return; }
  let i_2 = i32(point);
  let i_2_step = i_2 * d_sum_3_params.d;
  let ys_3 = d_sum_3_ys[i_2];
  var sum_2: f32 = 0.0f;
  let xs_data_row = i_2_step;
  for (var i_3: i32 = 0i; i_3 < d_sum_3_params.d; i_3 += 1i) {
    let xs_2 = d_sum_3_xs[xs_data_row + i_3];
    let w_2 = d_sum_3_w[i_3];
    let mul_3 = (xs_2 * w_2);
    let t_2 = (sum_2 + mul_3);
    sum_2 = t_2;
  }
  let sum_3 = sum_2;
  let mul_4 = (ys_3 * sum_3);
  let sub_2 = (-mul_4);
  let s_3 = arr_f32_sigmoid(sub_2);
  let mul_5 = (s_3 * ys_3);
  let d_3 = (-mul_5);
  d_sum_3_d_sum[i_2] = d_3;
}

struct d_sum_rows_Params {
  d: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> d_sum_rows_params: d_sum_rows_Params;
@group(0) @binding(3) var<storage, read> d_sum_rows_ys: array<f32>;
@group(0) @binding(4) var<storage, read> d_sum_rows_xs: array<f32>;
@group(0) @binding(5) var<storage, read> d_sum_rows_w: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_sum_rows_d_sum: array<f32>;
var<workgroup> d_sum_rows_f32_0: array<f32, 128>;
var<private> i_2: i32;
var<private> i_2_step: i32;
var<private> sum_2: f32;
var<private> xs_data_row: i32;
var<private> ys_3: f32;
var<private> d_3: f32;

fn d_sum_rows_scalars() {
  ys_3 = d_sum_rows_ys[i_2];
  sum_2 = 0.0f;
  xs_data_row = i_2_step;
}

fn d_sum_rows_join(sum_2_part: f32) {
  let t_3 = (sum_2 + sum_2_part);
  sum_2 = t_3;
}

fn d_sum_rows_at(i_3: i32) {
  let xs_2 = d_sum_rows_xs[xs_data_row + i_3];
  let w_2 = d_sum_rows_w[i_3];
  let mul_3 = (xs_2 * w_2);
  let t_2 = (sum_2 + mul_3);
  sum_2 = t_2;
}

fn d_sum_rows_scalars_2() {
  let sum_3 = sum_2;
  let mul_4 = (ys_3 * sum_3);
  let sub_2 = (-mul_4);
  let s_3 = arr_f32_sigmoid(sub_2);
  let mul_5 = (s_3 * ys_3);
  d_3 = (-mul_5);
}

fn d_sum_rows_first() {
  d_sum_rows_d_sum[i_2] = d_3;
}

// A workgroup a point of a nest: sum(for i < n => softplus(0.0 - ys[i] * sum(xs[i] * w)))
@compute @workgroup_size(128)
fn d_sum_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_sum_rows_params.n) { return; }
  i_2 = i32(mine);
  i_2_step = i_2 * d_sum_rows_params.d;
  d_sum_rows_scalars();
  let sum_2_before = sum_2;
  sum_2 = 0.0f;
  {
    let points = u32(d_sum_rows_params.d);
    for (var point = lane; point < points; point += 128u) {
      d_sum_rows_at(i32(point));
    }
  }
  d_sum_rows_f32_0[lane] = sum_2;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_sum_rows_join(d_sum_rows_f32_0[lane + width]);
      d_sum_rows_f32_0[lane] = sum_2;
    }
    workgroupBarrier();
  }
  sum_2 = sum_2_before;
  d_sum_rows_join(d_sum_rows_f32_0[0]);
  d_sum_rows_scalars_2();
  if lane == 0u {
    d_sum_rows_first();
  }
}

struct d_w_2_Params {
  d: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> d_w_2_params: d_w_2_Params;
@group(0) @binding(3) var<storage, read> d_w_2_xs: array<f32>;
@group(0) @binding(4) var<storage, read> d_w_2_d_sum: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_w_2_d_w: array<f32>;
// A point of a nest: sum(for i < n => softplus(0.0 - ys[i] * sum(xs[i] * w)))
@compute @workgroup_size(256)
fn d_w_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_w_2_params.d) { return; }
  let i_4 = i32(point);
  var d_w_3: f32 = 0.0f;
  let xs_data_row_2 = i_4;
  for (var i_5: i32 = 0i; i_5 < d_w_2_params.n; i_5 += 1i) {
    let i_5_step = i_5 * d_w_2_params.d;
    let xs_3 = d_w_2_xs[xs_data_row_2 + i_5_step];
    let d_mul = d_w_2_d_sum[i_5];
    let d_4 = (d_mul * xs_3);
    let t_5 = (d_w_3 + d_4);
    d_w_3 = t_5;
  }
  let d_w_4 = d_w_3;
  d_w_2_d_w[i_4] = d_w_4;
}

struct d_w_rows_Params {
  n: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> d_w_rows_params: d_w_rows_Params;
@group(0) @binding(3) var<storage, read> d_w_rows_xs: array<f32>;
@group(0) @binding(4) var<storage, read> d_w_rows_d_sum: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_w_rows_d_w: array<f32>;
var<workgroup> d_w_rows_f32_0: array<f32, 128>;
var<private> i_4: i32;
var<private> d_w_3: f32;
var<private> xs_data_row_2: i32;
var<private> d_w_4: f32;

fn d_w_rows_scalars() {
  d_w_3 = 0.0f;
  xs_data_row_2 = i_4;
}

fn d_w_rows_join(d_w_2_part: f32) {
  let t_6 = (d_w_3 + d_w_2_part);
  d_w_3 = t_6;
}

fn d_w_rows_at(i_5: i32) {
  let i_5_step = i_5 * d_w_rows_params.d;
  let xs_3 = d_w_rows_xs[xs_data_row_2 + i_5_step];
  let d_mul = d_w_rows_d_sum[i_5];
  let d_4 = (d_mul * xs_3);
  let t_5 = (d_w_3 + d_4);
  d_w_3 = t_5;
}

fn d_w_rows_scalars_2() {
  d_w_4 = d_w_3;
}

fn d_w_rows_first() {
  d_w_rows_d_w[i_4] = d_w_4;
}

// A workgroup a point of a nest: sum(for i < n => softplus(0.0 - ys[i] * sum(xs[i] * w)))
@compute @workgroup_size(128)
fn d_w_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_w_rows_params.d) { return; }
  i_4 = i32(mine);
  d_w_rows_scalars();
  let d_w_3_before = d_w_3;
  d_w_3 = 0.0f;
  {
    let points = u32(d_w_rows_params.n);
    for (var point = lane; point < points; point += 128u) {
      d_w_rows_at(i32(point));
    }
  }
  d_w_rows_f32_0[lane] = d_w_3;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_w_rows_join(d_w_rows_f32_0[lane + width]);
      d_w_rows_f32_0[lane] = d_w_3;
    }
    workgroupBarrier();
  }
  d_w_3 = d_w_3_before;
  d_w_rows_join(d_w_rows_f32_0[0]);
  d_w_rows_scalars_2();
  if lane == 0u {
    d_w_rows_first();
  }
}

// The host:
// let d_sum: buffer f32 = alloc [n] @1
// let s: i64 = mul n, d
// let t: bool = ge s, 4096
// let xs.data: address f32 = data xs
// let w.data: address f32 = data w
// let d_sum.data: address f32 = data d_sum
// let ys.data: address f32 = data ys
// if t {
//   let rows: i64 = max n, 0
//   let inner: i64 = max d, 0
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
//       run product_parts over 1, tile_rows.2, 1, parts.3 by 1 (rows, inner, tile_rows.2, part.6, parts.3, xs.data, w.data, d; xs, w, partial)
//       run product_sums over 1, rows, 1 by 256 (rows, parts.3, d_sum.data; partial, d_sum)
//       release partial
//     } else {
//       run product_tiles over 1, tile_rows.2, 1 by 1 (rows, inner, tile_rows.2, xs.data, w.data, d, d_sum.data; xs, w, d_sum)
//     }
//   } else {
//     if dots {
//       run product_dots over 1, rows, 1 by 1 (rows, inner, d_sum.data, xs.data, d, w.data; xs, w, d_sum)
//     } else {
//       run product_points over 1, rows, 1 by 256 (rows, inner, d_sum.data, xs.data, d, w.data; xs, w, d_sum)
//     }
//   }
//   run d_sum_2 over n by 256 (n; ys, d_sum)
// } else {
//   let fits: bool = ge d, 128
//   let fits.2: bool = le n, 16384
//   let fit: bool = and fits, fits.2
//   if fit {
//     run d_sum_rows over n by 1 (d, n; ys, xs, w, d_sum)
//   } else {
//     run d_sum_3 over n by 256 (n, d; ys, xs, w, d_sum)
//   }
// }
// let d_w: buffer f32 = alloc [d] @3
// let s.4: i64 = mul d, n
// let t.4: bool = ge s.4, 4096
// let d_w.data: address f32 = data d_w
// if t.4 {
//   let columns: i64 = max d, 0
//   let inner.2: i64 = max n, 0
//   let least.2: i64 = min 1, columns
//   let tiled.2: bool = ge least.2, 16
//   let long.3: bool = ge inner.2, 128
//   let elements.3: i64 = max columns, 0
//   let few.3: bool = lt elements.3, 16384
//   let wide.2: bool = ge 1, columns
//   let step.2: i64 = select wide.2, 1, d
//   let near.2: bool = eq step.2, 1
//   let good.2: bool = or few.3, near.2
//   let dots.2: bool = and long.3, good.2
//   if tiled.2 {
//     let tile_columns: i64 = add columns, 63
//     let tile_columns.2: i64 = div tile_columns, 64
//     let squares.3: i64 = max tile_columns.2, 0
//     let few.4: bool = lt squares.3, 64
//     let long.4: bool = ge inner.2, 1024
//     let split.2: bool = and few.4, long.4
//     if split.2 {
//       let part.7: i64 = add inner.2, 63
//       let part.8: i64 = div part.7, 64
//       let part.9: i64 = max part.8, 512
//       let part.10: i64 = add part.9, 15
//       let part.11: i64 = div part.10, 16
//       let part.12: i64 = mul part.11, 16
//       let parts.4: i64 = sub part.12, 1
//       let parts.5: i64 = add inner.2, parts.4
//       let parts.6: i64 = div parts.5, part.12
//       let partial.2: buffer f32 = alloc [parts.6, 1, 1, columns]
//       run product_parts_2 over tile_columns.2, 1, 1, parts.6 by 1 (columns, inner.2, tile_columns.2, part.12, parts.6, d_sum.data, xs.data, d; d_sum, xs, partial.2)
//       run product_sums_2 over 1, 1, columns by 256 (columns, parts.6, d_w.data; partial.2, d_w)
//       release partial.2
//     } else {
//       run product_tiles_2 over tile_columns.2, 1, 1 by 1 (columns, inner.2, tile_columns.2, d_sum.data, xs.data, d, d_w.data; d_sum, xs, d_w)
//     }
//   } else {
//     if dots.2 {
//       run product_dots_2 over 1, 1, columns by 1 (columns, inner.2, d_w.data, d_sum.data, xs.data, d; d_sum, xs, d_w)
//     } else {
//       run product_points_2 over 1, 1, columns by 256 (columns, inner.2, d_w.data, d_sum.data, xs.data, d; d_sum, xs, d_w)
//     }
//   }
// } else {
//   let fits.3: bool = ge n, 128
//   let fits.4: bool = le d, 16384
//   let fit.2: bool = and fits.3, fits.4
//   if fit.2 {
//     run d_w_rows over d by 1 (n, d; xs, d_sum, d_w)
//   } else {
//     run d_w_2 over d by 256 (d, n; xs, d_sum, d_w)
//   }
// }
// release d_sum
// return d_w [d]
