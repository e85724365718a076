// `gradient`: made by the Arr compiler.

// From the library: arr_f32_is_nan, arr_f32_exact, arr_f32_exp_most, arr_f32_ln2_high, arr_f32_ln2_low, arr_f32_scale, arr_f32_exp_tail, arr_f32_expm1, arr_f32_tanh.

// From kernels of products and sorts: product_tiles, product_parts, product_sums, product_dots, product_points, product_tiles_2, product_parts_2, product_sums_2, product_dots_2, product_points_2.

struct xs_Params {
  steps: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> xs_params: xs_Params;
@group(0) @binding(3) var<storage, read_write> xs_xs_2: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn xs(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(xs_params.steps) * u32(xs_params.d) { return; }
  let i = i32(point / u32(xs_params.d));
  let j = i32(point % u32(xs_params.d));
  let i_step = i * xs_params.d;
  let xs_data_row = i_step;
  xs_xs_2[xs_data_row + j] = 0.0f;
}

struct fors_Params {
  steps: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> fors_params: fors_Params;
@group(0) @binding(3) var<storage, read_write> fors_fors_2: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn fors(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(fors_params.steps) * u32(fors_params.d) { return; }
  let i_2 = i32(point / u32(fors_params.d));
  let j_2 = i32(point % u32(fors_params.d));
  let i_2_step = i_2 * fors_params.d;
  let fors_data_row = i_2_step;
  fors_fors_2[fors_data_row + j_2] = 0.0f;
}

struct xs_3_Params {
  steps: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> xs_3_params: xs_3_Params;
@group(0) @binding(3) var<storage, read_write> xs_3_xs_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> xs_3_fors_2: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn xs_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(xs_3_params.steps) { return; }
  let i = i32(point);
  let i_step = i * xs_3_params.d;
  let i_2_step = i * xs_3_params.d;
  let xs_data_row = i_step;
  for (var j: i32 = 0i; j < xs_3_params.d; j += 1i) {
    xs_3_xs_2[xs_data_row + j] = 0.0f;
  }
  let fors_data_row = i_2_step;
  for (var j_2: i32 = 0i; j_2 < xs_3_params.d; j_2 += 1i) {
    xs_3_fors_2[fors_data_row + j_2] = 0.0f;
  }
}

struct xs_all_Params {
  steps: i32,
  d: i32,
}
@group(0) @binding(0) var<uniform> xs_all_params: xs_all_Params;
@group(0) @binding(3) var<storage, read_write> xs_all_xs_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> xs_all_fors_2: array<f32>;

fn xs_all_at(i: i32, j: i32) {
  let i_step = i * xs_all_params.d;
  let xs_data_row = i_step;
  xs_all_xs_2[xs_data_row + j] = 0.0f;
}

fn xs_all_at_2(i_2: i32, j_2: i32) {
  let i_2_step = i_2 * xs_all_params.d;
  let fors_data_row = i_2_step;
  xs_all_fors_2[fors_data_row + j_2] = 0.0f;
}

// Small nests one after the other, the first of them: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn xs_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  {
    let points = u32(xs_all_params.steps) * u32(xs_all_params.d);
    for (var point = lane; point < points; point += 256u) {
      xs_all_at(i32(point / u32(xs_all_params.d)), i32(point % u32(xs_all_params.d)));
    }
  }
  {
    let points = u32(xs_all_params.steps) * u32(xs_all_params.d);
    for (var point = lane; point < points; point += 256u) {
      xs_all_at_2(i32(point / u32(xs_all_params.d)), i32(point % u32(xs_all_params.d)));
    }
  }
}

struct turn_loop_Params {
  size: i32,
  d: i32,
  chunk_length: i32,
  chunk_first: i32,
  start: i32,
}
@group(0) @binding(0) var<uniform> turn_loop_params: turn_loop_Params;
@group(0) @binding(3) var<storage, read_write> turn_loop_x_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> turn_loop_arrays: array<f32>;
@group(0) @binding(5) var<storage, read_write> turn_loop_xs_state_own_2: array<f32>;
@group(0) @binding(6) var<storage, read> turn_loop_w: array<f32>;
@group(0) @binding(7) var<storage, read_write> turn_loop_fors_state_own_2: array<f32>;
var<private> turn_2: i32;
var<private> data: i32;
var<private> data_2: i32;
var<private> x_state_at: i32;
var<private> x_2_data_2: i32;
var<private> xs_3_data_row_3: i32;
var<private> x_2_at: i32;
var<private> for_data_2: i32;
var<private> t_step: i32;
var<private> fors_3_data_row_2: i32;
var<private> for_at: i32;
var<private> data_3: i32;
var<private> data_4: i32;

fn turn_loop_scalars() {
  x_state_at = 0i;
  data_2 = 0i;
}

fn turn_loop_at(element: i32) {
  let copied = turn_loop_x_state_own_2[element];
  turn_loop_arrays[data_2 + element] = copied;
}

fn turn_loop_scalars_2() {
    let t = (turn_loop_params.chunk_first + turn_2);
    t_step = (t * turn_loop_params.d);
    x_2_at = x_state_at;
    x_2_data_2 = x_2_at;
    xs_3_data_row_3 = t_step;
}

fn turn_loop_at_2(i_3: i32) {
    let x_3 = turn_loop_arrays[x_2_data_2 + i_3];
    turn_loop_xs_state_own_2[xs_3_data_row_3 + i_3] = x_3;
}

