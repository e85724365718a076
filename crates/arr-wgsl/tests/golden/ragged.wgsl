// `gradient`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_f32_nan, arr_f32_is_nan, arr_f32_is_finite, arr_f32_is_negative, arr_f32_exact, arr_f32_exp_most, arr_f32_ln2_high, arr_f32_ln2_low, arr_f32_scale, arr_f32_exp_tail, arr_f32_reduce, arr_u32_wide, arr_f32_reduce_large, arr_f32_sin_near, arr_f32_cos_near, arr_f32_expm1, arr_f32_sin, arr_f32_cos, arr_f32_tanh.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

var<private> arr_f32_nan_bits: u32 = 0x7fc00000u;

struct arr_f32_angle {
    quadrant: u32,
    rest: f32,
}

struct tanhs_Params {
  n: i32,
  m: i32,
  w: f32,
}
@group(0) @binding(0) var<uniform> tanhs_params: tanhs_Params;
@group(0) @binding(3) var<storage, read> tanhs_lengths: array<i32>;
@group(0) @binding(4) var<storage, read> tanhs_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> tanhs_tanhs_2: array<f32>;
// A point of a nest: sum(for i < n =>
@compute @workgroup_size(256)
fn tanhs(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(tanhs_params.n) { return; }
  let i = i32(point);
  let lengths_2 = tanhs_lengths[i];
  let abs_2 = abs(lengths_2);
  let k = min(abs_2, tanhs_params.m);
  if k < 0i {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(k)); atomicStore(&fault[3], bitcast<u32>(k >> 31u)); }
    return;
  }
  var sum: f32 = 0.0f;
  for (var i_2: i32 = 0i; i_2 < k; i_2 += 1i) {
    let x_2 = tanhs_x[i_2];
    let mul = (x_2 * tanhs_params.w);
    let t = (sum + mul);
    sum = t;
  }
  let sum_2 = sum;
  var s_state: f32 = tanhs_params.w;
  for (var j: i32 = 0i; j < k; j += 1i) {
    let s = s_state;
    let sin_2 = arr_f32_sin(s);
    let x_3 = tanhs_x[j];
    let mul_2 = (sin_2 * x_3);
    s_state = mul_2;
  }
  let s_2 = s_state;
  let add = (sum_2 + s_2);
  let tanh_2 = arr_f32_tanh(add);
  tanhs_tanhs_2[i] = tanh_2;
}

struct d_x_Params {
  m: i32,
}
@group(0) @binding(0) var<uniform> d_x_params: d_x_Params;
@group(0) @binding(3) var<storage, read_write> d_x_d_x_2: array<f32>;
// A point of a nest: sum(for i < n =>
@compute @workgroup_size(256)
fn d_x(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_x_params.m) { return; }
  let i_3 = i32(point);
  d_x_d_x_2[i_3] = 0.0f;
}

struct turn_loop_Params {
  chunk_length: i32,
  n: i32,
  chunk_first: i32,
  m: i32,
  start: i32,
  w: f32,
}
@group(0) @binding(0) var<uniform> turn_loop_params: turn_loop_Params;
@group(0) @binding(3) var<storage, read> turn_loop_lengths: array<i32>;
@group(0) @binding(4) var<storage, read_write> turn_loop_arrays: array<f32>;
@group(0) @binding(5) var<storage, read> turn_loop_x: array<f32>;
@group(0) @binding(6) var<storage, read> turn_loop_tanhs_2: array<f32>;
@group(0) @binding(7) var<storage, read_write> turn_loop_d_x_state_own_2: array<f32>;
var<workgroup> turn_loop_f32_told_0: f32;
var<workgroup> turn_loop_f32_0: array<f32, 256>;
var<private> d_w_state: f32;
var<private> turn_2: i32;
var<private> k_2: i32;
var<private> ss_data_2: i32;
var<private> sins_data_2: i32;
var<private> s_state_2: f32;
var<private> i_4: i32;
var<private> d_s_state: f32;
var<private> ss_4_data_2: i32;
var<private> sins_4_data_2: i32;
var<private> d_w_2: f32;
var<private> d: f32;
var<private> d_x_6_data_2: i32;
var<private> d_6: f32;
var<private> d_w: f32;
var<private> d_s_2: f32;
var<private> d_w_3: f32;

