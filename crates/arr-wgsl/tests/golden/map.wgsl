// `main`: made by the Arr compiler.

struct for_2_Params {
  n: i32,
  m: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(4) var<storage, read> for_2_y: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: def main(x: [n][m]f32, y: [m]f32) -> [n][m]f32 = for i < n, j < m => 2.0 * x[i, j] + y[j]
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) * u32(for_2_params.m) { return; }
  let i = i32(point / u32(for_2_params.m));
  let j = i32(point % u32(for_2_params.m));
  let i_step = i * for_2_params.m;
  let x_data_row = i_step;
  let for_data_row = i_step;
  let x_2 = for_2_x[x_data_row + j];
  let mul = (2.0f * x_2);
  let y_2 = for_2_y[j];
  let add = (mul + y_2);
  for_2_for_3[for_data_row + j] = add;
}

// The host:
// let x.data: address f32 = data x
// let y.data: address f32 = data y
// let for: buffer f32 = alloc [n, m] @1
// let for.data: address f32 = data for
// run for_2 over n, m by 256 (n, m; x, y, for)
// return for [n, m]
