// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_checked_stop, arr_checked_wide, arr_checked_add.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

struct d_y_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> d_y_params: d_y_Params;
@group(0) @binding(3) var<storage, read> d_y_w: array<f32>;
@group(0) @binding(4) var<storage, read> d_y_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_y_d_y_3: array<f32>;
// A point of a nest: sum(for i < n => let y = sum(for j < 3 => if i + j < n then w[j] * x[i + j] else 0.0f32) in y * y)
@compute @workgroup_size(256)
fn d_y(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(d_y_params.n) { return; }
  let i = i32(point);
  var y: f32 = 0.0f;
  let x_data_row = i;
  for (var i_2: i32 = 0i; i_2 < 3i; i_2 += 1i) {
    let s = arr_checked_add(i, i_2, 1u);
    let lt = (s < d_y_params.n);
    var if_2: f32;
    let w_2 = d_y_w[i_2];
    if lt {
      let x_2 = d_y_x[x_data_row + i_2];
      let mul = (w_2 * x_2);
      if_2 = mul;
    } else {
      if_2 = 0.0f;
    }
    let if_3 = if_2;
    let t = (y + if_3);
    y = t;
  }
  let y_2 = y;
  let d_y_2 = (y_2 + y_2);
  d_y_d_y_3[i] = d_y_2;
}

struct d_y_rows_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> d_y_rows_params: d_y_rows_Params;
@group(0) @binding(3) var<storage, read> d_y_rows_w: array<f32>;
@group(0) @binding(4) var<storage, read> d_y_rows_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_y_rows_d_y_3: array<f32>;
var<private> i: i32;
var<private> d_y_2: f32;

fn d_y_rows_scalars() {
  var y: f32 = 0.0f;
  let x_data_row = i;
  for (var i_2: i32 = 0i; i_2 < 3i; i_2 += 1i) {
    let s = arr_checked_add(i, i_2, 1u);
    let lt = (s < d_y_rows_params.n);
    var if_2: f32;
    let w_2 = d_y_rows_w[i_2];
    if lt {
      let x_2 = d_y_rows_x[x_data_row + i_2];
      let mul = (w_2 * x_2);
      if_2 = mul;
    } else {
      if_2 = 0.0f;
    }
    let if_3 = if_2;
    let t = (y + if_3);
    y = t;
  }
  let y_2 = y;
  d_y_2 = (y_2 + y_2);
}

fn d_y_rows_first() {
  d_y_rows_d_y_3[i] = d_y_2;
}

// A workgroup a point of a nest: sum(for i < n => let y = sum(for j < 3 => if i + j < n then w[j] * x[i + j] else 0.0f32) in y * y)
@compute @workgroup_size(128)
fn d_y_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= u32(d_y_rows_params.n) { return; }
  i = i32(mine);
  d_y_rows_scalars();
  if lane == 0u {
    d_y_rows_first();
  }
}

struct d_w_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> d_w_params: d_w_Params;
@group(0) @binding(3) var<storage, read> d_w_d_y_3: array<f32>;
@group(0) @binding(4) var<storage, read> d_w_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_w_d_w_4: array<f32>;
// A point of a nest: sum(for i < n => let y = sum(for j < 3 => if i + j < n then w[j] * x[i + j] else 0.0f32) in y * y)
@compute @workgroup_size(256)
fn d_w(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= 3u { return; }
  let i_3 = i32(point);
  var d_w_2: f32 = 0.0f;
  let x_data_row_2 = i_3;
  for (var i_4: i32 = 0i; i_4 < d_w_params.n; i_4 += 1i) {
    let s_2 = arr_checked_add(i_4, i_3, 2u);
    let d = (s_2 < d_w_params.n);
    var d_2: f32;
    let d_for = d_w_d_y_3[i_4];
    if d {
      let x_3 = d_w_x[x_data_row_2 + i_4];
      let d_3 = (d_for * x_3);
      d_2 = d_3;
    } else {
      d_2 = 0.0f;
    }
    let d_4 = d_2;
    let t_3 = (d_w_2 + d_4);
    d_w_2 = t_3;
  }
  let d_w_3 = d_w_2;
  d_w_d_w_4[i_3] = d_w_3;
}

struct d_w_rows_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> d_w_rows_params: d_w_rows_Params;
@group(0) @binding(3) var<storage, read> d_w_rows_d_y_3: array<f32>;
@group(0) @binding(4) var<storage, read> d_w_rows_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_w_rows_d_w_4: array<f32>;
var<workgroup> d_w_rows_f32_0: array<f32, 128>;
var<private> i_3: i32;
var<private> d_w_2: f32;
var<private> x_data_row_2: i32;
var<private> d_w_3: f32;

fn d_w_rows_scalars() {
  d_w_2 = 0.0f;
  x_data_row_2 = i_3;
}

fn d_w_rows_join(d_w_2_part: f32) {
  let t_4 = (d_w_2 + d_w_2_part);
  d_w_2 = t_4;
}

fn d_w_rows_at(i_4: i32) {
  let s_2 = arr_checked_add(i_4, i_3, 2u);
  let d = (s_2 < d_w_rows_params.n);
  var d_2: f32;
  let d_for = d_w_rows_d_y_3[i_4];
  if d {
    let x_3 = d_w_rows_x[x_data_row_2 + i_4];
    let d_3 = (d_for * x_3);
    d_2 = d_3;
  } else {
    d_2 = 0.0f;
  }
  let d_4 = d_2;
  let t_3 = (d_w_2 + d_4);
  d_w_2 = t_3;
}