fn turn_loop_scalars() {
    let rest = (turn_loop_params.n - turn_loop_params.chunk_first);
    let last_2 = (rest - 1i);
    i_4 = (last_2 - turn_2);
    d_w = d_w_state;
    let lengths_3 = turn_loop_lengths[i_4];
    let abs_3 = abs(lengths_3);
    k_2 = min(abs_3, turn_loop_params.m);
    ss_data_2 = 0i;
}

fn turn_loop_at(i_5: i32) {
    turn_loop_arrays[ss_data_2 + i_5] = 0.0f;
}

fn turn_loop_scalars_2() {
    sins_data_2 = turn_loop_params.start;
}

fn turn_loop_at_2(i_6: i32) {
    turn_loop_arrays[sins_data_2 + i_6] = 0.0f;
}

fn turn_loop_scalars_3() {
    s_state_2 = turn_loop_params.w;
}

fn turn_loop_first() {
    for (var j_2: i32 = 0i; j_2 < k_2; j_2 += 1i) {
      let s_3 = s_state_2;
      let ss_3_data_2 = 0i;
      turn_loop_arrays[ss_3_data_2 + j_2] = s_3;
      let sin_3 = arr_f32_sin(s_3);
      let sins_3_data_2 = turn_loop_params.start;
      turn_loop_arrays[sins_3_data_2 + j_2] = sin_3;
      let x_4 = turn_loop_x[j_2];
      let mul_3 = (sin_3 * x_4);
      s_state_2 = mul_3;
    }
}

fn turn_loop_scalars_4() {
    let tanh_3 = turn_loop_tanhs_2[i_4];
    let t_3 = (tanh_3 * tanh_3);
    d = (1.0f - t_3);
    d_s_state = d;
    ss_4_data_2 = 0i;
    sins_4_data_2 = turn_loop_params.start;
}

fn turn_loop_first_2() {
    for (var j_3: i32 = max(k_2, 0i) - 1i; j_3 >= 0i; j_3 -= 1i) {
      let d_s = d_s_state;
      let s_5 = turn_loop_arrays[ss_4_data_2 + j_3];
      let sin_4 = turn_loop_arrays[sins_4_data_2 + j_3];
      let x_5 = turn_loop_x[j_3];
      let d_2 = (d_s * x_5);
      let d_3 = (d_s * sin_4);
      let c = arr_f32_cos(s_5);
      let d_4 = (d_2 * c);
      let old = turn_loop_d_x_state_own_2[j_3];
      let t_4 = (old + d_3);
      turn_loop_d_x_state_own_2[j_3] = t_4;
      d_s_state = d_4;
    }
}

fn turn_loop_scalars_5() {
    d_s_2 = d_s_state;
    d_w_2 = 0.0f;
}

fn turn_loop_join(d_w_2_part: f32) {
    let t_6 = (d_w_2 + d_w_2_part);
    d_w_2 = t_6;
}

fn turn_loop_at_3(j_4: i32) {
    let x_6 = turn_loop_x[j_4];
    let d_5 = (d * x_6);
    let t_5 = (d_w_2 + d_5);
    d_w_2 = t_5;
}

fn turn_loop_scalars_6() {
    d_w_3 = d_w_2;
    d_6 = (d * turn_loop_params.w);
}

fn turn_loop_at_4(j_5: i32) {
    let old_2 = turn_loop_d_x_state_own_2[j_5];
    let t_7 = (old_2 + d_6);
    turn_loop_d_x_state_own_2[j_5] = t_7;
}

fn turn_loop_scalars_7() {
    let d_w_4 = (d_w + d_s_2);
    let d_w_5 = (d_w_4 + d_w_3);
    d_w_state = d_w_5;
}

