//! Elementary functions without branches, so that a loop over them becomes vector instructions.
//!
//! Every operation is a single correctly rounded one (the fused multiply-add included), in a fixed order: the result is
//! the same bits on one element and on a vector of them, on every machine. Errors are given in units in the last place,
//! the largest found on 4,000 points per range against 60-digit values (half a unit more where the result is
//! subnormal); `tests/accuracy.rs` enforces them.
//!
//! Sources: argument reduction after Cody and Waite; the polynomials of `log`, `sin` and `cos` are those of the Freely
//! Distributable Math Library (Sun Microsystems, 1993), the one of `exp` is a Chebyshev fit of degree 10, those of `atan`,
//! `asin` and `erf` are minimax fits (Lawson's iteration, relative to the result); `pow` follows double-double arithmetic as in SLEEF (Shibata and Petrogalli, 2020).
// The constants keep the digits of their sources, so that they can be compared.
#![allow(clippy::excessive_precision, clippy::approx_constant)]

use crate::Number;

/// 1.5 * 2^52: added to a number below 2^51 it leaves the nearest integer in the low bits.
const MAGIC: f64 = 6755399441055744.0;
const LN2_HIGH: f64 = 0.693_147_180_559_662_956_511_601_805_686_950_683_593_750;
const LN2_LOW: f64 = 0.282_352_905_630_315_771_225_884_481_750_134_360_255_254_120_68e-12;

/// `2^k` for the integer in the low bits of a number made with [`MAGIC`], for -1022 <= k <= 1023.
#[inline(always)]
pub(crate) fn two_to<N: Number>(k: N) -> N {
    N::from_bits(N::bits_add(N::shift_left(k.to_bits(), 52), k.bits_of(1023 << 52)))
}

/// `(e^r - 1 - r) / r^2` for |r| <= ln(2) / 2.
#[inline(always)]
fn exp_tail<N: Number>(r: N) -> N {
    let r2 = r * r;
    let r4 = r2 * r2;
    let a = r.of(0.166_666_666_666_666_709_91).mul_add(r, r.of(0.5));
    let b = r.of(0.008_333_333_333_326_135_125_8).mul_add(r, r.of(0.041_666_666_666_666_669_755));
    let c = r.of(0.000_198_412_698_748_206_252_71).mul_add(r, r.of(0.001_388_888_888_888_374_830_5));
    let d = r.of(2.755_725_540_020_642_443e-6).mul_add(r, r.of(0.000_024_801_587_325_547_741_216));
    let e = r.of(2.510_521_700_472_074_516_4e-8).mul_add(r, r.of(2.755_727_364_311_029_532_8e-7));
    let e = r.of(2.091_468_696_808_687_723_3e-9).mul_add(r2, e);
    let ab = b.mul_add(r2, a);
    let cd = d.mul_add(r2, c);
    let cde = e.mul_add(r4, cd);
    cde.mul_add(r4, ab)
}

/// `e^r - 1` for |r| <= ln(2) / 2.
#[inline(always)]
fn exp_less_one<N: Number>(r: N) -> N {
    exp_tail(r).mul_add(r * r, r)
}

/// `x = k ln(2) + r`: k plus [`MAGIC`], k, r.
#[inline(always)]
pub(crate) fn reduce_exp<N: Number>(x: N) -> (N, N, N) {
    let marked = x.mul_add(x.of(std::f64::consts::LOG2_E), x.of(MAGIC));
    let k = marked - x.of(MAGIC);
    let r = k.mul_add(x.of(-LN2_LOW), k.mul_add(x.of(-LN2_HIGH), x));
    (marked, k, r)
}

/// A NaN propagates.
#[inline(always)]
pub(crate) fn clamp<N: Number>(x: N, lo: f64, hi: f64) -> N {
    x.of(lo).greater(x.of(hi).lesser(x))
}

/// e to the power x. 0.6 units in the last place.
#[inline(always)]
pub fn exp<N: Number>(x: N) -> N {
    let x = clamp(x, -746.0, 710.0);
    let (_, k, r) = reduce_exp(x);
    // The rounding errors: of the reduced argument, and of 1 + r.
    let lost = k.mul_add(x.of(-LN2_LOW), k.mul_add(x.of(-LN2_HIGH), x) - r);
    let one = x.of(1.0) + r;
    let low = (r - (one - x.of(1.0))) + lost;
    (one + exp_tail(r).mul_add(r * r, low)).scale(k)
}

