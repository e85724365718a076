//! Scans in chunks: the interpreter's results, equal bits on one thread, two and seven, and the first failure.

use crate::scan_cases::{
    GREATEST, LINEAR, UNSTABLE, case, expected, extremes, floats, ints, parse, random, recurrence,
};
use arr_cpu::{CompileOptions, Compiled, Limits, compile_with};
use arr_ir::{Const, Func, RunError, RunErrorKind, Value};

/// From nothing to many chunks. The last is divided.
const SIZES: [i64; 5] = [0, 1, 97, 7919, 65_537];

fn compiled(func: &Func, relaxed: bool) -> Compiled {
    let loops = arr_loops::lower_with(func, arr_loops::LowerOptions { relaxed, ..Default::default() }).unwrap();
    let options = CompileOptions { relaxed, threads: Some(1), ..CompileOptions::default() };
    compile_with(&loops, options).unwrap_or_else(|e| panic!("{e}\n{}", arr_loops::print(&loops)))
}

/// The numbers of a value; all NaNs are the same.
fn bits(value: &Value) -> Vec<u64> {
    let one = |c: Const| if c.as_f64().is_some_and(f64::is_nan) { u64::MAX } else { c.bits() };
    match value {
        Value::Scalar(c) => vec![one(*c)],
        Value::Array(a) => (0..a.data.len()).map(|k| one(a.data.get(k).unwrap())).collect(),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Scalar(c) => vec![c.as_f64().unwrap()],
        Value::Array(a) => (0..a.data.len()).map(|k| a.data.get(k).unwrap().as_f64().unwrap()).collect(),
    }
}

/// Runs on every number of threads, with equal bits and nothing leaked; returns the results, and the number of divided
/// loops.
fn on_all(compiled: &mut Compiled, n: i64, args: &[Value]) -> (Result<Vec<Value>, RunError>, u64) {
    let mut runs = [1, 2, 7].map(|threads| {
        compiled.set_threads(Some(threads));
        let (outcome, stats) = compiled.run_with_stats(&[n], args, &Limits::default());
        assert!(outcome.is_err() || stats.leaked == 0);
        (outcome.map(|o| o.results), stats.regions)
    });
    let same = |a: &Result<Vec<Value>, RunError>, b: &Result<Vec<Value>, RunError>| match (a, b) {
        (Ok(a), Ok(b)) => a.iter().map(bits).eq(b.iter().map(bits)),
        (a, b) => a == b,
    };
    let (first, others) = runs.split_first_mut().unwrap();
    assert!(others.iter().all(|other| same(&first.0, &other.0) && first.1 == other.1), "{n}");
    (first.0.clone(), first.1)
}

/// Integers and bools, strict and relaxed.
#[test]
fn exact_scans_equal_the_interpreter() {
    let [max, gathered] = [case("scan_max.ir"), case("gathered.ir")];
    for n in SIZES {
        let at: Vec<i64> = (0..n).map(|k| (k * 7919) % n).collect();
        let values: Vec<i64> = (0..n).map(|k| (k * k) % 1013 - 2 * (n - k) % 911 - 1000).collect();
        let [at, values] = [at, values].map(ints);
        for relaxed in [false, true] {
            for (func, args) in [(&max, vec![values.clone()]), (&gathered, vec![values.clone(), at.clone()])] {
                let (found, regions) = on_all(&mut compiled(func, relaxed), n, &args);
                assert!(found.unwrap().iter().map(bits).eq(expected(func, n, &args).iter().map(bits)), "{n}");
                assert!(regions >= u64::from(n > 60_000), "{n}: {regions} regions");
            }
        }
    }
}

/// The greatest and least so far, with NaNs, infinities and both zeros: the same bits in strict and in relaxed code.
#[test]
fn extremes_of_floats_are_exact() {
    let func = parse(GREATEST);
    for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0] {
        for n in SIZES {
            let args = extremes(n, special);
            for relaxed in [false, true] {
                let (found, _) = on_all(&mut compiled(&func, relaxed), n, &args);
                assert!(
                    found.unwrap().iter().map(bits).eq(expected(&func, n, &args).iter().map(bits)),
                    "{special} {n}"
                );
            }
        }
    }
}

/// Each element is near the interpreter's, or the same infinity, or NaN as well.
fn assert_near(found: &[Value], expected: &[Value], scale: f64, what: &str) {
    for (found, expected) in found.iter().zip(expected) {
        for (k, (found, expected)) in numbers(found).into_iter().zip(numbers(expected)).enumerate() {
            let near = (found - expected).abs() <= 1e-12 * scale.max(expected.abs());
            let same = found == expected || found.is_nan() && expected.is_nan();
            assert!(near || same, "{what}, {k}: {found} for {expected}");
        }
    }
}

/// Sums, averages and linear recurrences of floats: near the interpreter in relaxed code, equal to it in strict code.
#[test]
fn scans_of_floats_are_near_the_interpreter() {
    let specials = [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), Some(1e308)];
    let funcs = [case("average.ir"), case("sum_backwards.ir"), parse(LINEAR), case("implicit.ir")];
    for n in SIZES {
        for special in specials.into_iter().filter(|s| s.is_none() || n == 97 || n > 60_000) {
            let [mut x, y] = [random(n, 1), random(n, 2)];
            if let (Some(special), Some(x)) = (special, x.get_mut((n / 2) as usize)) {
                *x = special;
            }
            for (k, func) in funcs.iter().enumerate() {
                let second = if k == 0 { Value::Scalar(Const::F64(0.125)) } else { floats(y.clone()) };
                let args = [floats(x.clone()), second];
                let expected = expected(func, n, &args);
                let (strict, _) = on_all(&mut compiled(func, false), n, &args);
                assert!(strict.unwrap().iter().map(bits).eq(expected.iter().map(bits)), "{} {n}", func.name);
                let (relaxed, regions) = on_all(&mut compiled(func, true), n, &args);
                // The error of the interpreter's own sum of n numbers.
                assert_near(&relaxed.unwrap(), &expected, n as f64, &format!("{} {n} {special:?}", func.name));
                let expected = [1, 2, 1, 1][k] * u64::from(n > 60_000);
                assert!(regions >= expected, "{n}: {regions} regions");
            }
        }
    }
}

/// Steps that magnify use no summaries: a constant state stays constant, though the summary of a chunk overflows.
#[test]
fn unstable_recurrences_are_as_in_order() {
    let func = parse(LINEAR);
    let n = 150_000;
    for unstable in UNSTABLE {
        let args = recurrence(n, unstable);
        let found = on_all(&mut compiled(&func, true), n as i64, &args).0.unwrap();
        assert!(found.iter().map(bits).eq(expected(&func, n as i64, &args).iter().map(bits)), "{unstable:?}");
    }
}

/// The failure of the first failing iteration, on any number of threads; allocations are released.
#[test]
fn the_first_failure_is_reported() {
    let func = case("gathered.ir");
    let n = 200_000;
    let values = ints(vec![1; n as usize]);
    for relaxed in [false, true] {
        let mut compiled = compiled(&func, relaxed);
        for first in [0, 1, 7919, 123_456, n - 1] {
            let mut at: Vec<i64> = (0..n).collect();
            for k in [first, (first + 1).min(n - 1), (first + n / 3).min(n - 1), n - 1] {
                at[k as usize] = n + k;
            }
            let (found, _) = on_all(&mut compiled, n, &[values.clone(), ints(at)]);
            assert_eq!(found.unwrap_err().kind, RunErrorKind::Index { index: n + first, extent: n });
        }
    }
}