fn turn_loop_scalars_3() {
    let place = (x_2_at != 0i);
    let place_2 = select(turn_loop_params.start, 0i, place);
    for_at = place_2;
    for_data_2 = for_at;
}

fn turn_loop_at_3(i_5: i32) {
    let i_5_step = i_5 * turn_loop_params.d;
    var sum_2: f32 = 0.0f;
    let w_data_row = i_5_step;
    for (var i_6: i32 = 0i; i_6 < turn_loop_params.d; i_6 += 1i) {
      let w_2 = turn_loop_w[w_data_row + i_6];
      let x_4 = turn_loop_arrays[x_2_data_2 + i_6];
      let mul = (w_2 * x_4);
      let t_3 = (sum_2 + mul);
      sum_2 = t_3;
    }
    let sum_3 = sum_2;
    let tanh_2 = arr_f32_tanh(sum_3);
    turn_loop_arrays[for_data_2 + i_5] = tanh_2;
}

fn turn_loop_scalars_4() {
    fors_3_data_row_2 = t_step;
}

fn turn_loop_at_4(i_7: i32) {
    let for_2 = turn_loop_arrays[for_data_2 + i_7];
    turn_loop_fors_state_own_2[fors_3_data_row_2 + i_7] = for_2;
}

fn turn_loop_scalars_5() {
    x_state_at = for_at;
}

fn turn_loop_scalars_6() {
  data_3 = x_state_at;
}

fn turn_loop_at_5(element_2: i32) {
  let copied_2 = turn_loop_arrays[data_3 + element_2];
  turn_loop_x_state_own_2[element_2] = copied_2;
}

// In order, in one workgroup: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn turn_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  turn_loop_scalars();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at(i32(point));
    }
  }
  for (var turn: i32 = 0i; turn < turn_loop_params.chunk_length; turn += 1i) {
    turn_2 = turn;
    turn_loop_scalars_2();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(turn_loop_params.d);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_2(i32(point));
      }
    }
    turn_loop_scalars_3();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(turn_loop_params.d);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_3(i32(point));
      }
    }
    turn_loop_scalars_4();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(turn_loop_params.d);
      for (var point = lane; point < points; point += 256u) {
        turn_loop_at_4(i32(point));
      }
    }
    turn_loop_scalars_5();
  }
  turn_loop_scalars_6();
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(turn_loop_params.size);
    for (var point = lane; point < points; point += 256u) {
      turn_loop_at_5(i32(point));
    }
  }
}

struct xs_4_Params {
  d: i32,
  xs_3_data_row: i32,
}
@group(0) @binding(0) var<uniform> xs_4_params: xs_4_Params;
@group(0) @binding(3) var<storage, read> xs_4_x_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> xs_4_xs_5: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn xs_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(xs_4_params.d) { return; }
  let i_3 = i32(point);
  let x_3 = xs_4_x_2[i_3];
  xs_4_xs_5[xs_4_params.xs_3_data_row + i_3] = x_3;
}

struct for_4_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> for_4_params: for_4_Params;
@group(0) @binding(3) var<storage, read_write> for_4_for_3: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn for_4(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_4_params.d) { return; }
  let i_4 = i32(point);
  let sum = for_4_for_3[i_4];
  let tanh_3 = arr_f32_tanh(sum);
  for_4_for_3[i_4] = tanh_3;
}

struct for_5_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> for_5_params: for_5_Params;
@group(0) @binding(3) var<storage, read> for_5_w: array<f32>;
@group(0) @binding(4) var<storage, read> for_5_x_2: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_5_for_3: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn for_5(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_5_params.d) { return; }
  let i_5 = i32(point);
  let i_5_step = i_5 * for_5_params.d;
  var sum_2: f32 = 0.0f;
  let w_data_row = i_5_step;
  for (var i_6: i32 = 0i; i_6 < for_5_params.d; i_6 += 1i) {
    let w_2 = for_5_w[w_data_row + i_6];
    let x_4 = for_5_x_2[i_6];
    let mul = (w_2 * x_4);
    let t_3 = (sum_2 + mul);
    sum_2 = t_3;
  }
  let sum_3 = sum_2;
  let tanh_2 = arr_f32_tanh(sum_3);
  for_5_for_3[i_5] = tanh_2;
}

struct for_rows_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> for_rows_params: for_rows_Params;
@group(0) @binding(3) var<storage, read> for_rows_w: array<f32>;
@group(0) @binding(4) var<storage, read> for_rows_x_2: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_rows_for_3: array<f32>;
var<workgroup> for_rows_f32_0: array<f32, 128>;
var<private> i_5: i32;
var<private> i_5_step: i32;
var<private> sum_2: f32;
var<private> w_data_row: i32;
var<private> tanh_2: f32;

fn for_rows_scalars() {
  sum_2 = 0.0f;
  w_data_row = i_5_step;
}

fn for_rows_join(sum_2_part: f32) {
  let t_4 = (sum_2 + sum_2_part);
  sum_2 = t_4;
}

fn for_rows_at(i_6: i32) {
  let w_2 = for_rows_w[w_data_row + i_6];
  let x_4 = for_rows_x_2[i_6];
  let mul = (w_2 * x_4);
  let t_3 = (sum_2 + mul);
  sum_2 = t_3;
}

fn for_rows_scalars_2() {
  let sum_3 = sum_2;
  tanh_2 = arr_f32_tanh(sum_3);
}

fn for_rows_first() {
  for_rows_for_3[i_5] = tanh_2;
}

