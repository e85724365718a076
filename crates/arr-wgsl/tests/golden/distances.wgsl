// `main`: made by the Arr compiler.

struct p_2_Params {
  d: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> p_2_params: p_2_Params;
@group(0) @binding(3) var<storage, read> p_2_p: array<f32>;
@group(0) @binding(4) var<storage, read_write> p_2_p_4: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn p_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(p_2_params.d) * u32(p_2_params.n) { return; }
  let t = i32(point / u32(p_2_params.n));
  let t_2 = i32(point % u32(p_2_params.n));
  let t_step = t * p_2_params.n;
  let p_data_row = t;
  let p_2_data_row = t_step;
  let t_2_step = t_2 * p_2_params.d;
  let p_3 = p_2_p[p_data_row + t_2_step];
  p_2_p_4[p_2_data_row + t_2] = p_3;
}

struct d_sum_2_Params {
  n: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> d_sum_2_params: d_sum_2_Params;
@group(0) @binding(3) var<storage, read> d_sum_2_p: array<f32>;
@group(0) @binding(4) var<storage, read> d_sum_2_p_4: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_sum_2_d_sum_3: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_sum_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sum_2_params.n) * u32(d_sum_2_params.n) { return; }
  let i = i32(point / u32(d_sum_2_params.n));
  let j = i32(point % u32(d_sum_2_params.n));
  let i_step = i * d_sum_2_params.d;
  let i_step_2 = i * d_sum_2_params.n;
  let p_data_row_2 = i_step;
  let d_sum_2_data_row = i_step_2;
  var sum: f32 = 0.0f;
  let p_2_data_row_2 = j;
  for (var i_2: i32 = 0i; i_2 < d_sum_2_params.d; i_2 += 1i) {
    let i_2_step = i_2 * d_sum_2_params.n;
    let p_5 = d_sum_2_p[p_data_row_2 + i_2];
    let p_6 = d_sum_2_p_4[p_2_data_row_2 + i_2_step];
    let sub = (p_5 - p_6);
    let mul = (sub * sub);
    let t_3 = (sum + mul);
    sum = t_3;
  }
  let sum_2 = sum;
  let add = (0.01f + sum_2);
  let sqrt_2 = sqrt(add);
  let s = (2.0f * sqrt_2);
  let d_2 = (1.0f / s);
  d_sum_2_d_sum_3[d_sum_2_data_row + j] = d_2;
}

struct d_sum_2_rows_Params {
  d: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> d_sum_2_rows_params: d_sum_2_rows_Params;
@group(0) @binding(3) var<storage, read> d_sum_2_rows_p: array<f32>;
@group(0) @binding(4) var<storage, read> d_sum_2_rows_p_4: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_sum_2_rows_d_sum_3: array<f32>;
var<workgroup> d_sum_2_rows_f32_0: array<f32, 128>;
var<private> i: i32;
var<private> i_step: i32;
var<private> i_step_2: i32;
var<private> j: i32;
var<private> sum: f32;
var<private> p_data_row_2: i32;
var<private> p_2_data_row_2: i32;
var<private> d_sum_2_data_row: i32;
var<private> d_2: f32;

fn d_sum_2_rows_scalars() {
  p_data_row_2 = i_step;
  d_sum_2_data_row = i_step_2;
  sum = 0.0f;
  p_2_data_row_2 = j;
}

fn d_sum_2_rows_join(sum_part: f32) {
  let t_4 = (sum + sum_part);
  sum = t_4;
}

fn d_sum_2_rows_at(i_2: i32) {
  let i_2_step = i_2 * d_sum_2_rows_params.n;
  let p_5 = d_sum_2_rows_p[p_data_row_2 + i_2];
  let p_6 = d_sum_2_rows_p_4[p_2_data_row_2 + i_2_step];
  let sub = (p_5 - p_6);
  let mul = (sub * sub);
  let t_3 = (sum + mul);
  sum = t_3;
}

fn d_sum_2_rows_scalars_2() {
  let sum_2 = sum;
  let add = (0.01f + sum_2);
  let sqrt_2 = sqrt(add);
  let s = (2.0f * sqrt_2);
  d_2 = (1.0f / s);
}

fn d_sum_2_rows_first() {
  d_sum_2_rows_d_sum_3[d_sum_2_data_row + j] = d_2;
}

// A workgroup a point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(128)
fn d_sum_2_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_sum_2_rows_params.n) * u32(d_sum_2_rows_params.n) { return; }
  i = i32(mine / u32(d_sum_2_rows_params.n));
  i_step = i * d_sum_2_rows_params.d;
  i_step_2 = i * d_sum_2_rows_params.n;
  j = i32(mine % u32(d_sum_2_rows_params.n));
  d_sum_2_rows_scalars();
  let sum_before = sum;
  sum = 0.0f;
  {
    let points = u32(d_sum_2_rows_params.d);
    for (var point = lane; point < points; point += 128u) {
      d_sum_2_rows_at(i32(point));
    }
  }
  d_sum_2_rows_f32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_sum_2_rows_join(d_sum_2_rows_f32_0[lane + width]);
      d_sum_2_rows_f32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = sum_before;
  d_sum_2_rows_join(d_sum_2_rows_f32_0[0]);
  d_sum_2_rows_scalars_2();
  if lane == 0u {
    d_sum_2_rows_first();
  }
}