// In order, in one workgroup: sum(for i < n =>
@compute @workgroup_size(256)
fn turn_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  d_w_state = bitcast<f32>(slots[0]);
  for (var turn: i32 = 0i; turn < turn_loop_params.chunk_length; turn += 1i) {
    turn_2 = turn;
    turn_loop_scalars();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(k_2);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at(i32(point));
      }
    }
    turn_loop_scalars_2();
    {
      let points = u32(k_2);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_2(i32(point));
      }
    }
    turn_loop_scalars_3();
    storageBarrier();
    workgroupBarrier();
    if lane == 0u {
      turn_loop_first();
      turn_loop_f32_told_0 = s_state_2;
    }
    workgroupBarrier();
    s_state_2 = turn_loop_f32_told_0;
    turn_loop_scalars_4();
    storageBarrier();
    workgroupBarrier();
    if lane == 0u {
      turn_loop_first_2();
      turn_loop_f32_told_0 = d_s_state;
    }
    workgroupBarrier();
    d_s_state = turn_loop_f32_told_0;
    turn_loop_scalars_5();
    let d_w_2_before = d_w_2;
    d_w_2 = 0.0f;
    {
      let points = u32(k_2);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_3(i32(point));
      }
    }
    workgroupBarrier();
    turn_loop_f32_0[lane] = d_w_2;
    workgroupBarrier();
    for (var width = 128u; width > 0u; width /= 2u) {
      if lane < width {
        turn_loop_join(turn_loop_f32_0[lane + width]);
        turn_loop_f32_0[lane] = d_w_2;
      }
      workgroupBarrier();
    }
    d_w_2 = d_w_2_before;
    turn_loop_join(turn_loop_f32_0[0]);
    turn_loop_scalars_6();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(k_2);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_4(i32(point));
      }
    }
    turn_loop_scalars_7();
  }
  if lane == 0u {
    slots[0] = bitcast<u32>(d_w_state);
  }
}

struct k_3_Params {
  i_4: i32,
  w: f32,
  m: i32,
}
@group(0) @binding(0) var<uniform> k_3_params: k_3_Params;
@group(0) @binding(3) var<storage, read> k_3_lengths: array<i32>;
@group(0) @binding(4) var<storage, read> k_3_tanhs_2: array<f32>;
// In order
@compute @workgroup_size(2)
fn k_3(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var d_w_state = bitcast<f32>(slots[0]);
  let d_w = d_w_state;
  let lengths_3 = k_3_lengths[k_3_params.i_4];
  let abs_3 = abs(lengths_3);
  var s_state_2: f32 = k_3_params.w;
  let tanh_3 = k_3_tanhs_2[k_3_params.i_4];
  let t_3 = (tanh_3 * tanh_3);
  let d = (1.0f - t_3);
  var d_s_state: f32 = d;
  var d_w_2: f32 = 0.0f;
  let d_6 = (d * k_3_params.w);
  let k_2 = min(abs_3, k_3_params.m);
  slots[2] = bitcast<u32>(d_w);
  slots[4] = bitcast<u32>(s_state_2);
  slots[6] = bitcast<u32>(d);
  slots[8] = bitcast<u32>(d_s_state);
  slots[10] = bitcast<u32>(d_w_2);
  slots[12] = bitcast<u32>(d_6);
  slots[14] = bitcast<u32>(k_2);
}

struct ss_Params {
  k_2: i32,
}
@group(0) @binding(0) var<uniform> ss_params: ss_Params;
@group(0) @binding(3) var<storage, read_write> ss_ss_2: array<f32>;
// A point of a nest: in tanh(sum(for j < k => x[j] * w) + loop s = w for j < k do sin(s) * x[j]))
@compute @workgroup_size(256)
fn ss(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(ss_params.k_2) { return; }
  let i_5 = i32(point);
  ss_ss_2[i_5] = 0.0f;
}

struct sins_Params {
  k_2: i32,
}
@group(0) @binding(0) var<uniform> sins_params: sins_Params;
@group(0) @binding(3) var<storage, read_write> sins_sins_2: array<f32>;
// A point of a nest: in tanh(sum(for j < k => x[j] * w) + loop s = w for j < k do sin(s) * x[j]))
@compute @workgroup_size(256)
fn sins(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(sins_params.k_2) { return; }
  let i_6 = i32(point);
  sins_sins_2[i_6] = 0.0f;
}

struct ss_3_Params {
  k_2: i32,
}
@group(0) @binding(0) var<uniform> ss_3_params: ss_3_Params;
@group(0) @binding(3) var<storage, read_write> ss_3_ss_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> ss_3_sins_2: array<f32>;
// A point of a nest: in tanh(sum(for j < k => x[j] * w) + loop s = w for j < k do sin(s) * x[j]))
@compute @workgroup_size(256)
fn ss_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(ss_3_params.k_2) { return; }
  let i_5 = i32(point);
  ss_3_ss_2[i_5] = 0.0f;
  ss_3_sins_2[i_5] = 0.0f;
}