// A workgroup a point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(128)
fn for_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(for_rows_params.d) { return; }
  i_5 = i32(mine);
  i_5_step = i_5 * for_rows_params.d;
  for_rows_scalars();
  let sum_2_before = sum_2;
  sum_2 = 0.0f;
  {
    let points = u32(for_rows_params.d);
    for (var point = lane; point < points; point += 128u) {
      for_rows_at(i32(point));
    }
  }
  for_rows_f32_0[lane] = sum_2;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      for_rows_join(for_rows_f32_0[lane + width]);
      for_rows_f32_0[lane] = sum_2;
    }
    workgroupBarrier();
  }
  sum_2 = sum_2_before;
  for_rows_join(for_rows_f32_0[0]);
  for_rows_scalars_2();
  if lane == 0u {
    for_rows_first();
  }
}

struct fors_3_Params {
  d: i32,
  fors_3_data_row: i32,
}
@group(0) @binding(0) var<uniform> fors_3_params: fors_3_Params;
@group(0) @binding(3) var<storage, read> fors_3_for_3: array<f32>;
@group(0) @binding(4) var<storage, read_write> fors_3_fors_4: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn fors_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(fors_3_params.d) { return; }
  let i_7 = i32(point);
  let for_2 = fors_3_for_3[i_7];
  fors_3_fors_4[fors_3_params.fors_3_data_row + i_7] = for_2;
}

struct d_last_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> d_last_params: d_last_Params;
@group(0) @binding(3) var<storage, read_write> d_last_d_last_2: array<f32>;
// A point of a nest: in sum(last)
@compute @workgroup_size(256)
fn d_last(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_last_params.d) { return; }
  let i_8 = i32(point);
  d_last_d_last_2[i_8] = 1.0f;
}

struct d_w_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> d_w_params: d_w_Params;
@group(0) @binding(3) var<storage, read_write> d_w_d_w_2: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn d_w(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_w_params.d) * u32(d_w_params.d) { return; }
  let i_9 = i32(point / u32(d_w_params.d));
  let j_3 = i32(point % u32(d_w_params.d));
  let i_9_step = i_9 * d_w_params.d;
  let d_w_data_row = i_9_step;
  d_w_d_w_2[d_w_data_row + j_3] = 0.0f;
}

struct d_last_3_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> d_last_3_params: d_last_3_Params;
@group(0) @binding(3) var<storage, read_write> d_last_3_d_last_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_last_3_d_w_2: array<f32>;
// A point of a nest: in sum(last)
@compute @workgroup_size(256)
fn d_last_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_last_3_params.d) { return; }
  let i_8 = i32(point);
  let i_9_step = i_8 * d_last_3_params.d;
  d_last_3_d_last_2[i_8] = 1.0f;
  let d_w_data_row = i_9_step;
  for (var j_3: i32 = 0i; j_3 < d_last_3_params.d; j_3 += 1i) {
    d_last_3_d_w_2[d_w_data_row + j_3] = 0.0f;
  }
}

struct d_last_all_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> d_last_all_params: d_last_all_Params;
@group(0) @binding(3) var<storage, read_write> d_last_all_d_last_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> d_last_all_d_w_2: array<f32>;

fn d_last_all_at(i_8: i32) {
  d_last_all_d_last_2[i_8] = 1.0f;
}

fn d_last_all_at_2(i_9: i32, j_3: i32) {
  let i_9_step = i_9 * d_last_all_params.d;
  let d_w_data_row = i_9_step;
  d_last_all_d_w_2[d_w_data_row + j_3] = 0.0f;
}

// Small nests one after the other, the first of them: in sum(last)
@compute @workgroup_size(256)
fn d_last_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  {
    let points = u32(d_last_all_params.d);
    for (var point = lane; point < points; point += 256u) {
      d_last_all_at(i32(point));
    }
  }
  {
    let points = u32(d_last_all_params.d) * u32(d_last_all_params.d);
    for (var point = lane; point < points; point += 256u) {
      d_last_all_at_2(i32(point / u32(d_last_all_params.d)), i32(point % u32(d_last_all_params.d)));
    }
  }
}

struct turn_2_loop_Params {
  size_3: i32,
  size_6: i32,
  d: i32,
  chunk_length_2: i32,
  start_3: i32,
  start_4: i32,
  steps: i32,
  chunk_first_2: i32,
  start_5: i32,
}
@group(0) @binding(0) var<uniform> turn_2_loop_params: turn_2_loop_Params;
@group(0) @binding(3) var<storage, read_write> turn_2_loop_d_x_state_own_2: array<f32>;
@group(0) @binding(4) var<storage, read_write> turn_2_loop_arrays_2: array<f32>;
@group(0) @binding(5) var<storage, read_write> turn_2_loop_d_w_state_own_2: array<f32>;
@group(0) @binding(6) var<storage, read> turn_2_loop_fors_5: array<f32>;
@group(0) @binding(7) var<storage, read> turn_2_loop_w: array<f32>;
@group(0) @binding(8) var<storage, read> turn_2_loop_xs_6: array<f32>;
var<private> turn_3: i32;
var<private> data_5: i32;
var<private> data_6: i32;
var<private> data_7: i32;
var<private> data_8: i32;
var<private> d_w_state_at: i32;
var<private> fors_4_data_row: i32;
var<private> d_x_data_2: i32;
var<private> d_sum_data_2: i32;
var<private> d_x_3_data_2: i32;
var<private> d_w_2_at: i32;
var<private> t_5_step: i32;
var<private> d_w_2_data_2: i32;
var<private> d_w_3_data_2: i32;
var<private> xs_4_data_row: i32;
var<private> d_w_3_at: i32;
var<private> data_9: i32;
var<private> data_10: i32;
var<private> data_11: i32;
var<private> data_12: i32;