struct d_sum_4_Params {
  n: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> d_sum_4_params: d_sum_4_Params;
@group(0) @binding(3) var<storage, read> d_sum_4_p: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_sum_4_d_sum_5: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_sum_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sum_4_params.n) * u32(d_sum_4_params.n) { return; }
  let i_3 = i32(point / u32(d_sum_4_params.n));
  let j_2 = i32(point % u32(d_sum_4_params.n));
  let i_3_step = i_3 * d_sum_4_params.d;
  let i_3_step_2 = i_3 * d_sum_4_params.n;
  let p_data_row_3 = i_3_step;
  let d_sum_3_data_row = i_3_step_2;
  let j_2_step = j_2 * d_sum_4_params.d;
  var sum_3: f32 = 0.0f;
  let p_data_row_4 = j_2_step;
  for (var i_4: i32 = 0i; i_4 < d_sum_4_params.d; i_4 += 1i) {
    let p_7 = d_sum_4_p[p_data_row_3 + i_4];
    let p_8 = d_sum_4_p[p_data_row_4 + i_4];
    let sub_2 = (p_7 - p_8);
    let mul_2 = (sub_2 * sub_2);
    let t_5 = (sum_3 + mul_2);
    sum_3 = t_5;
  }
  let sum_4 = sum_3;
  let add_2 = (0.01f + sum_4);
  let sqrt_3 = sqrt(add_2);
  let s_2 = (2.0f * sqrt_3);
  let d_3 = (1.0f / s_2);
  d_sum_4_d_sum_5[d_sum_3_data_row + j_2] = d_3;
}

