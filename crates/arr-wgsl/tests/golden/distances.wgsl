// `main`: made by the Arr compiler.

struct d_sum_Params {
  n: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> d_sum_params: d_sum_Params;
@group(0) @binding(3) var<storage, read> d_sum_p: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_sum_d_sum_2: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_sum(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sum_params.n) * u32(d_sum_params.n) { return; }
  let i = i32(point / u32(d_sum_params.n));
  let j = i32(point % u32(d_sum_params.n));
  let i_step = i * d_sum_params.d;
  let i_step_2 = i * d_sum_params.n;
  let p_data_row = i_step;
  let d_sum_data_row = i_step_2;
  let j_step = j * d_sum_params.d;
  var sum: f32 = 0.0f;
  let p_data_row_2 = j_step;
  for (var i_2: i32 = 0i; i_2 < d_sum_params.d; i_2 += 1i) {
    let p_2 = d_sum_p[p_data_row + i_2];
    let p_3 = d_sum_p[p_data_row_2 + i_2];
    let sub = (p_2 - p_3);
    let mul = (sub * sub);
    let t = (sum + mul);
    sum = t;
  }
  let sum_2 = sum;
  let add = (0.01f + sum_2);
  let sqrt_2 = sqrt(add);
  let s = (2.0f * sqrt_2);
  let d_2 = (1.0f / s);
  d_sum_d_sum_2[d_sum_data_row + j] = d_2;
}

struct d_sum_rows_Params {
  d: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> d_sum_rows_params: d_sum_rows_Params;
@group(0) @binding(3) var<storage, read> d_sum_rows_p: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_sum_rows_d_sum_2: array<f32>;
var<workgroup> d_sum_rows_f32_0: array<f32, 128>;
var<private> i: i32;
var<private> i_step: i32;
var<private> i_step_2: i32;
var<private> j: i32;
var<private> j_step: i32;
var<private> sum: f32;
var<private> p_data_row: i32;
var<private> p_data_row_2: i32;
var<private> d_sum_data_row: i32;
var<private> d_2: f32;

fn d_sum_rows_scalars() {
  p_data_row = i_step;
  d_sum_data_row = i_step_2;
  sum = 0.0f;
  p_data_row_2 = j_step;
}

fn d_sum_rows_join(sum_part: f32) {
  let t_2 = (sum + sum_part);
  sum = t_2;
}

fn d_sum_rows_at(i_2: i32) {
  let p_2 = d_sum_rows_p[p_data_row + i_2];
  let p_3 = d_sum_rows_p[p_data_row_2 + i_2];
  let sub = (p_2 - p_3);
  let mul = (sub * sub);
  let t = (sum + mul);
  sum = t;
}

fn d_sum_rows_scalars_2() {
  let sum_2 = sum;
  let add = (0.01f + sum_2);
  let sqrt_2 = sqrt(add);
  let s = (2.0f * sqrt_2);
  d_2 = (1.0f / s);
}

fn d_sum_rows_first() {
  d_sum_rows_d_sum_2[d_sum_data_row + j] = d_2;
}

// A workgroup a point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(128)
fn d_sum_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_sum_rows_params.n) * u32(d_sum_rows_params.n) { return; }
  i = i32(mine / u32(d_sum_rows_params.n));
  i_step = i * d_sum_rows_params.d;
  i_step_2 = i * d_sum_rows_params.n;
  j = i32(mine % u32(d_sum_rows_params.n));
  j_step = j * d_sum_rows_params.d;
  d_sum_rows_scalars();
  let sum_before = sum;
  sum = 0.0f;
  {
    let points = u32(d_sum_rows_params.d);
    for (var point = lane; point < points; point += 128u) {
      d_sum_rows_at(i32(point));
    }
  }
  d_sum_rows_f32_0[lane] = sum;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_sum_rows_join(d_sum_rows_f32_0[lane + width]);
      d_sum_rows_f32_0[lane] = sum;
    }
    workgroupBarrier();
  }
  sum = sum_before;
  d_sum_rows_join(d_sum_rows_f32_0[0]);
  d_sum_rows_scalars_2();
  if lane == 0u {
    d_sum_rows_first();
  }
}

