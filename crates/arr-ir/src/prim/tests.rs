//! Laws over the whole table, and values of single rows.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::{Prim, TypeRule, convert};
use crate::{Const, Scalar};

/// Every list of operand types of this length.
fn type_lists(length: usize) -> Vec<Vec<Scalar>> {
    (0..length).fold(vec![Vec::new()], |lists, _| {
        lists.iter().flat_map(|l| Scalar::ALL.map(|s| l.iter().copied().chain([s]).collect())).collect()
    })
}

/// Values at which functions differ: zeros, ones, halves, extremes, infinities, NaN.
fn values(scalar: Scalar) -> Vec<Const> {
    match scalar {
        Scalar::Bool => vec![Const::Bool(false), Const::Bool(true)],
        Scalar::I32 => [0, 1, -1, 7, -7, i32::MAX, i32::MIN].map(Const::I32).to_vec(),
        Scalar::I64 => [0, 1, -1, 2, 7, -7, i64::MAX, i64::MIN].map(Const::I64).to_vec(),
        Scalar::U32 => [0, 1, 7, u32::MAX].map(Const::U32).to_vec(),
        Scalar::F32 => {
            [0.0, -0.0, 0.5, 1.0, -2.5, 1e30, f32::INFINITY, f32::NEG_INFINITY, f32::NAN].map(Const::F32).to_vec()
        }
        Scalar::F64 => {
            [0.0, -0.0, 0.5, 1.0, -2.5, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN].map(Const::F64).to_vec()
        }
    }
}

/// Every list of values of these types.
fn value_lists(types: &[Scalar]) -> Vec<Vec<Const>> {
    types.iter().fold(vec![Vec::new()], |lists, &s| {
        lists.iter().flat_map(|l| values(s).into_iter().map(|c| l.iter().copied().chain([c]).collect())).collect()
    })
}

fn same(a: Const, b: Const) -> bool {
    let is_nan = |c: Const| c.as_f64().is_some_and(f64::is_nan);
    a == b || (a.scalar() == b.scalar() && is_nan(a) && is_nan(b))
}

#[test]
fn names_are_unique_and_found() {
    for (i, &prim) in Prim::ALL.iter().enumerate() {
        assert_eq!(Prim::from_name(prim.name()), Some(prim));
        assert!(Prim::ALL.iter().skip(i + 1).all(|other| other.name() != prim.name()), "{}", prim.name());
    }
    for scalar in Scalar::ALL {
        assert_eq!(Prim::convert(scalar).rule(), TypeRule::Convert(scalar));
        assert_eq!(Prim::convert(scalar).name(), scalar.name());
    }
}

/// A primitive has a value exactly where it has a type, and the value has that type; integer division by zero aside.
#[test]
fn values_exist_where_types_do() {
    for &prim in Prim::ALL {
        assert!((1..=3).contains(&prim.arity()));
        for length in 1..=3 {
            for types in type_lists(length) {
                let result = prim.result(&types);
                assert!(result.is_none() || length == prim.arity(), "{} {types:?}", prim.name());
                for args in value_lists(&types) {
                    let by_zero = matches!(prim, Prim::Div | Prim::Rem) && args.last().unwrap().as_i64() == Some(0);
                    let expected = if by_zero { None } else { result };
                    assert_eq!(prim.eval(&args).map(Const::scalar), expected, "{} {args:?}", prim.name());
                    if by_zero && result.is_some() {
                        assert!(prim.may_fail(types[0]));
                    }
                }
            }
        }
    }
}

/// Only integer division and remainder can fail.
#[test]
fn failures_are_declared() {
    for &prim in Prim::ALL {
        for elem in Scalar::ALL {
            assert_eq!(prim.may_fail(elem), matches!(prim, Prim::Div | Prim::Rem) && elem.is_int());
        }
    }
}

#[test]
fn commutative_rows_commute() {
    for prim in [Prim::Add, Prim::Mul, Prim::And, Prim::Or, Prim::Eq, Prim::Ne] {
        for s in Scalar::ALL {
            for args in value_lists(&[s, s]) {
                let swapped: Vec<Const> = args.iter().rev().copied().collect();
                match (prim.eval(&args), prim.eval(&swapped)) {
                    (Some(a), Some(b)) => assert!(same(a, b), "{} {args:?}", prim.name()),
                    (a, b) => assert_eq!(a, b),
                }
            }
        }
    }
}

#[test]
fn comparisons_are_consistent() {
    let holds = |prim: Prim, args: &[Const]| prim.eval(args).and_then(Const::as_bool);
    for s in Scalar::ALL.into_iter().filter(|s| *s != Scalar::Bool) {
        for args in value_lists(&[s, s]) {
            let swapped = [args[1], args[0]];
            assert_eq!(holds(Prim::Lt, &args), holds(Prim::Gt, &swapped));
            assert_eq!(holds(Prim::Le, &args), holds(Prim::Ge, &swapped));
            assert_eq!(holds(Prim::Eq, &args), holds(Prim::Ne, &args).map(|b| !b));
            let le = holds(Prim::Lt, &args).unwrap() || holds(Prim::Eq, &args).unwrap();
            assert_eq!(holds(Prim::Le, &args), Some(le), "{args:?}");
        }
    }
}

