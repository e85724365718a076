// `main`: made by the Arr compiler.

fn arr_f32_is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// A number whose last bit is 0.
fn arr_f32_exact(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffffffeu);
}

const arr_f32_exp_least: f32 = -104.0;

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

fn arr_f32_exp(x: f32) -> f32 {
    if (arr_f32_is_nan(x)) {
        return x;
    }
    let y = clamp(x, arr_f32_exp_least, arr_f32_exp_most);
    let k = round(y * 1.4426950408889634);
    let r = (y - arr_f32_exact(k * arr_f32_ln2_high)) - k * arr_f32_ln2_low;
    return arr_f32_scale(1.0 + (r + r * r * arr_f32_exp_tail(r)), k);
}

fn arr_f32_sigmoid(x: f32) -> f32 {
    if (arr_f32_is_nan(x)) {
        return x;
    }
    let e = arr_f32_exp(-abs(x));
    return select(f32(1.0), e, x < 0.0) / (1.0 + e);
}

struct product_tiles_Params {
  rows: i32,
  inner: i32,
  tile_rows_2: i32,
  xs_data: i32,
  w_data: i32,
  d: i32,
  d_sum_data: i32,
}
@group(0) @binding(0) var<uniform> product_tiles_params: product_tiles_Params;
@group(0) @binding(3) var<storage, read> product_tiles_xs: array<f32>;
@group(0) @binding(4) var<storage, read> product_tiles_w: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_tiles_d_sum: array<f32>;
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
  let left = product_tiles_params.xs_data;
  let right = product_tiles_params.w_data;
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
        if first + 0 < product_tiles_params.rows { value[0] = product_tiles_xs[place + ((first + 0) * product_tiles_params.d)]; }
        if first + 1 < product_tiles_params.rows { value[1] = product_tiles_xs[place + ((first + 1) * product_tiles_params.d)]; }
        if first + 2 < product_tiles_params.rows { value[2] = product_tiles_xs[place + ((first + 2) * product_tiles_params.d)]; }
        if first + 3 < product_tiles_params.rows { value[3] = product_tiles_xs[place + ((first + 3) * product_tiles_params.d)]; }
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
        if first + 0 < 1 { value[0] = product_tiles_w[place + (0 * (first + 0))]; }
        if first + 1 < 1 { value[1] = product_tiles_w[place + (0 * (first + 1))]; }
        if first + 2 < 1 { value[2] = product_tiles_w[place + (0 * (first + 2))]; }
        if first + 3 < 1 { value[3] = product_tiles_w[place + (0 * (first + 3))]; }
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
        let into = product_tiles_params.d_sum_data + row;
        product_tiles_d_sum[into] = sum;
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
  xs_data: i32,
  w_data: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> product_parts_params: product_parts_Params;
@group(0) @binding(3) var<storage, read> product_parts_xs: array<f32>;
@group(0) @binding(4) var<storage, read> product_parts_w: array<f32>;
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
  let left = product_parts_params.xs_data;
  let right = product_parts_params.w_data;
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
        if first + 0 < product_parts_params.rows { value[0] = product_parts_xs[place + ((first + 0) * product_parts_params.d)]; }
        if first + 1 < product_parts_params.rows { value[1] = product_parts_xs[place + ((first + 1) * product_parts_params.d)]; }
        if first + 2 < product_parts_params.rows { value[2] = product_parts_xs[place + ((first + 2) * product_parts_params.d)]; }
        if first + 3 < product_parts_params.rows { value[3] = product_parts_xs[place + ((first + 3) * product_parts_params.d)]; }
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
        if first + 0 < 1 { value[0] = product_parts_w[place + (0 * (first + 0))]; }
        if first + 1 < 1 { value[1] = product_parts_w[place + (0 * (first + 1))]; }
        if first + 2 < 1 { value[2] = product_parts_w[place + (0 * (first + 2))]; }
        if first + 3 < 1 { value[3] = product_parts_w[place + (0 * (first + 3))]; }
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
  d_sum_data: i32,
}
@group(0) @binding(0) var<uniform> product_sums_params: product_sums_Params;
@group(0) @binding(3) var<storage, read> product_sums_partial: array<f32>;
@group(0) @binding(4) var<storage, read_write> product_sums_d_sum: array<f32>;
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
  let into = product_sums_params.d_sum_data + row;
  product_sums_d_sum[into] = sum;
}