struct d_sub_Params {
  n: i32,
  d: i32,
  s_2: i32,
}
@group(0) @binding(0) var<uniform> d_sub_params: d_sub_Params;
@group(0) @binding(3) var<storage, read> d_sub_d_sum_2: array<f32>;
@group(0) @binding(4) var<storage, read> d_sub_p: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_sub_d_sub_3: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_sub(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sub_params.n) * u32(d_sub_params.n) * u32(d_sub_params.d) { return; }
  let i_3 = i32((point / u32(d_sub_params.d)) / u32(d_sub_params.n));
  let j_2 = i32((point / u32(d_sub_params.d)) % u32(d_sub_params.n));
  let k = i32(point % u32(d_sub_params.d));
  let i_3_step = i_3 * d_sub_params.d;
  let i_3_step_2 = i_3 * d_sub_params.n;
  let i_3_step_3 = i_3 * d_sub_params.s_2;
  let p_data_row_3 = i_3_step;
  let d_sum_data_row_2 = i_3_step_2;
  let d_sub_data_row = i_3_step_3;
  let j_2_step = j_2 * d_sub_params.d;
  let p_data_row_4 = j_2_step;
  let d_mul = d_sub_d_sum_2[d_sum_data_row_2 + j_2];
  let d_sub_data_row_2 = d_sub_data_row + j_2_step;
  let p_4 = d_sub_p[p_data_row_3 + k];
  let p_5 = d_sub_p[p_data_row_4 + k];
  let sub_2 = (p_4 - p_5);
  let d_3 = (d_mul * sub_2);
  let d_sub_2 = (d_3 + d_3);
  d_sub_d_sub_3[d_sub_data_row_2 + k] = d_sub_2;
}

struct d_sum_3_Params {
  n: i32,
  d: i32,
  s_2: i32,
}
@group(0) @binding(0) var<uniform> d_sum_3_params: d_sum_3_Params;
@group(0) @binding(3) var<storage, read> d_sum_3_p: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_sum_3_d_sum_2: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_sum_3_d_sub_3: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_sum_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sum_3_params.n) { return; }
  let i = i32(point);
  let i_step = i * d_sum_3_params.d;
  let i_step_2 = i * d_sum_3_params.n;
  let i_3_step = i * d_sum_3_params.d;
  let i_3_step_2 = i * d_sum_3_params.n;
  let i_3_step_3 = i * d_sum_3_params.s_2;
  let p_data_row = i_step;
  let d_sum_data_row = i_step_2;
  for (var j: i32 = 0i; j < d_sum_3_params.n; j += 1i) {
    let j_step = j * d_sum_3_params.d;
    var sum: f32 = 0.0f;
    let p_data_row_2 = j_step;
    for (var i_2: i32 = 0i; i_2 < d_sum_3_params.d; i_2 += 1i) {
      let p_2 = d_sum_3_p[p_data_row + i_2];
      let p_3 = d_sum_3_p[p_data_row_2 + i_2];
      let sub = (p_2 - p_3);
      let mul = (sub * sub);
      let t = (sum + mul);
      sum = t;
    }
    let sum_2 = sum;
    let add = (0.01f + sum_2);
    let sqrt_2 = sqrt(add);
    let s = (2.0f * sqrt_2);
    let d_2 = (1.0f / s);
    d_sum_3_d_sum_2[d_sum_data_row + j] = d_2;
  }
  let p_data_row_3 = i_3_step;
  let d_sum_data_row_2 = i_3_step_2;
  let d_sub_data_row = i_3_step_3;
  for (var j_2: i32 = 0i; j_2 < d_sum_3_params.n; j_2 += 1i) {
    let j_2_step = j_2 * d_sum_3_params.d;
    let p_data_row_4 = j_2_step;
    let d_mul = d_sum_3_d_sum_2[d_sum_data_row_2 + j_2];
    let d_sub_data_row_2 = d_sub_data_row + j_2_step;
    for (var k: i32 = 0i; k < d_sum_3_params.d; k += 1i) {
      let p_4 = d_sum_3_p[p_data_row_3 + k];
      let p_5 = d_sum_3_p[p_data_row_4 + k];
      let sub_2 = (p_4 - p_5);
      let d_3 = (d_mul * sub_2);
      let d_sub_2 = (d_3 + d_3);
      d_sum_3_d_sub_3[d_sub_data_row_2 + k] = d_sub_2;
    }
  }
}