/// `e^x - 1`, exact near 0. 1.8 units in the last place.
#[inline(always)]
pub fn expm1<N: Number>(x: N) -> N {
    let y = clamp(x, -40.0, 710.0);
    let (_, k, r) = reduce_exp(y);
    let p = exp_less_one(r);
    // 2^-k is negligible beside 1 when k is large; the clamp keeps it a normal number.
    let inverse = two_to(x.of(MAGIC) - clamp(k, -60.0, 1000.0));
    let y = (p + (x.of(1.0) - inverse)).scale(k);
    N::select(x.equals(x.of(0.0)), x, y)
}

/// A positive finite number as `2^k m`, with m between the square root of a half and that of two.
#[inline(always)]
fn split<N: Number>(x: N) -> (N, N) {
    let subnormal = x.less(x.of(f64::MIN_POSITIVE));
    let scaled = N::select(subnormal, x * x.of(18014398509481984.0), x);
    let shift = N::select(subnormal, x.of(-54.0), x.of(0.0));
    let bits = scaled.to_bits();
    let t = N::bits_sub(bits, x.bits_of(0x3fe6_a09e_667f_3bcd));
    let m = N::from_bits(N::bits_sub(bits, N::bits_and(t, x.bits_of(0xfff0_0000_0000_0000))));
    let exponent = N::shift_right(N::bits_add(t, x.bits_of(1 << 62)), 52);
    let k = N::from_bits(N::bits_or(exponent, x.bits_of(0x4330_0000_0000_0000)));
    let k = k - x.of(4503599627370496.0 + 1024.0) + shift;
    (k, m)
}

/// The natural logarithm. 0.75 units in the last place.
#[inline(always)]
pub fn log<N: Number>(x: N) -> N {
    let (k, m) = split(x);
    let c = |value: f64| x.of(value);
    let f = m - c(1.0);
    let s = f / (c(2.0) + f);
    let z = s * s;
    let w = z * z;
    let odd =
        w.mul_add(w.mul_add(c(1.531383769920937332e-01), c(2.222219843214978396e-01)), c(3.999999999940941908e-01));
    let even = w.mul_add(
        w.mul_add(w.mul_add(c(1.479819860511658591e-01), c(1.818357216161805012e-01)), c(2.857142874366239149e-01)),
        c(6.666666666666735130e-01),
    );
    let r = w.mul_add(odd, z * even);
    let square = c(0.5) * f * f;
    let low = k.mul_add(c(1.90821492927058770002e-10), s * (square + r));
    // The first product is exact.
    let y = k.mul_add(c(6.93147180369123816490e-01), f - (square - low));
    let y = N::select(x.less(c(f64::INFINITY)), y, x);
    // Zero; negative, or NaN.
    let rest = N::select(x.equals(c(0.0)), c(f64::NEG_INFINITY), c(f64::NAN));
    N::select(c(0.0).less(x), y, rest)
}

/// `log(1 + x)`, exact near 0. 1.5 units in the last place.
#[inline(always)]
pub fn log1p<N: Number>(x: N) -> N {
    let one = x.of(1.0);
    let u = one + x;
    // The rounding error of 1 + x, from the larger of the two.
    let lost = N::select(x.less(one), x - (u - one), one - (u - x));
    let y = log(u) + lost / u;
    let y = N::select(u.equals(x.of(0.0)), x.of(f64::NEG_INFINITY), y);
    let y = N::select(x.equals(x.of(f64::INFINITY)), x, y);
    N::select(x.equals(x.of(0.0)), x, y)
}

/// The largest number for which [`sin`] and [`cos`] are defined; beyond it the reduction needs more digits of pi.
pub const LARGEST_ANGLE: f64 = 1.0e12;

