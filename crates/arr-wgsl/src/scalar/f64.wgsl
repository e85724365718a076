// What is of double precision: an extension of naga, for devices with SHADER_F64 and SHADER_INT64. The coefficients are
// those of FDLIBM and of the crate `arr-math`. WGSL's own functions of `f64` are not used, but for `floor`, `ceil`, `sqrt`,
// `abs`, `min` and `max`: those of the others that naga accepts it makes into invalid SPIR-V. `round` is used where halves
// may go either way, as they do on devices.

var<private> arr_f64_infinity_bits: u32 = 0x7f800000u;

var<private> arr_f64_nan_bits: u32 = 0x7fc00000u;

// A constant as a value.
fn arr_f64_value(a: f64) -> f64 {
    return a;
}

fn arr_f64_infinity() -> f64 {
    return f64(bitcast<f32>(arr_f64_infinity_bits));
}

fn arr_f64_nan() -> f64 {
    return f64(bitcast<f32>(arr_f64_nan_bits));
}

fn arr_f64_is_nan(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ffffffffffffffflu) > 0x7ff0000000000000lu;
}

fn arr_f64_is_finite(x: f64) -> bool {
    return (bitcast<u64>(x) & 0x7ff0000000000000lu) != 0x7ff0000000000000lu;
}

fn arr_f64_is_negative(x: f64) -> bool {
    return bitcast<i64>(x) < 0li;
}

// The leading 26 bits.
fn arr_f64_head(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & 0xfffffffff8000000lu);
}

// A number whose last bit is 0.
fn arr_f64_exact(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & 0xfffffffffffffffelu);
}

const arr_f64_exp_least: f64 = -746.0lf;

const arr_f64_exp_most: f64 = 710.0lf;

const arr_f64_pow_most: f64 = 1.0e20lf;

const arr_f64_lgamma_least: f64 = 1.0e-16lf;

// Times a whole number up to 2^20 it is exact.
const arr_f64_ln2_high: f64 = 6.93147180369123816490e-01lf;

const arr_f64_ln2_low: f64 = 1.90821492927058770002e-10lf;

// Two thirds: the head, and the rest.
const arr_f64_two_thirds_high: f64 = 0.6666666567325592lf;

const arr_f64_two_thirds_low: f64 = 9.934107462565104e-09lf;

const arr_f64_half_pi_low: f64 = 6.123233995736766e-17lf;

// x 2^k, for -2044 <= k <= 2046.
fn arr_f64_scale(x: f64, k: f64) -> f64 {
    let whole = i32(k);
    let half = whole / 2;
    return x * bitcast<f64>(u64(half + 1023) << 52u) * bitcast<f64>(u64(whole - half + 1023) << 52u);
}

// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
fn arr_f64_exp_tail(r: f64) -> f64 {
    return 0.5 + r * (0.16666666666666670999 + r * (0.041666666666666669755 + r * (0.0083333333333261351258
        + r * (0.0013888888888883748305 + r * (0.00019841269874820625271 + r * (0.000024801587325547741216
        + r * (2.755725540020642443e-6 + r * (2.7557273643110295328e-7 + r * (2.5105217004720745164e-8
        + r * 2.0914686968086877233e-9)))))))));
}

// A positive finite number as m 2^k, with m between the square roots of a half and of two: m, k.
fn arr_f64_split(x: f64) -> vec2<f64> {
    var bits = bitcast<u64>(x);
    var shift = 0i;
    if (bits < 0x0010000000000000lu) {
        bits = bitcast<u64>(f64(bits));
        shift = -1074;
    }
    let t = bits - 0x3fe6a09e667f3bcdlu;
    let k = i32(bitcast<i64>(t) >> 52u) + shift;
    return vec2<f64>(bitcast<f64>(bits - (t & 0xfff0000000000000lu)), f64(k));
}

fn arr_f64_log_tail(z: f64) -> f64 {
    return z * (6.666666666666735130e-01 + z * (3.999999999940941908e-01 + z * (2.857142874366239149e-01
        + z * (2.222219843214978396e-01 + z * (1.818357216161805012e-01 + z * (1.531383769920937332e-01
        + z * 1.479819860511658591e-01))))));
}

// 3/2 (2/5 + 2/7 z + ...)
fn arr_f64_pow_tail(z: f64) -> f64 {
    return 0.6 + z * (0.42857142857142855 + z * (0.3333333333333323 + z * (0.2727272727277034 + z * (0.23076923067453267
        + z * (0.20000001194714814 + z * (0.17646967211775605 + z * (0.15793809735359618 + z * (0.14162348884996614
        + z * 0.14961214140698392))))))));
}

struct arr_f64_angle {
    quadrant: u32,
    rest: f64,
}