struct d_p_Params {
  n: i32,
  d: i32,
  s_2: i32,
}
@group(0) @binding(0) var<uniform> d_p_params: d_p_Params;
@group(0) @binding(3) var<storage, read> d_p_d_sub_3: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_p_d_p_7: array<f32>;
// A point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_p(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_p_params.n) * u32(d_p_params.d) { return; }
  let i_4 = i32(point / u32(d_p_params.d));
  let j_3 = i32(point % u32(d_p_params.d));
  let i_4_step = i_4 * d_p_params.d;
  let i_4_step_2 = i_4 * d_p_params.s_2;
  let d_sub_data_row_3 = i_4_step;
  let d_sub_data_row_4 = i_4_step_2;
  let d_p_data_row = i_4_step;
  var d_p_2: f32 = 0.0f;
  let d_sub_data_row_3_row = d_sub_data_row_3 + j_3;
  for (var i_5: i32 = 0i; i_5 < d_p_params.n; i_5 += 1i) {
    let i_5_step = i_5 * d_p_params.s_2;
    let d_sub_4 = d_p_d_sub_3[d_sub_data_row_3_row + i_5_step];
    let d_4 = (-d_sub_4);
    let t_3 = (d_p_2 + d_4);
    d_p_2 = t_3;
  }
  let d_p_3 = d_p_2;
  var d_p_4: f32 = 0.0f;
  let d_sub_data_row_4_row = d_sub_data_row_4 + j_3;
  for (var j_4: i32 = 0i; j_4 < d_p_params.n; j_4 += 1i) {
    let j_4_step = j_4 * d_p_params.d;
    let d_sub_5 = d_p_d_sub_3[d_sub_data_row_4_row + j_4_step];
    let t_5 = (d_p_4 + d_sub_5);
    d_p_4 = t_5;
  }
  let d_p_5 = d_p_4;
  let d_p_6 = (d_p_3 + d_p_5);
  d_p_d_p_7[d_p_data_row + j_3] = d_p_6;
}

struct d_p_rows_Params {
  n: i32,
  s_2: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> d_p_rows_params: d_p_rows_Params;
@group(0) @binding(3) var<storage, read> d_p_rows_d_sub_3: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_p_rows_d_p_7: array<f32>;
var<workgroup> d_p_rows_f32_0: array<f32, 128>;
var<private> i_4: i32;
var<private> i_4_step: i32;
var<private> i_4_step_2: i32;
var<private> j_3: i32;
var<private> d_p_2: f32;
var<private> d_sub_data_row_3_row: i32;
var<private> d_sub_data_row_4: i32;
var<private> d_p_4: f32;
var<private> d_sub_data_row_4_row: i32;
var<private> d_p_3: f32;
var<private> d_p_data_row: i32;
var<private> d_p_6: f32;

fn d_p_rows_scalars() {
  let d_sub_data_row_3 = i_4_step;
  d_sub_data_row_4 = i_4_step_2;
  d_p_data_row = i_4_step;
  d_p_2 = 0.0f;
  d_sub_data_row_3_row = d_sub_data_row_3 + j_3;
}

fn d_p_rows_join(d_p_2_part: f32) {
  let t_4 = (d_p_2 + d_p_2_part);
  d_p_2 = t_4;
}

fn d_p_rows_at(i_5: i32) {
  let i_5_step = i_5 * d_p_rows_params.s_2;
  let d_sub_4 = d_p_rows_d_sub_3[d_sub_data_row_3_row + i_5_step];
  let d_4 = (-d_sub_4);
  let t_3 = (d_p_2 + d_4);
  d_p_2 = t_3;
}

fn d_p_rows_scalars_2() {
  d_p_3 = d_p_2;
  d_p_4 = 0.0f;
  d_sub_data_row_4_row = d_sub_data_row_4 + j_3;
}

fn d_p_rows_join_2(d_p_4_part: f32) {
  let t_6 = (d_p_4 + d_p_4_part);
  d_p_4 = t_6;
}

fn d_p_rows_at_2(j_4: i32) {
  let j_4_step = j_4 * d_p_rows_params.d;
  let d_sub_5 = d_p_rows_d_sub_3[d_sub_data_row_4_row + j_4_step];
  let t_5 = (d_p_4 + d_sub_5);
  d_p_4 = t_5;
}

fn d_p_rows_scalars_3() {
  let d_p_5 = d_p_4;
  d_p_6 = (d_p_3 + d_p_5);
}

fn d_p_rows_first() {
  d_p_rows_d_p_7[d_p_data_row + j_3] = d_p_6;
}

// A workgroup a point of a nest: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(128)
fn d_p_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_p_rows_params.n) * u32(d_p_rows_params.d) { return; }
  i_4 = i32(mine / u32(d_p_rows_params.d));
  i_4_step = i_4 * d_p_rows_params.d;
  i_4_step_2 = i_4 * d_p_rows_params.s_2;
  j_3 = i32(mine % u32(d_p_rows_params.d));
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

