// `main`: made by the Arr compiler.

// From the library: arr_claim_fault.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

struct sum_Params {
  n: i32,
  m: i32,
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> sum_params: sum_Params;
@group(0) @binding(3) var<storage, read> sum_x: array<f32>;
@group(0) @binding(4) var<storage, read> sum_at: array<i32>;
@group(0) @binding(5) var<storage, read_write> sum_sum_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> sum_sum_7: array<f32>;
@group(0) @binding(7) var<storage, read_write> sum_x_2: array<f32>;
// A point of a nest: let mean = sum(x[i]) / f32(m)
@compute @workgroup_size(256)
fn sum(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sum_params.n) { return; }
  let i = i32(point);
  let i_step = i * sum_params.m;
  var sum_3: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_params.m; i_2 += 1i) {
    let x_3 = sum_x[x_data_row + i_2];
    let t = (sum_3 + x_3);
    sum_3 = t;
  }
  let sum_4 = sum_3;
  let mean = (sum_4 / sum_params.f32_2);
  var sum_5: f32 = 0.0f;
  for (var i_3: i32 = 0i; i_3 < sum_params.m; i_3 += 1i) {
    let x_4 = sum_x[x_data_row + i_3];
    let sub = (x_4 - mean);
    let powi = (sub * sub);
    let t_3 = (sum_5 + powi);
    sum_5 = t_3;
  }
  let sum_6 = sum_5;
  let at_2 = sum_at[i];
  if at_2 < 0i || at_2 >= sum_params.n {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(at_2)); atomicStore(&fault[3], bitcast<u32>(at_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_params.n)); atomicStore(&fault[5], bitcast<u32>(sum_params.n >> 31u)); }
    return;
  }
  if 0i < 0i || 0i >= sum_params.m {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(0i)); atomicStore(&fault[3], bitcast<u32>(0i >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_params.m)); atomicStore(&fault[5], bitcast<u32>(sum_params.m >> 31u)); }
    return;
  }
  let s = (at_2 * sum_params.m);
  let x_5 = sum_x[s];
  sum_sum_2[i] = sum_4;
  sum_sum_7[i] = sum_6;
  sum_x_2[i] = x_5;
}

struct sum_rows_Params {
  m: i32,
  n: i32,
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> sum_rows_params: sum_rows_Params;
@group(0) @binding(3) var<storage, read> sum_rows_x: array<f32>;
@group(0) @binding(4) var<storage, read> sum_rows_at_3: array<i32>;
@group(0) @binding(5) var<storage, read_write> sum_rows_sum_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> sum_rows_sum_7: array<f32>;
@group(0) @binding(7) var<storage, read_write> sum_rows_x_2: array<f32>;
var<workgroup> sum_rows_f32_0: array<f32, 128>;
var<private> i: i32;
var<private> i_step: i32;
var<private> sum_3: f32;
var<private> x_data_row: i32;
var<private> sum_5: f32;
var<private> mean: f32;
var<private> sum_4: f32;
var<private> sum_6: f32;
var<private> x_5: f32;

fn sum_rows_scalars() {
  sum_3 = 0.0f;
  x_data_row = i_step;
}

fn sum_rows_join(sum_3_part: f32) {
  let t_2 = (sum_3 + sum_3_part);
  sum_3 = t_2;
}

fn sum_rows_at(i_2: i32) {
  let x_3 = sum_rows_x[x_data_row + i_2];
  let t = (sum_3 + x_3);
  sum_3 = t;
}

fn sum_rows_scalars_2() {
  sum_4 = sum_3;
  mean = (sum_4 / sum_rows_params.f32_2);
  sum_5 = 0.0f;
}

fn sum_rows_join_2(sum_5_part: f32) {
  let t_4 = (sum_5 + sum_5_part);
  sum_5 = t_4;
}

fn sum_rows_at_2(i_3: i32) {
  let x_4 = sum_rows_x[x_data_row + i_3];
  let sub = (x_4 - mean);
  let powi = (sub * sub);
  let t_3 = (sum_5 + powi);
  sum_5 = t_3;
}

fn sum_rows_scalars_3() {
  sum_6 = sum_5;
  let at_2 = sum_rows_at_3[i];
  if at_2 < 0i || at_2 >= sum_rows_params.n {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(at_2)); atomicStore(&fault[3], bitcast<u32>(at_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_rows_params.n)); atomicStore(&fault[5], bitcast<u32>(sum_rows_params.n >> 31u)); }
    return;
  }
  if 0i < 0i || 0i >= sum_rows_params.m {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(0i)); atomicStore(&fault[3], bitcast<u32>(0i >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_rows_params.m)); atomicStore(&fault[5], bitcast<u32>(sum_rows_params.m >> 31u)); }
    return;
  }
  let s = (at_2 * sum_rows_params.m);
  x_5 = sum_rows_x[s];
}