// A finite angle as a number of quarter turns, and at most an eighth of one.
fn arr_f64_reduce(x: f64) -> arr_f64_angle {
    if (abs(x) >= 1000000.0) {
        return arr_f64_reduce_large(x);
    }
    let k = round(x * 0.6366197723675814);
    let r = (((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487111665e-21) - k * 8.4784276603689e-32;
    return arr_f64_angle(bitcast<u32>(i32(k)), r);
}

// With the digits of 2/pi that matter (Payne and Hanek).
fn arr_f64_reduce_large(x: f64) -> arr_f64_angle {
    // Two words of zeros, and 2/pi.
    var digits = array<u32, 42>(0u, 0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
        0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
        0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu,
        0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du,
        0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u, 0xfc7b6babu,
        0xf0cfbc20u, 0x9af4361du);
    let bits = bitcast<u64>(x);
    let m = (bits & 0x000ffffffffffffflu) | 0x0010000000000000lu;
    let m_low = m & 0xfffffffflu;
    let m_high = m >> 32u;
    // |x| = m 2^e; digits above 2^(2 - e) give whole turns.
    let e = i32((bits >> 52u) & 0x7fflu) - 1075;
    let start = u32(e - 2 + 64);
    let word = start >> 5u;
    let shift = start & 31u;
    var window: array<u64, 8>;
    for (var i = 0u; i < 6u; i = i + 1u) {
        let two = (u64(digits[word + i]) << 32u) | u64(digits[word + i + 1u]);
        window[i] = (two >> (32u - shift)) & 0xfffffffflu;
    }
    // The product with m, from 2^1 down.
    var product: array<u32, 6>;
    var carry = 0lu;
    for (var back = 0u; back < 6u; back = back + 1u) {
        let i = 5u - back;
        let sum = carry + ((window[i] * m_low) & 0xfffffffflu) + ((window[i + 1u] * m_low) >> 32u)
            + ((window[i + 1u] * m_high) & 0xfffffffflu) + ((window[i + 2u] * m_high) >> 32u);
        product[i] = u32(sum & 0xfffffffflu);
        carry = sum >> 32u;
    }
    var quadrant = product[0] >> 30u;
    product[0] = product[0] & 0x3fffffffu;
    var sign = f64(1.0);
    if (product[0] >= 0x20000000u) {
        quadrant = quadrant + 1u;
        sign = f64(-1.0);
        product[0] = 0x3fffffffu - product[0];
        for (var i = 1u; i < 6u; i = i + 1u) {
            product[i] = ~product[i];
        }
    }
    let rest = f64(product[0]) * 9.313225746154785e-10 + (f64(product[1]) * 2.168404344971009e-19
        + (f64(product[2]) * 5.048709793414476e-29 + f64(product[3]) * 1.1754943508222875e-38));
    let r = sign * (rest * 1.5707963267948966);
    if (arr_f64_is_negative(x)) {
        return arr_f64_angle(0u - quadrant, -r);
    }
    return arr_f64_angle(quadrant, r);
}

fn arr_f64_sin_near(r: f64) -> f64 {
    let z = r * r;
    return r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04
        + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
}

fn arr_f64_cos_near(r: f64) -> f64 {
    let z = r * r;
    return (1.0 - 0.5 * z) + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03
        + z * (2.48015872894767294178e-05 + z * (-2.75573143513506633035e-07 + z * (2.08757232129817482790e-09
        + z * -1.13596475577881948265e-11)))));
}

// To the nearest whole number, and of two the even one.
fn arr_f64_round(x: f64) -> f64 {
    if (abs(x) >= 4503599627370496.0lf) {
        return x;
    }
    let below = floor(x);
    let rest = x - below;
    let is_odd = 2.0lf * floor(0.5lf * below) != below;
    let nearest = select(below, below + 1.0lf, rest > 0.5lf || (rest == 0.5lf && is_odd));
    return select(nearest, -abs(nearest), x < 0.0lf);
}

// The remainder with the sign of y.
fn arr_f64_rem(x: f64, y: f64) -> f64 {
    return x - y * floor(x / y);
}

fn arr_f64_to_i32(x: f64) -> i32 {
    if (arr_f64_is_nan(x)) {
        return 0;
    }
    if (x >= 2147483647.0) {
        return 2147483647;
    }
    return i32(max(x, f64(-2147483648.0)));
}

fn arr_f64_to_u32(x: f64) -> u32 {
    if (arr_f64_is_nan(x)) {
        return 0u;
    }
    if (x >= 4294967295.0) {
        return 4294967295u;
    }
    return u32(max(x, f64(0.0)));
}

fn arr_f64_to_i64(x: f64) -> i64 {
    if (arr_f64_is_nan(x)) {
        return 0li;
    }
    if (x >= 9223372036854775808.0) {
        return 9223372036854775807li;
    }
    return i64(max(x, f64(-9223372036854775808.0)));
}