struct d_sum_all_Params {
  n: i32,
  d: i32,
  s_2: i32,
}
@group(0) @binding(0) var<uniform> d_sum_all_params: d_sum_all_Params;
@group(0) @binding(3) var<storage, read> d_sum_all_p: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_sum_all_d_sum_2: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_sum_all_d_sub_3: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_sum_all_d_p_7: array<f32>;

fn d_sum_all_at(i: i32, j: i32) {
  let i_step = i * d_sum_all_params.d;
  let i_step_2 = i * d_sum_all_params.n;
  let p_data_row = i_step;
  let d_sum_data_row = i_step_2;
  let j_step = j * d_sum_all_params.d;
  var sum: f32 = 0.0f;
  let p_data_row_2 = j_step;
  for (var i_2: i32 = 0i; i_2 < d_sum_all_params.d; i_2 += 1i) {
    let p_2 = d_sum_all_p[p_data_row + i_2];
    let p_3 = d_sum_all_p[p_data_row_2 + i_2];
    let sub = (p_2 - p_3);
    let mul = (sub * sub);
    let t = (sum + mul);
    sum = t;
  }
  let sum_2 = sum;
  let add = (0.01f + sum_2);
  let sqrt_2 = sqrt(add);
  let s = (2.0f * sqrt_2);
  let d_2 = (1.0f / s);
  d_sum_all_d_sum_2[d_sum_data_row + j] = d_2;
}

fn d_sum_all_at_2(i_3: i32, j_2: i32, k: i32) {
  let i_3_step = i_3 * d_sum_all_params.d;
  let i_3_step_2 = i_3 * d_sum_all_params.n;
  let i_3_step_3 = i_3 * d_sum_all_params.s_2;
  let p_data_row_3 = i_3_step;
  let d_sum_data_row_2 = i_3_step_2;
  let d_sub_data_row = i_3_step_3;
  let j_2_step = j_2 * d_sum_all_params.d;
  let p_data_row_4 = j_2_step;
  let d_mul = d_sum_all_d_sum_2[d_sum_data_row_2 + j_2];
  let d_sub_data_row_2 = d_sub_data_row + j_2_step;
  let p_4 = d_sum_all_p[p_data_row_3 + k];
  let p_5 = d_sum_all_p[p_data_row_4 + k];
  let sub_2 = (p_4 - p_5);
  let d_3 = (d_mul * sub_2);
  let d_sub_2 = (d_3 + d_3);
  d_sum_all_d_sub_3[d_sub_data_row_2 + k] = d_sub_2;
}

fn d_sum_all_at_3(i_4: i32, j_3: i32) {
  let i_4_step = i_4 * d_sum_all_params.d;
  let i_4_step_2 = i_4 * d_sum_all_params.s_2;
  let d_sub_data_row_3 = i_4_step;
  let d_sub_data_row_4 = i_4_step_2;
  let d_p_data_row = i_4_step;
  var d_p_2: f32 = 0.0f;
  let d_sub_data_row_3_row = d_sub_data_row_3 + j_3;
  for (var i_5: i32 = 0i; i_5 < d_sum_all_params.n; i_5 += 1i) {
    let i_5_step = i_5 * d_sum_all_params.s_2;
    let d_sub_4 = d_sum_all_d_sub_3[d_sub_data_row_3_row + i_5_step];
    let d_4 = (-d_sub_4);
    let t_3 = (d_p_2 + d_4);
    d_p_2 = t_3;
  }
  let d_p_3 = d_p_2;
  var d_p_4: f32 = 0.0f;
  let d_sub_data_row_4_row = d_sub_data_row_4 + j_3;
  for (var j_4: i32 = 0i; j_4 < d_sum_all_params.n; j_4 += 1i) {
    let j_4_step = j_4 * d_sum_all_params.d;
    let d_sub_5 = d_sum_all_d_sub_3[d_sub_data_row_4_row + j_4_step];
    let t_5 = (d_p_4 + d_sub_5);
    d_p_4 = t_5;
  }
  let d_p_5 = d_p_4;
  let d_p_6 = (d_p_3 + d_p_5);
  d_sum_all_d_p_7[d_p_data_row + j_3] = d_p_6;
}

