//! The table of functions of one float for which processors have no instruction, and the functions themselves.
//!
//! A row is all that the interpreter, the checker, machine code and tests have to know of a function. They take the rows
//! through [`for_each_function!`](crate::for_each_function): `Prim` in `arr-ir` has a variant per row with its name,
//! type, value and documentation; programs have a built-in function per row; `arr-runtime` exports a symbol `arr_NAME`
//! per row, which `arr-cpu` calls.

use crate::{elementary, polygamma};

/// Gives the rows of the table to the macro `then`: after a list in braces, which is passed on, the functions that have
/// vector code (in `arr-x86` and `arr-runtime`), then those that have none.
///
/// A row is `Variant name(argument) = value, "documentation";`. The value comes from another source than the
/// implementation: tests compare the two. The function is defined and smooth from 0.6 below the argument to 0.2 above it,
/// where tests look at its derivatives.
#[macro_export]
macro_rules! for_each_function {
    ($then:path { $($more:tt)* }) => {
        $then! {
            { $($more)* }
            vector {
                Exp exp(0.7) = 2.013_752_707_470_476_6, "e to the power x.";
                Expm1 expm1(0.7) = 1.013_752_707_470_476_6, "exp(x) - 1, exact near 0.";
                Log log(0.7) = -0.356_674_943_938_732_4, "The natural logarithm.";
                Log1p log1p(0.7) = 0.530_628_251_062_170_4, "log(1 + x), exact near 0.";
                Tanh tanh(0.7) = 0.604_367_777_117_163_5, "The hyperbolic tangent.";
                Sigmoid sigmoid(0.7) = 0.668_187_772_168_166_3, "1 / (1 + exp(-x)).";
                Softplus softplus(0.7) = 1.103_186_048_885_458_5, "log(1 + exp(x)).";
                Sin sin(0.7) = 0.644_217_687_237_691_1, "The sine.";
                Cos cos(0.7) = 0.764_842_187_284_488_5, "The cosine.";
                Tan tan(0.7) = 0.842_288_380_463_079_4, "The tangent.";
                Asin asin(0.7) = 0.775_397_496_610_753, "The inverse sine.";
                Acos acos(0.7) = 0.795_398_830_184_143_6, "The inverse cosine.";
                Atan atan(0.7) = 0.610_725_964_389_208_6, "The inverse tangent.";
                Sinh sinh(0.7) = 0.758_583_701_839_533_6, "The hyperbolic sine.";
                Cosh cosh(0.7) = 1.255_169_005_630_943, "The hyperbolic cosine.";
                Erf erf(0.7) = 0.677_801_193_837_418_5, "The error function.";
            }
            scalar {
                Lgamma lgamma(0.7) = 0.260_867_246_531_666_5,
                    "The logarithm of the absolute value of the gamma function.";
                Digamma digamma(0.7) = -1.220_023_553_697_935, "The derivative of lgamma.";
            }
        }
    };
}

/// e to the power x.
pub fn exp(x: f64) -> f64 {
    elementary::exp(x)
}

/// `exp(x) - 1`, exact near 0.
pub fn expm1(x: f64) -> f64 {
    elementary::expm1(x)
}

/// The natural logarithm.
pub fn log(x: f64) -> f64 {
    elementary::log(x)
}

/// `log(1 + x)`, exact near 0.
pub fn log1p(x: f64) -> f64 {
    elementary::log1p(x)
}

/// The hyperbolic tangent.
pub fn tanh(x: f64) -> f64 {
    elementary::tanh(x)
}

/// `1 / (1 + exp(-x))` without overflow for large negative `x`.
pub fn sigmoid(x: f64) -> f64 {
    elementary::sigmoid(x)
}

/// `log(1 + exp(x))` without overflow.
pub fn softplus(x: f64) -> f64 {
    elementary::softplus(x)
}

/// The sine.
#[inline(always)]
pub fn sin(x: f64) -> f64 {
    if x.abs() <= elementary::LARGEST_ANGLE { elementary::sin(x) } else { libm::sin(x) }
}

/// The cosine.
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    if x.abs() <= elementary::LARGEST_ANGLE { elementary::cos(x) } else { libm::cos(x) }
}

/// The tangent.
pub fn tan(x: f64) -> f64 {
    if x.abs() <= elementary::LARGEST_ANGLE { elementary::tan(x) } else { libm::tan(x) }
}

/// The inverse sine.
pub fn asin(x: f64) -> f64 {
    elementary::asin(x)
}

/// The inverse cosine.
pub fn acos(x: f64) -> f64 {
    elementary::acos(x)
}

/// The inverse tangent.
pub fn atan(x: f64) -> f64 {
    elementary::atan(x)
}

/// The hyperbolic sine.
pub fn sinh(x: f64) -> f64 {
    elementary::sinh(x)
}

/// The hyperbolic cosine.
pub fn cosh(x: f64) -> f64 {
    elementary::cosh(x)
}

/// The error function.
pub fn erf(x: f64) -> f64 {
    elementary::erf(x)
}

/// The logarithm of the absolute value of the gamma function.
pub fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The derivative of [`lgamma`].
pub fn digamma(x: f64) -> f64 {
    polygamma(0, x)
}
