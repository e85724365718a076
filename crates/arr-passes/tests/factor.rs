//! Golden tests of `factor`.

use crate::common;
use arr_ir::Value;
use arr_ir::interp::{Limits, run};

#[test]
fn golden() {
    common::golden("factor", "factor");
}

/// Sums differ only by rounding errors; one that is infinite or NaN was so before.
#[test]
fn infinities_and_nans_stay() {
    let text = include_str!("factor/columns.ir").split("==>").next().expect("a program");
    let before = arr_ir::parse_func(text).expect("a function");
    let mut after = before.clone();
    arr_passes::factor(&mut after);
    let special = [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let large = [0.0, 1e308, -1e308];
    let (mut fast, mut slow) = (0, 0);
    for seed in 0..600usize {
        // Numbers of a congruential generator; in every third round some that are not finite, and in every sixth large ones.
        let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(12_345);
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) & 0xffff_ffff;
            let k = state >> 20;
            match seed % 6 {
                0 if k % 64 == 0 => special[k / 64 % special.len()],
                3 if k % 16 == 0 => large[k / 16 % large.len()],
                _ => k as f64 / 2048.0 - 1.0,
            }
        };
        let sizes = [20, 3, 4, 5];
        let mut array = |dims: &[i64]| {
            let data: Vec<f64> = (0..dims.iter().product()).map(|_| next()).collect();
            Value::f64s(dims, &data)
        };
        let args = [array(&[20, 3, 4]), array(&[3, 4, 5])];
        let old = run(&before, &sizes, &args, &Limits::default()).expect("values");
        let new = run(&after, &sizes, &args, &Limits::default()).expect("values");
        for (a, b) in old.results.iter().zip(&new.results) {
            for (p, q) in a.to_f64s().into_iter().zip(b.to_f64s()) {
                let near = (p - q).abs() <= 1e-12 * (1.0 + p.abs());
                // Sums of large numbers may overflow in one order and not in another, and lose what is small.
                let large = seed % 6 == 3 && !q.is_nan();
                assert!(p == q || near || p.is_nan() && q.is_nan() || large, "{seed}: {p} became {q}");
            }
        }
        fast += usize::from(new.counts.work() < old.counts.work() / 2);
        slow += usize::from(new.counts.work() > old.counts.work());
    }
    assert!(fast >= 400 && slow > 100, "{fast} {slow}");
}
