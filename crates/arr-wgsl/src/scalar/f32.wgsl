// What is of single precision. The coefficients are those of S. Moshier's Cephes and of FDLIBM.

var<private> arr_f32_infinity_bits: u32 = 0x7f800000u;

var<private> arr_f32_nan_bits: u32 = 0x7fc00000u;

// Not a constant: constant expressions must be finite.
fn arr_f32_infinity() -> f32 {
    return bitcast<f32>(arr_f32_infinity_bits);
}

fn arr_f32_nan() -> f32 {
    return bitcast<f32>(arr_f32_nan_bits);
}

fn arr_f32_is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn arr_f32_is_finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

fn arr_f32_is_negative(x: f32) -> bool {
    return (bitcast<u32>(x) >> 31u) != 0u;
}

// The leading 11 bits.
fn arr_f32_head(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xffffe000u);
}

// A number whose last bit is 0.
fn arr_f32_exact(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffffffeu);
}

const arr_f32_exp_least: f32 = -104.0;

const arr_f32_exp_most: f32 = 89.0;

const arr_f32_pow_most: f32 = 1.0e12;

const arr_f32_lgamma_least: f32 = 1.0e-6;

// Times a whole number up to 2^8 it is exact.
const arr_f32_ln2_high: f32 = 0.693145751953125;

const arr_f32_ln2_low: f32 = 1.4286068203094172e-6;

// Two thirds: the head, and the rest.
const arr_f32_two_thirds_high: f32 = 0.66650390625;

const arr_f32_two_thirds_low: f32 = 0.00016276041666666666;

const arr_f32_half_pi_low: f32 = -4.371139e-8;

// x 2^k, for -253 <= k <= 254.
fn arr_f32_scale(x: f32, k: f32) -> f32 {
    let whole = i32(k);
    let half = whole / 2;
    return x * bitcast<f32>(u32(half + 127) << 23u) * bitcast<f32>(u32(whole - half + 127) << 23u);
}

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
fn arr_f32_exp_tail(r: f32) -> f32 {
    return 5.0000001201e-1 + r * (1.6666665459e-1 + r * (4.1665795894e-2 + r * (8.3334519073e-3
        + r * (1.3981999507e-3 + r * 1.9875691500e-4))));
}

// A positive finite number as m 2^k, with m between the square roots of a half and of two: m, k.
fn arr_f32_split(x: f32) -> vec2<f32> {
    var bits = bitcast<u32>(x);
    var shift = 0.0f;
    if (bits < 0x00800000u) {
        bits = bitcast<u32>(f32(bits));
        shift = -149.0;
    }
    let t = bits - 0x3f3504f3u;
    return vec2<f32>(bitcast<f32>(bits - (t & 0xff800000u)), f32(bitcast<i32>(t) >> 23u) + shift);
}

fn arr_f32_log_tail(z: f32) -> f32 {
    return z * (0.66666662693 + z * (0.40000972152 + z * (0.28498786688 + z * 0.24279078841)));
}

// 3/2 (2/5 + 2/7 z + ...)
fn arr_f32_pow_tail(z: f32) -> f32 {
    return 0.6 + z * (0.428572987 + z * (0.333070341 + z * 0.286836456));
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

// The remainder with the sign of y, exact before one rounding.
fn arr_f32_rem(x: f32, y: f32) -> f32 {
    if (!arr_f32_is_finite(x) || !arr_f32_is_finite(y) || y == 0.0) {
        return arr_f32_nan();
    }
    let b = abs(y);
    var r = abs(x);
    if (r >= b) {
        // One bit of the quotient at a time: b 2^k is taken away where it fits, and every difference is exact.
        let top = i32(bitcast<u32>(r) >> 23u) - i32(bitcast<u32>(b) >> 23u);
        for (var k = top; k >= 0; k = k - 1) {
            let part = arr_f32_scale(b, f32(k));
            if (arr_f32_is_finite(part) && part <= r) {
                r = r - part;
            }
        }
    }
    if (r == 0.0) {
        return 0.0;
    }
    r = select(r, -r, x < 0.0);
    return select(r, r + y, (r < 0.0) != (y < 0.0));
}

fn arr_f32_to_i32(x: f32) -> i32 {
    if (arr_f32_is_nan(x)) {
        return 0;
    }
    if (x >= 2147483648.0) {
        return 2147483647;
    }
    return i32(max(x, -2147483648.0));
}

fn arr_f32_to_u32(x: f32) -> u32 {
    if (arr_f32_is_nan(x)) {
        return 0u;
    }
    if (x >= 4294967296.0) {
        return 4294967295u;
    }
    return u32(max(x, 0.0));
}

fn arr_f32_to_i64(x: f32) -> i64 {
    if (arr_f32_is_nan(x)) {
        return 0li;
    }
    if (x >= 9223372036854775808.0) {
        return 9223372036854775807li;
    }
    return i64(max(x, -9223372036854775808.0));
}
