// `main`: made by the Arr compiler.

struct for_2_Params {
  m: i32,
  n: i32,
  x_data_row: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: def main(x: [n][m]f32) -> [m][n]f32 = for j < m, i < n => x[i, m - 1 - j]
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.m) * u32(for_2_params.n) { return; }
  let j = i32(point / u32(for_2_params.n));
  let i = i32(point % u32(for_2_params.n));
  let j_step = j * (-1i);
  let j_step_2 = j * for_2_params.n;
  let x_data_row_2 = for_2_params.x_data_row + j_step;
  let for_data_row = j_step_2;
  let i_step = i * for_2_params.m;
  let x_2 = for_2_x[x_data_row_2 + i_step];
  for_2_for_3[for_data_row + i] = x_2;
}

// The host:
// let s: i64 = sub m, 1
// let x.data: address f32 = data x
// let x.data.row: address f32 = offset x.data[s]
// let for: buffer f32 = alloc [m, n] @1
// let for.data: address f32 = data for
// run for_2 over m, n by 256 (m, n, x.data.row; x, for)
// return for [m, n]
