//! Golden tests of `speculate`.

use crate::common;
use arr_ir::Value;
use arr_ir::interp::{Limits, run};

#[test]
fn golden() {
    common::golden("speculate", "speculate");
}

/// Where a zero meets an infinity or a NaN, in a row or in another row, results are those of products in which zero wins.
#[test]
fn zeros_win_over_what_is_not_finite() {
    let text = include_str!("speculate/sums.ir").split("==>").next().expect("a program");
    let before = arr_ir::parse_func(text).expect("a function");
    let mut after = before.clone();
    arr_passes::speculate(&mut after);
    let special = [0.0, -0.0, 1.0, -2.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e308];
    let mut again = 0;
    for seed in 0..500usize {
        // Numbers of a congruential generator, most of them finite.
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xffff_ffff;
            let k = state >> 20;
            if k % 4 == 0 { special[k / 4 % special.len()] } else { k as f64 / 2048.0 - 1.0 }
        };
        let sizes = [3, 4];
        let mut array = |dims: &[i64]| {
            let data: Vec<f64> = (0..dims.iter().product()).map(|_| next()).collect();
            Value::f64s(dims, &data)
        };
        let args = [array(&[3, 4]), array(&[3, 4]), array(&[4])];
        let old = run(&before, &sizes, &args, &Limits::default()).expect("values");
        let new = run(&after, &sizes, &args, &Limits::default()).expect("values");
        for (a, b) in old.results.iter().zip(&new.results) {
            for (p, q) in a.to_f64s().into_iter().zip(b.to_f64s()) {
                assert!(p == q || p.is_nan() && q.is_nan(), "{seed}: {p} became {q}");
            }
        }
        again += usize::from(new.counts.work() > old.counts.work() * 3 / 2);
    }
    assert!(again > 100, "the second way was taken {again} times");
}
