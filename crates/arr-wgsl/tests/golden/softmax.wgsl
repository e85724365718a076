// `main`: made by the Arr compiler.

// From the library: arr_f32_infinity, arr_f32_is_nan, arr_f32_exact, arr_f32_exp_least, arr_f32_exp_most, arr_f32_ln2_high, arr_f32_ln2_low, arr_f32_scale, arr_f32_exp_tail, arr_f32_max, arr_f32_exp.

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

struct m_2_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> m_2_params: m_2_Params;
@group(0) @binding(3) var<storage, read> m_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> m_2_m_5: array<f32>;
// A point of a nest: let m = maximum(row)
@compute @workgroup_size(256)
fn m_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(m_2_params.n) { return; }
  let i = i32(point);
  let i_step = i * m_2_params.m;
  var m_3: f32 = (-arr_f32_infinity());
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < m_2_params.m; i_2 += 1i) {
    let row = m_2_x[x_data_row + i_2];
    let t = arr_f32_max(m_3, row);
    m_3 = t;
  }
  let m_4 = m_3;
  m_2_m_5[i] = m_4;
}

struct m_2_rows_Params {
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> m_2_rows_params: m_2_rows_Params;
@group(0) @binding(3) var<storage, read> m_2_rows_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> m_2_rows_m_5: array<f32>;
var<workgroup> m_2_rows_f32_0: array<f32, 128>;
var<private> i: i32;
var<private> i_step: i32;
var<private> m_3: f32;
var<private> x_data_row: i32;
var<private> m_4: f32;

fn m_2_rows_scalars() {
  m_3 = (-arr_f32_infinity());
  x_data_row = i_step;
}

fn m_2_rows_join(m_3_part: f32) {
  let t_2 = arr_f32_max(m_3, m_3_part);
  m_3 = t_2;
}

fn m_2_rows_at(i_2: i32) {
  let row = m_2_rows_x[x_data_row + i_2];
  let t = arr_f32_max(m_3, row);
  m_3 = t;
}

fn m_2_rows_scalars_2() {
  m_4 = m_3;
}

fn m_2_rows_first() {
  m_2_rows_m_5[i] = m_4;
}

// A workgroup a point of a nest: let m = maximum(row)
@compute @workgroup_size(128)
fn m_2_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(m_2_rows_params.n) { return; }
  i = i32(mine);
  i_step = i * m_2_rows_params.m;
  m_2_rows_scalars();
  let m_3_before = m_3;
  m_3 = (-arr_f32_infinity());
  {
    let points = u32(m_2_rows_params.m);
    for (var point = lane; point < points; point += 128u) {
      m_2_rows_at(i32(point));
    }
  }
  m_2_rows_f32_0[lane] = m_3;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      m_2_rows_join(m_2_rows_f32_0[lane + width]);
      m_2_rows_f32_0[lane] = m_3;
    }
    workgroupBarrier();
  }
  m_3 = m_3_before;
  m_2_rows_join(m_2_rows_f32_0[0]);
  m_2_rows_scalars_2();
  if lane == 0u {
    m_2_rows_first();
  }
}

struct e_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> e_params: e_Params;
@group(0) @binding(3) var<storage, read> e_m_5: array<f32>;
@group(0) @binding(4) var<storage, read> e_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> e_e_2: array<f32>;
// A point of a nest: let e = exp(row - m)
@compute @workgroup_size(256)
fn e(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(e_params.n) * u32(e_params.m) { return; }
  let i_3 = i32(point / u32(e_params.m));
  let i_4 = i32(point % u32(e_params.m));
  let i_3_step = i_3 * e_params.m;
  let x_data_row_2 = i_3_step;
  let m_6 = e_m_5[i_3];
  let e_data_row = i_3_step;
  let row_2 = e_x[x_data_row_2 + i_4];
  let sub = (row_2 - m_6);
  let exp_2 = arr_f32_exp(sub);
  e_e_2[e_data_row + i_4] = exp_2;
}

