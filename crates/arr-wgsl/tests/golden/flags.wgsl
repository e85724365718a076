// `main`: made by the Arr compiler.

// From the library: arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<u32>;
@group(0) @binding(4) var<storage, read> for_2_y: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_2_for_3: array<u32>;
// A point of a nest: def main(x: [n]bool, y: [n]f32) -> [n]bool = for i < n => x[i] and y[i] > 0.25
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let x_2 = (for_2_x[i] != 0u);
  let y_2 = for_2_y[i];
  let gt = arr_f32_lt(0.25f, y_2);
  let and = select(false, gt, x_2);
  for_2_for_3[i] = select(0u, 1u, and);
}

// The host:
// let x.data: address bool = data x
// let y.data: address f32 = data y
// let for: buffer bool = alloc [n] @1
// let for.data: address bool = data for
// run for_2 over n by 256 (n; x, y, for)
// return for [n]
