// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_i32_div, arr_i32_rem, arr_checked_stop, arr_checked_wide, arr_checked_signed, arr_checked_add, arr_checked_mul.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

struct for_2_Params {
  n: i32,
  d: i32,
  s: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<i32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<i32>;
// A point of a nest: def main(x: [n]i64, d: i64) -> [n]i64 = for v in x => (v / d) * 2 + v % (d + 1)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let v = for_2_x[i];
  let div = arr_i32_div(v, for_2_params.d);
  let s_2 = arr_checked_mul(div, 2i, 1u);
  let rem = arr_i32_rem(v, for_2_params.s);
  let s_3 = arr_checked_add(s_2, rem, 1u);
  for_2_for_3[i] = s_3;
}

// The host:
// let s: i64 = add d, 1
// let x.data: address i64 = data x
// let for: buffer i64 = alloc [n] @1
// let for.data: address i64 = data for
// run for_2 over n by 256 (n, d, s; x, for)
// let some: bool = gt n, 0
// if some {
//   check non_zero d @2
// }
// if some {
//   check non_zero s @3
// }
// return for [n]