fn sum_rows_first() {
  sum_rows_sum_2[i] = sum_4;
  sum_rows_sum_7[i] = sum_6;
  sum_rows_x_2[i] = x_5;
}

// A workgroup a point of a nest: let mean = sum(x[i]) / f32(m)
@compute @workgroup_size(128)
fn sum_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(sum_rows_params.n) { return; }
  i = i32(mine);
  i_step = i * sum_rows_params.m;
  sum_rows_scalars();
  let sum_3_before = sum_3;
  sum_3 = 0.0f;
  {
    let points = select(0u, u32(sum_rows_params.m), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 128u) {
      sum_rows_at(i32(point));
    }
  }
  sum_rows_f32_0[lane] = sum_3;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      sum_rows_join(sum_rows_f32_0[lane + width]);
      sum_rows_f32_0[lane] = sum_3;
    }
    workgroupBarrier();
  }
  sum_3 = sum_3_before;
  sum_rows_join(sum_rows_f32_0[0]);
  sum_rows_scalars_2();
  let sum_5_before = sum_5;
  sum_5 = 0.0f;
  {
    let points = select(0u, u32(sum_rows_params.m), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 128u) {
      sum_rows_at_2(i32(point));
    }
  }
  workgroupBarrier();
  sum_rows_f32_0[lane] = sum_5;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      sum_rows_join_2(sum_rows_f32_0[lane + width]);
      sum_rows_f32_0[lane] = sum_5;
    }
    workgroupBarrier();
  }
  sum_5 = sum_5_before;
  sum_rows_join_2(sum_rows_f32_0[0]);
  sum_rows_scalars_3();
  if lane == 0u {
    sum_rows_first();
  }
}

struct add_Params {
  n: i32,
  m: i32,
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> add_params: add_Params;
@group(0) @binding(3) var<storage, read> add_sum_7: array<f32>;
@group(0) @binding(4) var<storage, read> add_sum_2: array<f32>;
@group(0) @binding(5) var<storage, read> add_x_2: array<f32>;
@group(0) @binding(6) var<storage, read> add_x: array<f32>;
@group(0) @binding(7) var<storage, read_write> add_add_4: array<f32>;
// A point of a nest: in (x[i] - mean) / spread + x[at[i], 0]
@compute @workgroup_size(256)
fn add(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(add_params.n) * u32(add_params.m) { return; }
  let i_4 = i32(point / u32(add_params.m));
  let i_5 = i32(point % u32(add_params.m));
  let i_4_step = i_4 * add_params.m;
  let sum_8 = add_sum_7[i_4];
  let div = (sum_8 / add_params.f32_2);
  let add_2 = (div + 1.0f);
  let spread = sqrt(add_2);
  let sum_9 = add_sum_2[i_4];
  let mean_2 = (sum_9 / add_params.f32_2);
  let x_data_row_2 = i_4_step;
  let x_7 = add_x_2[i_4];
  let add_data_row = i_4_step;
  let x_6 = add_x[x_data_row_2 + i_5];
  let sub_2 = (x_6 - mean_2);
  let div_2 = (sub_2 / spread);
  let add_3 = (div_2 + x_7);
  add_add_4[add_data_row + i_5] = add_3;
}

struct sum_10_Params {
  n: i32,
  m: i32,
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> sum_10_params: sum_10_Params;
@group(0) @binding(3) var<storage, read> sum_10_x: array<f32>;
@group(0) @binding(4) var<storage, read> sum_10_at: array<i32>;
@group(0) @binding(5) var<storage, read_write> sum_10_sum_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> sum_10_sum_7: array<f32>;
@group(0) @binding(7) var<storage, read_write> sum_10_x_2: array<f32>;
@group(0) @binding(8) var<storage, read_write> sum_10_add_4: array<f32>;
// A point of a nest: let mean = sum(x[i]) / f32(m)
@compute @workgroup_size(256)
fn sum_10(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sum_10_params.n) { return; }
  let i = i32(point);
  let i_step = i * sum_10_params.m;
  let i_4_step = i * sum_10_params.m;
  var sum_3: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_10_params.m; i_2 += 1i) {
    let x_3 = sum_10_x[x_data_row + i_2];
    let t = (sum_3 + x_3);
    sum_3 = t;
  }
  let sum_4 = sum_3;
  let mean = (sum_4 / sum_10_params.f32_2);
  var sum_5: f32 = 0.0f;
  for (var i_3: i32 = 0i; i_3 < sum_10_params.m; i_3 += 1i) {
    let x_4 = sum_10_x[x_data_row + i_3];
    let sub = (x_4 - mean);
    let powi = (sub * sub);
    let t_3 = (sum_5 + powi);
    sum_5 = t_3;
  }
  let sum_6 = sum_5;
  let at_2 = sum_10_at[i];
  if at_2 < 0i || at_2 >= sum_10_params.n {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(at_2)); atomicStore(&fault[3], bitcast<u32>(at_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_10_params.n)); atomicStore(&fault[5], bitcast<u32>(sum_10_params.n >> 31u)); }
    return;
  }
  if 0i < 0i || 0i >= sum_10_params.m {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(0i)); atomicStore(&fault[3], bitcast<u32>(0i >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_10_params.m)); atomicStore(&fault[5], bitcast<u32>(sum_10_params.m >> 31u)); }
    return;
  }
  let s = (at_2 * sum_10_params.m);
  let x_5 = sum_10_x[s];
  sum_10_sum_2[i] = sum_4;
  sum_10_sum_7[i] = sum_6;
  sum_10_x_2[i] = x_5;
  let sum_8 = sum_10_sum_7[i];
  let div = (sum_8 / sum_10_params.f32_2);
  let add_2 = (div + 1.0f);
  let spread = sqrt(add_2);
  let sum_9 = sum_10_sum_2[i];
  let mean_2 = (sum_9 / sum_10_params.f32_2);
  let x_data_row_2 = i_4_step;
  let x_7 = sum_10_x_2[i];
  let add_data_row = i_4_step;
  for (var i_5: i32 = 0i; i_5 < sum_10_params.m; i_5 += 1i) {
    let x_6 = sum_10_x[x_data_row_2 + i_5];
    let sub_2 = (x_6 - mean_2);
    let div_2 = (sub_2 / spread);
    let add_3 = (div_2 + x_7);
    sum_10_add_4[add_data_row + i_5] = add_3;
  }
}