struct d_w_2_parts_Params {
  k_2: i32,
}
@group(0) @binding(0) var<uniform> d_w_2_parts_params: d_w_2_parts_Params;
@group(0) @binding(3) var<storage, read> d_w_2_parts_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_w_2_parts_d_w_2_parts_2: array<f32>;
var<workgroup> d_w_2_parts_d_w_2_all: array<f32, 256>;

fn d_w_2_parts_join(d_w_2: ptr<function, f32>, d_w_2_part: f32) {
  let t_6 = ((*d_w_2) + d_w_2_part);
  (*d_w_2) = t_6;
}

// A point of a reduction: in tanh(sum(for j < k => x[j] * w) + loop s = w for j < k do sin(s) * x[j]))
fn d_w_2_parts_at(j_4: i32, d_w_2: ptr<function, f32>) {
  let d = bitcast<f32>(slots[6]);
  let x_6 = d_w_2_parts_x[j_4];
  let d_5 = (d * x_6);
  let t_5 = ((*d_w_2) + d_5);
  (*d_w_2) = t_5;
}

@compute @workgroup_size(256)
fn d_w_2_parts(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var d_w_2: f32 = 0.0f;
  let points = u32(d_w_2_parts_params.k_2);
  for (var point = group.x * 256u + lane; point < points; point += groups.x * 256u) {
    d_w_2_parts_at(i32(point), &d_w_2);
  }
  d_w_2_parts_d_w_2_all[lane] = d_w_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      d_w_2_parts_join(&d_w_2, d_w_2_parts_d_w_2_all[lane + width]);
      d_w_2_parts_d_w_2_all[lane] = d_w_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    d_w_2_parts_d_w_2_parts_2[group.x] = d_w_2;
  }
}

struct d_w_6_Params {
  groups_2: i32,
}
@group(0) @binding(0) var<uniform> d_w_6_params: d_w_6_Params;
@group(0) @binding(3) var<storage, read> d_w_6_d_w_2_parts_2: array<f32>;
var<workgroup> d_w_6_d_w_2_all: array<f32, 256>;

fn d_w_6_join(d_w_2: ptr<function, f32>, d_w_2_part: f32) {
  let t_6 = ((*d_w_2) + d_w_2_part);
  (*d_w_2) = t_6;
}

@compute @workgroup_size(256)
fn d_w_6(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var d_w_2: f32 = 0.0f;
  let points = u32(d_w_6_params.groups_2);
  for (var point = lane; point < points; point += 256u) {
    d_w_6_join(&d_w_2, d_w_6_d_w_2_parts_2[point]);
  }
  d_w_6_d_w_2_all[lane] = d_w_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      d_w_6_join(&d_w_2, d_w_6_d_w_2_all[lane + width]);
      d_w_6_d_w_2_all[lane] = d_w_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    let d_w_2_found = d_w_2;
    d_w_2 = bitcast<f32>(slots[10]);
    d_w_6_join(&d_w_2, d_w_2_found);
    slots[10] = bitcast<u32>(d_w_2);
  }
}

struct d_w_7_Params {
  k_2: i32,
}
@group(0) @binding(0) var<uniform> d_w_7_params: d_w_7_Params;
@group(0) @binding(3) var<storage, read> d_w_7_x: array<f32>;
var<workgroup> d_w_7_d_w_2_all: array<f32, 256>;

fn d_w_7_join(d_w_2: ptr<function, f32>, d_w_2_part: f32) {
  let t_6 = ((*d_w_2) + d_w_2_part);
  (*d_w_2) = t_6;
}

// A point of a reduction: in tanh(sum(for j < k => x[j] * w) + loop s = w for j < k do sin(s) * x[j]))
fn d_w_7_at(j_4: i32, d_w_2: ptr<function, f32>) {
  let d = bitcast<f32>(slots[6]);
  let x_6 = d_w_7_x[j_4];
  let d_5 = (d * x_6);
  let t_5 = ((*d_w_2) + d_5);
  (*d_w_2) = t_5;
}