fn turn_2_loop_scalars() {
  data_6 = turn_2_loop_params.start_3;
}

fn turn_2_loop_at(element_3: i32) {
  let copied_3 = turn_2_loop_d_x_state_own_2[element_3];
  turn_2_loop_arrays_2[data_6 + element_3] = copied_3;
}

fn turn_2_loop_scalars_2() {
  d_w_state_at = turn_2_loop_params.start_4;
  data_8 = turn_2_loop_params.start_4;
}

fn turn_2_loop_at_2(element_4: i32) {
  let copied_4 = turn_2_loop_d_w_state_own_2[element_4];
  turn_2_loop_arrays_2[data_8 + element_4] = copied_4;
}

fn turn_2_loop_scalars_3() {
    let rest = (turn_2_loop_params.steps - turn_2_loop_params.chunk_first_2);
    let last_2 = (rest - 1i);
    let t_5 = (last_2 - turn_3);
    t_5_step = (t_5 * turn_2_loop_params.d);
    d_w_2_at = d_w_state_at;
    fors_4_data_row = t_5_step;
    d_x_data_2 = turn_2_loop_params.start_3;
    d_sum_data_2 = 0i;
}

fn turn_2_loop_at_3(i_10: i32) {
    let tanh_4 = turn_2_loop_fors_5[fors_4_data_row + i_10];
    let d_x_2 = turn_2_loop_arrays_2[d_x_data_2 + i_10];
    let t_6 = (tanh_4 * tanh_4);
    let t_7 = (1.0f - t_6);
    let d_2 = (d_x_2 * t_7);
    turn_2_loop_arrays_2[d_sum_data_2 + i_10] = d_2;
}

fn turn_2_loop_scalars_4() {
    d_x_3_data_2 = turn_2_loop_params.start_3;
}

fn turn_2_loop_at_4(i_11: i32) {
    var d_x_4: f32 = 0.0f;
    let w_data_row_2 = i_11;
    for (var i_12: i32 = 0i; i_12 < turn_2_loop_params.d; i_12 += 1i) {
      let i_12_step = i_12 * turn_2_loop_params.d;
      let w_3 = turn_2_loop_w[w_data_row_2 + i_12_step];
      let d_for = turn_2_loop_arrays_2[d_sum_data_2 + i_12];
      let d_3 = (d_for * w_3);
      let t_8 = (d_x_4 + d_3);
      d_x_4 = t_8;
    }
    let d_x_5 = d_x_4;
    turn_2_loop_arrays_2[d_x_3_data_2 + i_11] = d_x_5;
}

fn turn_2_loop_scalars_5() {
    let place_3 = (d_w_2_at != turn_2_loop_params.start_4);
    let place_4 = select(turn_2_loop_params.start_5, turn_2_loop_params.start_4, place_3);
    d_w_3_at = place_4;
    d_w_2_data_2 = d_w_2_at;
    xs_4_data_row = t_5_step;
    d_w_3_data_2 = d_w_3_at;
}

fn turn_2_loop_at_5(i_13: i32, j_4: i32) {
    let i_13_step = i_13 * turn_2_loop_params.d;
    let d_w_2_data_row_2 = d_w_2_data_2 + i_13_step;
    let d_for_2 = turn_2_loop_arrays_2[d_sum_data_2 + i_13];
    let d_w_3_data_row_2 = d_w_3_data_2 + i_13_step;
    let d_w_4 = turn_2_loop_arrays_2[d_w_2_data_row_2 + j_4];
    let x_5 = turn_2_loop_xs_6[xs_4_data_row + j_4];
    let d_4 = (d_for_2 * x_5);
    let d_w_5 = (d_w_4 + d_4);
    turn_2_loop_arrays_2[d_w_3_data_row_2 + j_4] = d_w_5;
}

fn turn_2_loop_scalars_6() {
    d_w_state_at = d_w_3_at;
}

fn turn_2_loop_scalars_7() {
  data_9 = turn_2_loop_params.start_3;
}

fn turn_2_loop_at_6(element_5: i32) {
  let copied_5 = turn_2_loop_arrays_2[data_9 + element_5];
  turn_2_loop_d_x_state_own_2[element_5] = copied_5;
}

fn turn_2_loop_scalars_8() {
  data_11 = d_w_state_at;
}

fn turn_2_loop_at_7(element_6: i32) {
  let copied_6 = turn_2_loop_arrays_2[data_11 + element_6];
  turn_2_loop_d_w_state_own_2[element_6] = copied_6;
}

