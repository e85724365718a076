//! Elementary functions of `f32`: computed in `f64` and rounded once, with no more digits than necessary.
//!
//! Before rounding, every result has a relative error of at most 1e-9, so that nearly all are correctly rounded; other
//! functions are those of [`crate::elementary`]. The polynomial is a Chebyshev fit of degree 5 to
//! `(e^r - 1 - r) / r^2`.
#![allow(clippy::excessive_precision)]

use crate::Number;
use crate::elementary::{clamp, reduce_exp, two_to};
pub use crate::elementary::{cos, expm1, log, log1p, sin, softplus};

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
    let y = e / (e + x.of(2.0));
    // With the sign of x.
    N::from_bits(N::bits_or(y.abs().to_bits(), N::bits_and(x.to_bits(), x.bits_of(1 << 63))))
}

/// `1 / (1 + exp(-x))` without overflow for large negative `x`.
#[inline(always)]
pub fn sigmoid<N: Number>(x: N) -> N {
    let e = exp_between(x.of(-110.0).greater(-x.abs()));
    // A NaN makes `e` a NaN, wherever it comes from.
    N::select(x.less(x.of(0.0)), e, x.of(1.0)) / (x.of(1.0) + e)
}