struct sum_rows_2_Params {
  m: i32,
  n: i32,
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> sum_rows_2_params: sum_rows_2_Params;
@group(0) @binding(3) var<storage, read> sum_rows_2_x: array<f32>;
@group(0) @binding(4) var<storage, read> sum_rows_2_at_3: array<i32>;
@group(0) @binding(5) var<storage, read_write> sum_rows_2_sum_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> sum_rows_2_sum_7: array<f32>;
@group(0) @binding(7) var<storage, read_write> sum_rows_2_x_2: array<f32>;
@group(0) @binding(8) var<storage, read_write> sum_rows_2_add_4: array<f32>;
var<workgroup> sum_rows_2_f32_0: array<f32, 128>;
var<private> i_4_step: i32;
var<private> x_data_row_2: i32;
var<private> mean_2: f32;
var<private> spread: f32;
var<private> x_7: f32;
var<private> add_data_row: i32;

fn sum_rows_2_scalars() {
  sum_3 = 0.0f;
  x_data_row = i_step;
}

fn sum_rows_2_join(sum_3_part: f32) {
  let t_2 = (sum_3 + sum_3_part);
  sum_3 = t_2;
}

fn sum_rows_2_at(i_2: i32) {
  let x_3 = sum_rows_2_x[x_data_row + i_2];
  let t = (sum_3 + x_3);
  sum_3 = t;
}

fn sum_rows_2_scalars_2() {
  sum_4 = sum_3;
  mean = (sum_4 / sum_rows_2_params.f32_2);
  sum_5 = 0.0f;
}

fn sum_rows_2_join_2(sum_5_part: f32) {
  let t_4 = (sum_5 + sum_5_part);
  sum_5 = t_4;
}

fn sum_rows_2_at_2(i_3: i32) {
  let x_4 = sum_rows_2_x[x_data_row + i_3];
  let sub = (x_4 - mean);
  let powi = (sub * sub);
  let t_3 = (sum_5 + powi);
  sum_5 = t_3;
}

fn sum_rows_2_scalars_3() {
  sum_6 = sum_5;
  let at_2 = sum_rows_2_at_3[i];
  if at_2 < 0i || at_2 >= sum_rows_2_params.n {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(at_2)); atomicStore(&fault[3], bitcast<u32>(at_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_rows_2_params.n)); atomicStore(&fault[5], bitcast<u32>(sum_rows_2_params.n >> 31u)); }
    return;
  }
  if 0i < 0i || 0i >= sum_rows_2_params.m {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(0i)); atomicStore(&fault[3], bitcast<u32>(0i >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_rows_2_params.m)); atomicStore(&fault[5], bitcast<u32>(sum_rows_2_params.m >> 31u)); }
    return;
  }
  let s = (at_2 * sum_rows_2_params.m);
  x_5 = sum_rows_2_x[s];
}