// In order, in one workgroup: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn turn_2_loop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  turn_2_loop_scalars();
  {
    let points = u32(turn_2_loop_params.size_3);
    for (var point = lane; point < points; point += 256u) {
      turn_2_loop_at(i32(point));
    }
  }
  turn_2_loop_scalars_2();
  {
    let points = u32(turn_2_loop_params.size_6);
    for (var point = lane; point < points; point += 256u) {
      turn_2_loop_at_2(i32(point));
    }
  }
  for (var turn: i32 = 0i; turn < turn_2_loop_params.chunk_length_2; turn += 1i) {
    turn_3 = turn;
    turn_2_loop_scalars_3();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(turn_2_loop_params.d);
      for (var point = lane; point < points; point += 256u) {
        turn_2_loop_at_3(i32(point));
      }
    }
    turn_2_loop_scalars_4();
    storageBarrier();
    workgroupBarrier();
    {
      let points = u32(turn_2_loop_params.d);
      for (var point = lane; point < points; point += 256u) {
        turn_2_loop_at_4(i32(point));
      }
    }
    turn_2_loop_scalars_5();
    {
      let points = u32(turn_2_loop_params.d) * u32(turn_2_loop_params.d);
      for (var point = lane; point < points; point += 256u) {
        turn_2_loop_at_5(i32(point / u32(turn_2_loop_params.d)), i32(point % u32(turn_2_loop_params.d)));
      }
    }
    turn_2_loop_scalars_6();
  }
  turn_2_loop_scalars_7();
  storageBarrier();
  workgroupBarrier();
  {
    let points = u32(turn_2_loop_params.size_3);
    for (var point = lane; point < points; point += 256u) {
      turn_2_loop_at_6(i32(point));
    }
  }
  turn_2_loop_scalars_8();
  {
    let points = u32(turn_2_loop_params.size_6);
    for (var point = lane; point < points; point += 256u) {
      turn_2_loop_at_7(i32(point));
    }
  }
}

struct d_sum_Params {
  d: i32,
  fors_4_data_row: i32,
}
@group(0) @binding(0) var<uniform> d_sum_params: d_sum_Params;
@group(0) @binding(3) var<storage, read> d_sum_fors_5: array<f32>;
@group(0) @binding(4) var<storage, read> d_sum_d_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_sum_d_sum_2: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn d_sum(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_sum_params.d) { return; }
  let i_10 = i32(point);
  let tanh_4 = d_sum_fors_5[d_sum_params.fors_4_data_row + i_10];
  let d_x_2 = d_sum_d_x[i_10];
  let t_6 = (tanh_4 * tanh_4);
  let t_7 = (1.0f - t_6);
  let d_2 = (d_x_2 * t_7);
  d_sum_d_sum_2[i_10] = d_2;
}

struct d_w_3_Params {
  d: i32,
  xs_4_data_row: i32,
}
@group(0) @binding(0) var<uniform> d_w_3_params: d_w_3_Params;
@group(0) @binding(3) var<storage, read> d_w_3_d_sum_2: array<f32>;
@group(0) @binding(4) var<storage, read> d_w_3_d_w_6: array<f32>;
@group(0) @binding(5) var<storage, read> d_w_3_xs_6: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_w_3_d_w_7: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn d_w_3(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_w_3_params.d) * u32(d_w_3_params.d) { return; }
  let i_13 = i32(point / u32(d_w_3_params.d));
  let j_4 = i32(point % u32(d_w_3_params.d));
  let i_13_step = i_13 * d_w_3_params.d;
  let d_w_2_data_row = i_13_step;
  let d_for_2 = d_w_3_d_sum_2[i_13];
  let d_w_3_data_row = i_13_step;
  let d_w_4 = d_w_3_d_w_6[d_w_2_data_row + j_4];
  let x_5 = d_w_3_xs_6[d_w_3_params.xs_4_data_row + j_4];
  let d_4 = (d_for_2 * x_5);
  let d_w_5 = (d_w_4 + d_4);
  d_w_3_d_w_7[d_w_3_data_row + j_4] = d_w_5;
}

struct d_x_6_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> d_x_6_params: d_x_6_Params;
@group(0) @binding(3) var<storage, read> d_x_6_w: array<f32>;
@group(0) @binding(4) var<storage, read> d_x_6_d_sum_2: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_x_6_d_x_3: array<f32>;
// A point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(256)
fn d_x_6(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_x_6_params.d) { return; }
  let i_11 = i32(point);
  var d_x_4: f32 = 0.0f;
  let w_data_row_2 = i_11;
  for (var i_12: i32 = 0i; i_12 < d_x_6_params.d; i_12 += 1i) {
    let i_12_step = i_12 * d_x_6_params.d;
    let w_3 = d_x_6_w[w_data_row_2 + i_12_step];
    let d_for = d_x_6_d_sum_2[i_12];
    let d_3 = (d_for * w_3);
    let t_8 = (d_x_4 + d_3);
    d_x_4 = t_8;
  }
  let d_x_5 = d_x_4;
  d_x_6_d_x_3[i_11] = d_x_5;
}

struct d_x_3_rows_Params {
  d: i32,
}
@group(0) @binding(0) var<uniform> d_x_3_rows_params: d_x_3_rows_Params;
@group(0) @binding(3) var<storage, read> d_x_3_rows_w: array<f32>;
@group(0) @binding(4) var<storage, read> d_x_3_rows_d_sum_2: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_x_3_rows_d_x_3: array<f32>;
var<workgroup> d_x_3_rows_f32_0: array<f32, 128>;
var<private> i_11: i32;
var<private> d_x_4: f32;
var<private> w_data_row_2: i32;
var<private> d_x_5: f32;

fn d_x_3_rows_scalars() {
  d_x_4 = 0.0f;
  w_data_row_2 = i_11;
}

fn d_x_3_rows_join(d_x_4_part: f32) {
  let t_9 = (d_x_4 + d_x_4_part);
  d_x_4 = t_9;
}