struct product_dots_Params {
  rows: i32,
  inner: i32,
  d_sum_data: i32,
  xs_data: i32,
  d: i32,
  w_data: i32,
}
@group(0) @binding(0) var<uniform> product_dots_params: product_dots_Params;
@group(0) @binding(3) var<storage, read> product_dots_xs: array<f32>;
@group(0) @binding(4) var<storage, read> product_dots_w: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_dots_d_sum: array<f32>;
var<workgroup> arr_product_dots_sums: array<f32, 256>;
@compute @workgroup_size(256)
fn product_dots(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  if group >= 1 * product_dots_params.rows * 1 { return; }
  let column = group % 1;
  let row = (group / 1) % product_dots_params.rows;
  let batch = group / (product_dots_params.rows * 1);
  let into = product_dots_params.d_sum_data + row;
  let left = product_dots_params.xs_data + (row * product_dots_params.d);
  let right = product_dots_params.w_data;
  var sum = f32(0.0);
  for (var k = lane; k < product_dots_params.inner; k += 256) {
    sum += (product_dots_xs[left + k] * product_dots_w[right + k]);
  }
  arr_product_dots_sums[lane] = sum;
  workgroupBarrier();
  for (var half = 128; half > 0; half = half >> 1u) {
    if lane < half { arr_product_dots_sums[lane] += arr_product_dots_sums[lane + half]; }
    workgroupBarrier();
  }
  if lane == 0 { product_dots_d_sum[into] = arr_product_dots_sums[0]; }
}

struct product_points_Params {
  rows: i32,
  inner: i32,
  d_sum_data: i32,
  xs_data: i32,
  d: i32,
  w_data: i32,
}
@group(0) @binding(0) var<uniform> product_points_params: product_points_Params;
@group(0) @binding(3) var<storage, read> product_points_xs: array<f32>;
@group(0) @binding(4) var<storage, read> product_points_w: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_points_d_sum: array<f32>;
@compute @workgroup_size(256)
fn product_points(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= 1 * product_points_params.rows * 1 { return; }
  let column = point % 1;
  let row = (point / 1) % product_points_params.rows;
  let batch = point / (product_points_params.rows * 1);
  let into = product_points_params.d_sum_data + row;
  let left = product_points_params.xs_data + (row * product_points_params.d);
  let right = product_points_params.w_data;
  var sum = f32(0.0);
  for (var k = 0; k < product_points_params.inner; k++) {
    sum += (product_points_xs[left + k] * product_points_w[right + k]);
  }
  product_points_d_sum[into] = sum;
}

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

struct product_tiles_2_Params {
  columns: i32,
  inner_2: i32,
  tile_columns_2: i32,
  d_sum_data: i32,
  xs_data: i32,
  d: i32,
  d_w_data: i32,
}
@group(0) @binding(0) var<uniform> product_tiles_2_params: product_tiles_2_Params;
@group(0) @binding(3) var<storage, read> product_tiles_2_d_sum: array<f32>;
@group(0) @binding(4) var<storage, read> product_tiles_2_xs: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_tiles_2_d_w: array<f32>;
var<workgroup> arr_product_tiles_2_left: array<vec4<f32>, 256>;
var<workgroup> arr_product_tiles_2_right: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn product_tiles_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile_column = group % product_tiles_2_params.tile_columns_2;
  let tile_row = (group / product_tiles_2_params.tile_columns_2) % 1;
  let square = group / (product_tiles_2_params.tile_columns_2 * 1);
  if square >= 1 { return; }
  let batch = square;
  let first = 0;
  let end = product_tiles_2_params.inner_2;
  let left = product_tiles_2_params.d_sum_data;
  let right = product_tiles_2_params.xs_data;
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
        if first + 0 < 1 { value[0] = product_tiles_2_d_sum[place + (0 * (first + 0))]; }
        if first + 1 < 1 { value[1] = product_tiles_2_d_sum[place + (0 * (first + 1))]; }
        if first + 2 < 1 { value[2] = product_tiles_2_d_sum[place + (0 * (first + 2))]; }
        if first + 3 < 1 { value[3] = product_tiles_2_d_sum[place + (0 * (first + 3))]; }
      }
      arr_product_tiles_2_left[inner * 16 + four] = value;
    }
    {
      let four = lane % 16;
      let inner = lane / 16;
      let k = start + inner;
      let first = tile_column * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = right + (k * product_tiles_2_params.d);
        if first + 0 < product_tiles_2_params.columns { value[0] = product_tiles_2_xs[place + (first + 0)]; }
        if first + 1 < product_tiles_2_params.columns { value[1] = product_tiles_2_xs[place + (first + 1)]; }
        if first + 2 < product_tiles_2_params.columns { value[2] = product_tiles_2_xs[place + (first + 2)]; }
        if first + 3 < product_tiles_2_params.columns { value[3] = product_tiles_2_xs[place + (first + 3)]; }
      }
      arr_product_tiles_2_right[inner * 16 + four] = value;
    }
    workgroupBarrier();
    for (var k = 0; k < 16; k++) {
      let l = arr_product_tiles_2_left[k * 16 + lane / 16];
      let r = arr_product_tiles_2_right[k * 16 + lane % 16];
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
      if row < 1 && column < product_tiles_2_params.columns {
        var sum = sums[i][j];
        let into = product_tiles_2_params.d_w_data + column;
        product_tiles_2_d_w[into] = sum;
      }
    }
  }
}

