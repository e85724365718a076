// `main`: made by the Arr compiler.

fn arr_f32_is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// A number whose last bit is 0.
fn arr_f32_exact(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffffffeu);
}

const arr_f32_exp_most: f32 = 89.0;

// Times a whole number up to 2^8 it is exact.
const arr_f32_ln2_high: f32 = 0.693145751953125;

const arr_f32_ln2_low: f32 = 1.4286068203094172e-6;

// x 2^k, for -253 <= k <= 254.
fn arr_f32_scale(x: f32, k: f32) -> f32 {
    let whole = i32(k);
    let half = whole / 2;
    return x * bitcast<f32>(u32(half + 127) << 23u) * bitcast<f32>(u32(whole - half + 127) << 23u);
}

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
fn arr_f32_exp_tail(r: f32) -> f32 {
    return 5.0000001201e-1 + r * (1.6666665459e-1 + r * (4.1665795894e-2 + r * (8.3334519073e-3
        + r * (1.3981999507e-3 + r * 1.9875691500e-4))));
}

fn arr_f32_expm1(x: f32) -> f32 {
    if (arr_f32_is_nan(x) || x == 0.0) {
        return x;
    }
    let y = clamp(x, f32(-40.0), arr_f32_exp_most);
    let k = round(y * 1.4426950408889634);
    let r = (y - arr_f32_exact(k * arr_f32_ln2_high)) - k * arr_f32_ln2_low;
    let p = r + r * r * arr_f32_exp_tail(r);
    let one = arr_f32_scale(f32(1.0), -clamp(k, f32(-60.0), f32(60.0)));
    return arr_f32_scale(p + (1.0 - one), k);
}

fn arr_f32_tanh(x: f32) -> f32 {
    if (arr_f32_is_nan(x) || x == 0.0) {
        return x;
    }
    let t = arr_f32_expm1(2.0 * min(abs(x), f32(22.0)));
    let y = t / (t + 2.0);
    return select(y, -y, x < 0.0);
}

struct product_tiles_Params {
  rows: i32,
  inner: i32,
  tile_rows_2: i32,
  a_data: i32,
  x_data: i32,
  m: i32,
  tanh_data: i32,
}
@group(0) @binding(0) var<uniform> product_tiles_params: product_tiles_Params;
@group(0) @binding(3) var<storage, read> product_tiles_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_tiles_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_tiles_tanh_2: array<f32>;
var<workgroup> arr_product_tiles_left: array<vec4<f32>, 256>;
var<workgroup> arr_product_tiles_right: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn product_tiles(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile_column = group % 1;
  let tile_row = (group / 1) % product_tiles_params.tile_rows_2;
  let square = group / (1 * product_tiles_params.tile_rows_2);
  if square >= 1 { return; }
  let batch = square;
  let first = 0;
  let end = product_tiles_params.inner;
  let left = product_tiles_params.a_data;
  let right = product_tiles_params.x_data;
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
        if first + 0 < product_tiles_params.rows { value[0] = product_tiles_a[place + ((first + 0) * product_tiles_params.m)]; }
        if first + 1 < product_tiles_params.rows { value[1] = product_tiles_a[place + ((first + 1) * product_tiles_params.m)]; }
        if first + 2 < product_tiles_params.rows { value[2] = product_tiles_a[place + ((first + 2) * product_tiles_params.m)]; }
        if first + 3 < product_tiles_params.rows { value[3] = product_tiles_a[place + ((first + 3) * product_tiles_params.m)]; }
      }
      arr_product_tiles_left[inner * 16 + four] = value;
    }
    {
      let four = lane / 16;
      let inner = lane % 16;
      let k = start + inner;
      let first = tile_column * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = right + k;
        if first + 0 < 1 { value[0] = product_tiles_x[place + (0 * (first + 0))]; }
        if first + 1 < 1 { value[1] = product_tiles_x[place + (0 * (first + 1))]; }
        if first + 2 < 1 { value[2] = product_tiles_x[place + (0 * (first + 2))]; }
        if first + 3 < 1 { value[3] = product_tiles_x[place + (0 * (first + 3))]; }
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
      if row < product_tiles_params.rows && column < 1 {
        var sum = sums[i][j];
        let into = product_tiles_params.tanh_data + row;
        product_tiles_tanh_2[into] = sum;
      }
    }
  }
}

