//! Scalar functions of the language that Rust's own floating-point types lack or define differently.
//!
//! The interpreter, the constant folder and compiled code all call these, so that they agree bit for bit.

pub mod elementary;
mod functions;
mod number;
pub mod single;

use std::convert::Infallible;

pub use functions::*;
pub use number::Number;

/// The larger of two numbers; the first at a tie; NaN if either is NaN.
pub fn max(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// The smaller of two numbers; the first at a tie; NaN if either is NaN.
pub fn min(a: f64, b: f64) -> f64 {
    if a <= b || a.is_nan() { a } else { b }
}

/// The order of two floats when sorting: ascending, NaNs last and equal to each other, the two zeros equal.
pub fn order(x: f64, y: f64) -> std::cmp::Ordering {
    x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
}

/// -1, 0 or 1; the zero keeps its sign; NaN for NaN.
pub fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

macro_rules! of_f32 {
    ($( $name:ident = $function:path; )*) => {
        $(
            /// The function of the same name without `_f32`, for an `f32`; rounded once.
            #[inline(always)]
            pub fn $name(x: f32) -> f32 {
                $function(f64::from(x)) as f32
            }
        )*
    };
}

of_f32! {
    exp_f32 = single::exp;
    tanh_f32 = single::tanh;
    sigmoid_f32 = single::sigmoid;
    sinh_f32 = single::sinh;
    cosh_f32 = single::cosh;
    erf_f32 = single::erf;
}

/// x to the power y.
#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    if elementary::is_plain_power(x, y) { elementary::pow_positive(x, y) } else { libm::pow(x, y) }
}

/// The highest order of [`polygamma`]: its factorial is the largest that is a finite number.
const MAX_ORDER: i64 = 170;

/// The derivative of order `order + 1` of [`lgamma`]: digamma, trigamma, ...; NaN for a negative order and for one above
/// 170.
///
/// Recurrence up to an argument of at least 15 + order, then the asymptotic series in Bernoulli numbers
/// (Abramowitz and Stegun 6.3.18, 6.4.11); reflection for negative arguments of order 0 and 1, and repeated
/// recurrence otherwise.
pub fn polygamma(order: i64, x: f64) -> f64 {
    if !(0..=MAX_ORDER).contains(&order) || x.is_nan() || x == f64::NEG_INFINITY {
        return f64::NAN;
    }
    if x <= 0.0 && x == x.floor() {
        return f64::NAN;
    }
    if x < 0.0 && order == 0 {
        let pi = std::f64::consts::PI;
        return polygamma(0, 1.0 - x) - pi / libm::tan(pi * x);
    }
    if x < 0.0 && order == 1 {
        let s = std::f64::consts::PI / sin(std::f64::consts::PI * x);
        return s * s - polygamma(1, 1.0 - x);
    }
    if order == 0 {
        return digamma_positive(x);
    }
    let n = order as f64;
    let sign = if order % 2 == 0 { -1.0 } else { 1.0 };
    let factorial: f64 = (1..=order).map(|k| k as f64).product();
    // psi_n(x) = psi_n(x + 1) - (-1)^n n! / x^(n+1)
    let mut x = x;
    let mut steps = 0.0;
    let mut count = 0;
    while x < 15.0 + n {
        steps += pow(x, -(n + 1.0));
        x += 1.0;
        count += 1;
        if count > 100_000 {
            return f64::NAN;
        }
    }
    let head = asymptotic_head(order, n, x);
    let tail = asymptotic_tail(order, x);
    sign * (head + tail + factorial * steps)
}

/// The Bernoulli numbers B_2 to B_20 (Abramowitz and Stegun, table 23.2).
pub const BERNOULLI: [f64; 10] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
    43867.0 / 798.0,
    -174611.0 / 330.0,
];

/// B_2k / (2k), k from 1 on: the asymptotic series of digamma (Abramowitz and Stegun 6.3.18).
pub const DIGAMMA_SERIES: [f64; 8] =
    [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0, -3617.0 / 8160.0];