fn d_w_rows_scalars_2() {
  d_w_3 = d_w_2;
}

fn d_w_rows_first() {
  d_w_rows_d_w_4[i_3] = d_w_3;
}

// A workgroup a point of a nest: sum(for i < n => let y = sum(for j < 3 => if i + j < n then w[j] * x[i + j] else 0.0f32) in y * y)
@compute @workgroup_size(128)
fn d_w_rows(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let mine = group.x + group.y * groups.x;
  if mine >= 3u { return; }
  i_3 = i32(mine);
  d_w_rows_scalars();
  let d_w_2_before = d_w_2;
  d_w_2 = 0.0f;
  {
    let points = select(0u, u32(d_w_rows_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 128u) {
      d_w_rows_at(i32(point));
    }
  }
  d_w_rows_f32_0[lane] = d_w_2;
  workgroupBarrier();
  for (var width = 64u; width > 0u; width /= 2u) {
    if lane < width {
      d_w_rows_join(d_w_rows_f32_0[lane + width]);
      d_w_rows_f32_0[lane] = d_w_2;
    }
    workgroupBarrier();
  }
  d_w_2 = d_w_2_before;
  d_w_rows_join(d_w_rows_f32_0[0]);
  d_w_rows_scalars_2();
  if lane == 0u {
    d_w_rows_first();
  }
}

struct d_y_all_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> d_y_all_params: d_y_all_Params;
@group(0) @binding(3) var<storage, read> d_y_all_w: array<f32>;
@group(0) @binding(4) var<storage, read> d_y_all_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> d_y_all_d_y_3: array<f32>;
@group(0) @binding(6) var<storage, read_write> d_y_all_d_w_4: array<f32>;

fn d_y_all_at(i: i32) {
  var y: f32 = 0.0f;
  let x_data_row = i;
  for (var i_2: i32 = 0i; i_2 < 3i; i_2 += 1i) {
    let s = arr_checked_add(i, i_2, 1u);
    let lt = (s < d_y_all_params.n);
    var if_2: f32;
    let w_2 = d_y_all_w[i_2];
    if lt {
      let x_2 = d_y_all_x[x_data_row + i_2];
      let mul = (w_2 * x_2);
      if_2 = mul;
    } else {
      if_2 = 0.0f;
    }
    let if_3 = if_2;
    let t = (y + if_3);
    y = t;
  }
  let y_2 = y;
  let d_y_2 = (y_2 + y_2);
  d_y_all_d_y_3[i] = d_y_2;
}

fn d_y_all_at_2(i_3: i32) {
  var d_w_2: f32 = 0.0f;
  let x_data_row_2 = i_3;
  for (var i_4: i32 = 0i; i_4 < d_y_all_params.n; i_4 += 1i) {
    let s_2 = arr_checked_add(i_4, i_3, 2u);
    let d = (s_2 < d_y_all_params.n);
    var d_2: f32;
    let d_for = d_y_all_d_y_3[i_4];
    if d {
      let x_3 = d_y_all_x[x_data_row_2 + i_4];
      let d_3 = (d_for * x_3);
      d_2 = d_3;
    } else {
      d_2 = 0.0f;
    }
    let d_4 = d_2;
    let t_3 = (d_w_2 + d_4);
    d_w_2 = t_3;
  }
  let d_w_3 = d_w_2;
  d_y_all_d_w_4[i_3] = d_w_3;
}

// Small nests one after the other, the first of them: sum(for i < n => let y = sum(for j < 3 => if i + j < n then w[j] * x[i + j] else 0.0f32) in y * y)
@compute @workgroup_size(256)
fn d_y_all(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  {
    let points = select(0u, u32(d_y_all_params.n), atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      d_y_all_at(i32(point));
    }
  }
  storageBarrier();
  workgroupBarrier();
  {
    let points = select(0u, 3u, atomicLoad(&fault[0]) == 0u);
    for (var point = lane; point < points; point += 256u) {
      d_y_all_at_2(i32(point));
    }
  }
}

// The host:
// let w.data: address f32 = data w
// let x.data: address f32 = data x
// let d_y: buffer f32 = alloc [n] @1
// let d_y.data: address f32 = data d_y
// let d_w: buffer f32 = alloc [3] @3
// let d_w.data: address f32 = data d_w
// let s.3: i64 = mul n, 3
// let fits.3: bool = le s.3, 32768
// let s.4: i64 = mul 3, n
// let fits.4: bool = le s.4, 32768
// let fit.2: bool = and fits.3, fits.4
// if fit.2 {
//   run d_y_all over 1 by 1 (n; w, x, d_y, d_w)
// } else {
//   let fits: bool = le n, 16384
//   let fit: bool = and false, fits
//   if fit {
//     run d_y_rows over n by 1 (n; w, x, d_y)
//   } else {
//     run d_y over n by 256 (n; w, x, d_y)
//   }
//   let fits.2: bool = ge n, 128
//   if fits.2 {
//     run d_w_rows over 3 by 1 (n; d_y, x, d_w)
//   } else {
//     run d_w over 3 by 256 (n; d_y, x, d_w)
//   }
// }
// release d_y
// return d_w [3]
