// `main`: made by the Arr compiler.

// From the library: arr_f32_is_nan, arr_f32_ordered, arr_f32_lt.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

// Where and why a kernel stopped: the place's number, unused, then the check's values.
@group(0) @binding(2) var<storage, read_write> fault: array<atomic<u32>>;

struct d_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> d_2_params: d_2_Params;
@group(0) @binding(3) var<storage, read> d_2_x: array<f32>;
// In order: loop d = 0.0 for i < n do
@compute @workgroup_size(2)
fn d_2(@builtin(local_invocation_index) lane: u32) {
  if atomicLoad(&fault[0]) != 0u { return; }
  if lane != 0u { return; }
  var d_state: f32 = 0.0f;
  for (var i: i32 = 0i; i < d_2_params.n; i += 1i) {
    let d = d_state;
    let x_2 = d_2_x[i];
    let mul = (10.0f * x_2);
    let mul_2 = (mul * x_2);
    var u_state: f32 = mul_2;
    loop {
      let u = u_state;
      let lt = arr_f32_lt(u, 5.0f);
      if !lt { break; }
      let u_2 = u_state;
      let mul_3 = (u_2 * 1.5f);
      u_state = mul_3;
    }
    let u_3 = u_state;
    let mul_4 = (0.5f * d);
    let add = (mul_4 + u_3);
    d_state = add;
  }
  let d_3 = d_state;
  slots[0] = bitcast<u32>(d_3);
}

// The host:
// let x.data: address f32 = data x
// run d_2 over 1 by 1 (n; x)
// return d.2