fn d_x_3_rows_at(i_12: i32) {
  let i_12_step = i_12 * d_x_3_rows_params.d;
  let w_3 = d_x_3_rows_w[w_data_row_2 + i_12_step];
  let d_for = d_x_3_rows_d_sum_2[i_12];
  let d_3 = (d_for * w_3);
  let t_8 = (d_x_4 + d_3);
  d_x_4 = t_8;
}

fn d_x_3_rows_scalars_2() {
  d_x_5 = d_x_4;
}

fn d_x_3_rows_first() {
  d_x_3_rows_d_x_3[i_11] = d_x_5;
}

// A workgroup a point of a nest: let last = loop x = x for t < steps do for i < d => tanh(sum(for j < d => w[i, j] * x[j]))
@compute @workgroup_size(128)
fn d_x_3_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_x_3_rows_params.d) { return; }
  i_11 = i32(mine);
  d_x_3_rows_scalars();
  let d_x_4_before = d_x_4;
  d_x_4 = 0.0f;
  {
    let points = u32(d_x_3_rows_params.d);
    for (var point = lane; point < points; point += 128u) {
      d_x_3_rows_at(i32(point));
    }
  }
  d_x_3_rows_f32_0[lane] = d_x_4;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_x_3_rows_join(d_x_3_rows_f32_0[lane + width]);
      d_x_3_rows_f32_0[lane] = d_x_4;
    }
    workgroupBarrier();
  }
  d_x_4 = d_x_4_before;
  d_x_3_rows_join(d_x_3_rows_f32_0[0]);
  d_x_3_rows_scalars_2();
  if lane == 0u {
    d_x_3_rows_first();
  }
}