struct d_sum_3_rows_Params {
  d: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> d_sum_3_rows_params: d_sum_3_rows_Params;
@group(0) @binding(3) var<storage, read> d_sum_3_rows_p: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_sum_3_rows_d_sum_5: array<f32>;
var<workgroup> d_sum_3_rows_f32_0: array<f32, 128>;
var<private> i_3: i32;
var<private> i_3_step: i32;
var<private> i_3_step_2: i32;
var<private> j_2: i32;
var<private> j_2_step: i32;
var<private> sum_3: f32;
var<private> p_data_row_3: i32;
var<private> p_data_row_4: i32;
var<private> d_sum_3_data_row: i32;
var<private> d_3: f32;

fn d_sum_3_rows_scalars() {
  p_data_row_3 = i_3_step;
  d_sum_3_data_row = i_3_step_2;
  sum_3 = 0.0f;
  p_data_row_4 = j_2_step;
}

fn d_sum_3_rows_join(sum_3_part: f32) {
  let t_6 = (sum_3 + sum_3_part);
  sum_3 = t_6;
}

fn d_sum_3_rows_at(i_4: i32) {
  let p_7 = d_sum_3_rows_p[p_data_row_3 + i_4];
  let p_8 = d_sum_3_rows_p[p_data_row_4 + i_4];
  let sub_2 = (p_7 - p_8);
  let mul_2 = (sub_2 * sub_2);
  let t_5 = (sum_3 + mul_2);
  sum_3 = t_5;
}

fn d_sum_3_rows_scalars_2() {
  let sum_4 = sum_3;
  let add_2 = (0.01f + sum_4);
  let sqrt_3 = sqrt(add_2);
  let s_2 = (2.0f * sqrt_3);
  d_3 = (1.0f / s_2);
}

fn d_sum_3_rows_first() {
  d_sum_3_rows_d_sum_5[d_sum_3_data_row + j_2] = d_3;
}

// A workgroup a point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(128)
fn d_sum_3_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_sum_3_rows_params.n) * u32(d_sum_3_rows_params.n) { return; }
  i_3 = i32(mine / u32(d_sum_3_rows_params.n));
  i_3_step = i_3 * d_sum_3_rows_params.d;
  i_3_step_2 = i_3 * d_sum_3_rows_params.n;
  j_2 = i32(mine % u32(d_sum_3_rows_params.n));
  j_2_step = j_2 * d_sum_3_rows_params.d;
  d_sum_3_rows_scalars();
  let sum_3_before = sum_3;
  sum_3 = 0.0f;
  {
    let points = u32(d_sum_3_rows_params.d);
    for (var point = lane; point < points; point += 128u) {
      d_sum_3_rows_at(i32(point));
    }
  }
  d_sum_3_rows_f32_0[lane] = sum_3;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_sum_3_rows_join(d_sum_3_rows_f32_0[lane + width]);
      d_sum_3_rows_f32_0[lane] = sum_3;
    }
    workgroupBarrier();
  }
  sum_3 = sum_3_before;
  d_sum_3_rows_join(d_sum_3_rows_f32_0[0]);
  d_sum_3_rows_scalars_2();
  if lane == 0u {
    d_sum_3_rows_first();
  }
}

struct d_sub_Params {
  n: i32,
  d: i32,
  s_3: i32,
}
@group(0) @binding(0) var<uniform> d_sub_params: d_sub_Params;
@group(0) @binding(3) var<storage, read> d_sub_d_sum_6: array<f32>;
@group(0) @binding(4) var<storage, read> d_sub_p: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_sub_d_sub_3: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_sub(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sub_params.n) * u32(d_sub_params.n) * u32(d_sub_params.d) { return; }
  let i_5 = i32((point / u32(d_sub_params.d)) / u32(d_sub_params.n));
  let j_3 = i32((point / u32(d_sub_params.d)) % u32(d_sub_params.n));
  let k = i32(point % u32(d_sub_params.d));
  let i_5_step = i_5 * d_sub_params.d;
  let i_5_step_2 = i_5 * d_sub_params.n;
  let i_5_step_3 = i_5 * d_sub_params.s_3;
  let p_data_row_5 = i_5_step;
  let d_sum_4_data_row = i_5_step_2;
  let d_sub_data_row = i_5_step_3;
  let j_3_step = j_3 * d_sub_params.d;
  let p_data_row_6 = j_3_step;
  let d_mul = d_sub_d_sum_6[d_sum_4_data_row + j_3];
  let d_sub_data_row_2 = d_sub_data_row + j_3_step;
  let p_9 = d_sub_p[p_data_row_5 + k];
  let p_10 = d_sub_p[p_data_row_6 + k];
  let sub_3 = (p_9 - p_10);
  let d_4 = (d_mul * sub_3);
  let d_sub_2 = (d_4 + d_4);
  d_sub_d_sub_3[d_sub_data_row_2 + k] = d_sub_2;
}