/// [`polygamma`] of order 0 for a positive argument. The sum of reciprocals of the recurrence is one quotient.
fn digamma_positive(x: f64) -> f64 {
    let (mut x, mut top, mut bottom) = (x, 0.0, 1.0);
    while x < 10.0 {
        top = top * x + bottom;
        bottom *= x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let tail = DIGAMMA_SERIES.iter().rev().fold(0.0, |sum, b| (sum + b) * square);
    log(x) - 0.5 / x - tail - top / bottom
}

/// `(n-1)!/x^n + n!/(2 x^(n+1))`
fn asymptotic_head(order: i64, n: f64, x: f64) -> f64 {
    let below: f64 = (1..order).map(|k| k as f64).product();
    below / pow(x, n) + below * n / (2.0 * pow(x, n + 1.0))
}

/// `sum_k B_2k (2k+n-1)! / ((2k)! x^(2k+n))`
fn asymptotic_tail(order: i64, x: f64) -> f64 {
    let mut sum = 0.0;
    for (row, b) in BERNOULLI.iter().enumerate() {
        let two_k = 2 * (row as i64 + 1);
        // (2k+n-1)! / (2k)!: a product of n-1 factors above 2k.
        let ratio: f64 = (two_k + 1..two_k + order).map(|k| k as f64).product();
        sum += b * ratio * pow(x, -((two_k + order) as f64));
    }
    sum
}

/// Integer division toward negative infinity; wraps at `MIN / -1`. The divisor is not zero.
pub fn div_floor(a: i64, b: i64) -> i64 {
    if b == 0 {
        return 0;
    }
    let q = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { q.wrapping_sub(1) } else { q }
}

/// The remainder of [`div_floor`]: it has the divisor's sign.
pub fn rem_floor(a: i64, b: i64) -> i64 {
    if b == 0 {
        return 0;
    }
    let r = a.wrapping_rem(b);
    if r != 0 && (r < 0) != (b < 0) { r.wrapping_add(b) } else { r }
}

/// Integer power, wrapping. A negative exponent gives 0 unless the base is 1 or -1.
pub fn pow_int(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 => {
                if exponent % 2 == 0 {
                    1
                } else {
                    -1
                }
            }
            _ => 0,
        };
    }
    product_of_squares(base, exponent.unsigned_abs(), |a, b| Ok::<i64, Infallible>(a.wrapping_mul(b)))
        .map_or_else(|never| match never {}, |product| product.unwrap_or(1))
}

/// A float to an integer power, by repeated squaring in a fixed order.
pub fn powi(base: f64, exponent: i64) -> f64 {
    let product = product_of_squares(base, exponent.unsigned_abs(), |a, b| Ok::<f64, Infallible>(a * b));
    let power = product.map_or_else(|never| match never {}, |product| product.unwrap_or(1.0));
    if exponent < 0 { 1.0 / power } else { power }
}

/// A power by repeated squaring, as products in a fixed order; `None` for the power 0. Fails where `times` does.
pub fn product_of_squares<T: Copy, E>(
    base: T,
    exponent: u64,
    mut times: impl FnMut(T, T) -> Result<T, E>,
) -> Result<Option<T>, E> {
    let (mut product, mut square, mut rest) = (None, base, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            product = Some(match product {
                None => square,
                Some(product) => times(product, square)?,
            });
        }
        rest >>= 1;
        if rest > 0 {
            square = times(square, square)?;
        }
    }
    Ok(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-13 * b.abs().max(1.0)
    }

    #[test]
    fn polygamma_matches_published_values() {
        assert!(close(polygamma(0, 1.0), -0.577_215_664_901_532_9));
        assert!(close(polygamma(0, 0.5), -1.963_510_026_021_423_5));
        assert!(close(polygamma(1, 1.0), 1.644_934_066_848_226_4));
        assert!(close(polygamma(2, 1.0), -2.404_113_806_319_188_6));
        assert!(close(polygamma(3, 1.0), 6.493_939_402_266_829));
        assert!(close(polygamma(0, -0.5), 0.036_489_973_978_576_52));
        assert!(close(polygamma(1, -0.5), 8.934_802_200_544_68));
        assert!(polygamma(0, 0.0).is_nan() && polygamma(i64::MAX, 1.0).is_nan() && polygamma(-1, 1.0).is_nan());
    }

    #[test]
    fn division_rounds_toward_negative_infinity() {
        assert_eq!((div_floor(-7, 2), rem_floor(-7, 2)), (-4, 1));
        assert_eq!((div_floor(7, -2), rem_floor(7, -2)), (-4, -1));
        assert_eq!((div_floor(-1, 5), rem_floor(-1, 5)), (-1, 4));
        assert_eq!(div_floor(i64::MIN, -1), i64::MIN);
    }

    #[test]
    fn powers() {
        assert_eq!((pow_int(3, 4), pow_int(2, -1), pow_int(-1, -3)), (81, 0, -1));
        assert!(close(powi(2.0, -3), 0.125));
        assert!(close(sigmoid(-800.0), 0.0) && close(softplus(800.0), 800.0));
    }
}
