//! Loops whose points run in blocks, and states that are carried in their tapes: the interpreter's bits in strict code
//! at sizes around those of blocks and vectors, the same on any number of threads; and few divided loops instead of
//! some per iteration.

use arr_cpu::{CompileOptions, Compiled, Limits, compile_with};
use arr_ir::{Const, Func, Value, interp, sample};
use arr_loops::LowerOptions;
use std::path::Path;

const SIZES: [i64; 12] = [0, 1, 7, 31, 32, 33, 255, 256, 257, 1000, 2047, 4100];

/// Programs to which one of the two applies, and similar ones.
fn programs(dir: &str) -> Vec<Func> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../arr-loops/tests").join(dir);
    let mut paths: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    paths.sort();
    paths.iter().map(|path| arr_ir::parse_func(&std::fs::read_to_string(path).unwrap()).unwrap()).collect()
}

fn compiled(func: &Func, relaxed: bool, blocks: bool) -> Compiled {
    let loops = arr_loops::lower_with(func, LowerOptions { relaxed, blocks, ..LowerOptions::default() }).unwrap();
    let options = CompileOptions { relaxed, verify: true, threads: Some(1), ..CompileOptions::default() };
    compile_with(&loops, options).unwrap_or_else(|e| panic!("{e}\n{}", arr_loops::print(&loops)))
}

/// Bits, with all NaNs the same.
fn bits(values: &[Value]) -> Vec<Vec<u64>> {
    let one = |c: Const| if c.as_f64().is_some_and(f64::is_nan) { u64::MAX } else { c.bits() };
    let all = |value: &Value| match value {
        Value::Scalar(c) => vec![one(*c)],
        Value::Array(a) => (0..a.data.len()).map(|k| one(a.data.get(k).unwrap())).collect(),
    };
    values.iter().map(all).collect()
}

/// Sums in another order: terms are not much larger than 1, and this many of them are added up.
fn near(name: &str, found: &[Vec<u64>], exact: &[Vec<u64>], terms: f64) {
    for (found, exact) in found.iter().flatten().zip(exact.iter().flatten()) {
        let [a, b] = [*found, *exact].map(f64::from_bits);
        let same = found == exact || (a - b).abs() <= 1e-13 * (terms + b.abs());
        assert!(same, "{name}: {a:e}, not {b:e}");
    }
}

#[test]
fn equal_to_the_interpreter_on_any_number_of_threads() {
    for func in ["strip_mine", "short_circuit"].into_iter().flat_map(programs) {
        let [mut strict, mut relaxed] = [false, true].map(|relaxed| compiled(&func, relaxed, true));
        for (seed, n) in SIZES.into_iter().enumerate() {
            for m in [0, 1, 2, 9] {
                // The number of iterations is the last size.
                let sizes = if func.sizes.len() == 2 { vec![n, m] } else { vec![n, 5, m] };
                let args = sample::args(&func, &sizes, seed as u64).unwrap();
                let exact = bits(&interp::run(&func, &sizes, &args, &Limits::default()).unwrap().results);
                let run = |code: &mut Compiled, threads| {
                    code.set_threads(Some(threads));
                    let (outcome, stats) = code.run_with_stats(&sizes, &args, &Limits::default());
                    assert_eq!(stats.leaked, 0, "{}", func.name);
                    bits(&outcome.unwrap().results)
                };
                let first = run(&mut relaxed, 1);
                near(&func.name, &first, &exact, n.max(1) as f64);
                for threads in [1, 2, 7] {
                    assert!(run(&mut strict, threads) == exact, "{} {n} {m} {threads}", func.name);
                    assert!(run(&mut relaxed, threads) == first, "{} {n} {m} {threads}", func.name);
                }
            }
        }
    }
}

/// One divided loop for all iterations, where there was at least one for each.
#[test]
fn iterations_are_not_divided_one_by_one() {
    let (n, m) = (20_000, 50);
    let regions = |func: &Func, blocks: bool| {
        let args = sample::args(func, &[n, m], 1).unwrap();
        let (outcome, stats) = compiled(func, true, blocks).run_with_stats(&[n, m], &args, &Limits::default());
        outcome.unwrap();
        stats.regions
    };
    for func in programs("strip_mine") {
        let (before, after) = (regions(&func, false), regions(&func, true));
        match func.name.as_str() {
            "backwards" | "both" | "tape" | "sums" => {
                assert!(before >= m as u64 && after <= 4, "{}: {before}, {after}", func.name);
            }
            _ => assert_eq!(before, after, "{}", func.name),
        }
    }
}