// The host:
// let xs: buffer f32 = alloc [steps, d] @1
// let xs.data: address f32 = data xs
// let fors: buffer f32 = alloc [steps, d] @1
// let fors.data: address f32 = data fors
// let s.2: i64 = mul steps, d
// let fits.3: bool = le s.2, 32768
// if fits.3 {
//   run xs_all over 1 by 1 (steps, d; xs, fors)
// } else {
//   let fits: bool = ge steps, 128
//   let fits.2: bool = le d, 1024
//   let fit: bool = and fits, fits.2
//   if fit {
//     run xs_3 over steps by 256 (steps, d; xs, fors)
//   } else {
//     run xs over steps, d by 256 (steps, d; xs)
//     run fors over steps, d by 256 (steps, d; fors)
//   }
// }
// retain x
// var x.state: buffer f32 = x
// var xs.state: buffer f32 = xs
// var fors.state: buffer f32 = fors
// let s: i64 = mul d, d
// let t.2: bool = ge s, 4096
// let w.data: address f32 = data w
// let size: i64 = max d, 0
// let start: i64 = add 0, size
// let start.2: i64 = add start, size
// let work: i64 = div d, 32
// let work.2: i64 = add work, 1
// let work.3: i64 = div d, 32
// let work.4: i64 = add work.3, 1
// let work.5: i64 = div d, 32
// let work.6: i64 = add work.5, 1
// let work.7: i64 = add work.6, 9
// let work.8: i64 = add work.7, 1
// let work.9: i64 = mul work.4, work.8
// let work.10: i64 = add work.2, work.9
// let work.11: i64 = div d, 32
// let work.12: i64 = add work.11, 1
// let work.13: i64 = add work.10, work.12
// let work.14: i64 = add work.13, 1
// let work.15: i64 = div 1048576, work.14
// let work.16: i64 = max work.15, 1
// let work.17: i64 = add steps, work.16
// let work.18: i64 = sub work.17, 1
// let work.19: i64 = div work.18, work.16
// let fits.4: bool = le start.2, 16777216
// let fits.5: bool = le d, 8192
// let fit.2: bool = and fits.4, fits.5
// let s.3: i64 = mul d, d
// let fits.6: bool = le s.3, 8192
// let fit.3: bool = and fit.2, fits.6
// let fits.7: bool = le work.14, 1048576
// let fit.4: bool = and fit.3, fits.7
// if fit.4 {
//   let xs.state.own.2: buffer f32 = unique xs.state @1
//   set xs.state = xs.state.own.2
//   let fors.state.own.2: buffer f32 = unique fors.state @1
//   set fors.state = fors.state.own.2
//   let x.state.own.2: buffer f32 = unique x.state @1
//   set x.state = x.state.own.2
//   let arrays: buffer f32 = alloc [start.2] @1
//   for chunk < work.19 with chunk.first step work.16 @1 {
//     let chunk.length: i64 = sub steps, chunk.first
//     let chunk.length: i64 = min work.16, chunk.length
//     run turn_loop over 1 by 1 (size, d, chunk.length, chunk.first, start; x.state.own.2, arrays, xs.state.own.2, w, fors.state.own.2)
//   }
//   release arrays
// } else {
//   for t < steps with t.step step d source @1 {
//     let xs.2: buffer f32 = xs.state
//     let xs.3: buffer f32 = unique xs.2 @1
//     let x.2: buffer f32 = x.state
//     let x.2.data: address f32 = data x.2
//     let xs.3.data: address f32 = data xs.3
//     let xs.3.data.row: address f32 = offset xs.3.data[t.step]
//     run xs_4 over d by 256 (d, xs.3.data.row; x.2, xs.3)
//     let for: buffer f32 = alloc [d] @2
//     let for.data: address f32 = data for
//     if t.2 {
//       let rows: i64 = max d, 0
//       let inner: i64 = max d, 0
//       let least: i64 = min rows, 1
//       let tiled: bool = ge least, 16
//       let long: bool = ge inner, 128
//       let elements: i64 = max rows, 0
//       let elements.2: i64 = mul elements, 1
//       let few: bool = lt elements.2, 16384
//       let wide: bool = ge rows, 1
//       let step: i64 = select wide, 1, 1
//       let near: bool = eq step, 1
//       let good: bool = or few, near
//       let dots: bool = and long, good
//       if tiled {
//         let tile_rows: i64 = add rows, 63
//         let tile_rows.2: i64 = div tile_rows, 64
//         let squares: i64 = max tile_rows.2, 0
//         let squares.2: i64 = mul squares, 1
//         let few.2: bool = lt squares.2, 64
//         let long.2: bool = ge inner, 1024
//         let split: bool = and few.2, long.2
//         if split {
//           let part: i64 = add inner, 63
//           let part.2: i64 = div part, 64
//           let part.3: i64 = max part.2, 512
//           let part.4: i64 = add part.3, 15
//           let part.5: i64 = div part.4, 16
//           let part.6: i64 = mul part.5, 16
//           let parts: i64 = sub part.6, 1
//           let parts.2: i64 = add inner, parts
//           let parts.3: i64 = div parts.2, part.6
//           let partial: buffer f32 = alloc [parts.3, 1, rows, 1]
//           run product_parts over 1, tile_rows.2, 1, parts.3 by 1 (rows, inner, tile_rows.2, part.6, parts.3, w.data, x.2.data, d; w, x.2, partial)
//           run product_sums over 1, rows, 1 by 256 (rows, parts.3, for.data; partial, for)
//           release partial
//         } else {
//           run product_tiles over 1, tile_rows.2, 1 by 1 (rows, inner, tile_rows.2, w.data, x.2.data, d, for.data; w, x.2, for)
//         }
//       } else {
//         if dots {
//           run product_dots over 1, rows, 1 by 1 (rows, inner, for.data, w.data, d, x.2.data; w, x.2, for)
//         } else {
//           run product_points over 1, rows, 1 by 256 (rows, inner, for.data, w.data, d, x.2.data; w, x.2, for)
//         }
//       }
//       run for_4 over d by 256 (d; for)
//     } else {
//       let fits.8: bool = ge d, 128
//       let fits.9: bool = le d, 16384
//       let fit.5: bool = and fits.8, fits.9
//       if fit.5 {
//         run for_rows over d by 1 (d; w, x.2, for)
//       } else {
//         run for_5 over d by 256 (d; w, x.2, for)
//       }
//     }
//     release x.2
//     let fors.2: buffer f32 = fors.state
//     let fors.3: buffer f32 = unique fors.2 @1
//     let fors.3.data: address f32 = data fors.3
//     let fors.3.data.row: address f32 = offset fors.3.data[t.step]
//     run fors_3 over d by 256 (d, fors.3.data.row; for, fors.3)
//     set x.state = for
//     set xs.state = xs.3
//     set fors.state = fors.3
//   }
// }
// let d_last: buffer f32 = alloc [d] @4
// let d_last.data: address f32 = data d_last
// let d_w: buffer f32 = alloc [d, d] @1
// let d_w.data: address f32 = data d_w
// let fits.12: bool = le d, 32768
// let s.4: i64 = mul d, d
// let fits.13: bool = le s.4, 32768
// let fit.7: bool = and fits.12, fits.13
// if fit.7 {
//   run d_last_all over 1 by 1 (d; d_last, d_w)
// } else {
//   let fits.10: bool = ge d, 128
//   let fits.11: bool = le d, 1024
//   let fit.6: bool = and fits.10, fits.11
//   if fit.6 {
//     run d_last_3 over d by 256 (d; d_last, d_w)
//   } else {
//     run d_last over d by 256 (d; d_last)
//     run d_w over d, d by 256 (d; d_w)
//   }
// }
// var d_x.state: buffer f32 = d_last
// var d_w.state: buffer f32 = d_w
// let fors.4: buffer f32 = fors.state
// let fors.4.data: address f32 = data fors.4
// let xs.4: buffer f32 = xs.state
// let xs.4.data: address f32 = data xs.4
// let size.2: i64 = max d, 0
// let start.3: i64 = add 0, size.2
// let size.3: i64 = max d, 0
// let start.4: i64 = add start.3, size.3
// let size.4: i64 = max d, 0
// let size.5: i64 = max d, 0
// let size.6: i64 = mul size.4, size.5
// let start.5: i64 = add start.4, size.6
// let start.6: i64 = add start.5, size.6
// let work.20: i64 = div d, 32
// let work.21: i64 = add work.20, 1
// let work.22: i64 = div d, 32
// let work.23: i64 = add work.22, 1
// let work.24: i64 = div d, 32
// let work.25: i64 = add work.24, 1
// let work.26: i64 = add work.25, 9
// let work.27: i64 = add work.26, 1
// let work.28: i64 = mul work.23, work.27
// let work.29: i64 = add work.21, work.28
// let work.30: i64 = mul d, d
// let work.31: i64 = div work.30, 32
// let work.32: i64 = add work.31, 1
// let work.33: i64 = add work.29, work.32
// let work.34: i64 = add work.33, 1
// let work.35: i64 = div 1048576, work.34
// let work.36: i64 = max work.35, 1
// let work.37: i64 = add steps, work.36
// let work.38: i64 = sub work.37, 1
// let work.39: i64 = div work.38, work.36
// let fits.14: bool = le start.6, 16777216
// let fits.15: bool = le d, 8192
// let fit.8: bool = and fits.14, fits.15
// let s.5: i64 = mul d, d
// let fits.16: bool = le s.5, 8192
// let fit.9: bool = and fit.8, fits.16
// let fits.17: bool = le work.34, 1048576
// let fit.10: bool = and fit.9, fits.17
// if fit.10 {
//   let d_x.state.own.2: buffer f32 = unique d_x.state @1
//   set d_x.state = d_x.state.own.2
//   let d_w.state.own.2: buffer f32 = unique d_w.state @1
//   set d_w.state = d_w.state.own.2
//   let arrays.2: buffer f32 = alloc [start.6] @1
//   for chunk.2 < work.39 with chunk.first.2 step work.36 @1 {
//     let chunk.length.2: i64 = sub steps, chunk.first.2
//     let chunk.length.2: i64 = min work.36, chunk.length.2
//     run turn_2_loop over 1 by 1 (size.3, size.6, d, chunk.length.2, start.3, start.4, steps, chunk.first.2, start.5; d_x.state.own.2, arrays.2, d_w.state.own.2, fors.4, w, xs.4)
//   }
//   release arrays.2
// } else {
//   for t.5 < steps reverse with t.5.step step d source @1 {
//     let fors.4.data.row: address f32 = offset fors.4.data[t.5.step]
//     let d_x: buffer f32 = d_x.state
//     let d_x.data: address f32 = data d_x
//     let d_sum: buffer f32 = alloc [d] @2
//     let d_sum.data: address f32 = data d_sum
//     let d_w.2: buffer f32 = d_w.state
//     let d_w.2.data: address f32 = data d_w.2
//     let xs.4.data.row: address f32 = offset xs.4.data[t.5.step]
//     let d_w.3: buffer f32 = alloc [d, d] @5
//     let d_w.3.data: address f32 = data d_w.3
//     run d_sum over d by 256 (d, fors.4.data.row; fors.4, d_x, d_sum)
//     run d_w_3 over d, d by 256 (d, xs.4.data.row; d_sum, d_w.2, xs.4, d_w.3)
//     release d_x
//     release d_w.2
//     let d_x.3: buffer f32 = alloc [d] @5
//     let d_x.3.data: address f32 = data d_x.3
//     if t.2 {
//       let columns: i64 = max d, 0
//       let inner.2: i64 = max d, 0
//       let least.2: i64 = min 1, columns
//       let tiled.2: bool = ge least.2, 16
//       let long.3: bool = ge inner.2, 128
//       let elements.3: i64 = max columns, 0
//       let few.3: bool = lt elements.3, 16384
//       let wide.2: bool = ge 1, columns
//       let step.2: i64 = select wide.2, 1, d
//       let near.2: bool = eq step.2, 1
//       let good.2: bool = or few.3, near.2
//       let dots.2: bool = and long.3, good.2
//       if tiled.2 {
//         let tile_columns: i64 = add columns, 63
//         let tile_columns.2: i64 = div tile_columns, 64
//         let squares.3: i64 = max tile_columns.2, 0
//         let few.4: bool = lt squares.3, 64
//         let long.4: bool = ge inner.2, 1024
//         let split.2: bool = and few.4, long.4
//         if split.2 {
//           let part.7: i64 = add inner.2, 63
//           let part.8: i64 = div part.7, 64
//           let part.9: i64 = max part.8, 512
//           let part.10: i64 = add part.9, 15
//           let part.11: i64 = div part.10, 16
//           let part.12: i64 = mul part.11, 16
//           let parts.4: i64 = sub part.12, 1
//           let parts.5: i64 = add inner.2, parts.4
//           let parts.6: i64 = div parts.5, part.12
//           let partial.2: buffer f32 = alloc [parts.6, 1, 1, columns]
//           run product_parts_2 over tile_columns.2, 1, 1, parts.6 by 1 (columns, inner.2, tile_columns.2, part.12, parts.6, d_sum.data, w.data, d; d_sum, w, partial.2)
//           run product_sums_2 over 1, 1, columns by 256 (columns, parts.6, d_x.3.data; partial.2, d_x.3)
//           release partial.2
//         } else {
//           run product_tiles_2 over tile_columns.2, 1, 1 by 1 (columns, inner.2, tile_columns.2, d_sum.data, w.data, d, d_x.3.data; d_sum, w, d_x.3)
//         }
//       } else {
//         if dots.2 {
//           run product_dots_2 over 1, 1, columns by 1 (columns, inner.2, d_x.3.data, d_sum.data, w.data, d; d_sum, w, d_x.3)
//         } else {
//           run product_points_2 over 1, 1, columns by 256 (columns, inner.2, d_x.3.data, d_sum.data, w.data, d; d_sum, w, d_x.3)
//         }
//       }
//     } else {
//       let fits.18: bool = ge d, 128
//       let fits.19: bool = le d, 16384
//       let fit.11: bool = and fits.18, fits.19
//       if fit.11 {
//         run d_x_3_rows over d by 1 (d; w, d_sum, d_x.3)
//       } else {
//         run d_x_6 over d by 256 (d; w, d_sum, d_x.3)
//       }
//     }
//     release d_sum
//     set d_x.state = d_x.3
//     set d_w.state = d_w.3
//   }
// }
// release xs.4
// release fors.4
// let last: buffer f32 = x.state
// release last
// let d_x.6: buffer f32 = d_x.state
// let d_w.6: buffer f32 = d_w.state
// return d_w.6 [d, d], d_x.6 [d]