/// Sine and cosine of |x| <= [`LARGEST_ANGLE`].
#[inline(always)]
fn sin_cos<N: Number>(x: N) -> (N, N) {
    const P1: f64 = 1.5707963267948966;
    const P2: f64 = 6.123233995736766e-17;
    const P3: f64 = -1.4973849048591833e-33;
    let c = |value: f64| x.of(value);
    let marked = x.mul_add(c(std::f64::consts::FRAC_2_PI), c(MAGIC));
    let k = marked - c(MAGIC);
    let t = k.mul_add(c(-P1), x);
    let w = k * c(P2);
    let we = k.mul_add(c(P2), -w);
    let r = t - w;
    let tail = ((t - r) - w) - k.mul_add(c(P3), we);
    let z = r * r;
    let z2 = z * z;
    let z3 = z2 * z;
    let low = z.mul_add(c(1.58969099521155010221e-10), c(-2.50507602534068634195e-08));
    let sr = z3.mul_add(
        low,
        z.mul_add(
            z.mul_add(c(2.75573137070700676789e-06), c(-1.98412698298579493134e-04)),
            c(8.33333333332248946124e-03),
        ),
    );
    // r + (tail + z (r^3 sr - tail / 2) - r^3 / 6)
    let v = z * r;
    let rest = z.mul_add(v.mul_add(sr, tail * c(-0.5)), tail);
    let sine = r + v.mul_add(c(-1.66666666666666324348e-01), rest);
    let low = z.mul_add(
        z.mul_add(c(-1.13596475577881948265e-11), c(2.08757232129817482790e-09)),
        c(-2.75573143513506633035e-07),
    );
    let cr = z3.mul_add(
        low,
        z.mul_add(
            z.mul_add(c(2.48015872894767294178e-05), c(-1.38888888888741095749e-03)),
            c(4.16666666666666019037e-02),
        ),
    );
    // 1 - z / 2, and its rounding error with the rest
    let one = z.mul_add(c(-0.5), c(1.0));
    let lost = z.mul_add(c(-0.5), c(1.0) - one);
    let cosine = one + r.mul_add(-tail, z2.mul_add(cr, lost));
    let quadrant = marked.to_bits();
    let swap = N::has_bit(quadrant, 1);
    let s = N::select(swap, cosine, sine);
    let c = N::select(swap, sine, cosine);
    let sign = |quadrant| N::shift_left(N::bits_and(quadrant, x.bits_of(2)), 62);
    let s = N::from_bits(N::bits_xor(s.to_bits(), sign(quadrant)));
    let c = N::from_bits(N::bits_xor(c.to_bits(), sign(N::bits_add(quadrant, x.bits_of(1)))));
    (s, c)
}

/// The sine of |x| <= [`LARGEST_ANGLE`]. 0.7 units in the last place.
#[inline(always)]
pub fn sin<N: Number>(x: N) -> N {
    let y = sin_cos(x).0;
    // The sum with the tail would lose the sign of a zero.
    N::select(x.equals(x.of(0.0)), x, y)
}

/// The cosine of |x| <= [`LARGEST_ANGLE`]. 0.7 units in the last place.
#[inline(always)]
pub fn cos<N: Number>(x: N) -> N {
    sin_cos(x).1
}

/// The hyperbolic tangent. 2.15 units in the last place.
#[inline(always)]
pub fn tanh<N: Number>(x: N) -> N {
    let a = x.abs();
    let a = N::select(x.of(22.0).less(a), x.of(22.0), a);
    let (marked, _, r) = reduce_exp(a + a);
    let p = exp_less_one(r);
    let s = two_to(marked);
    let e = s.mul_add(p, s - x.of(1.0));
    with_sign(e / (e + x.of(2.0)), x)
}

/// A polynomial with these coefficients, from the constant on: even and odd powers side by side.
#[inline(always)]
pub(crate) fn polynomial<N: Number>(x: N, coefficients: &[f64]) -> N {
    let square = x * x;
    let mut sums = [x.of(0.0); 2];
    for (k, &c) in coefficients.iter().enumerate().rev() {
        let sum = &mut sums[k % 2];
        *sum = if k + 2 < coefficients.len() { square.mul_add(*sum, x.of(c)) } else { x.of(c) };
    }
    let [even, odd] = sums;
    odd.mul_add(x, even)
}

/// The absolute value of `y` with the sign of `x`.
#[inline(always)]
pub(crate) fn with_sign<N: Number>(y: N, x: N) -> N {
    N::from_bits(N::bits_or(y.abs().to_bits(), N::bits_and(x.to_bits(), x.bits_of(1 << 63))))
}

