// `main`: made by the Arr compiler.

@group(0) @binding(3) var<storage, read_write> x_2_x_3: array<f32>;
// In order
@compute @workgroup_size(2)
fn x_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  x_2_x_3[0x7fffffffu] = 1.0f;
}

// The host:
// retain x
// let x.2: buffer f32 = unique x @1
// check element -1, n @1
// let x.2.data: address f32 = data x.2
// run x_2 over 1 by 1 (; x.2)
// return x.2 [n]
