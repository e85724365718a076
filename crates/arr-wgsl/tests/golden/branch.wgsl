// `main`: made by the Arr compiler.

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

// A number whose last bit is 0.
fn arr_f32_exact(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffffffeu);
}

const arr_f32_exp_least: f32 = -104.0;

const arr_f32_exp_most: f32 = 89.0;

const arr_f32_lgamma_least: f32 = 1.0e-6;

// Times a whole number up to 2^8 it is exact.
const arr_f32_ln2_high: f32 = 0.693145751953125;

const arr_f32_ln2_low: f32 = 1.4286068203094172e-6;

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

fn arr_f32_ordered(a: f32, b: f32) -> bool {
    return !(arr_f32_is_nan(a) || arr_f32_is_nan(b));
}

fn arr_f32_lt(a: f32, b: f32) -> bool {
    return (a < b) && arr_f32_ordered(a, b);
}

fn arr_f32_exp(x: f32) -> f32 {
    if (arr_f32_is_nan(x)) {
        return x;
    }
    let y = clamp(x, arr_f32_exp_least, arr_f32_exp_most);
    let k = round(y * 1.4426950408889634);
    let r = (y - arr_f32_exact(k * arr_f32_ln2_high)) - k * arr_f32_ln2_low;
    return arr_f32_scale(1.0 + (r + r * r * arr_f32_exp_tail(r)), k);
}

// The logarithm of 2^k (1 + f), for 1 + f between the square roots of a half and of two.
fn arr_f32_log_of(k: f32, f: f32) -> f32 {
    let s = f / (2.0 + f);
    let square = 0.5 * f * f;
    return k * arr_f32_ln2_high - ((square - (s * (square + arr_f32_log_tail(s * s)) + k * arr_f32_ln2_low)) - f);
}

