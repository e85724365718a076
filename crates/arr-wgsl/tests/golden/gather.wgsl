// `main`: made by the Arr compiler.

// From the library: arr_claim_fault.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

struct for_2_Params {
  m: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_at: array<i32>;
@group(0) @binding(4) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: def main(x: [n]f32, at: [m]i64) -> [m]f32 = for i in at => x[i]
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.m) { return; }
  let i = i32(point);
  let i_2 = for_2_at[i];
  if i_2 < 0i || i_2 >= for_2_params.n {
    if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(i_2)); atomicStore(&fault[3], bitcast<u32>(i_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(for_2_params.n)); atomicStore(&fault[5], bitcast<u32>(for_2_params.n >> 31u)); }
    return;
  }
  let x_2 = for_2_x[i_2];
  for_2_for_3[i] = x_2;
}

// The host:
// let at.data: address i64 = data at
// let x.data: address f32 = data x
// let for: buffer f32 = alloc [m] @1
// let for.data: address f32 = data for
// run for_2 over m by 256 (m, n; at, x, for)
// return for [m]