struct d_p_Params {
  n: i32,
  d: i32,
  s_3: i32,
}
@group(0) @binding(0) var<uniform> d_p_params: d_p_Params;
@group(0) @binding(3) var<storage, read> d_p_d_sub_3: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_p_d_p_7: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_p(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_p_params.n) * u32(d_p_params.d) { return; }
  let i_6 = i32(point / u32(d_p_params.d));
  let j_4 = i32(point % u32(d_p_params.d));
  let i_6_step = i_6 * d_p_params.d;
  let i_6_step_2 = i_6 * d_p_params.s_3;
  let d_sub_data_row_3 = i_6_step;
  let d_sub_data_row_4 = i_6_step_2;
  let d_p_data_row = i_6_step;
  var d_p_2: f32 = 0.0f;
  let d_sub_data_row_3_row = d_sub_data_row_3 + j_4;
  for (var i_7: i32 = 0i; i_7 < d_p_params.n; i_7 += 1i) {
    let i_7_step = i_7 * d_p_params.s_3;
    let d_sub_4 = d_p_d_sub_3[d_sub_data_row_3_row + i_7_step];
    let d_5 = (-d_sub_4);
    let t_7 = (d_p_2 + d_5);
    d_p_2 = t_7;
  }
  let d_p_3 = d_p_2;
  var d_p_4: f32 = 0.0f;
  let d_sub_data_row_4_row = d_sub_data_row_4 + j_4;
  for (var j_5: i32 = 0i; j_5 < d_p_params.n; j_5 += 1i) {
    let j_5_step = j_5 * d_p_params.d;
    let d_sub_5 = d_p_d_sub_3[d_sub_data_row_4_row + j_5_step];
    let t_9 = (d_p_4 + d_sub_5);
    d_p_4 = t_9;
  }
  let d_p_5 = d_p_4;
  let d_p_6 = (d_p_3 + d_p_5);
  d_p_d_p_7[d_p_data_row + j_4] = d_p_6;
}

struct d_p_rows_Params {
  n: i32,
  s_3: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> d_p_rows_params: d_p_rows_Params;
@group(0) @binding(3) var<storage, read> d_p_rows_d_sub_3: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_p_rows_d_p_7: array<f32>;
var<workgroup> d_p_rows_f32_0: array<f32, 128>;
var<private> i_6: i32;
var<private> i_6_step: i32;
var<private> i_6_step_2: i32;
var<private> j_4: i32;
var<private> d_p_2: f32;
var<private> d_sub_data_row_3_row: i32;
var<private> d_sub_data_row_4: i32;
var<private> d_p_4: f32;
var<private> d_sub_data_row_4_row: i32;
var<private> d_p_3: f32;
var<private> d_p_data_row: i32;
var<private> d_p_6: f32;

fn d_p_rows_scalars() {
  let d_sub_data_row_3 = i_6_step;
  d_sub_data_row_4 = i_6_step_2;
  d_p_data_row = i_6_step;
  d_p_2 = 0.0f;
  d_sub_data_row_3_row = d_sub_data_row_3 + j_4;
}

fn d_p_rows_join(d_p_2_part: f32) {
  let t_8 = (d_p_2 + d_p_2_part);
  d_p_2 = t_8;
}

fn d_p_rows_at(i_7: i32) {
  let i_7_step = i_7 * d_p_rows_params.s_3;
  let d_sub_4 = d_p_rows_d_sub_3[d_sub_data_row_3_row + i_7_step];
  let d_5 = (-d_sub_4);
  let t_7 = (d_p_2 + d_5);
  d_p_2 = t_7;
}

fn d_p_rows_scalars_2() {
  d_p_3 = d_p_2;
  d_p_4 = 0.0f;
  d_sub_data_row_4_row = d_sub_data_row_4 + j_4;
}

fn d_p_rows_join_2(d_p_4_part: f32) {
  let t_10 = (d_p_4 + d_p_4_part);
  d_p_4 = t_10;
}

fn d_p_rows_at_2(j_5: i32) {
  let j_5_step = j_5 * d_p_rows_params.d;
  let d_sub_5 = d_p_rows_d_sub_3[d_sub_data_row_4_row + j_5_step];
  let t_9 = (d_p_4 + d_sub_5);
  d_p_4 = t_9;
}

fn d_p_rows_scalars_3() {
  let d_p_5 = d_p_4;
  d_p_6 = (d_p_3 + d_p_5);
}

fn d_p_rows_first() {
  d_p_rows_d_p_7[d_p_data_row + j_4] = d_p_6;
}

// A workgroup a point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(128)
fn d_p_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_p_rows_params.n) * u32(d_p_rows_params.d) { return; }
  i_6 = i32(mine / u32(d_p_rows_params.d));
  i_6_step = i_6 * d_p_rows_params.d;
  i_6_step_2 = i_6 * d_p_rows_params.s_3;
  j_4 = i32(mine % u32(d_p_rows_params.d));
  d_p_rows_scalars();
  let d_p_2_before = d_p_2;
  d_p_2 = 0.0f;
  {
    let points = u32(d_p_rows_params.n);
    for (var point = lane; point < points; point += 128u) {
      d_p_rows_at(i32(point));
    }
  }
  d_p_rows_f32_0[lane] = d_p_2;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_p_rows_join(d_p_rows_f32_0[lane + width]);
      d_p_rows_f32_0[lane] = d_p_2;
    }
    workgroupBarrier();
  }
  d_p_2 = d_p_2_before;
  d_p_rows_join(d_p_rows_f32_0[0]);
  d_p_rows_scalars_2();
  let d_p_4_before = d_p_4;
  d_p_4 = 0.0f;
  {
    let points = u32(d_p_rows_params.n);
    for (var point = lane; point < points; point += 128u) {
      d_p_rows_at_2(i32(point));
    }
  }
  workgroupBarrier();
  d_p_rows_f32_0[lane] = d_p_4;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_p_rows_join_2(d_p_rows_f32_0[lane + width]);
      d_p_rows_f32_0[lane] = d_p_4;
    }
    workgroupBarrier();
  }
  d_p_4 = d_p_4_before;
  d_p_rows_join_2(d_p_rows_f32_0[0]);
  d_p_rows_scalars_3();
  if lane == 0u {
    d_p_rows_first();
  }
}