struct sum_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> sum_params: sum_Params;
@group(0) @binding(3) var<storage, read> sum_e_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_sum_4: array<f32>;
// A point of a nest: in e / sum(e)
@compute @workgroup_size(256)
fn sum(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sum_params.n) { return; }
  let i_5 = i32(point);
  let i_5_step = i_5 * sum_params.m;
  var sum_2: f32 = 0.0f;
  let e_data_row_2 = i_5_step;
  for (var i_6: i32 = 0i; i_6 < sum_params.m; i_6 += 1i) {
    let e_3 = sum_e_2[e_data_row_2 + i_6];
    let t_3 = (sum_2 + e_3);
    sum_2 = t_3;
  }
  let sum_3 = sum_2;
  sum_sum_4[i_5] = sum_3;
}

struct sum_rows_Params {
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> sum_rows_params: sum_rows_Params;
@group(0) @binding(3) var<storage, read> sum_rows_e_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> sum_rows_sum_4: array<f32>;
var<workgroup> sum_rows_f32_0: array<f32, 128>;
var<private> i_5: i32;
var<private> i_5_step: i32;
var<private> sum_2: f32;
var<private> e_data_row_2: i32;
var<private> sum_3: f32;

fn sum_rows_scalars() {
  sum_2 = 0.0f;
  e_data_row_2 = i_5_step;
}

fn sum_rows_join(sum_2_part: f32) {
  let t_4 = (sum_2 + sum_2_part);
  sum_2 = t_4;
}

fn sum_rows_at(i_6: i32) {
  let e_3 = sum_rows_e_2[e_data_row_2 + i_6];
  let t_3 = (sum_2 + e_3);
  sum_2 = t_3;
}

fn sum_rows_scalars_2() {
  sum_3 = sum_2;
}

fn sum_rows_first() {
  sum_rows_sum_4[i_5] = sum_3;
}

// A workgroup a point of a nest: in e / sum(e)
@compute @workgroup_size(128)
fn sum_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(sum_rows_params.n) { return; }
  i_5 = i32(mine);
  i_5_step = i_5 * sum_rows_params.m;
  sum_rows_scalars();
  let sum_2_before = sum_2;
  sum_2 = 0.0f;
  {
    let points = u32(sum_rows_params.m);
    for (var point = lane; point < points; point += 128u) {
      sum_rows_at(i32(point));
    }
  }
  sum_rows_f32_0[lane] = sum_2;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      sum_rows_join(sum_rows_f32_0[lane + width]);
      sum_rows_f32_0[lane] = sum_2;
    }
    workgroupBarrier();
  }
  sum_2 = sum_2_before;
  sum_rows_join(sum_rows_f32_0[0]);
  sum_rows_scalars_2();
  if lane == 0u {
    sum_rows_first();
  }
}

struct div_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> div_params: div_Params;
@group(0) @binding(3) var<storage, read> div_sum_4: array<f32>;
@group(0) @binding(4) var<storage, read> div_e_2: array<f32>;
@group(0) @binding(5) var<storage, read_write> div_div_3: array<f32>;
// A point of a nest: in e / sum(e)
@compute @workgroup_size(256)
fn div(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(div_params.n) * u32(div_params.m) { return; }
  let i_7 = i32(point / u32(div_params.m));
  let i_8 = i32(point % u32(div_params.m));
  let i_7_step = i_7 * div_params.m;
  let e_data_row_3 = i_7_step;
  let sum_5 = div_sum_4[i_7];
  let div_data_row = i_7_step;
  let e_4 = div_e_2[e_data_row_3 + i_8];
  let div_2 = (e_4 / sum_5);
  div_div_3[div_data_row + i_8] = div_2;
}

