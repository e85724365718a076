//! Scans in chunks on a device, against the interpreter.
#![allow(clippy::print_stderr)]

use crate::on_device::{device, executable, numbers};
use crate::scan_cases::{
    GREATEST, LINEAR, UNSTABLE, case, expected, extremes, floats, ints, parse, random, recurrence,
};
use arr_gpu::{Device, Executable, GpuError};
use arr_ir::{Const, Func, Value};
use std::sync::Arc;

/// From nothing to many chunks.
const SIZES: [i64; 6] = [0, 1, 97, 1024, 7919, 65_537];

/// A program with a kernel that runs the iterations of a scan.
fn iterations(func: &Func, device: &Arc<Device>) -> Executable {
    executable(func, device, |name| name.contains("_iterations"))
}

fn run(exe: &Executable, n: i64, args: &[Value]) -> (Vec<Value>, u64) {
    match exe.run(&[n], args, &Default::default()) {
        Ok(outcome) => (outcome.results, outcome.stats.dispatches),
        Err(e) => panic!("{e}\n{}", exe.program().wgsl),
    }
}

/// Each element is near the interpreter's, or the same infinity, or NaN as well.
fn assert_near(found: &[Value], expected: &[Value], relative: f64, what: &str) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        for (k, (found, expected)) in numbers(found).into_iter().zip(numbers(expected)).enumerate() {
            let near = (found - expected).abs() <= relative * expected.abs().max(1.0);
            let same = found == expected || found.is_nan() && expected.is_nan();
            assert!(near || same, "{what}, {k}: {found} for {expected}");
        }
    }
}

#[test]
fn exact_scans_equal_the_interpreter() {
    let Some(device) = device() else { return };
    let [max, gathered] = [case("scan_max.ir"), case("gathered.ir")];
    let [max_exe, gathered_exe] = [&max, &gathered].map(|func| iterations(func, device));
    for n in SIZES {
        let at: Vec<i64> = (0..n).map(|k| (k * 7919) % n).collect();
        let values: Vec<i64> = (0..n).map(|k| (k * k) % 1013 - 2 * (n - k) % 911 - 1000).collect();
        let [at, values] = [at, values].map(ints);
        for (func, exe, args) in
            [(&max, &max_exe, vec![values.clone()]), (&gathered, &gathered_exe, vec![values.clone(), at.clone()])]
        {
            let (found, _) = run(exe, n, &args);
            assert_near(&found, &expected(func, n, &args), 0.0, &format!("{} {n}", func.name));
        }
    }
}

#[test]
fn extremes_of_floats_are_exact() {
    let Some(device) = device() else { return };
    let func = parse(GREATEST);
    let exe = iterations(&func, device);
    for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
        for n in SIZES {
            let args = extremes(n, special);
            assert_near(&run(&exe, n, &args).0, &expected(&func, n, &args), 0.0, &format!("{special} {n}"));
        }
    }
}

#[test]
fn scans_of_floats_are_near_the_interpreter() {
    let Some(device) = device() else { return };
    let specials = [None, Some(f64::NAN), Some(f64::INFINITY), Some(f64::NEG_INFINITY), Some(1e308)];
    for (k, func) in [case("average.ir"), case("sum_backwards.ir"), parse(LINEAR)].iter().enumerate() {
        let exe = iterations(func, device);
        for n in SIZES {
            for special in specials.into_iter().filter(|s| s.is_none() || n == 7919) {
                let [mut x, y] = [random(n, 1), random(n, 2)];
                if let (Some(special), Some(x)) = (special, x.get_mut((n / 2) as usize)) {
                    *x = special;
                }
                let second = if k == 0 { Value::Scalar(Const::F64(0.125)) } else { floats(y.clone()) };
                let args = [floats(x.clone()), second];
                let (found, dispatches) = run(&exe, n, &args);
                assert_near(
                    &found,
                    &expected(func, n, &args),
                    1e-12 * n.max(1) as f64,
                    &format!("{} {n} {special:?}", func.name),
                );
                assert!(dispatches <= 16, "{}: {dispatches} dispatches", func.name);
            }
        }
    }
}

/// Steps that magnify use no summaries: a constant state stays constant, though the summary of a chunk overflows.
#[test]
fn unstable_recurrences_are_as_in_order() {
    let Some(device) = device() else { return };
    let func = parse(LINEAR);
    let exe = iterations(&func, device);
    let n = 20_000;
    for unstable in UNSTABLE {
        let args = recurrence(n, unstable);
        assert_near(&run(&exe, n as i64, &args).0, &expected(&func, n as i64, &args), 0.0, &format!("{unstable:?}"));
    }
}

#[test]
fn a_failure_is_reported() {
    let Some(device) = device() else { return };
    let exe = iterations(&case("gathered.ir"), device);
    let n = 5_000;
    let mut at: Vec<i64> = (0..n).collect();
    at[4_321] = n + 7;
    let found = exe.run(&[n], &[ints(vec![1; n as usize]), ints(at)], &Default::default());
    match found {
        Err(GpuError::Run(e)) => {
            assert_eq!(e.kind, arr_base::RunErrorKind::Index { index: n + 7, extent: n });
        }
        _ => panic!("no failure"),
    }
}