@compute @workgroup_size(256)
fn d_w_7(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  var d_w_2: f32 = 0.0f;
  let points = u32(d_w_7_params.k_2);
  for (var point = lane; point < points; point += 256u) {
    d_w_7_at(i32(point), &d_w_2);
  }
  d_w_7_d_w_2_all[lane] = d_w_2;
  workgroupBarrier();
  for (var width = 128u; width > 0u; width /= 2u) {
    if lane < width {
      d_w_7_join(&d_w_2, d_w_7_d_w_2_all[lane + width]);
      d_w_7_d_w_2_all[lane] = d_w_2;
    }
    workgroupBarrier();
  }
  if lane == 0u {
    let d_w_2_found_2 = d_w_2;
    d_w_2 = bitcast<f32>(slots[10]);
    d_w_7_join(&d_w_2, d_w_2_found_2);
    slots[10] = bitcast<u32>(d_w_2);
  }
}

// In order
@compute @workgroup_size(2)
fn d_w_8(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var d_w_2 = bitcast<f32>(slots[10]);
  let d_w_3 = d_w_2;
  slots[16] = bitcast<u32>(d_w_3);
}

struct ss_state_own_2_all_Params {
  chunk_length_2: i32,
  chunk_first_2: i32,
}
@group(0) @binding(0) var<uniform> ss_state_own_2_all_params: ss_state_own_2_all_Params;
@group(0) @binding(3) var<storage, read_write> ss_state_own_2_all_ss_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> ss_state_own_2_all_sins_state_own_2: array<f32>;
@group(0) @binding(5) var<storage, read> ss_state_own_2_all_x: array<f32>;
var<workgroup> ss_state_own_2_all_f32_told_0: f32;

fn ss_state_own_2_all_first() {
  for (var turn_3: i32 = 0i; turn_3 < ss_state_own_2_all_params.chunk_length_2; turn_3 += 1i) {
    let j_2 = (ss_state_own_2_all_params.chunk_first_2 + turn_3);
    let s_3 = s_state_2;
    ss_state_own_2_all_ss_state_own_2[j_2] = s_3;
    let sin_3 = arr_f32_sin(s_3);
    ss_state_own_2_all_sins_state_own_2[j_2] = sin_3;
    let x_4 = ss_state_own_2_all_x[j_2];
    let mul_3 = (sin_3 * x_4);
    s_state_2 = mul_3;
  }
}

// Small nests one after the other, the first of them: in tanh(sum(for j < k => x[j] * w) + loop s = w for j < k do sin(s) * x[j]))
@compute @workgroup_size(32)
fn ss_state_own_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  s_state_2 = bitcast<f32>(slots[4]);
  if lane == 0u {
    ss_state_own_2_all_first();
    ss_state_own_2_all_f32_told_0 = s_state_2;
  }
  workgroupBarrier();
  s_state_2 = ss_state_own_2_all_f32_told_0;
  if lane == 0u {
    slots[4] = bitcast<u32>(s_state_2);
  }
}

struct d_x_state_2_own_2_all_Params {
  chunk_length_3: i32,
  k_2: i32,
  chunk_first_3: i32,
}
@group(0) @binding(0) var<uniform> d_x_state_2_own_2_all_params: d_x_state_2_own_2_all_Params;
@group(0) @binding(3) var<storage, read> d_x_state_2_own_2_all_ss_4: array<f32>;
@group(0) @binding(4) var<storage, read> d_x_state_2_own_2_all_sins_4: array<f32>;
@group(0) @binding(5) var<storage, read> d_x_state_2_own_2_all_x: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_x_state_2_own_2_all_d_x_state_2_own_2: array<f32>;
var<workgroup> d_x_state_2_own_2_all_f32_told_0: f32;

fn d_x_state_2_own_2_all_first() {
  for (var turn_4: i32 = 0i; turn_4 < d_x_state_2_own_2_all_params.chunk_length_3; turn_4 += 1i) {
    let rest_2 = (d_x_state_2_own_2_all_params.k_2 - d_x_state_2_own_2_all_params.chunk_first_3);
    let last_3 = (rest_2 - 1i);
    let j_3 = (last_3 - turn_4);
    let d_s = d_s_state;
    let s_5 = d_x_state_2_own_2_all_ss_4[j_3];
    let sin_4 = d_x_state_2_own_2_all_sins_4[j_3];
    let x_5 = d_x_state_2_own_2_all_x[j_3];
    let d_2 = (d_s * x_5);
    let d_3 = (d_s * sin_4);
    let c = arr_f32_cos(s_5);
    let d_4 = (d_2 * c);
    let old = d_x_state_2_own_2_all_d_x_state_2_own_2[j_3];
    let t_4 = (old + d_3);
    d_x_state_2_own_2_all_d_x_state_2_own_2[j_3] = t_4;
    d_s_state = d_4;
  }
}

