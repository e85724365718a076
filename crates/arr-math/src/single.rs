//! Elementary functions of `f32`: computed in `f64` and rounded once, with no more digits than necessary.
//!
//! Before rounding, every result has a relative error of at most 1e-9, so that nearly all are correctly rounded; other
//! functions are those of [`crate::elementary`]. The polynomial is a Chebyshev fit of degree 5 to
//! `(e^r - 1 - r) / r^2`.
#![allow(clippy::excessive_precision)]

use crate::Number;
pub use crate::elementary::{acos, asin, atan, cos, expm1, log, log1p, sin, softplus, tan};
use crate::elementary::{clamp, cosh_of, erf_of, reduce_exp, sinh_of, two_to, with_sign};

/// `e^r - 1` for |r| <= ln(2) / 2.
#[inline(always)]
fn exp_less_one<N: Number>(r: N) -> N {
    let r2 = r * r;
    let a = r.of(0.166_666_666_816_591_84).mul_add(r, r.of(0.500_000_001_349_818_3));
    let b = r.of(0.008_333_310_889_580_909).mul_add(r, r.of(0.041_666_464_602_028_03));
    let c = r.of(0.000_198_910_306_640_501_14).mul_add(r, r.of(0.001_393_368_586_300_960_8));
    c.mul_add(r2, b).mul_add(r2, a).mul_add(r2, r)
}

/// e to the power x. Values too large or too small for `f32` are far from the limits of `f64`.
#[inline(always)]
pub fn exp<N: Number>(x: N) -> N {
    exp_between(clamp(x, -110.0, 100.0))
}

/// e to the power |x| <= 700.
#[inline(always)]
fn exp_between<N: Number>(x: N) -> N {
    let (marked, _, r) = reduce_exp(x);
    let s = two_to(marked);
    s.mul_add(exp_less_one(r), s)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<N: Number>(x: N) -> N {
    let a = x.of(12.0).lesser(x.abs());
    let (marked, _, r) = reduce_exp(a + a);
    let s = two_to(marked);
    let e = s.mul_add(exp_less_one(r), s - x.of(1.0));
    with_sign(e / (e + x.of(2.0)), x)
}

/// `1 / (1 + exp(-x))` without overflow for large negative `x`.
#[inline(always)]
pub fn sigmoid<N: Number>(x: N) -> N {
    let e = exp_between(x.of(-110.0).greater(-x.abs()));
    // A NaN makes `e` a NaN, wherever it comes from.
    N::select(x.less(x.of(0.0)), e, x.of(1.0)) / (x.of(1.0) + e)
}

/// The hyperbolic sine.
#[inline(always)]
pub fn sinh<N: Number>(x: N) -> N {
    sinh_of(x, exp_less_one)
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh<N: Number>(x: N) -> N {
    cosh_of(x, exp_less_one)
}

/// The error function.
#[inline(always)]
pub fn erf<N: Number>(x: N) -> N {
    const NEAR: [f64; 8] = [
        0.1283791670631486,
        -0.3761263848371501,
        0.11283782745689296,
        -0.0268654457303704,
        0.005221074617188483,
        -0.0008484707612641857,
        0.00011270516528880819,
        -9.68005636277894e-06,
    ];
    const FAR: [f64; 8] = [
        -1.8496055100492115,
        -2.638967516227223,
        -0.8431070601407905,
        -0.04156357991081042,
        0.010046661081139678,
        -0.0020121838438683817,
        0.000289635948158097,
        -2.1707064466240083e-05,
    ];
    erf_of(x, &NEAR, &FAR, exp_less_one)
}