struct m_7_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> m_7_params: m_7_Params;
@group(0) @binding(3) var<storage, read> m_7_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> m_7_m_5: array<f32>;
@group(0) @binding(5) var<storage, read_write> m_7_e_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> m_7_sum_4: array<f32>;
@group(0) @binding(7) var<storage, read_write> m_7_div_3: array<f32>;
// A point of a nest: let m = maximum(row)
@compute @workgroup_size(256)
fn m_7(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(m_7_params.n) { return; }
  let i = i32(point);
  let i_step = i * m_7_params.m;
  let i_3_step = i * m_7_params.m;
  let i_5_step = i * m_7_params.m;
  let i_7_step = i * m_7_params.m;
  var m_3: f32 = (-arr_f32_infinity());
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < m_7_params.m; i_2 += 1i) {
    let row = m_7_x[x_data_row + i_2];
    let t = arr_f32_max(m_3, row);
    m_3 = t;
  }
  let m_4 = m_3;
  m_7_m_5[i] = m_4;
  let x_data_row_2 = i_3_step;
  let m_6 = m_7_m_5[i];
  let e_data_row = i_3_step;
  for (var i_4: i32 = 0i; i_4 < m_7_params.m; i_4 += 1i) {
    let row_2 = m_7_x[x_data_row_2 + i_4];
    let sub = (row_2 - m_6);
    let exp_2 = arr_f32_exp(sub);
    m_7_e_2[e_data_row + i_4] = exp_2;
  }
  var sum_2: f32 = 0.0f;
  let e_data_row_2 = i_5_step;
  for (var i_6: i32 = 0i; i_6 < m_7_params.m; i_6 += 1i) {
    let e_3 = m_7_e_2[e_data_row_2 + i_6];
    let t_3 = (sum_2 + e_3);
    sum_2 = t_3;
  }
  let sum_3 = sum_2;
  m_7_sum_4[i] = sum_3;
  let e_data_row_3 = i_7_step;
  let sum_5 = m_7_sum_4[i];
  let div_data_row = i_7_step;
  for (var i_8: i32 = 0i; i_8 < m_7_params.m; i_8 += 1i) {
    let e_4 = m_7_e_2[e_data_row_3 + i_8];
    let div_2 = (e_4 / sum_5);
    m_7_div_3[div_data_row + i_8] = div_2;
  }
}