/// The tangent of |x| <= [`LARGEST_ANGLE`]. 1.7 units in the last place.
#[inline(always)]
pub fn tan<N: Number>(x: N) -> N {
    let (s, c) = sin_cos(x);
    N::select(x.equals(x.of(0.0)), x, s / c)
}

/// `e^a = 2^k (1 + p)` for `a = |x|`: 4^-k, p, p / (1 + p), and k - 1. With these, `sinh` and `cosh` are sums that lose
/// nothing: `e^-a = 2^-k (1 - p / (1 + p))`.
#[inline(always)]
fn hyperbolic<N: Number>(x: N, less_one: impl Fn(N) -> N) -> (N, N, N, N) {
    let a = x.of(720.0).lesser(x.abs());
    let (_, k, r) = reduce_exp(a);
    let p = less_one(r);
    let q = p / (x.of(1.0) + p);
    let small = x.of(500.0).lesser(k);
    (two_to(x.of(MAGIC) - (small + small)), p, q, k - x.of(1.0))
}

/// The hyperbolic sine. 2.3 units in the last place.
#[inline(always)]
pub fn sinh<N: Number>(x: N) -> N {
    sinh_of(x, exp_less_one)
}

/// The hyperbolic sine from `e^r - 1` for |r| <= ln(2) / 2.
#[inline(always)]
pub(crate) fn sinh_of<N: Number>(x: N, less_one: impl Fn(N) -> N) -> N {
    let (square, p, q, power) = hyperbolic(x, less_one);
    with_sign(square.mul_add(q, (x.of(1.0) - square) + p).scale(power), x)
}

/// The hyperbolic cosine. 1 unit in the last place.
#[inline(always)]
pub fn cosh<N: Number>(x: N) -> N {
    cosh_of(x, exp_less_one)
}

/// The hyperbolic cosine from `e^r - 1` for |r| <= ln(2) / 2.
#[inline(always)]
pub(crate) fn cosh_of<N: Number>(x: N, less_one: impl Fn(N) -> N) -> N {
    let (square, p, q, power) = hyperbolic(x, less_one);
    (x.of(1.0) + square.mul_add(x.of(1.0) - q, p)).scale(power)
}

const HALF_PI_LOW: f64 = 6.123233995736766e-17;

/// The inverse tangent. 1.8 units in the last place.
#[inline(always)]
pub fn atan<N: Number>(x: N) -> N {
    const P: [f64; 11] = [
        -0.333333333333332,
        0.19999999999954046,
        -0.14285714280245418,
        0.11111110785996614,
        -0.09090897832682342,
        0.07692061574317506,
        -0.06663119709800654,
        0.05848004258306547,
        -0.05039825492419997,
        0.03807783409752162,
        -0.017921767437785868,
    ];
    let c = |value: f64| x.of(value);
    let a = x.abs();
    // Beyond tan(3/8 pi) the angle of -1 / a, beyond tan(1/8 pi) that of (a - 1) / (a + 1).
    let (steep, middle) = (c(2.414213562373095).less(a), c(0.41421356237309503).less(a));
    let top = N::select(steep, c(-1.0), N::select(middle, a - c(1.0), a));
    let bottom = N::select(steep, a, N::select(middle, a + c(1.0), c(1.0)));
    let t = top / bottom;
    let z = t * t;
    let high = N::select(steep, c(std::f64::consts::FRAC_PI_2), c(std::f64::consts::FRAC_PI_4));
    let low = N::select(steep, c(HALF_PI_LOW), c(0.5 * HALF_PI_LOW));
    let rest = t * z * polynomial(z, &P);
    let turned = high + (t + (rest + low));
    with_sign(N::select(middle, turned, t + rest), x)
}