struct d_sub_all_Params {
  n: i32,
  d: i32,
  s_3: i32,
}
@group(0) @binding(0) var<uniform> d_sub_all_params: d_sub_all_Params;
@group(0) @binding(3) var<storage, read> d_sub_all_d_sum_6: array<f32>;
@group(0) @binding(4) var<storage, read> d_sub_all_p: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_sub_all_d_sub_3: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_sub_all_d_p_7: array<f32>;

fn d_sub_all_at(i_5: i32, j_3: i32, k: i32) {
  let i_5_step = i_5 * d_sub_all_params.d;
  let i_5_step_2 = i_5 * d_sub_all_params.n;
  let i_5_step_3 = i_5 * d_sub_all_params.s_3;
  let p_data_row_5 = i_5_step;
  let d_sum_4_data_row = i_5_step_2;
  let d_sub_data_row = i_5_step_3;
  let j_3_step = j_3 * d_sub_all_params.d;
  let p_data_row_6 = j_3_step;
  let d_mul = d_sub_all_d_sum_6[d_sum_4_data_row + j_3];
  let d_sub_data_row_2 = d_sub_data_row + j_3_step;
  let p_9 = d_sub_all_p[p_data_row_5 + k];
  let p_10 = d_sub_all_p[p_data_row_6 + k];
  let sub_3 = (p_9 - p_10);
  let d_4 = (d_mul * sub_3);
  let d_sub_2 = (d_4 + d_4);
  d_sub_all_d_sub_3[d_sub_data_row_2 + k] = d_sub_2;
}

fn d_sub_all_at_2(i_6: i32, j_4: i32) {
  let i_6_step = i_6 * d_sub_all_params.d;
  let i_6_step_2 = i_6 * d_sub_all_params.s_3;
  let d_sub_data_row_3 = i_6_step;
  let d_sub_data_row_4 = i_6_step_2;
  let d_p_data_row = i_6_step;
  var d_p_2: f32 = 0.0f;
  let d_sub_data_row_3_row = d_sub_data_row_3 + j_4;
  for (var i_7: i32 = 0i; i_7 < d_sub_all_params.n; i_7 += 1i) {
    let i_7_step = i_7 * d_sub_all_params.s_3;
    let d_sub_4 = d_sub_all_d_sub_3[d_sub_data_row_3_row + i_7_step];
    let d_5 = (-d_sub_4);
    let t_7 = (d_p_2 + d_5);
    d_p_2 = t_7;
  }
  let d_p_3 = d_p_2;
  var d_p_4: f32 = 0.0f;
  let d_sub_data_row_4_row = d_sub_data_row_4 + j_4;
  for (var j_5: i32 = 0i; j_5 < d_sub_all_params.n; j_5 += 1i) {
    let j_5_step = j_5 * d_sub_all_params.d;
    let d_sub_5 = d_sub_all_d_sub_3[d_sub_data_row_4_row + j_5_step];
    let t_9 = (d_p_4 + d_sub_5);
    d_p_4 = t_9;
  }
  let d_p_5 = d_p_4;
  let d_p_6 = (d_p_3 + d_p_5);
  d_sub_all_d_p_7[d_p_data_row + j_4] = d_p_6;
}

