// `main`: made by the Arr compiler.

// From the library: arr_claim_fault, arr_checked_stop, arr_checked_wide, arr_checked_add, arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

// Whether this invocation has been stopped: loops end.
var<private> arr_checked_stopped: bool;

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<i32>;
// A point of a nest: for v in x =>
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let v = for_2_x[i];
  var z_state: f32 = v;
  var k_state: i32 = 0i;
  loop {
    let z = z_state;
    let k = k_state;
    let mul = (z * z);
    let lt = arr_f32_lt(mul, 100.0f);
    let lt_2 = (k < 50i);
    let and = (lt && lt_2);
    if !and || arr_checked_stopped { break; }
    let z_2 = z_state;
    let k_2 = k_state;
    let mul_2 = (z_2 * z_2);
    let add = (mul_2 + v);
    let s = arr_checked_add(k_2, 1i, 1u);
    z_state = add;
    k_state = s;
  }
  let k_3 = k_state;
  for_2_for_3[i] = k_3;
}

// The host:
// let x.data: address f32 = data x
// let for: buffer i64 = alloc [n] @1
// let for.data: address i64 = data for
// run for_2 over n by 256 (n; x, for)
// return for [n]