fn sum_rows_2_first() {
  sum_rows_2_sum_2[i] = sum_4;
  sum_rows_2_sum_7[i] = sum_6;
  sum_rows_2_x_2[i] = x_5;
}

fn sum_rows_2_scalars_4() {
  let sum_8 = sum_rows_2_sum_7[i];
  let div = (sum_8 / sum_rows_2_params.f32_2);
  let add_2 = (div + 1.0f);
  spread = sqrt(add_2);
  let sum_9 = sum_rows_2_sum_2[i];
  mean_2 = (sum_9 / sum_rows_2_params.f32_2);
  x_data_row_2 = i_4_step;
  x_7 = sum_rows_2_x_2[i];
  add_data_row = i_4_step;
}

fn sum_rows_2_at_4(i_5: i32) {
  let x_6 = sum_rows_2_x[x_data_row_2 + i_5];
  let sub_2 = (x_6 - mean_2);
  let div_2 = (sub_2 / spread);
  let add_3 = (div_2 + x_7);
  sum_rows_2_add_4[add_data_row + i_5] = add_3;
}

// A workgroup a point of a nest: let mean = sum(x[i]) / f32(m)
@compute @workgroup_size(128)
fn sum_rows_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(sum_rows_2_params.n) { return; }
  i = i32(mine);
  i_step = i * sum_rows_2_params.m;
  i_4_step = i * sum_rows_2_params.m;
  sum_rows_2_scalars();
  let sum_3_before_2 = sum_3;
  sum_3 = 0.0f;
  {
    let points = select(0u, u32(sum_rows_2_params.m), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 128u) {
      sum_rows_2_at(i32(point));
    }
  }
  sum_rows_2_f32_0[lane] = sum_3;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      sum_rows_2_join(sum_rows_2_f32_0[lane + width]);
      sum_rows_2_f32_0[lane] = sum_3;
    }
    workgroupBarrier();
  }
  sum_3 = sum_3_before_2;
  sum_rows_2_join(sum_rows_2_f32_0[0]);
  sum_rows_2_scalars_2();
  let sum_5_before_2 = sum_5;
  sum_5 = 0.0f;
  {
    let points = select(0u, u32(sum_rows_2_params.m), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 128u) {
      sum_rows_2_at_2(i32(point));
    }
  }
  workgroupBarrier();
  sum_rows_2_f32_0[lane] = sum_5;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      sum_rows_2_join_2(sum_rows_2_f32_0[lane + width]);
      sum_rows_2_f32_0[lane] = sum_5;
    }
    workgroupBarrier();
  }
  sum_5 = sum_5_before_2;
  sum_rows_2_join_2(sum_rows_2_f32_0[0]);
  sum_rows_2_scalars_3();
  if lane == 0u {
    sum_rows_2_first();
  }
  storageBarrier();
  workgroupBarrier();
  sum_rows_2_scalars_4();
  {
    let points = select(0u, u32(sum_rows_2_params.m), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 128u) {
      sum_rows_2_at_4(i32(point));
    }
  }
}

struct sum_all_Params {
  n: i32,
  m: i32,
  f32_2: f32,
}
@group(0) @binding(0) var<uniform> sum_all_params: sum_all_Params;
@group(0) @binding(3) var<storage, read> sum_all_x: array<f32>;
@group(0) @binding(4) var<storage, read> sum_all_at_2: array<i32>;
@group(0) @binding(5) var<storage, read_write> sum_all_sum_2: array<f32>;
@group(0) @binding(6) var<storage, read_write> sum_all_sum_7: array<f32>;
@group(0) @binding(7) var<storage, read_write> sum_all_x_2: array<f32>;
@group(0) @binding(8) var<storage, read_write> sum_all_add_4: array<f32>;