// Small nests one after the other, the first of them: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_sub_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  {
    let points = u32(d_sub_all_params.n) * u32(d_sub_all_params.n) * u32(d_sub_all_params.d);
    for (var point = lane; point < points; point += 256u) {
      d_sub_all_at(i32((point / u32(d_sub_all_params.d)) / u32(d_sub_all_params.n)), i32((point / u32(d_sub_all_params.d)) % u32(d_sub_all_params.n)), i32(point % u32(d_sub_all_params.d)));
    }
  }
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(d_sub_all_params.n) * u32(d_sub_all_params.d);
    for (var point = lane; point < points; point += 256u) {
      d_sub_all_at_2(i32(point / u32(d_sub_all_params.d)), i32(point % u32(d_sub_all_params.d)));
    }
  }
}

// The host:
// let enough: bool = ge n, 32
// var d_sum: buffer f32
// let p.data: address f32 = data p
// if enough {
//   let p.2: buffer f32 = alloc [d, n] @1
//   let p.2.data: address f32 = data p.2
//   run p_2 over d, n by 256 (d, n; p, p.2)
//   let d_sum.2: buffer f32 = alloc [n, n] @1
//   let d_sum.2.data: address f32 = data d_sum.2
//   let fits: bool = ge d, 128
//   let s.4: i64 = mul n, n
//   let fits.2: bool = le s.4, 16384
//   let fit: bool = and fits, fits.2
//   if fit {
//     run d_sum_2_rows over n, n by 1 (d, n; p, p.2, d_sum.2)
//   } else {
//     run d_sum_2 over n, n by 256 (n, d; p, p.2, d_sum.2)
//   }
//   release p.2
//   set d_sum = d_sum.2
// } else {
//   let d_sum.3: buffer f32 = alloc [n, n] @1
//   let d_sum.3.data: address f32 = data d_sum.3
//   let fits.3: bool = ge d, 128
//   let s.5: i64 = mul n, n
//   let fits.4: bool = le s.5, 16384
//   let fit.2: bool = and fits.3, fits.4
//   if fit.2 {
//     run d_sum_3_rows over n, n by 1 (d, n; p, d_sum.3)
//   } else {
//     run d_sum_4 over n, n by 256 (n, d; p, d_sum.3)
//   }
//   set d_sum = d_sum.3
// }
// let d_sum.4: buffer f32 = d_sum
// let d_sum.4.data: address f32 = data d_sum.4
// let s.3: i64 = mul d, n
// let d_sub: buffer f32 = alloc [n, n, d] @3
// let d_sub.data: address f32 = data d_sub
// let d_p: buffer f32 = alloc [n, d] @4
// let d_p.data: address f32 = data d_p
// let s.7: i64 = mul n, n
// let s.8: i64 = mul s.7, d
// let fits.7: bool = le s.8, 32768
// let s.9: i64 = mul n, d
// let s.10: i64 = mul s.9, n
// let fits.8: bool = le s.10, 32768
// let fit.4: bool = and fits.7, fits.8
// if fit.4 {
//   run d_sub_all over 1 by 1 (n, d, s.3; d_sum.4, p, d_sub, d_p)
// } else {
//   run d_sub over n, n, d by 256 (n, d, s.3; d_sum.4, p, d_sub)
//   let fits.5: bool = ge n, 128
//   let s.6: i64 = mul n, d
//   let fits.6: bool = le s.6, 256
//   let fit.3: bool = and fits.5, fits.6
//   if fit.3 {
//     run d_p_rows over n, d by 1 (n, s.3, d; d_sub, d_p)
//   } else {
//     run d_p over n, d by 256 (n, d, s.3; d_sub, d_p)
//   }
// }
// release d_sum.4
// release d_sub
// return d_p [n, d]