// Small nests one after the other, the first of them: sum(for i < n => sum(for j < n => sqrt(0.01 + sum((p[i] - p[j]) * (p[i] - p[j])))))
@compute @workgroup_size(256)
fn d_sum_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  {
    let points = u32(d_sum_all_params.n) * u32(d_sum_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      d_sum_all_at(i32(point / u32(d_sum_all_params.n)), i32(point % u32(d_sum_all_params.n)));
    }
  }
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(d_sum_all_params.n) * u32(d_sum_all_params.n) * u32(d_sum_all_params.d);
    for (var point = lane; point < points; point += 256u) {
      d_sum_all_at_2(i32((point / u32(d_sum_all_params.d)) / u32(d_sum_all_params.n)), i32((point / u32(d_sum_all_params.d)) % u32(d_sum_all_params.n)), i32(point % u32(d_sum_all_params.d)));
    }
  }
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(d_sum_all_params.n) * u32(d_sum_all_params.d);
    for (var point = lane; point < points; point += 256u) {
      d_sum_all_at_3(i32(point / u32(d_sum_all_params.d)), i32(point % u32(d_sum_all_params.d)));
    }
  }
}

// The host:
// let p.data: address f32 = data p
// let d_sum: buffer f32 = alloc [n, n] @1
// let d_sum.data: address f32 = data d_sum
// let s.2: i64 = mul d, n
// let d_sub: buffer f32 = alloc [n, n, d] @3
// let d_sub.data: address f32 = data d_sub
// let d_p: buffer f32 = alloc [n, d] @4
// let d_p.data: address f32 = data d_p
// let s.6: i64 = mul n, n
// let s.7: i64 = mul s.6, d
// let fits.8: bool = le s.7, 32768
// let s.8: i64 = mul n, d
// let s.9: i64 = mul s.8, n
// let fits.9: bool = le s.9, 32768
// let fit.5: bool = and fits.8, fits.9
// if fit.5 {
//   run d_sum_all over 1 by 1 (n, d, s.2; p, d_sum, d_sub, d_p)
// } else {
//   let fits: bool = ge n, 128
//   let fits.2: bool = le n, 1024
//   let fit: bool = and fits, fits.2
//   let s.3: i64 = mul n, d
//   let fits.3: bool = le s.3, 1024
//   let fit.2: bool = and fit, fits.3
//   if fit.2 {
//     run d_sum_3 over n by 256 (n, d, s.2; p, d_sum, d_sub)
//   } else {
//     let fits.4: bool = ge d, 128
//     let s.4: i64 = mul n, n
//     let fits.5: bool = le s.4, 16384
//     let fit.3: bool = and fits.4, fits.5
//     if fit.3 {
//       run d_sum_rows over n, n by 1 (d, n; p, d_sum)
//     } else {
//       run d_sum over n, n by 256 (n, d; p, d_sum)
//     }
//     run d_sub over n, n, d by 256 (n, d, s.2; d_sum, p, d_sub)
//   }
//   let fits.6: bool = ge n, 128
//   let s.5: i64 = mul n, d
//   let fits.7: bool = le s.5, 256
//   let fit.4: bool = and fits.6, fits.7
//   if fit.4 {
//     run d_p_rows over n, d by 1 (n, s.2, d; d_sub, d_p)
//   } else {
//     run d_p over n, d by 256 (n, d, s.2; d_sub, d_p)
//   }
// }
// release d_sum
// release d_sub
// return d_p [n, d]