/// `max` and `min` are the first operand at a tie, and NaN if either is.
#[test]
fn extrema() {
    for (prim, first_wins) in [(Prim::Max, Prim::Ge), (Prim::Min, Prim::Le)] {
        for s in Scalar::ALL.into_iter().filter(|s| *s != Scalar::Bool) {
            for args in value_lists(&[s, s]) {
                let is_nan = |c: Const| c.as_f64().is_some_and(f64::is_nan);
                let first = first_wins.eval(&args) == Some(Const::Bool(true)) || is_nan(args[0]);
                let expected = if first { args[0] } else { args[1] };
                assert!(same(prim.eval(&args).unwrap(), expected), "{} {args:?}", prim.name());
            }
        }
    }
}

#[test]
fn integer_division_rounds_down() {
    for s in [Scalar::I32, Scalar::I64, Scalar::U32] {
        for args in value_lists(&[s, s]).into_iter().filter(|a| !a[1].is_zero()) {
            let (q, r) = (Prim::Div.eval(&args).unwrap(), Prim::Rem.eval(&args).unwrap());
            let back = Prim::Add.eval(&[Prim::Mul.eval(&[q, args[1]]).unwrap(), r]).unwrap();
            assert_eq!(back, args[0], "{args:?}");
            let (r, d) = (i128::from(r.as_i64().unwrap()), i128::from(args[1].as_i64().unwrap()));
            assert!(if d > 0 { (0..d).contains(&r) } else { r <= 0 && r > d }, "{args:?}");
        }
    }
}

/// f32 arithmetic done in f64 and rounded once is f32 arithmetic.
#[test]
fn single_precision_is_rounded_once() {
    let mut samples: Vec<f32> = values(Scalar::F32).iter().map(|c| c.as_f64().unwrap() as f32).collect();
    samples.extend([0.1, 1.0 / 3.0, 16_777_217.0, f32::MIN_POSITIVE, 1e-45, f32::MAX]);
    for &x in &samples {
        assert!(same(Prim::Sqrt.eval(&[Const::F32(x)]).unwrap(), Const::F32(x.sqrt())));
        for &y in &samples {
            let pairs = [(Prim::Add, x + y), (Prim::Sub, x - y), (Prim::Mul, x * y), (Prim::Div, x / y)];
            for (prim, expected) in pairs {
                let found = prim.eval(&[Const::F32(x), Const::F32(y)]).unwrap();
                assert!(same(found, Const::F32(expected)), "{} {x} {y}: {found:?}", prim.name());
            }
        }
    }
}

#[test]
fn conversions() {
    let cases = [
        (Const::F64(2.9), Const::I64(2)),
        (Const::F64(-2.9), Const::I32(-2)),
        (Const::F64(1e20), Const::I64(i64::MAX)),
        (Const::F64(-1e20), Const::I32(i32::MIN)),
        (Const::F64(-1.0), Const::U32(0)),
        (Const::F32(f32::NAN), Const::I64(0)),
        (Const::F64(f64::NAN), Const::Bool(true)),
        (Const::F64(-0.0), Const::Bool(false)),
        (Const::I64(1 << 32 | 5), Const::I32(5)),
        (Const::I64(-1), Const::U32(u32::MAX)),
        (Const::U32(u32::MAX), Const::I32(-1)),
        (Const::U32(u32::MAX), Const::F64(4_294_967_295.0)),
        (Const::Bool(true), Const::F32(1.0)),
        (Const::Bool(true), Const::I64(1)),
        (Const::I64(2), Const::Bool(true)),
        (Const::F64(0.1), Const::F32(0.1)),
        (Const::F32(0.5), Const::F64(0.5)),
        (Const::I64(i64::MAX), Const::F64(9_223_372_036_854_775_808.0)),
    ];
    for (from, to) in cases {
        assert_eq!(convert(from, to.scalar()), to, "{from:?}");
        assert_eq!(Prim::convert(to.scalar()).eval(&[from]), Some(to));
    }
    for s in Scalar::ALL {
        for c in values(s) {
            assert!(same(convert(c, s), c), "{c:?}");
        }
    }
}

