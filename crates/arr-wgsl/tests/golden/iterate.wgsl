// `main`: made by the Arr compiler.

struct for_2_Params {
  n: i32,
  s: i32,
  u_data_row: i32,
  u_data_row_2: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_u: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: for i < n => if i == 0 or i == n - 1 then u[i] else 0.25 * (u[i - 1] + u[i + 1]) + 0.5 * u[i]
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let eq = (i == 0i);
  let eq_2 = (i == for_2_params.s);
  let or = (eq || eq_2);
  var if_2: f32;
  let u_2 = for_2_u[i];
  let mul_2 = (0.5f * u_2);
  if or {
    if_2 = u_2;
  } else {
    let u_3 = for_2_u[for_2_params.u_data_row + i];
    let u_4 = for_2_u[for_2_params.u_data_row_2 + i];
    let add = (u_3 + u_4);
    let mul = (0.25f * add);
    let add_2 = (mul + mul_2);
    if_2 = add_2;
  }
  let if_3 = if_2;
  for_2_for_3[i] = if_3;
}

// The host:
// let s: i64 = sub n, 1
// retain x
// var u.state: buffer f32 = x
// for t < steps counted @2 {
//   let u: buffer f32 = u.state
//   let u.data: address f32 = data u
//   let u.data.row: address f32 = offset u.data[-1]
//   let u.data.row.2: address f32 = offset u.data[1]
//   let for: buffer f32 = alloc [n] @1
//   let for.data: address f32 = data for
//   run for_2 over n by 256 (n, s, u.data.row, u.data.row.2; u, for)
//   release u
//   set u.state = for
// }
// let u.5: buffer f32 = u.state
// return u.5 [n]