struct product_parts_2_Params {
  columns: i32,
  inner_2: i32,
  tile_columns_2: i32,
  part_12: i32,
  parts_6: i32,
  d_sum_data: i32,
  xs_data: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> product_parts_2_params: product_parts_2_Params;
@group(0) @binding(3) var<storage, read> product_parts_2_d_sum: array<f32>;
@group(0) @binding(4) var<storage, read> product_parts_2_xs: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_parts_2_partial_2: array<f32>;
var<workgroup> arr_product_parts_2_left: array<vec4<f32>, 256>;
var<workgroup> arr_product_parts_2_right: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn product_parts_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let tile_column = group % product_parts_2_params.tile_columns_2;
  let tile_row = (group / product_parts_2_params.tile_columns_2) % 1;
  let square = group / (product_parts_2_params.tile_columns_2 * 1);
  let part = square / 1;
  if part >= product_parts_2_params.parts_6 { return; }
  let batch = square % 1;
  let first = part * product_parts_2_params.part_12;
  let end = min(first + product_parts_2_params.part_12, product_parts_2_params.inner_2);
  let left = product_parts_2_params.d_sum_data;
  let right = product_parts_2_params.xs_data;
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
        if first + 0 < 1 { value[0] = product_parts_2_d_sum[place + (0 * (first + 0))]; }
        if first + 1 < 1 { value[1] = product_parts_2_d_sum[place + (0 * (first + 1))]; }
        if first + 2 < 1 { value[2] = product_parts_2_d_sum[place + (0 * (first + 2))]; }
        if first + 3 < 1 { value[3] = product_parts_2_d_sum[place + (0 * (first + 3))]; }
      }
      arr_product_parts_2_left[inner * 16 + four] = value;
    }
    {
      let four = lane % 16;
      let inner = lane / 16;
      let k = start + inner;
      let first = tile_column * 64 + 4 * four;
      var value = vec4<f32>();
      if k < end {
        let place = right + (k * product_parts_2_params.d);
        if first + 0 < product_parts_2_params.columns { value[0] = product_parts_2_xs[place + (first + 0)]; }
        if first + 1 < product_parts_2_params.columns { value[1] = product_parts_2_xs[place + (first + 1)]; }
        if first + 2 < product_parts_2_params.columns { value[2] = product_parts_2_xs[place + (first + 2)]; }
        if first + 3 < product_parts_2_params.columns { value[3] = product_parts_2_xs[place + (first + 3)]; }
      }
      arr_product_parts_2_right[inner * 16 + four] = value;
    }
    workgroupBarrier();
    for (var k = 0; k < 16; k++) {
      let l = arr_product_parts_2_left[k * 16 + lane / 16];
      let r = arr_product_parts_2_right[k * 16 + lane % 16];
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
      if row < 1 && column < product_parts_2_params.columns {
        var sum = sums[i][j];
        product_parts_2_partial_2[((part * 1 + batch) * 1 + row) * product_parts_2_params.columns + column] = sum;
      }
    }
  }
}