/// One value of every float function of one operand. The table of functions gives the values of its own.
#[test]
fn unary_float_rows() {
    let own: &[(Prim, f64)] = &[
        (Prim::Neg, -0.7),
        (Prim::Abs, 0.7),
        (Prim::Sign, 1.0),
        (Prim::Sqrt, 0.836_660_026_534_075_5),
        (Prim::Floor, 0.0),
        (Prim::Ceil, 1.0),
        (Prim::Round, 1.0),
    ];
    let own = own.iter().map(|&(prim, value)| (prim, 0.7, value));
    let functions = Prim::ALL.iter().filter_map(|prim| prim.known_value().map(|(x, value)| (*prim, x, value)));
    let rows: Vec<(Prim, f64, f64)> = own.chain(functions).collect();
    for &(prim, x, expected) in &rows {
        let found = prim.eval(&[Const::F64(x)]).unwrap().as_f64().unwrap();
        assert!((found - expected).abs() <= 1e-14 * expected.abs().max(1.0), "{}: {found}", prim.name());
        let single = prim.eval(&[Const::F32(x as f32)]).unwrap().as_f64().unwrap();
        assert!((single - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{}: {single}", prim.name());
    }
    let float_rows = Prim::ALL.iter().filter(|p| p.rule() == TypeRule::Float && p.arity() == 1);
    for prim in float_rows {
        assert!(rows.iter().any(|(p, ..)| p == prim), "no value of `{}` is tested", prim.name());
    }
}

/// The pattern of the table matches exactly its rows.
#[test]
fn functions_of_the_table_are_matched() {
    for prim in Prim::ALL {
        assert_eq!(matches!(prim, crate::any_function!()), prim.known_value().is_some(), "{}", prim.name());
    }
}

#[test]
fn other_rows() {
    let (f, i, b) = (Const::F64, Const::I64, Const::Bool);
    let rows: &[(Prim, &[Const], Const)] = &[
        (Prim::Rem, &[f(-1.0), f(5.0)], f(4.0)),
        (Prim::Rem, &[f(1.0), f(-5.0)], f(-4.0)),
        (Prim::Pow, &[f(2.0), f(-2.0)], f(0.25)),
        (Prim::Pow, &[i(3), i(4)], i(81)),
        (Prim::Pow, &[i(2), i(-1)], i(0)),
        (Prim::PowInt, &[f(-2.0), i(3)], f(-8.0)),
        (Prim::PowInt, &[f(2.0), i(-2)], f(0.25)),
        (Prim::PowInt, &[f(f64::NAN), i(0)], f(1.0)),
        (Prim::Atan2, &[f(1.0), f(-1.0)], f(2.356_194_490_192_345)),
        (Prim::Polygamma, &[i(1), f(1.0)], f(std::f64::consts::PI.powi(2) / 6.0)),
        (Prim::Round, &[f(2.5)], f(2.0)),
        (Prim::Round, &[f(-3.5)], f(-4.0)),
        (Prim::Sign, &[f(-0.0)], f(-0.0)),
        (Prim::Sign, &[i(-9)], i(-1)),
        (Prim::Sign, &[Const::U32(9)], Const::U32(1)),
        (Prim::Abs, &[i(i64::MIN)], i(i64::MIN)),
        (Prim::Neg, &[Const::U32(1)], Const::U32(u32::MAX)),
        (Prim::Add, &[i(i64::MAX), i(1)], i(i64::MIN)),
        (Prim::Mul, &[Const::I32(i32::MAX), Const::I32(2)], Const::I32(-2)),
        (Prim::Sub, &[Const::U32(0), Const::U32(1)], Const::U32(u32::MAX)),
        (Prim::IsNan, &[f(f64::NAN)], b(true)),
        (Prim::IsNan, &[f(f64::INFINITY)], b(false)),
        (Prim::IsFinite, &[f(f64::INFINITY)], b(false)),
        (Prim::IsFinite, &[Const::F32(f32::MAX)], b(true)),
        (Prim::Not, &[b(true)], b(false)),
        (Prim::And, &[b(true), b(false)], b(false)),
        (Prim::Or, &[b(true), b(false)], b(true)),
        (Prim::Eq, &[b(false), b(false)], b(true)),
        (Prim::Eq, &[f(f64::NAN), f(f64::NAN)], b(false)),
        (Prim::Ne, &[f(f64::NAN), f(f64::NAN)], b(true)),
        (Prim::Eq, &[f(0.0), f(-0.0)], b(true)),
        (Prim::Select, &[b(true), i(1), i(2)], i(1)),
        (Prim::Select, &[b(false), i(1), i(2)], i(2)),
    ];
    for (prim, args, expected) in rows {
        let found = prim.eval(args).unwrap();
        let close = match (found.as_f64(), expected.as_f64()) {
            (Some(x), Some(y)) => (x - y).abs() <= 1e-13 && x.is_sign_negative() == y.is_sign_negative(),
            _ => found == *expected,
        };
        assert!(close, "{} {args:?}: {found:?}", prim.name());
    }
    assert_eq!(Prim::Div.eval(&[i(1), i(0)]), None);
    assert_eq!(Prim::Rem.eval(&[Const::U32(1), Const::U32(0)]), None);
}
