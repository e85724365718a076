// `main`: made by the Arr compiler.

struct x_2_Params {
  k: i32,
  v: f32,
}
@group(0) @binding(0) var<uniform> x_2_params: x_2_Params;
@group(0) @binding(3) var<storage, read_write> x_2_x_3: array<f32>;
// In order
@compute @workgroup_size(2)
fn x_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  x_2_x_3[x_2_params.k] = x_2_params.v;
}

// The host:
// retain x
// let x.2: buffer f32 = unique x @1
// check element k, n @1
// let x.2.data: address f32 = data x.2
// run x_2 over 1 by 1 (k, v; x.2)
// return x.2 [n]