struct m_2_rows_2_Params {
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> m_2_rows_2_params: m_2_rows_2_Params;
@group(0) @binding(3) var<storage, read> m_2_rows_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> m_2_rows_2_m_5: array<f32>;
@group(0) @binding(5) var<storage, read_write> m_2_rows_2_e_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> m_2_rows_2_sum_4: array<f32>;
@group(0) @binding(7) var<storage, read_write> m_2_rows_2_div_3: array<f32>;
var<workgroup> m_2_rows_2_f32_0: array<f32, 128>;
var<private> i_3_step: i32;
var<private> i_7_step: i32;
var<private> x_data_row_2: i32;
var<private> m_6: f32;
var<private> e_data_row: i32;
var<private> e_data_row_3: i32;
var<private> sum_5: f32;
var<private> div_data_row: i32;

fn m_2_rows_2_scalars() {
  m_3 = (-arr_f32_infinity());
  x_data_row = i_step;
}

fn m_2_rows_2_join(m_3_part: f32) {
  let t_2 = arr_f32_max(m_3, m_3_part);
  m_3 = t_2;
}

fn m_2_rows_2_at(i_2: i32) {
  let row = m_2_rows_2_x[x_data_row + i_2];
  let t = arr_f32_max(m_3, row);
  m_3 = t;
}

fn m_2_rows_2_scalars_2() {
  m_4 = m_3;
}

fn m_2_rows_2_first() {
  m_2_rows_2_m_5[i] = m_4;
}

fn m_2_rows_2_scalars_3() {
  x_data_row_2 = i_3_step;
  m_6 = m_2_rows_2_m_5[i];
  e_data_row = i_3_step;
}

fn m_2_rows_2_at_2(i_4: i32) {
  let row_2 = m_2_rows_2_x[x_data_row_2 + i_4];
  let sub = (row_2 - m_6);
  let exp_2 = arr_f32_exp(sub);
  m_2_rows_2_e_2[e_data_row + i_4] = exp_2;
}

fn m_2_rows_2_scalars_4() {
  i_5 = i;
  sum_2 = 0.0f;
  e_data_row_2 = i_5_step;
}

fn m_2_rows_2_join_2(sum_2_part: f32) {
  let t_4 = (sum_2 + sum_2_part);
  sum_2 = t_4;
}

fn m_2_rows_2_at_3(i_6: i32) {
  let e_3 = m_2_rows_2_e_2[e_data_row_2 + i_6];
  let t_3 = (sum_2 + e_3);
  sum_2 = t_3;
}

fn m_2_rows_2_scalars_5() {
  sum_3 = sum_2;
}

fn m_2_rows_2_first_2() {
  m_2_rows_2_sum_4[i_5] = sum_3;
}

fn m_2_rows_2_scalars_6() {
  e_data_row_3 = i_7_step;
  sum_5 = m_2_rows_2_sum_4[i];
  div_data_row = i_7_step;
}

fn m_2_rows_2_at_4(i_8: i32) {
  let e_4 = m_2_rows_2_e_2[e_data_row_3 + i_8];
  let div_2 = (e_4 / sum_5);
  m_2_rows_2_div_3[div_data_row + i_8] = div_2;
}

// A workgroup a point of a nest: let m = maximum(row)
@compute @workgroup_size(128)
fn m_2_rows_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(m_2_rows_2_params.n) { return; }
  i = i32(mine);
  i_step = i * m_2_rows_2_params.m;
  i_3_step = i * m_2_rows_2_params.m;
  i_5_step = i * m_2_rows_2_params.m;
  i_7_step = i * m_2_rows_2_params.m;
  m_2_rows_2_scalars();
  let m_3_before_2 = m_3;
  m_3 = (-arr_f32_infinity());
  {
    let points = u32(m_2_rows_2_params.m);
    for (var point = lane; point < points; point += 128u) {
      m_2_rows_2_at(i32(point));
    }
  }
  m_2_rows_2_f32_0[lane] = m_3;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      m_2_rows_2_join(m_2_rows_2_f32_0[lane + width]);
      m_2_rows_2_f32_0[lane] = m_3;
    }
    workgroupBarrier();
  }
  m_3 = m_3_before_2;
  m_2_rows_2_join(m_2_rows_2_f32_0[0]);
  m_2_rows_2_scalars_2();
  if lane == 0u {
    m_2_rows_2_first();
  }
  storageBarrier();
  workgroupBarrier();
  m_2_rows_2_scalars_3();
  {
    let points = u32(m_2_rows_2_params.m);
    for (var point = lane; point < points; point += 128u) {
      m_2_rows_2_at_2(i32(point));
    }
  }
  m_2_rows_2_scalars_4();
  storageBarrier();
  workgroupBarrier();
  let sum_2_before_2 = sum_2;
  sum_2 = 0.0f;
  {
    let points = u32(m_2_rows_2_params.m);
    for (var point = lane; point < points; point += 128u) {
      m_2_rows_2_at_3(i32(point));
    }
  }
  m_2_rows_2_f32_0[lane] = sum_2;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      m_2_rows_2_join_2(m_2_rows_2_f32_0[lane + width]);
      m_2_rows_2_f32_0[lane] = sum_2;
    }
    workgroupBarrier();
  }
  sum_2 = sum_2_before_2;
  m_2_rows_2_join_2(m_2_rows_2_f32_0[0]);
  m_2_rows_2_scalars_5();
  if lane == 0u {
    m_2_rows_2_first_2();
  }
  storageBarrier();
  workgroupBarrier();
  m_2_rows_2_scalars_6();
  {
    let points = u32(m_2_rows_2_params.m);
    for (var point = lane; point < points; point += 128u) {
      m_2_rows_2_at_4(i32(point));
    }
  }
}

struct m_2_all_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> m_2_all_params: m_2_all_Params;
@group(0) @binding(3) var<storage, read> m_2_all_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> m_2_all_m_5: array<f32>;
@group(0) @binding(5) var<storage, read_write> m_2_all_e_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> m_2_all_sum_4: array<f32>;
@group(0) @binding(7) var<storage, read_write> m_2_all_div_3: array<f32>;

fn m_2_all_at(i: i32) {
  let i_step = i * m_2_all_params.m;
  var m_3: f32 = (-arr_f32_infinity());
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < m_2_all_params.m; i_2 += 1i) {
    let row = m_2_all_x[x_data_row + i_2];
    let t = arr_f32_max(m_3, row);
    m_3 = t;
  }
  let m_4 = m_3;
  m_2_all_m_5[i] = m_4;
}

fn m_2_all_at_2(i_3: i32, i_4: i32) {
  let i_3_step = i_3 * m_2_all_params.m;
  let x_data_row_2 = i_3_step;
  let m_6 = m_2_all_m_5[i_3];
  let e_data_row = i_3_step;
  let row_2 = m_2_all_x[x_data_row_2 + i_4];
  let sub = (row_2 - m_6);
  let exp_2 = arr_f32_exp(sub);
  m_2_all_e_2[e_data_row + i_4] = exp_2;
}