/// For |x| <= 1: whether it is at most 1/2; s and s + s z R(z), its inverse sine, where s is |x| there, and elsewhere
/// the root of (1 - |x|) / 2, whose inverse sine is half of the angle from the other side.
#[inline(always)]
fn arc<N: Number>(x: N) -> (N::Mask, N, N) {
    const P: [f64; 12] = [
        0.16666666666665383,
        0.07500000000343003,
        0.04464285682353945,
        0.030381959328334363,
        0.02237175360207295,
        0.017359769833649223,
        0.013884611566169288,
        0.012173191423753038,
        0.006511237338258618,
        0.01957285233374293,
        -0.01629242328403309,
        0.03195784040800625,
    ];
    let a = x.abs();
    let far = x.of(0.5).less(a);
    let half = (x.of(1.0) - a) * x.of(0.5);
    let z = N::select(far, half, a * a);
    let s = N::select(far, half.sqrt(), a);
    (far, s, s * z * polynomial(z, &P))
}

/// The inverse sine. 1.6 units in the last place.
#[inline(always)]
pub fn asin<N: Number>(x: N) -> N {
    let (far, s, rest) = arc(x);
    let other = x.of(std::f64::consts::FRAC_PI_2) - ((s + s) + ((rest + rest) - x.of(HALF_PI_LOW)));
    with_sign(N::select(far, other, s + rest), x)
}

/// The inverse cosine. 1.2 units in the last place.
#[inline(always)]
pub fn acos<N: Number>(x: N) -> N {
    let c = |value: f64| x.of(value);
    let (far, s, rest) = arc(x);
    let negative = x.less(c(0.0));
    let twice = (s + s) + (rest + rest);
    let beyond = c(std::f64::consts::PI) - ((s + s) + ((rest + rest) - c(2.0 * HALF_PI_LOW)));
    let rest = N::select(negative, -rest, rest);
    let near = c(std::f64::consts::FRAC_PI_2) - (x + (rest - c(HALF_PI_LOW)));
    N::select(far, N::select(negative, beyond, twice), near)
}

/// The error function. 1.2 units in the last place.
#[inline(always)]
pub fn erf<N: Number>(x: N) -> N {
    // erf(x) / x - 1 as a polynomial in x^2, up to 1.
    const NEAR: [f64; 12] = [
        0.12837916709551256,
        -0.3761263890318355,
        0.11283791670945251,
        -0.026866170643275792,
        0.00522397760742033,
        -0.0008548325989561783,
        0.00012055295316859014,
        -1.4924744600213323e-05,
        1.6447516971387274e-06,
        -1.6209170986986424e-07,
        1.3722956813492007e-08,
        -7.801155614138402e-10,
    ];
    // The logarithm of 1 - erf(1 + v), up to v = 5.
    const FAR: [f64; 18] = [
        -1.8496055099332482,
        -2.6389675142347775,
        -0.8431072563593328,
        -0.04156109802663839,
        0.010033825194747482,
        -0.0019779013087161115,
        0.000237316791073596,
        2.6295397455314644e-05,
        -2.7197264526355936e-05,
        9.669114995593617e-06,
        -2.1297532120526546e-06,
        2.0326175103319142e-07,
        5.881436053154563e-08,
        -3.369060134412081e-08,
        8.596839102123387e-09,
        -1.3325861802761063e-09,
        1.2070865092419812e-10,
        -4.92865124188911e-12,
    ];
    erf_of(x, &NEAR, &FAR, exp_less_one)
}

/// The error function from polynomials of [`erf`]'s kinds, and `e^r - 1` for |r| <= ln(2) / 2.
#[inline(always)]
pub(crate) fn erf_of<N: Number>(x: N, near: &[f64], far: &[f64], less_one: impl Fn(N) -> N) -> N {
    let one = x.of(1.0);
    let a = x.abs();
    let small = x.mul_add(polynomial(x * x, near), x);
    let log = polynomial(x.of(6.0).lesser(a) - one, far);
    // The limits keep what is not used below, for numbers below 1, a number.
    let (marked, _, r) = reduce_exp(clamp(log, -60.0, 0.0));
    let s = two_to(marked);
    let large = with_sign(one - s.mul_add(less_one(r), s), x);
    N::select(a.less(one), small, large)
}

/// `1 / (1 + exp(-x))` without overflow for large negative `x`. 2 units in the last place.
#[inline(always)]
pub fn sigmoid<N: Number>(x: N) -> N {
    let e = exp(-x.abs());
    // A NaN makes `e` a NaN, wherever it comes from.
    let top = N::select(x.less(x.of(0.0)), e, x.of(1.0));
    top / (x.of(1.0) + e)
}

