//! Numbers as text, converted to the type of their context.

use crate::Problem;
use arr_ir::{Const, Scalar};

/// A number as written: `text` without its suffix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NumberText<'a> {
    pub text: &'a str,
    pub suffix: Option<Scalar>,
}

impl NumberText<'_> {
    /// Its type without a context.
    pub(crate) fn natural(&self) -> Scalar {
        self.suffix.unwrap_or(if self.is_decimal() { Scalar::F64 } else { Scalar::I64 })
    }

    fn is_decimal(&self) -> bool {
        self.text.contains(['.', 'e', 'E', 'n'])
    }

    fn written(&self) -> String {
        format!("{}{}", self.text, self.suffix.map_or("", Scalar::name))
    }

    /// The number in type `to`. With a suffix it is first a number of that type, which then must convert without loss.
    pub(crate) fn read(&self, to: Scalar) -> Result<Const, Problem> {
        let wrong_type = || Problem::Type { expected: to.name().into(), found: self.natural().name().into() };
        let lossy = || Problem::Lossy { number: self.written(), ty: to.name().into() };
        if let Some(suffix) = self.suffix {
            let value = NumberText { text: self.text, suffix: None }.read(suffix)?;
            return match lossless(value, to) {
                Some(converted) => Ok(converted),
                None if suffix.is_int() && to != Scalar::Bool => Err(lossy()),
                None => Err(wrong_type()),
            };
        }
        match to {
            Scalar::Bool => Err(wrong_type()),
            Scalar::F32 | Scalar::F64 if self.is_decimal() => decimal(self.text, to).ok_or_else(lossy),
            Scalar::I32 | Scalar::I64 | Scalar::U32 if self.is_decimal() => Err(wrong_type()),
            _ => self
                .text
                .parse::<i128>()
                .ok()
                .and_then(|n| integer(n, self.text.starts_with('-'), to))
                .ok_or_else(lossy),
        }
    }
}

/// A decimal, rounded to the type as in a program; `None` if it is finite as written and too large for the type.
fn decimal(text: &str, to: Scalar) -> Option<Const> {
    let infinite = text.ends_with("inf");
    match to {
        Scalar::F32 => text.parse().ok().filter(|x: &f32| infinite || !x.is_infinite()).map(Const::F32),
        _ => text.parse().ok().filter(|x: &f64| infinite || !x.is_infinite()).map(Const::F64),
    }
}

/// An integer in type `to`, if that holds it exactly. `-0` is the negative zero of a float.
pub(crate) fn integer(n: i128, negative: bool, to: Scalar) -> Option<Const> {
    Some(match to {
        Scalar::Bool => return None,
        Scalar::I32 => Const::I32(i32::try_from(n).ok()?),
        Scalar::I64 => Const::I64(i64::try_from(n).ok()?),
        Scalar::U32 => Const::U32(u32::try_from(n).ok()?),
        Scalar::F32 => Const::F32(if n == 0 && negative { -0.0 } else { exact(n, n as f32 as f64)? as f32 }),
        Scalar::F64 => Const::F64(if n == 0 && negative { -0.0 } else { exact(n, n as f64)? }),
    })
}

/// `x` if it equals `n`. A cast back saturates, so the largest values are left out rather than taken for equal.
fn exact(n: i128, x: f64) -> Option<f64> {
    (x.is_finite() && n.unsigned_abs() < 1 << 126 && x as i128 == n).then_some(x)
}

/// The conversions that lose nothing; the rest are refused. `f64` to `f32` is refused even where a value would fit,
/// because whether it fits should not depend on the data.
pub(crate) fn lossless(value: Const, to: Scalar) -> Option<Const> {
    match (value, to) {
        (Const::Bool(_), Scalar::Bool) | (Const::F32(_), Scalar::F32) | (Const::F64(_), Scalar::F64) => Some(value),
        (Const::F32(x), Scalar::F64) => Some(Const::F64(f64::from(x))),
        (Const::I32(_) | Const::I64(_) | Const::U32(_), _) => integer(i128::from(value.as_i64()?), false, to),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn read(text: &str, suffix: Option<Scalar>, to: Scalar) -> Option<Const> {
        NumberText { text, suffix }.read(to).ok()
    }

    #[test]
    fn an_unsuffixed_number_takes_the_type_of_its_place() {
        assert_eq!(read("3", None, Scalar::F64), Some(Const::F64(3.0)));
        assert_eq!(read("3", None, Scalar::U32), Some(Const::U32(3)));
        assert_eq!(read("-0", None, Scalar::F64), Some(Const::F64(-0.0)));
        assert_eq!(read("0.1", None, Scalar::F32), Some(Const::F32(0.1)));
        assert_eq!(read("1.5", None, Scalar::I64), None);
        assert_eq!(read("-1", None, Scalar::U32), None);
        assert_eq!(read("9007199254740993", None, Scalar::F64), None);
        assert_eq!(read("9007199254740992", None, Scalar::F64), Some(Const::F64(9007199254740992.0)));
        assert_eq!(read("16777217", None, Scalar::F32), None);
        assert_eq!(read("99999999999999999999999999999999999999999999", None, Scalar::F64), None);
        assert_eq!(read("1e400", None, Scalar::F64), None);
        assert_eq!(read("1e39", None, Scalar::F32), None);
        assert_eq!(read("-inf", None, Scalar::F64), Some(Const::F64(f64::NEG_INFINITY)));
    }

    #[test]
    fn a_suffix_fixes_the_type_and_only_lossless_conversions_follow() {
        assert_eq!(read("3", Some(Scalar::I32), Scalar::I64), Some(Const::I64(3)));
        assert_eq!(read("0.5", Some(Scalar::F32), Scalar::F64), Some(Const::F64(0.5)));
        assert_eq!(read("0.5", Some(Scalar::F64), Scalar::F32), None);
        assert_eq!(read("3", Some(Scalar::I64), Scalar::F64), Some(Const::F64(3.0)));
        assert_eq!(read("3", Some(Scalar::I64), Scalar::Bool), None);
    }
}