fn arr_f32_log(x: f32) -> f32 {
    if (arr_f32_is_nan(x)) {
        return x;
    }
    if (x <= 0.0) {
        return select(arr_f32_nan(), -arr_f32_infinity(), x == 0.0);
    }
    if (!arr_f32_is_finite(x)) {
        return x;
    }
    let parts = arr_f32_split(x);
    return arr_f32_log_of(parts.y, parts.x - 1.0);
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

// Of a positive number.
fn arr_f32_lgamma_positive(x: f32) -> f32 {
    if (x < 2.0) {
        var r = f32(0.0);
        var at = x;
        if (x <= 0.9) {
            // From x + 1.
            r = -arr_f32_log(x);
            at = x + 1.0;
        }
        if (at >= 1.7316321) {
            let y = select(2.0 - x, 1.0 - x, x <= 0.9);
            let z = y * y;
            let p1 = 7.72156649015328655494e-02 + z * (6.73523010531292681824e-02 + z * (7.38555086081402883957e-03
                + z * (1.19270763183362067845e-03 + z * (2.20862790713908385557e-04 + z * 2.52144565451257326939e-05))));
            let p2 = z * (3.22467033424113591611e-01 + z * (2.05808084325167332806e-02 + z * (2.89051383673415629091e-03
                + z * (5.10069792153511336608e-04 + z * (1.08011567247583939954e-04 + z * 4.48640949618915160150e-05)))));
            return r + ((y * p1 + p2) - 0.5 * y);
        }
        if (at >= 1.2316321) {
            let y = select(x - 1.46163214496836224576, x - 0.46163214496836224576, x <= 0.9);
            let z = y * y;
            let w = z * y;
            let p1 = 4.83836122723810047042e-01 + w * (-3.27885410759859649565e-02 + w * (6.10053870246291332635e-03
                + w * (-1.40346469989232843813e-03 + w * 3.15632070903625950361e-04)));
            let p2 = -1.47587722994593911752e-01 + w * (1.79706750811820387126e-02 + w * (-3.68452016781138256760e-03
                + w * (8.81081882437654011382e-04 + w * -3.12754168375120860518e-04)));
            let p3 = 6.46249402391333854778e-02 + w * (-1.03142241298341437450e-02 + w * (2.25964780900612472250e-03
                + w * (-5.38595305356740546715e-04 + w * 3.35529192635519073543e-04)));
            return r + (-1.21486290535849611461e-01 + (z * p1 + w * (p2 + y * p3)));
        }
        let y = select(x - 1.0, x, x <= 0.9);
        let p = y * (-7.72156649015328655494e-02 + y * (6.32827064025093366517e-01 + y * (1.45492250137234768737e+00
            + y * (9.77717527963372745603e-01 + y * (2.28963728064692451092e-01 + y * 1.33810918536787660377e-02)))));
        let q = 1.0 + y * (2.45597793713041134822e+00 + y * (2.12848976379893395361e+00 + y * (7.69285150456672783825e-01
            + y * (1.04222645593369134254e-01 + y * 3.21709242282423911810e-03))));
        return r + (p / q - 0.5 * y);
    }
    if (x < 8.0) {
        let whole = floor(x);
        let y = x - whole;
        let p = y * (-7.72156649015328655494e-02 + y * (2.14982415960608852501e-01 + y * (3.25778796408930981787e-01
            + y * (1.46350472652464452805e-01 + y * (2.66422703033638609560e-02 + y * (1.84028451407337715652e-03
            + y * 3.19475326584100867617e-05))))));
        let q = 1.0 + y * (1.39200533467621045958e+00 + y * (7.21935547567138069525e-01 + y * (1.71933865632803078993e-01
            + y * (1.86459191715652901344e-02 + y * (7.77942496381893596434e-04 + y * 7.32668430744625636189e-06)))));
        var product = f32(1.0);
        for (var i = f32(2.0); i < whole; i = i + 1.0) {
            product = product * (y + i);
        }
        return (0.5 * y + p / q) + arr_f32_log(product);
    }
    let t = arr_f32_log(x);
    let z = 1.0 / x;
    let y = z * z;
    let w = 4.18938533204672725052e-01 + z * (8.33333333333329678849e-02 + y * (-2.77777777728775536470e-03
        + y * (7.93650558643019558500e-04 + y * (-5.95187557450339963135e-04 + y * (8.36339918996282139126e-04
        + y * -1.63092934096575273989e-03)))));
    return (x - 0.5) * (t - 1.0) + w;
}

fn arr_f32_lgamma(x: f32) -> f32 {
    if (!arr_f32_is_finite(x)) {
        return select(arr_f32_infinity(), x, arr_f32_is_nan(x));
    }
    if (x > 0.0) {
        return arr_f32_lgamma_positive(x);
    }
    if (floor(x) == x) {
        return arr_f32_infinity();
    }
    let a = -x;
    if (a < arr_f32_lgamma_least) {
        return -arr_f32_log(a);
    }
    let s = arr_f32_sin(3.141592653589793 * abs(a - round(a)));
    return arr_f32_log(3.141592653589793 / (s * a)) - arr_f32_lgamma_positive(a);
}

struct for_2_Params {
  n: i32,
}
@group(0) @binding(0) var<uniform> for_2_params: for_2_Params;
@group(0) @binding(3) var<storage, read> for_2_x: array<f32>;
@group(0) @binding(4) var<storage, read_write> for_2_for_3: array<f32>;
// A point of a nest: for v in x => if v > 0.0 then log(v) * exp(v) + sin(v) else lgamma(0.0 - v)
@compute @workgroup_size(256)
fn for_2(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lane: u32) {
  let point = (group.x + group.y * groups.x) * 256u + lane;
  if point >= u32(for_2_params.n) { return; }
  let i = i32(point);
  let v = for_2_x[i];
  let gt = arr_f32_lt(0.0f, v);
  var if_2: f32;
  let sub = (-v);
  if gt {
    let log_2 = arr_f32_log(v);
    let exp_2 = arr_f32_exp(v);
    let mul = (log_2 * exp_2);
    let sin_2 = arr_f32_sin(v);
    let add = (mul + sin_2);
    if_2 = add;
  } else {
    let lgamma = arr_f32_lgamma(sub);
    if_2 = lgamma;
  }
  let if_3 = if_2;
  for_2_for_3[i] = if_3;
}

// The host:
// let x.data: address f32 = data x
// let for: buffer f32 = alloc [n] @1
// let for.data: address f32 = data for
// run for_2 over n by 256 (n; x, for)
// return for [n]