fn sum_all_at(i: i32) {
  let i_step = i * sum_all_params.m;
  var sum_3: f32 = 0.0f;
  let x_data_row = i_step;
  for (var i_2: i32 = 0i; i_2 < sum_all_params.m; i_2 += 1i) {
    let x_3 = sum_all_x[x_data_row + i_2];
    let t = (sum_3 + x_3);
    sum_3 = t;
  }
  let sum_4 = sum_3;
  let mean = (sum_4 / sum_all_params.f32_2);
  var sum_5: f32 = 0.0f;
  for (var i_3: i32 = 0i; i_3 < sum_all_params.m; i_3 += 1i) {
    let x_4 = sum_all_x[x_data_row + i_3];
    let sub = (x_4 - mean);
    let powi = (sub * sub);
    let t_3 = (sum_5 + powi);
    sum_5 = t_3;
  }
  let sum_6 = sum_5;
  let at_2 = sum_all_at_2[i];
  if at_2 < 0i || at_2 >= sum_all_params.n {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(at_2)); atomicStore(&fault[3], bitcast<u32>(at_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_all_params.n)); atomicStore(&fault[5], bitcast<u32>(sum_all_params.n >> 31u)); }
    return;
  }
  if 0i < 0i || 0i >= sum_all_params.m {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(0i)); atomicStore(&fault[3], bitcast<u32>(0i >> 31u)); atomicStore(&fault[4], bitcast<u32>(sum_all_params.m)); atomicStore(&fault[5], bitcast<u32>(sum_all_params.m >> 31u)); }
    return;
  }
  let s = (at_2 * sum_all_params.m);
  let x_5 = sum_all_x[s];
  sum_all_sum_2[i] = sum_4;
  sum_all_sum_7[i] = sum_6;
  sum_all_x_2[i] = x_5;
}

fn sum_all_at_3(i_4: i32, i_5: i32) {
  let i_4_step = i_4 * sum_all_params.m;
  let sum_8 = sum_all_sum_7[i_4];
  let div = (sum_8 / sum_all_params.f32_2);
  let add_2 = (div + 1.0f);
  let spread = sqrt(add_2);
  let sum_9 = sum_all_sum_2[i_4];
  let mean_2 = (sum_9 / sum_all_params.f32_2);
  let x_data_row_2 = i_4_step;
  let x_7 = sum_all_x_2[i_4];
  let add_data_row = i_4_step;
  let x_6 = sum_all_x[x_data_row_2 + i_5];
  let sub_2 = (x_6 - mean_2);
  let div_2 = (sub_2 / spread);
  let add_3 = (div_2 + x_7);
  sum_all_add_4[add_data_row + i_5] = add_3;
}

// Small nests one after the other, the first of them: let mean = sum(x[i]) / f32(m)
@compute @workgroup_size(256)
fn sum_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  {
    let points = select(0u, u32(sum_all_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      sum_all_at(i32(point));
    }
  }
  storageBarrier();
  workgroupBarrier();
  {
    let points = select(0u, u32(sum_all_params.n) * u32(sum_all_params.m), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      sum_all_at_3(i32(point / u32(sum_all_params.m)), i32(point % u32(sum_all_params.m)));
    }
  }
}

// The host:
// let f32: f32 = f32 m
// let x.data: address f32 = data x
// let at.data: address i64 = data at
// let sum: buffer f32 = alloc [n] @1
// let sum.data: address f32 = data sum
// let sum.2: buffer f32 = alloc [n] @1
// let sum.2.data: address f32 = data sum.2
// let x.2: buffer f32 = alloc [n] @1
// let x.2.data: address f32 = data x.2
// let add: buffer f32 = alloc [n, m] @4
// let add.data: address f32 = data add
// let s.2: i64 = mul n, m
// let fits.7: bool = le s.2, 32768
// if fits.7 {
//   run sum_all over 1 by 1 (n, m, f32; x, at, sum, sum.2, x.2, add)
// } else {
//   let fits: bool = ge n, 128
//   let fits.2: bool = le m, 1024
//   let fit: bool = and fits, fits.2
//   if fit {
//     let fits.5: bool = ge m, 128
//     let fits.6: bool = le n, 16384
//     let fit.3: bool = and fits.5, fits.6
//     if fit.3 {
//       run sum_rows_2 over n by 1 (m, n, f32; x, at, sum, sum.2, x.2, add)
//     } else {
//       run sum_10 over n by 256 (n, m, f32; x, at, sum, sum.2, x.2, add)
//     }
//   } else {
//     let fits.3: bool = ge m, 128
//     let fits.4: bool = le n, 16384
//     let fit.2: bool = and fits.3, fits.4
//     if fit.2 {
//       run sum_rows over n by 1 (m, n, f32; x, at, sum, sum.2, x.2)
//     } else {
//       run sum over n by 256 (n, m, f32; x, at, sum, sum.2, x.2)
//     }
//     run add over n, m by 256 (n, m, f32; sum.2, sum, x.2, x, add)
//   }
// }
// release sum
// release sum.2
// release x.2
// return add [n, m]
