// `main`: made by the Arr compiler.

struct for_2_Params {
  n: i32,
  m: i32,
  u_data_row_2: i32,
  u_data_row_3: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_u: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: for i < n, j < m =>
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) * u32(for_2_params.m) { return; }
  let i = i32(point / u32(for_2_params.m));
  let j = i32(point % u32(for_2_params.m));
  let i_step = i * for_2_params.m;
  let gt = (i > 0i);
  let u_data_row = i_step;
  let u_data_row_2_row = for_2_params.u_data_row_2 + i_step;
  let u_data_row_3_row = for_2_params.u_data_row_3 + i_step;
  let for_data_row = i_step;
  let gt_2 = (j > 0i);
  let and = (gt && gt_2);
  var if_2: f32;
  let u_2 = for_2_u[u_data_row + j];
  if and {
    let u_3 = for_2_u[u_data_row_2_row + j];
    let u_4 = for_2_u[u_data_row_3_row + j];
    let add = (u_3 + u_4);
    let mul = (0.5f * add);
    let sub = (u_2 - mul);
    if_2 = sub;
  } else {
    if_2 = u_2;
  }
  let if_3 = if_2;
  for_2_for_3[for_data_row + j] = if_3;
}

// The host:
// let u.data: address f32 = data u
// let s.2: i64 = mul m, -1
// let u.data.row.2: address f32 = offset u.data[s.2]
// let u.data.row.3: address f32 = offset u.data[-1]
// let for: buffer f32 = alloc [n, m] @1
// let for.data: address f32 = data for
// run for_2 over n, m by 256 (n, m, u.data.row.2, u.data.row.3; u, for)
// return for [n, m]