// Small nests one after the other, the first of them: in tanh(sum(for j < k => x[j] * w) + loop s = w for j < k do sin(s) * x[j]))
@compute @workgroup_size(32)
fn d_x_state_2_own_2_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  d_s_state = bitcast<f32>(slots[8]);
  if lane == 0u {
    d_x_state_2_own_2_all_first();
    d_x_state_2_own_2_all_f32_told_0 = d_s_state;
  }
  workgroupBarrier();
  d_s_state = d_x_state_2_own_2_all_f32_told_0;
  if lane == 0u {
    slots[8] = bitcast<u32>(d_s_state);
  }
}

// In order
@compute @workgroup_size(2)
fn d_s_3(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var d_s_state = bitcast<f32>(slots[8]);
  let d_s_2 = d_s_state;
  slots[18] = bitcast<u32>(d_s_2);
}

struct d_x_6_Params {
  k_2: i32,
}
@group(0) @binding(0) var<uniform> d_x_6_params: d_x_6_Params;
@group(0) @binding(3) var<storage, read_write> d_x_6_d_x_7: array<f32>;
// A point of a nest: in tanh(sum(for j < k => x[j] * w) + loop s = w for j < k do sin(s) * x[j]))
@compute @workgroup_size(256)
fn d_x_6(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_x_6_params.k_2) { return; }
  let j_5 = i32(point);
  let d_6 = bitcast<f32>(slots[12]);
  let old_2 = d_x_6_d_x_7[j_5];
  let t_7 = (old_2 + d_6);
  d_x_6_d_x_7[j_5] = t_7;
}

// In order
@compute @workgroup_size(2)
fn d_w_state_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  let d_w = bitcast<f32>(slots[2]);
  let d_s_2 = bitcast<f32>(slots[18]);
  let d_w_3 = bitcast<f32>(slots[16]);
  var d_w_state = bitcast<f32>(slots[0]);
  let d_w_4 = (d_w + d_s_2);
  let d_w_5 = (d_w_4 + d_w_3);
  d_w_state = d_w_5;
  slots[0] = bitcast<u32>(d_w_state);
}

// In order
@compute @workgroup_size(2)
fn d_w_9(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var d_w_state = bitcast<f32>(slots[0]);
  let d_w_10 = d_w_state;
  slots[20] = bitcast<u32>(d_w_10);
}