fn m_2_all_at_3(i_5: i32) {
  let i_5_step = i_5 * m_2_all_params.m;
  var sum_2: f32 = 0.0f;
  let e_data_row_2 = i_5_step;
  for (var i_6: i32 = 0i; i_6 < m_2_all_params.m; i_6 += 1i) {
    let e_3 = m_2_all_e_2[e_data_row_2 + i_6];
    let t_3 = (sum_2 + e_3);
    sum_2 = t_3;
  }
  let sum_3 = sum_2;
  m_2_all_sum_4[i_5] = sum_3;
}

fn m_2_all_at_4(i_7: i32, i_8: i32) {
  let i_7_step = i_7 * m_2_all_params.m;
  let e_data_row_3 = i_7_step;
  let sum_5 = m_2_all_sum_4[i_7];
  let div_data_row = i_7_step;
  let e_4 = m_2_all_e_2[e_data_row_3 + i_8];
  let div_2 = (e_4 / sum_5);
  m_2_all_div_3[div_data_row + i_8] = div_2;
}

// Small nests one after the other, the first of them: let m = maximum(row)
@compute @workgroup_size(256)
fn m_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  {
    let points = u32(m_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      m_2_all_at(i32(point));
    }
  }
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(m_2_all_params.n) * u32(m_2_all_params.m);
    for (var point = lane; point < points; point += 256u) {
      m_2_all_at_2(i32(point / u32(m_2_all_params.m)), i32(point % u32(m_2_all_params.m)));
    }
  }
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(m_2_all_params.n);
    for (var point = lane; point < points; point += 256u) {
      m_2_all_at_3(i32(point));
    }
  }
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(m_2_all_params.n) * u32(m_2_all_params.m);
    for (var point = lane; point < points; point += 256u) {
      m_2_all_at_4(i32(point / u32(m_2_all_params.m)), i32(point % u32(m_2_all_params.m)));
    }
  }
}

// The host:
// let x.data: address f32 = data x
// let m.2: buffer f32 = alloc [n] @1
// let m.2.data: address f32 = data m.2
// let e: buffer f32 = alloc [n, m] @2
// let e.data: address f32 = data e
// let sum: buffer f32 = alloc [n] @3
// let sum.data: address f32 = data sum
// let div: buffer f32 = alloc [n, m] @4
// let div.data: address f32 = data div
// let s: i64 = mul n, m
// let fits.9: bool = le s, 32768
// if fits.9 {
//   run m_2_all over 1 by 1 (n, m; x, m.2, e, sum, div)
// } else {
//   let fits: bool = ge n, 128
//   let fits.2: bool = le m, 1024
//   let fit: bool = and fits, fits.2
//   if fit {
//     let fits.7: bool = ge m, 128
//     let fits.8: bool = le n, 16384
//     let fit.4: bool = and fits.7, fits.8
//     if fit.4 {
//       run m_2_rows_2 over n by 1 (m, n; x, m.2, e, sum, div)
//     } else {
//       run m_7 over n by 256 (n, m; x, m.2, e, sum, div)
//     }
//   } else {
//     let fits.3: bool = ge m, 128
//     let fits.4: bool = le n, 16384
//     let fit.2: bool = and fits.3, fits.4
//     if fit.2 {
//       run m_2_rows over n by 1 (m, n; x, m.2)
//     } else {
//       run m_2 over n by 256 (n, m; x, m.2)
//     }
//     run e over n, m by 256 (n, m; m.2, x, e)
//     let fits.5: bool = ge m, 128
//     let fits.6: bool = le n, 16384
//     let fit.3: bool = and fits.5, fits.6
//     if fit.3 {
//       run sum_rows over n by 1 (m, n; e, sum)
//     } else {
//       run sum over n by 256 (n, m; e, sum)
//     }
//     run div over n, m by 256 (n, m; sum, e, div)
//   }
// }
// release m.2
// release e
// release sum
// let some: bool = gt n, 0
// if some {
//   check non_empty m @1
// }
// return div [n, m]