/// `log(1 + exp(x))` without overflow. 1.5 units in the last place.
#[inline(always)]
pub fn softplus<N: Number>(x: N) -> N {
    let linear = N::select(x.of(0.0).less(x), x, x.of(0.0));
    linear + log1p(exp(-x.abs()))
}

/// A number as an unevaluated sum of two.
type Double = (f64, f64);

#[inline(always)]
fn two_sum(a: f64, b: f64) -> Double {
    let s = a + b;
    let v = s - a;
    (s, (a - (s - v)) + (b - v))
}

#[inline(always)]
fn fast_two_sum(a: f64, b: f64) -> Double {
    let s = a + b;
    (s, b - (s - a))
}

#[inline(always)]
fn product(a: Double, b: Double) -> Double {
    let p = a.0 * b.0;
    (p, a.0.mul_add(b.0, -p) + a.0.mul_add(b.1, a.1 * b.0))
}

#[inline(always)]
fn times(a: Double, b: f64) -> Double {
    let p = a.0 * b;
    (p, a.1.mul_add(b, a.0.mul_add(b, -p)))
}

#[inline(always)]
fn sum(a: Double, b: Double) -> Double {
    let (s, e) = fast_two_sum(a.0, b.0);
    (s, e + a.1 + b.1)
}

#[inline(always)]
fn quotient(n: Double, d: Double) -> Double {
    let t = 1.0 / d.0;
    let q = n.0 * t;
    let rest = (-q).mul_add(d.0, n.0) + ((-q).mul_add(d.1, n.1));
    (q, rest * t)
}

/// The logarithm of a positive finite number, to twice the precision.
#[inline(always)]
fn log_double(x: f64) -> Double {
    let (k, m) = split(x);
    let f = quotient(two_sum(-1.0, m), two_sum(1.0, m));
    let f2 = product(f, f);
    let z = f2.0;
    let mut p = 0.116_255_524_079_935_043_668_677;
    for c in [
        0.103_239_680_901_072_952_701_192,
        0.117_754_809_412_463_995_466_069,
        0.133_329_810_868_462_739_215_09,
        0.153_846_227_114_512_262_845_736,
        0.181_818_180_850_050_775_676_507,
        0.222_222_222_230_083_560_345_903,
        0.285_714_285_714_249_172_087_875,
        0.400_000_000_000_000_077_715_612,
    ] {
        p = z.mul_add(p, c);
    }
    let third = (0.666_666_666_666_666_629_659_233, 3.805_549_625_424_120_563_366_16e-17);
    let s = times((0.693_147_180_559_945_286_226_764, 2.319_046_813_846_299_558_417_771e-17), k);
    let (high, low) = two_sum(s.0, 2.0 * f.0);
    let s = (high, low + s.1 + 2.0 * f.1);
    let f3 = product(f2, f);
    let s = sum(s, product(f3, third));
    let f5 = product(f2, f3);
    sum(s, times(f5, p))
}

/// x to the power y for a positive finite x and a finite y. 0.55 units in the last place.
#[inline(always)]
pub fn pow_positive(x: f64, y: f64) -> f64 {
    let d = times(log_double(x), y);
    let high = clamp(d.0, -760.0, 720.0);
    let low = if high == d.0 { d.1 } else { 0.0 };
    let q = high.mul_add(std::f64::consts::LOG2_E, MAGIC) - MAGIC;
    let (rh, rl) = two_sum(q.mul_add(-LN2_HIGH, high), q * -LN2_LOW);
    let (rh, rl) = fast_two_sum(rh, rl + low);
    let u = exp_tail(rh);
    // 1 + rh + rl + rh^2 u, the large parts kept exactly.
    let square = rh * rh;
    let square_low = rh.mul_add(rh, -square);
    let p = square * u;
    let p_low = square.mul_add(u, -p) + square_low * u;
    let (a, a_low) = fast_two_sum(rh, p);
    let (b, b_low) = fast_two_sum(1.0, a);
    let v = b + (b_low + (a_low + (p_low + rl + rl * rh)));
    v.scale(q)
}

/// Whether [`pow_positive`] applies.
#[inline(always)]
pub fn is_plain_power(x: f64, y: f64) -> bool {
    x > 0.0 && x < f64::INFINITY && y.abs() < f64::INFINITY
}
