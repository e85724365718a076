// `main`: made by the Arr compiler.

struct for_2_Params {
  x: f32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: for i < 0, j < 0 => x + f32(i * j)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= 0u * 0u { return; }
  let i = i32(point / 1u);
  let j = i32(point % 1u);
  let i_step = i * 0i;
  let for_data_row = i_step;
  let s = (i * j);
  let f32_2 = f32(s);
  let add = (for_2_params.x + f32_2);
  for_2_for_3[for_data_row + j] = add;
}

// The host:
// let for: buffer f32 = alloc [0, 0] @1
// let for.data: address f32 = data for
// run for_2 over 0, 0 by 256 (x; for)
// return for [0, 0]
