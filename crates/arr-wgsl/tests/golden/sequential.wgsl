// `main`: made by the Arr compiler.

// Scalars that later kernels read, 8 bytes each.
@group(0) @binding(1) var<storage, read_write> slots: array<u32>;

var<private> arr_f32_nan_bits: u32 = 0x7fc00000u;

fn arr_f32_nan() -> f32 {
    return bitcast<f32>(arr_f32_nan_bits);
}

fn arr_f32_is_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn arr_f32_is_negative(x: f32) -> bool {
    return (bitcast<u32>(x) >> 31u) != 0u;
}

struct arr_f32_angle {
    quadrant: u32,
    rest: f32,
}

// A finite angle as a number of quarter turns, and at most an eighth of one.
fn arr_f32_reduce(x: f32) -> arr_f32_angle {
    if (abs(x) >= 256.0) {
        return arr_f32_reduce_large(x);
    }
    let k = round(x * 0.6366197723675814);
    let r = (((x - k * 1.5703125) - k * 4.837512969970703e-4) - k * 7.549533620476723e-8) - k * 2.563344151594519e-12;
    return arr_f32_angle(bitcast<u32>(i32(k)), r);
}

// The 64 bits of a product, the low word first.
fn arr_u32_wide(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let mid = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let cross = (a & 0xffffu) * (b >> 16u) + (mid & 0xffffu);
    return vec2<u32>((cross << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (mid >> 16u) + (cross >> 16u));
}

// With the digits of 2/pi that matter (Payne and Hanek).
fn arr_f32_reduce_large(x: f32) -> arr_f32_angle {
    // A word of zeros, and 2/pi.
    var digits = array<u32, 8>(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
        0xfe5163abu);
    let bits = bitcast<u32>(x);
    let m = (bits & 0x007fffffu) | 0x00800000u;
    // |x| = m 2^e; digits above 2^(2 - e) give whole turns.
    let e = i32((bits >> 23u) & 0xffu) - 150;
    let start = u32(e - 2 + 32);
    let word = start >> 5u;
    let shift = start & 31u;
    var window = vec3<u32>(digits[word], digits[word + 1u], digits[word + 2u]);
    if (shift != 0u) {
        let next = vec3<u32>(digits[word + 1u], digits[word + 2u], digits[word + 3u]);
        window = (window << vec3<u32>(shift)) | (next >> vec3<u32>(32u - shift));
    }
    // The product with m, from 2^1 down.
    let c = arr_u32_wide(window.z, m);
    let b = arr_u32_wide(window.y, m);
    let mid = b.x + c.y;
    let high = window.x * m + b.y + select(0u, 1u, mid < c.y);
    var quadrant = high >> 30u;
    var top = high & 0x3fffffffu;
    var low = mid;
    var sign = 1.0f;
    if (top >= 0x20000000u) {
        quadrant = quadrant + 1u;
        sign = -1.0;
        top = 0x3fffffffu - top;
        low = ~low;
    }
    let rest = sign * (f32(top) * 9.313225746154785e-10 + f32(low) * 2.168404344971009e-19) * 1.5707963267948966;
    if (arr_f32_is_negative(x)) {
        return arr_f32_angle(0u - quadrant, -rest);
    }
    return arr_f32_angle(quadrant, rest);
}

fn arr_f32_sin_near(r: f32) -> f32 {
    let z = r * r;
    return r + r * z * (-1.6666654611e-1 + z * (8.3321608736e-3 + z * -1.9515295891e-4));
}

fn arr_f32_cos_near(r: f32) -> f32 {
    let z = r * r;
    return (1.0 - 0.5 * z) + z * z * (4.166664568298827e-2 + z * (-1.388731625493765e-3 + z * 2.443315711809948e-5));
}

fn arr_f32_sin(x: f32) -> f32 {
    if (!arr_f32_is_finite(x)) {
        return arr_f32_nan();
    }
    if (x == 0.0) {
        return x;
    }
    let angle = arr_f32_reduce(x);
    let y = select(arr_f32_sin_near(angle.rest), arr_f32_cos_near(angle.rest), (angle.quadrant & 1u) != 0u);
    return select(y, -y, (angle.quadrant & 2u) != 0u);
}

fn arr_f32_cos(x: f32) -> f32 {
    if (!arr_f32_is_finite(x)) {
        return arr_f32_nan();
    }
    let angle = arr_f32_reduce(x);
    let y = select(arr_f32_cos_near(angle.rest), arr_f32_sin_near(angle.rest), (angle.quadrant & 1u) != 0u);
    return select(y, -y, ((angle.quadrant + 1u) & 2u) != 0u);
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