struct product_sums_2_Params {
  columns: i32,
  parts_6: i32,
  d_w_data: i32,
}
@group(0) @binding(0) var<uniform> product_sums_2_params: product_sums_2_Params;
@group(0) @binding(3) var<storage, read> product_sums_2_partial_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> product_sums_2_d_w: array<f32>;
@compute @workgroup_size(256)
fn product_sums_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  let points = 1 * 1 * product_sums_2_params.columns;
  if point >= points { return; }
  var sum = f32(0.0);
  for (var part = 0; part < product_sums_2_params.parts_6; part++) {
    sum += product_sums_2_partial_2[part * points + point];
  }
  let column = point % product_sums_2_params.columns;
  let row = (point / product_sums_2_params.columns) % 1;
  let batch = point / (1 * product_sums_2_params.columns);
  let into = product_sums_2_params.d_w_data + column;
  product_sums_2_d_w[into] = sum;
}

struct product_dots_2_Params {
  columns: i32,
  inner_2: i32,
  d_w_data: i32,
  d_sum_data: i32,
  xs_data: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> product_dots_2_params: product_dots_2_Params;
@group(0) @binding(3) var<storage, read> product_dots_2_d_sum: array<f32>;
@group(0) @binding(4) var<storage, read> product_dots_2_xs: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_dots_2_d_w: array<f32>;
var<workgroup> arr_product_dots_2_sums: array<f32, 256>;
@compute @workgroup_size(256)
fn product_dots_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  if group >= 1 * 1 * product_dots_2_params.columns { return; }
  let column = group % product_dots_2_params.columns;
  let row = (group / product_dots_2_params.columns) % 1;
  let batch = group / (1 * product_dots_2_params.columns);
  let into = product_dots_2_params.d_w_data + column;
  let left = product_dots_2_params.d_sum_data;
  let right = product_dots_2_params.xs_data + column;
  var sum = f32(0.0);
  for (var k = lane; k < product_dots_2_params.inner_2; k += 256) {
    sum += (product_dots_2_d_sum[left + k] * product_dots_2_xs[right + (k * product_dots_2_params.d)]);
  }
  arr_product_dots_2_sums[lane] = sum;
  workgroupBarrier();
  for (var half = 128; half > 0; half = half >> 1u) {
    if lane < half { arr_product_dots_2_sums[lane] += arr_product_dots_2_sums[lane + half]; }
    workgroupBarrier();
  }
  if lane == 0 { product_dots_2_d_w[into] = arr_product_dots_2_sums[0]; }
}

struct product_points_2_Params {
  columns: i32,
  inner_2: i32,
  d_w_data: i32,
  d_sum_data: i32,
  xs_data: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> product_points_2_params: product_points_2_Params;
@group(0) @binding(3) var<storage, read> product_points_2_d_sum: array<f32>;
@group(0) @binding(4) var<storage, read> product_points_2_xs: array<f32>;
@group(0) @binding(5) var<storage, read_write> product_points_2_d_w: array<f32>;
@compute @workgroup_size(256)
fn product_points_2(@builtin(workgroup_id) group_id: vec3<u32>, @builtin(num_workgroups) group_count: vec3<u32>, @builtin(local_invocation_index) lane_index: u32) {
  let group = i32(group_id.x + group_id.y * group_count.x);
  let lane = i32(lane_index);
  let point = group * 256 + lane;
  if point >= 1 * 1 * product_points_2_params.columns { return; }
  let column = point % product_points_2_params.columns;
  let row = (point / product_points_2_params.columns) % 1;
  let batch = point / (1 * product_points_2_params.columns);
  let into = product_points_2_params.d_w_data + column;
  let left = product_points_2_params.d_sum_data;
  let right = product_points_2_params.xs_data + column;
  var sum = f32(0.0);
  for (var k = 0; k < product_points_2_params.inner_2; k++) {
    sum += (product_points_2_d_sum[left + k] * product_points_2_xs[right + (k * product_points_2_params.d)]);
  }
  product_points_2_d_w[into] = sum;
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
