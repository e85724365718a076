// `main`: made by the Arr compiler.

// From the library: arr_f32_nan, arr_f32_is_finite, arr_f32_is_negative, arr_f32_reduce, arr_u32_wide, arr_f32_reduce_large, arr_f32_sin_near, arr_f32_cos_near, arr_f32_sin, arr_f32_cos.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

var<private> arr_f32_nan_bits: u32 = 0x7fc00000u;

struct arr_f32_angle {
    quadrant: u32,
    rest: f32,
}

struct s_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> s_2_params: s_2_Params;
@group(0) @binding(3) var<storage, read> s_2_x: array<f32>;
// In order: def main(x: [n]f32) -> f32 = loop s = 0.5f32 for i < n do sin(s) + x[i] * cos(s)
@compute @workgroup_size(2)
fn s_2(@builtin(local_invocation_index) lane: u32) {
  if lane != 0u { return; }
  var s_state: f32 = 0.5f;
  for (var i: i32 = 0i; i < s_2_params.n; i += 1i) {
    let s = s_state;
    let sin_2 = arr_f32_sin(s);
    let x_2 = s_2_x[i];
    let cos_2 = arr_f32_cos(s);
    let mul = (x_2 * cos_2);
    let add = (sin_2 + mul);
    s_state = add;
  }
  let s_3 = s_state;
  slots[0] = bitcast<u32>(s_3);
}

// The host:
// let x.data: address f32 = data x
// run s_2 over 1 by 1 (n; x)
// return s.2
