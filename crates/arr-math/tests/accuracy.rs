//! The elementary functions against values of 60 digits (`accuracy.txt`, made by `accuracy.py` with mpmath), and at
//! their special points.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

fn apply(name: &str, x: f64, y: Option<f64>) -> f64 {
    match (name, y) {
        ("exp", None) => arr_math::exp(x),
        ("expm1", None) => arr_math::expm1(x),
        ("log", None) => arr_math::log(x),
        ("log1p", None) => arr_math::log1p(x),
        ("sin", None) => arr_math::sin(x),
        ("cos", None) => arr_math::cos(x),
        ("tanh", None) => arr_math::tanh(x),
        ("sigmoid", None) => arr_math::sigmoid(x),
        ("softplus", None) => arr_math::softplus(x),
        ("acos", None) => arr_math::acos(x),
        ("asin", None) => arr_math::asin(x),
        ("atan", None) => arr_math::atan(x),
        ("cosh", None) => arr_math::cosh(x),
        ("erf", None) => arr_math::erf(x),
        ("sinh", None) => arr_math::sinh(x),
        ("tan", None) => arr_math::tan(x),
        ("pow", Some(y)) => arr_math::pow(x, y),
        _ => panic!("unknown function {name}"),
    }
}

/// The largest error each function may have, in units in the last place.
const BOUNDS: [(&str, f64); 17] = [
    ("acos", 1.2),
    ("asin", 1.6),
    ("atan", 1.8),
    ("cos", 0.7),
    ("cosh", 1.0),
    ("erf", 1.2),
    ("exp", 0.6),
    ("expm1", 1.8),
    ("log", 0.75),
    ("log1p", 1.5),
    ("pow", 0.55),
    ("sigmoid", 2.0),
    ("sin", 0.7),
    ("sinh", 2.3),
    ("softplus", 1.5),
    ("tan", 1.7),
    ("tanh", 2.15),
];

#[test]
fn errors_are_below_their_bounds() {
    let path =
        std::env::var("ARR_ACCURACY").unwrap_or_else(|_| format!("{}/tests/accuracy.txt", env!("CARGO_MANIFEST_DIR")));
    let text = std::fs::read_to_string(path).unwrap();
    let mut worst: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let values: Vec<f64> = words[1..].iter().map(|w| f64::from_bits(u64::from_str_radix(w, 16).unwrap())).collect();
        let (args, value) = values.split_at(values.len() - 2);
        let found = apply(words[0], args[0], args.get(1).copied());
        let unit = (value[0].abs().next_up() - value[0].abs()).max(f64::from_bits(1));
        let error = ((found - value[0]) - value[1]).abs() / unit;
        // A subnormal result is rounded twice.
        let error = if value[0].abs() < f64::MIN_POSITIVE { error - 0.5 } else { error };
        let entry = worst.entry(words[0]).or_insert((0.0, 0.0));
        if error.is_nan() || error > entry.0 {
            *entry = (error, args[0]);
        }
    }
    let found: Vec<String> = worst.iter().map(|(name, (e, at))| format!("{name} {e:.3} at {at:e}")).collect();
    assert_eq!(worst.len(), BOUNDS.len());
    for (name, bound) in BOUNDS {
        assert!(worst[name].0 <= bound, "{name} above {bound}: {found:?}");
    }
}