struct product_parts_Params {
  rows: i32,
  inner: i32,
  tile_rows_2: i32,
  part_6: i32,
  parts_3: i32,
  a_data: i32,
  x_data: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> product_parts_params: product_parts_Params;
@group(0) @binding(3) var<storage, read> product_parts_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_parts_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_parts_partial: array<f32>;
var<workgroup> arr_product_parts_left: array<vec4<f32>, 256>;
var<workgroup> arr_product_parts_right: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn product_parts(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile_column = group % 1;
  let tile_row = (group / 1) % product_parts_params.tile_rows_2;
  let square = group / (1 * product_parts_params.tile_rows_2);
  let part = square / 1;
  if part >= product_parts_params.parts_3 { return; }
  let batch = square % 1;
  let first = part * product_parts_params.part_6;
  let end = min(first + product_parts_params.part_6, product_parts_params.inner);
  let left = product_parts_params.a_data;
  let right = product_parts_params.x_data;
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
        if first + 0 < product_parts_params.rows { value[0] = product_parts_a[place + ((first + 0) * product_parts_params.m)]; }
        if first + 1 < product_parts_params.rows { value[1] = product_parts_a[place + ((first + 1) * product_parts_params.m)]; }
        if first + 2 < product_parts_params.rows { value[2] = product_parts_a[place + ((first + 2) * product_parts_params.m)]; }
        if first + 3 < product_parts_params.rows { value[3] = product_parts_a[place + ((first + 3) * product_parts_params.m)]; }
      }
      arr_product_parts_left[inner * 16 + four] = value;
    }
    {
      let four = lane / 16;
      let inner = lane % 16;
      let k = start + inner;
      let first = tile_column * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = right + k;
        if first + 0 < 1 { value[0] = product_parts_x[place + (0 * (first + 0))]; }
        if first + 1 < 1 { value[1] = product_parts_x[place + (0 * (first + 1))]; }
        if first + 2 < 1 { value[2] = product_parts_x[place + (0 * (first + 2))]; }
        if first + 3 < 1 { value[3] = product_parts_x[place + (0 * (first + 3))]; }
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
      if row < product_parts_params.rows && column < 1 {
        var sum = sums[i][j];
        product_parts_partial[((part * 1 + batch) * product_parts_params.rows + row) * 1 + column] = sum;
      }
    }
  }
}

struct product_sums_Params {
  rows: i32,
  parts_3: i32,
  tanh_data: i32,
}
@group(0) @binding(0) var<uniform> product_sums_params: product_sums_Params;
@group(0) @binding(3) var<storage, read> product_sums_partial: array<f32>;
@group(0) @binding(4) var<storage, read_write> product_sums_tanh_2: array<f32>;
@compute @workgroup_size(256)
fn product_sums(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  let points = 1 * product_sums_params.rows * 1;
  if point >= points { return; }
  var sum = f32(0.0);
  for (var part = 0; part < product_sums_params.parts_3; part++) {
    sum += product_sums_partial[part * points + point];
  }
  let column = point % 1;
  let row = (point / 1) % product_sums_params.rows;
  let batch = point / (product_sums_params.rows * 1);
  let into = product_sums_params.tanh_data + row;
  product_sums_tanh_2[into] = sum;
}

struct product_dots_Params {
  rows: i32,
  inner: i32,
  tanh_data: i32,
  a_data: i32,
  m: i32,
  x_data: i32,
}
@group(0) @binding(0) var<uniform> product_dots_params: product_dots_Params;
@group(0) @binding(3) var<storage, read> product_dots_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_dots_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_dots_tanh_2: array<f32>;
var<workgroup> arr_product_dots_sums: array<f32, 256>;
@compute @workgroup_size(256)
fn product_dots(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  if group >= 1 * product_dots_params.rows * 1 { return; }
  let column = group % 1;
  let row = (group / 1) % product_dots_params.rows;
  let batch = group / (product_dots_params.rows * 1);
  let into = product_dots_params.tanh_data + row;
  let left = product_dots_params.a_data + (row * product_dots_params.m);
  let right = product_dots_params.x_data;
  var sum = f32(0.0);
  for (var k = lane; k < product_dots_params.inner; k += 256) {
    sum += (product_dots_a[left + k] * product_dots_x[right + k]);
  }
  arr_product_dots_sums[lane] = sum;
  workgroupBarrier();
  for (var half = 128; half > 0; half = half >> 1u) {
    if lane < half { arr_product_dots_sums[lane] += arr_product_dots_sums[lane + half]; }
    workgroupBarrier();
  }
  if lane == 0 { product_dots_tanh_2[into] = arr_product_dots_sums[0]; }
}

struct product_points_Params {
  rows: i32,
  inner: i32,
  tanh_data: i32,
  a_data: i32,
  m: i32,
  x_data: i32,
}
@group(0) @binding(0) var<uniform> product_points_params: product_points_Params;
@group(0) @binding(3) var<storage, read> product_points_a: array<f32>;
@group(0) @binding(4) var<storage, read> product_points_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_points_tanh_2: array<f32>;
@compute @workgroup_size(256)
fn product_points(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= 1 * product_points_params.rows * 1 { return; }
  let column = point % 1;
  let row = (point / 1) % product_points_params.rows;
  let batch = point / (product_points_params.rows * 1);
  let into = product_points_params.tanh_data + row;
  let left = product_points_params.a_data + (row * product_points_params.m);
  let right = product_points_params.x_data;
  var sum = f32(0.0);
  for (var k = 0; k < product_points_params.inner; k++) {
    sum += (product_points_a[left + k] * product_points_x[right + k]);
  }
  product_points_tanh_2[into] = sum;
}

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
