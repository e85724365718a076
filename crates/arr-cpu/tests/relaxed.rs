//! Relaxed code: which loops are vectorised and the form of their reductions, and results beside the interpreter's.

use arr_cpu::{CompileOptions, Isa, Limits, compile_with, host_isa, wide_loops};
use arr_ir::sample;
use arr_ir::{Array, Const, Data, Func, Scalar, Value, interp};
use std::path::Path;
use std::sync::Arc;

const RELAXED: CompileOptions = CompileOptions {
    count_steps: false,
    verify: true,
    relaxed: true,
    threads: None,
    isa: None,
    record: false,
    sanitize: false,
    interruptible: false,
    watch: None,
};

fn programs() -> Vec<Func> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/relaxed/reductions.ir");
    arr_ir::parse_funcs(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn lowered(func: &Func) -> arr_loops::LoopFunc {
    let options = arr_loops::LowerOptions { relaxed: true, ..arr_loops::LowerOptions::default() };
    arr_loops::lower_with(func, options).unwrap()
}

/// The plans of all programs. `ARR_BLESS=1` rewrites them: a change here is a change of speed.
#[test]
fn reductions_have_accumulators_in_lanes() {
    let mut text = String::new();
    for func in programs() {
        let loops = lowered(&func);
        let strict = CompileOptions { relaxed: false, ..RELAXED };
        text += &format!("{}\n", func.name);
        for (mode, options) in [("relaxed", RELAXED), ("strict", strict)] {
            let plans = wide_loops(&loops, options);
            text += &format!("  {mode}: {}\n", if plans.is_empty() { "nothing".to_string() } else { plans.join("; ") });
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/relaxed/reductions.plans");
    if std::env::var_os("ARR_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(path).unwrap());
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Scalar(c) => vec![c.as_f64().unwrap()],
        Value::Array(a) => (0..a.data.len()).map(|i| a.data.get(i).unwrap().as_f64().unwrap()).collect(),
    }
}

/// Bits, with all NaNs the same.
fn bits(values: &[Value]) -> Vec<u64> {
    values.iter().flat_map(numbers).map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
}

/// The arguments with every `every`-th element replaced.
fn with(args: &[Value], every: usize, number: f64) -> Vec<Value> {
    let replaced = |a: &Arc<Array>| {
        let mut data: Data = a.data.clone();
        for i in (0..data.len()).filter(|i| i % every == every / 2) {
            let number = if data.elem() == Scalar::F32 { Const::F32(number as f32) } else { Const::F64(number) };
            assert!(data.set(i, number));
        }
        Value::array(a.dims.clone(), data)
    };
    args.iter().map(|arg| if let Value::Array(a) = arg { replaced(a) } else { arg.clone() }).collect()
}

/// Equal where the sums cannot differ (NaN, infinite), else near: terms are below 1 in size, and there are at most `terms`.
fn near(found: f64, expected: f64, terms: f64, epsilon: f64) -> bool {
    let same = found == expected || found.is_nan() && expected.is_nan();
    same || expected.is_finite() && (found - expected).abs() <= epsilon * (terms + expected.abs())
}

/// Empty, single, short, prime and long loops, with special elements here and there.
#[test]
fn results_are_near_the_interpreters() {
    let kernels = [None, host_isa(), host_isa().map(|_| Isa::Avx2)];
    let runs: usize = kernels.into_iter().map(|isa| results(CompileOptions { isa, ..RELAXED })).sum();
    assert!(runs > 4000, "{runs} runs");
}

fn results(options: CompileOptions) -> usize {
    let limits = Limits::default();
    let mut runs = 0;
    for func in programs() {
        let compiled = compile_with(&lowered(&func), options).unwrap();
        let strict = CompileOptions { relaxed: false, ..options };
        let strict = compile_with(&arr_loops::lower(&func).unwrap(), strict).unwrap();
        for n in [0, 1, 2, 3, 7, 16, 17, 31, 53, 131] {
            for other in if func.sizes.len() > 1 { vec![1, 5, 19] } else { vec![n] } {
                let sizes: Vec<i64> = (0..func.sizes.len()).map(|k| if k == 0 { n } else { other }).collect();
                let args = sample::args(&func, &sizes, n as u64).unwrap();
                let special = [(9, f64::NAN), (40, f64::INFINITY), (9, f64::NEG_INFINITY), (2, -0.0)];
                let variants = special.iter().map(|&(every, x)| with(&args, every, x));
                for args in std::iter::once(args.clone()).chain(variants) {
                    let expected = interp::run(&func, &sizes, &args, &limits).map(|o| o.results);
                    let found = compiled.run(&sizes, &args, &limits).map(|o| o.results);
                    let again = compiled.run(&sizes, &args, &limits).map(|o| o.results);
                    let exact = strict.run(&sizes, &args, &limits).map(|o| o.results);
                    match (&expected, &found, &again, &exact) {
                        (Ok(expected), Ok(found), Ok(again), Ok(exact)) => {
                            compare(&func, &sizes, expected, found);
                            assert_eq!(bits(found), bits(again), "{} {sizes:?}: two runs differ", func.name);
                            assert_eq!(bits(exact), bits(expected), "{} {sizes:?}: strict code differs", func.name);
                        }
                        _ => assert!(expected == found && expected == exact, "{} {sizes:?}", func.name),
                    }
                    runs += 1;
                }
            }
        }
    }
    runs
}

/// Angles that vectors do not support, one, some and all: later terms are added up, too.
#[test]
fn sums_of_large_angles() {
    let limits = Limits::default();
    let kernels = [None, host_isa(), host_isa().map(|_| Isa::Avx2)];
    for func in programs().into_iter().filter(|func| func.name.contains("sines")) {
        for isa in kernels {
            let compiled = compile_with(&lowered(&func), CompileOptions { isa, ..RELAXED }).unwrap();
            for n in [0, 1, 5, 8, 17, 64, 65, 131, 700] {
                let args = sample::args(&func, &[n], n as u64).unwrap();
                for (every, angle) in [(1, 3e13), (7, -1e15), (50, 1e300), (131, 2e12), (1400, 1e22)] {
                    let args = with(&args, every, angle);
                    let expected = interp::run(&func, &[n], &args, &limits).unwrap().results;
                    let found = compiled.run(&[n], &args, &limits).unwrap().results;
                    compare(&func, &[n], &expected, &found);
                }
            }
        }
    }
}

fn compare(func: &Func, sizes: &[i64], expected: &[Value], found: &[Value]) {
    let terms: i64 = sizes.iter().product();
    for (expected, found) in expected.iter().zip(found) {
        let epsilon = if expected.elem() == Scalar::F32 { 1e-5 } else { 1e-13 };
        let (expected, found) = (numbers(expected), numbers(found));
        assert_eq!(expected.len(), found.len());
        for (&e, &f) in expected.iter().zip(&found) {
            assert!(near(f, e, 16.0 * terms as f64, epsilon), "{} {sizes:?}: {f} instead of {e}", func.name);
        }
    }
}

/// A product that is added to something is rounded once, if the processor supports that, and never in strict code.
#[test]
fn products_are_contracted_in_relaxed_code_alone() {
    for func in programs() {
        let loops = lowered(&func);
        let clif = |relaxed| {
            arr_cpu::clif_text(&loops, CompileOptions { relaxed, ..RELAXED }).unwrap().matches(" fma ").count()
        };
        assert_eq!(clif(false), 0, "{}", func.name);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("fma") {
            let sums_of_products = ["dot", "sumsq", "matvec", "tvec", "pair", "pair3", "planes"];
            assert!(!sums_of_products.contains(&func.name.as_str()) || clif(true) > 0, "{}", func.name);
        }
    }
}
