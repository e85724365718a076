// `main`: made by the Arr compiler.

// From the library: arr_claim_fault.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

struct for_2_Params {
  m: i32,
  some_2: i32,
  d: i32,
  some: u32,
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_at: array<i32>;
@group(0) @binding(4) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(5) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: def main(x: [n][d]f32, at: [m]i64) -> [m][d]f32 = for i in at, j < d => x[i, j]
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.m) * u32(for_2_params.some_2) { return; }
  let i = i32(point / u32(for_2_params.some_2));
  let j = i32(point % u32(for_2_params.some_2));
  let i_step = i * for_2_params.d;
  let i_2 = for_2_at[i];
  if (for_2_params.some != 0u) {
    if i_2 < 0i || i_2 >= for_2_params.n {
      if arr_claim_fault(1u) { atomicStore(&fault[2], bitcast<u32>(i_2)); atomicStore(&fault[3], bitcast<u32>(i_2 >> 31u)); atomicStore(&fault[4], bitcast<u32>(for_2_params.n)); atomicStore(&fault[5], bitcast<u32>(for_2_params.n >> 31u)); }
      return;
    }
  }
  let s = (i_2 * for_2_params.d);
  let x_data_row = s;
  let for_data_row = i_step;
  if j >= for_2_params.d { return; }
  let x_2 = for_2_x[x_data_row + j];
  for_2_for_3[for_data_row + j] = x_2;
}

// The host:
// let at.data: address i64 = data at
// let some: bool = gt d, 0
// let x.data: address f32 = data x
// let for: buffer f32 = alloc [m, d] @1
// let for.data: address f32 = data for
// let some.2: i64 = max d, 1
// run for_2 over m, some.2 by 256 (m, some.2, d, some, n; at, x, for)
// return for [m, d]