#[test]
fn special_points() {
    let same = |a: f64, b: f64| assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()), "{a} {b}");
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (x, y) in [(0.0, 1.0), (-0.0, 1.0), (inf, inf), (-inf, 0.0), (nan, nan), (710.0, inf), (-746.0, 0.0)] {
        same(arr_math::exp(x), y);
    }
    for (x, y) in [(1.0, 0.0), (0.0, -inf), (-0.0, -inf), (inf, inf), (-1.0, nan), (-inf, nan), (nan, nan)] {
        same(arr_math::log(x), y);
    }
    for (x, y) in [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -1.0), (-50.0, -1.0), (nan, nan), (1e-300, 1e-300)] {
        same(arr_math::expm1(x), y);
    }
    for (x, y) in [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-1.0, -inf), (-2.0, nan), (nan, nan), (1e-300, 1e-300)] {
        same(arr_math::log1p(x), y);
    }
    for (x, y) in [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan), (nan, nan), (1e-300, 1e-300)] {
        same(arr_math::sin(x), y);
    }
    for (x, y) in [(0.0, 1.0), (-0.0, 1.0), (inf, nan), (nan, nan)] {
        same(arr_math::cos(x), y);
    }
    for (x, y) in [(0.0, 0.0), (-0.0, -0.0), (inf, 1.0), (-inf, -1.0), (30.0, 1.0), (nan, nan), (1e-300, 1e-300)] {
        same(arr_math::tanh(x), y);
    }
    for (x, y) in [(0.0, 0.5), (inf, 1.0), (-inf, 0.0), (nan, nan), (-800.0, 0.0)] {
        same(arr_math::sigmoid(x), y);
    }
    for (x, y) in [(inf, inf), (-inf, 0.0), (nan, nan), (800.0, 800.0), (-800.0, 0.0)] {
        same(arr_math::softplus(x), y);
    }
    // IEEE 754, clause 9.2.1.
    for (x, p, y) in [
        (2.0, 3.0, 8.0),
        (0.0, 0.0, 1.0),
        (nan, 0.0, 1.0),
        (1.0, nan, 1.0),
        (-2.0, 3.0, -8.0),
        (-2.0, 0.5, nan),
        (0.0, -1.0, inf),
        (-0.0, -3.0, -inf),
        (inf, 0.5, inf),
        (inf, -1.0, 0.0),
        (0.5, inf, 0.0),
        (2.0, inf, inf),
        (1e300, 2.0, inf),
        (1e-300, 2.0, 0.0),
        (9.0, 0.5, 3.0),
        (10.0, 2.0, 100.0),
    ] {
        same(arr_math::pow(x, p), y);
    }
    type Row = (fn(f64) -> f64, [(f64, f64); 5]);
    let half = std::f64::consts::FRAC_PI_2;
    let rows: [Row; 7] = [
        (arr_math::tan, [(-0.0, -0.0), (inf, nan), (nan, nan), (1e-300, 1e-300), (0.0, 0.0)]),
        (arr_math::asin, [(-0.0, -0.0), (1.0, half), (-1.0, -half), (1.1, nan), (nan, nan)]),
        (arr_math::acos, [(1.0, 0.0), (0.0, half), (-1.0, 2.0 * half), (-1.1, nan), (nan, nan)]),
        (arr_math::atan, [(-0.0, -0.0), (inf, half), (-inf, -half), (nan, nan), (1e-300, 1e-300)]),
        (arr_math::sinh, [(-0.0, -0.0), (inf, inf), (-inf, -inf), (nan, nan), (-711.0, -inf)]),
        (arr_math::cosh, [(-0.0, 1.0), (inf, inf), (-inf, inf), (nan, nan), (-711.0, inf)]),
        (arr_math::erf, [(-0.0, -0.0), (inf, 1.0), (-7.0, -1.0), (nan, nan), (0.0, 0.0)]),
    ];
    for (function, points) in rows {
        points.into_iter().for_each(|(x, y)| same(function(x), y));
    }
    for x in [1e13, 1e22, 1e300] {
        same(arr_math::tan(x), libm::tan(x));
        same(arr_math::sin(x), libm::sin(x));
    }
}

/// Functions of `f32` are within 1e-9 of those of `f64` before they are rounded, and the same at special points.
#[test]
fn single_precision() {
    use arr_math::single;
    type Row = (fn(f64) -> f64, fn(f64) -> f64, fn(f32) -> f32);
    let rows: [Row; 6] = [
        (single::exp, arr_math::exp, arr_math::exp_f32),
        (single::tanh, arr_math::tanh, arr_math::tanh_f32),
        (single::sigmoid, arr_math::sigmoid, arr_math::sigmoid_f32),
        (single::sinh, arr_math::sinh, arr_math::sinh_f32),
        (single::cosh, arr_math::cosh, arr_math::cosh_f32),
        (single::erf, arr_math::erf, arr_math::erf_f32),
    ];
    for (k, (found, expected, rounded)) in rows.into_iter().enumerate() {
        for bits in (0..=u32::MAX).step_by(9973) {
            let x = f32::from_bits(bits);
            let (y, z) = (found(f64::from(x)), expected(f64::from(x)));
            let narrow = (z as f32).abs();
            let plain = narrow > f32::MIN_POSITIVE && narrow < f32::INFINITY;
            assert!(!plain || ((y - z) / z).abs() <= 1e-9, "{k}: {x:e}: {y:e} instead of {z:e}");
            let close = (rounded(x) - z as f32).abs() <= narrow.next_up() - narrow;
            assert!(close || rounded(x) == z as f32 || (x.is_nan() && rounded(x).is_nan()), "{k}: {x:e}");
        }
        for x in [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(rounded(x).to_bits(), (expected(f64::from(x)) as f32).to_bits(), "{k}: {x}");
        }
    }
}
