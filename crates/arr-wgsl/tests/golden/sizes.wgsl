// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_i32_rem, arr_checked_stop, arr_checked_wide, arr_checked_add.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

struct for_2_Params {
  k: i32,
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_table: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: in for i < k => table[i % 4] * f32(n + i)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.k) { return; }
  let i = i32(point);
  let rem = arr_i32_rem(i, 4i);
  let table_2 = for_2_table[rem];
  let s = arr_checked_add(for_2_params.n, i, 1u);
  let f32_2 = f32(s);
  let mul = (table_2 * f32_2);
  for_2_for_3[i] = mul;
}

// The host:
// let table: buffer f32 = literal 0
// let table.data: address f32 = data table
// let for: buffer f32 = alloc [k] @2
// let for.data: address f32 = data for
// run for_2 over k by 256 (k, n; table, for)
// release table
// check size_non_neg k @1
// return for [k]
