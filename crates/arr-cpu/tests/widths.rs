//! Loops long enough for kernels, with each instruction set's vectors: strict code equals the interpreter bit for bit.
#![allow(clippy::print_stderr)]

use arr_cpu::{CompileOptions, Isa, Limits, compile_with, host_isa};
use arr_ir::{Const, Func, Value, interp, sample};
use std::path::Path;

/// Those that this machine has.
fn isas() -> Vec<Isa> {
    match host_isa() {
        Some(Isa::Avx512) => vec![Isa::Avx512, Isa::Avx2],
        Some(Isa::Avx2) => vec![Isa::Avx2],
        None => Vec::new(),
    }
}

/// Bits, with all NaNs the same.
fn bits(value: &Value) -> Vec<u64> {
    let one = |c: Const| if c.as_f64().is_some_and(f64::is_nan) { u64::MAX } else { c.bits() };
    match value {
        Value::Scalar(c) => vec![one(*c)],
        Value::Array(a) => (0..a.data.len()).filter_map(|i| a.data.get(i)).map(one).collect(),
    }
}

fn size_lists(count: usize) -> Vec<Vec<i64>> {
    match count {
        0 => vec![Vec::new()],
        1 => [16, 32, 33, 67, 130, 259].map(|n| vec![n]).to_vec(),
        2 => vec![vec![33, 5], vec![5, 33], vec![40, 67], vec![130, 1], vec![16, 0]],
        _ => vec![vec![4, 33, 17], vec![33, 3, 40], vec![16, 40, 2]],
    }
}

fn check(func: &Func) -> usize {
    let loops = arr_loops::lower(func).unwrap();
    let mut runs = 0;
    for isa in isas() {
        let options = CompileOptions { isa: Some(isa), ..CompileOptions::default() };
        let compiled = compile_with(&loops, options).unwrap();
        for sizes in size_lists(func.sizes.len()) {
            for seed in 0..2 {
                let Some(args) = sample::args(func, &sizes, seed) else { continue };
                let limits = Limits { max_steps: Some(100_000), max_bytes: Some(1 << 24) };
                let Ok(expected) = interp::run(func, &sizes, &args, &limits) else { continue };
                let found = compiled.run(&sizes, &args, &limits).unwrap();
                for (k, (found, expected)) in found.results.iter().zip(&expected.results).enumerate() {
                    assert_eq!(bits(found), bits(expected), "{} {isa:?} {sizes:?}: result {k}", func.name);
                }
                runs += 1;
            }
        }
    }
    runs
}

#[test]
fn long_loops_equal_the_interpreter() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut runs = 0;
    for file in ["wide", "loops", "arrays", "control"].map(|f| format!("tests/programs/{f}.ir")).into_iter().chain(
        ["map", "matmul", "nested_reduce", "convolution", "transpose", "reduce_axes", "gather", "branch"]
            .map(|f| format!("../arr-loops/tests/cases/{f}.ir")),
    ) {
        let text = std::fs::read_to_string(root.join(&file)).unwrap();
        for func in arr_ir::parse_funcs(&text).unwrap() {
            runs += check(&func);
        }
    }
    if isas().is_empty() {
        eprintln!("skipped: this machine has no vectors of more than 128 bits");
    } else {
        assert!(runs > 100, "{runs}");
    }
}