// The host:
// let lengths.data: address i64 = data lengths
// let x.data: address f32 = data x
// let tanhs: buffer f32 = alloc [n] @1
// let tanhs.data: address f32 = data tanhs
// run tanhs over n by 256 (n, m, w; lengths, x, tanhs)
// put d_w.state = 0.0f32
// let d_x: buffer f32 = alloc [m] @1
// let d_x.data: address f32 = data d_x
// run d_x over m by 256 (m; d_x)
// var d_x.state: buffer f32 = d_x
// let size: i64 = max m, 0
// let start: i64 = add 0, size
// let size.2: i64 = max m, 0
// let start.2: i64 = add start, size.2
// let work: i64 = div m, 32
// let work.2: i64 = add work, 1
// let work.3: i64 = div m, 32
// let work.4: i64 = add work.3, 1
// let work.5: i64 = add work.2, work.4
// let work.6: i64 = add work.5, m
// let work.7: i64 = add work.6, m
// let work.8: i64 = div m, 32
// let work.9: i64 = add work.8, 1
// let work.10: i64 = add work.9, 9
// let work.11: i64 = add work.7, work.10
// let work.12: i64 = div m, 32
// let work.13: i64 = add work.12, 1
// let work.14: i64 = add work.11, work.13
// let work.15: i64 = add work.14, 1
// let work.16: i64 = div 1048576, work.15
// let work.17: i64 = max work.16, 1
// let work.18: i64 = add n, work.17
// let work.19: i64 = sub work.18, 1
// let work.20: i64 = div work.19, work.17
// let fits: bool = le start.2, 16777216
// let fits.2: bool = le m, 8192
// let fit: bool = and fits, fits.2
// let fits.3: bool = le work.15, 1048576
// let fit.2: bool = and fit, fits.3
// if fit.2 {
//   let d_x.state.own.2: buffer f32 = unique d_x.state @1
//   set d_x.state = d_x.state.own.2
//   let arrays: buffer f32 = alloc [start.2] @1
//   for chunk < work.20 with chunk.first step work.17 @1 {
//     let chunk.length: i64 = sub n, chunk.first
//     let chunk.length: i64 = min work.17, chunk.length
//     run turn_loop over 1 by 1 (chunk.length, n, chunk.first, m, start, w; lengths, arrays, x, tanhs, d_x.state.own.2)
//   }
//   release arrays
// } else {
//   for i.4 < n reverse source @1 {
//     run k_3 over 1 by 1 (i.4, w, m; lengths, tanhs)
//     fetch k.2
//     let ss: buffer f32 = alloc [k.2] @4
//     let ss.data: address f32 = data ss
//     let sins: buffer f32 = alloc [k.2] @4
//     let sins.data: address f32 = data sins
//     let fits.4: bool = ge k.2, 128
//     if fits.4 {
//       run ss_3 over k.2 by 256 (k.2; ss, sins)
//     } else {
//       run ss over k.2 by 256 (k.2; ss)
//       run sins over k.2 by 256 (k.2; sins)
//     }
//     let short: bool = le k.2, 4096
//     if short {
//       run d_w_7 over 1 by 1 (k.2; x)
//     } else {
//       let s.6: i64 = add k.2, 4095
//       let s.7: i64 = div s.6, 4096
//       let groups: i64 = min s.7, 1024
//       let d_w.2.parts: buffer f32 = alloc [groups] @6
//       run d_w_2_parts over k.2 by 4096 at most 1024 (k.2; x, d_w.2.parts)
//       run d_w_6 over 1 by 1 (groups; d_w.2.parts)
//       release d_w.2.parts
//     }
//     run d_w_8 over 1 by 1 (; )
//     var ss.state: buffer f32 = ss
//     var sins.state: buffer f32 = sins
//     let work.21: i64 = add k.2, 1048576
//     let work.22: i64 = sub work.21, 1
//     let work.23: i64 = div work.22, 1048576
//     let ss.state.own.2: buffer f32 = unique ss.state @4
//     set ss.state = ss.state.own.2
//     let sins.state.own.2: buffer f32 = unique sins.state @4
//     set sins.state = sins.state.own.2
//     for chunk.2 < work.23 with chunk.first.2 step 1048576 @4 {
//       let chunk.length.2: i64 = sub k.2, chunk.first.2
//       let chunk.length.2: i64 = min 1048576, chunk.length.2
//       run ss_state_own_2_all over 1 by 1 (chunk.length.2, chunk.first.2; ss.state.own.2, sins.state.own.2, x)
//     }
//     let d_x.2: buffer f32 = d_x.state
//     var d_x.state.2: buffer f32 = d_x.2
//     let ss.4: buffer f32 = ss.state
//     let ss.4.data: address f32 = data ss.4
//     let sins.4: buffer f32 = sins.state
//     let sins.4.data: address f32 = data sins.4
//     let work.24: i64 = add k.2, 1048576
//     let work.25: i64 = sub work.24, 1
//     let work.26: i64 = div work.25, 1048576
//     let d_x.state.2.own.2: buffer f32 = unique d_x.state.2 @4
//     set d_x.state.2 = d_x.state.2.own.2
//     for chunk.3 < work.26 with chunk.first.3 step 1048576 @4 {
//       let chunk.length.3: i64 = sub k.2, chunk.first.3
//       let chunk.length.3: i64 = min 1048576, chunk.length.3
//       run d_x_state_2_own_2_all over 1 by 1 (chunk.length.3, k.2, chunk.first.3; ss.4, sins.4, x, d_x.state.2.own.2)
//     }
//     release ss.4
//     release sins.4
//     let d_x.5: buffer f32 = d_x.state.2
//     let d_x.6: buffer f32 = unique d_x.5 @7
//     let d_x.6.data: address f32 = data d_x.6
//     run d_s_3 over 1 by 1 (; )
//     run d_x_6 over k.2 by 256 (k.2; d_x.6)
//     run d_w_state_2 over 1 by 1 (; )
//     set d_x.state = d_x.6
//   }
// }
// release tanhs
// let d_x.7: buffer f32 = d_x.state
// run d_w_9 over 1 by 1 (; )
// return d_x.7 [m], d_w.6
