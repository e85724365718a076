//! One thread, two and seven give the same bits and the same errors, in strict and in relaxed code.

use arr_base::Span;
use arr_cpu::{CompileOptions, Compiled, Limits, Stats, compile_with};
use arr_ir::rewrite::any_op;
use arr_ir::sample::{self, Lcg};
use arr_ir::{Array, Block, Const, Data, Func, Op, RunError, RunErrorKind, Value, interp};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const THREADS: [usize; 3] = [1, 2, 7];

fn compiled(func: &Func, relaxed: bool, threads: usize) -> Compiled {
    let loops =
        arr_loops::lower_with(func, arr_loops::LowerOptions { relaxed, blocks: true, ..Default::default() }).unwrap();
    let options = CompileOptions { relaxed, threads: Some(threads), ..CompileOptions::default() };
    compile_with(&loops, options).unwrap_or_else(|e| panic!("{e}\n{}", arr_loops::print(&loops)))
}

fn parse(text: &str) -> Func {
    let mut func = arr_ir::parse_func(text).unwrap_or_else(|e| panic!("{e:?}"));
    number_spans(&mut func.body, &mut 0);
    func
}

/// Gives every statement a span of its own.
fn number_spans(block: &mut Block, next: &mut usize) {
    for stmt in &mut block.stmts {
        *next += 1;
        stmt.span = Some(Span::new(arr_base::Id::from_index(0), *next, *next + 1));
        for inner in stmt.op.blocks_mut() {
            number_spans(inner, next);
        }
    }
}

/// Loops of the program may have any number of steps.
fn has_loop(block: &Block) -> bool {
    let mut is_loop = |op: &Op| matches!(op, Op::Loop { .. } | Op::While { .. });
    block.stmts.iter().any(|stmt| any_op(&stmt.op, &mut is_loop))
}

type Bits = (Vec<i64>, Vec<u64>);

/// Bits, with all NaNs the same.
fn bits(value: &Value) -> Bits {
    let one = |c: Const| if c.as_f64().is_some_and(f64::is_nan) { u64::MAX } else { c.bits() };
    match value {
        Value::Scalar(c) => (Vec::new(), vec![one(*c)]),
        Value::Array(a) => (a.dims.clone(), (0..a.data.len()).map(|k| one(a.data.get(k).unwrap())).collect()),
    }
}

type Found = (Result<Vec<Bits>, RunError>, Stats);

fn run(compiled: &Compiled, sizes: &[i64], args: &[Value]) -> Found {
    let (outcome, stats) = compiled.run_with_stats(sizes, args, &Limits::default());
    let results = outcome.map(|o| o.results.iter().map(bits).collect());
    // The memory left by earlier runs differs.
    (results, Stats { threads: 0, fresh_bytes: 0, ..stats })
}

/// Runs on each number of threads, with equal outcomes; returns the outcome.
fn on_all(name: &str, compiled: &mut Compiled, sizes: &[i64], args: &[Value]) -> Found {
    let mut on = |threads| {
        compiled.set_threads(Some(threads));
        run(compiled, sizes, args)
    };
    let first = on(1);
    for threads in [2, 7] {
        let (results, stats) = on(threads);
        // Each thread has arrays of its present iteration.
        let peak = first.1.peak_bytes;
        assert!((peak..=threads as u64 * peak).contains(&stats.peak_bytes), "{name}: {threads} threads, {sizes:?}");
        let other = (results, Stats { peak_bytes: peak, ..stats });
        assert!(other == first, "{name}: {threads} threads, {sizes:?}");
    }
    assert!(first.0.is_err() || first.1.leaked == 0, "{name}");
    first
}

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut programs = Vec::new();
    for dir in
        [root.join("../arr-loops/tests/cases"), root.join("../arr-loops/tests/scans"), root.join("tests/programs")]
    {
        programs.extend(std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()));
    }
    programs.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    programs.sort();
    programs
}

/// Sizes at which nests are divided.
#[test]
fn programs_are_the_same_on_any_number_of_threads() {
    let mut regions = 0;
    for path in programs() {
        let text = std::fs::read_to_string(&path).unwrap();
        for func in arr_ir::parse_funcs(&text).unwrap() {
            let mut versions = [false, true].map(|relaxed| compiled(&func, relaxed, 1));
            for shift in 0..2 {
                let Some((sizes, args)) = large_sample(&func, shift) else { continue };
                for version in &mut versions {
                    regions += on_all(&func.name, version, &sizes, &args).1.regions;
                }
            }
        }
    }
    assert!(regions > 200, "{regions} regions");
}

/// Arguments of sizes for which nests are worth dividing; `None` if the function takes long on them.
fn large_sample(func: &Func, shift: i64) -> Option<(Vec<i64>, Vec<Value>)> {
    let rank = func.params.iter().map(|&p| func.ty(p).rank()).max().unwrap_or(0);
    let n = [8000, 8000, 260, 41][rank.max(func.sizes.len()).min(3)];
    let sizes: Vec<i64> = (0..func.sizes.len() as i64).map(|k| n + shift * (7 + 3 * k)).collect();
    let args = sample::args(func, &sizes, shift as u64)?;
    let few = Limits { max_steps: Some(20_000), max_bytes: None };
    let long = || {
        let stopped = interp::run(func, &sizes, &args, &few).err().map(|e| e.kind);
        matches!(stopped, Some(RunErrorKind::TooManySteps { .. }))
    };
    (!has_loop(&func.body) || !long()).then_some((sizes, args))
}

fn floats(n: usize, seed: u64) -> Value {
    let mut rng = Lcg::new(seed);
    let data: Vec<f64> = (0..n).map(|_| (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64 - 0.3).collect();
    Value::Array(Arc::new(Array { dims: vec![n as i64], data: Data::F64(data) }))
}

fn ints(data: Vec<i64>) -> Value {
    Value::Array(Arc::new(Array { dims: vec![data.len() as i64], data: Data::I64(data) }))
}

const REDUCTIONS: &str = "func reductions[n](x: [n]f64, y: [n]i64) -> f64, f64, i64, i64, bool, f64 {
  a: f64, b: f64 = reduce sum i<n {
    u: f64 = read! x[i]
    v: f64 = mul u, u
    yield u, v
  }
  m: f64 = reduce max j<n {
    w: f64 = read! x[j]
    yield w
  }
  p: i64 = reduce argmax k<n {
    z: f64 = read! x[k]
    yield z
  }
  s: i64 = reduce sum l<n {
    q: i64 = read! y[l]
    r: i64 = mul q, q
    yield r
  }
  e: bool = reduce any o<n {
    t: i64 = read! y[o]
    c: bool = eq t, 77
    yield c
  }
  return a, b, p, s, e, m
}";

/// The expected partial results are known in order: all but the sums of floats, which relaxed code splits.
#[test]
fn reductions_in_parts_equal_those_in_order() {
    let func = parse(REDUCTIONS);
    let [mut in_order, mut in_parts] = [false, true].map(|relaxed| compiled(&func, relaxed, 1));
    let n = 200_000;
    let mut values: Vec<i64> = (0..n).map(|k| (k * 7919) % 1000 - 500).collect();
    values[150_000] = 77;
    for (special, at) in [(0.5, 0), (f64::NAN, 123_456), (f64::INFINITY, 77_777), (f64::INFINITY, 199_999)] {
        let Value::Array(x) = floats(n as usize, 5) else { panic!() };
        let mut x = (*x).clone();
        assert!(x.data.set(at, Const::F64(special)));
        let args = [Value::Array(Arc::new(x)), ints(values.clone())];
        let expected: Vec<Bits> =
            interp::run(&func, &[n], &args, &Limits::default()).unwrap().results.iter().map(bits).collect();
        let (strict, stats) = on_all("reductions", &mut in_order, &[n], &args);
        assert_eq!(strict.unwrap(), expected);
        assert_eq!(stats.regions, 4);
        let (relaxed, stats) = on_all("reductions", &mut in_parts, &[n], &args);
        let relaxed = relaxed.unwrap();
        assert_eq!(relaxed[2..], expected[2..]);
        assert_eq!(stats.regions, 5);
        for k in 0..2 {
            let (found, exact) = (f64::from_bits(relaxed[k].1[0]), f64::from_bits(expected[k].1[0]));
            assert!((found - exact).abs() <= 1e-9 * n as f64 || found.to_bits() == exact.to_bits() || exact.is_nan());
        }
    }
}

const GATHER: &str = "func gather[n](x: [n]f64, is: [n]i64) -> f64, [n]f64 {
  y: [n]f64 = build i<n {
    k: i64 = read! is[i]
    v: f64 = read x[k]
    w: f64 = mul v, 2.0
    yield w
  }
  s: f64 = reduce sum j<n {
    u: f64 = read! y[j]
    yield u
  }
  return s, y
}";

/// Many concurrent runs, on shared pools, with failures in several chunks: the first is reported, and nothing is kept.
#[test]
fn the_first_failure_is_reported() {
    let func = parse(GATHER);
    let n = 100_000i64;
    let versions: Vec<Compiled> = [1, 2, 3, 7].map(|t| compiled(&func, true, t)).into();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let (func, versions) = (&func, &versions);
            scope.spawn(move || {
                for round in 0..40 {
                    let mut is: Vec<i64> = (0..n).collect();
                    let first = (round * 7919 + worker * 104_729) % n;
                    for k in [first, (first + 1).min(n - 1), (first + n / 3).min(n - 1), n - 1] {
                        is[k as usize] = n + k;
                    }
                    let args = [floats(n as usize, 1), ints(is)];
                    for compiled in versions {
                        let (outcome, stats) = compiled.run_with_stats(&[n], &args, &Limits::default());
                        let error = outcome.unwrap_err();
                        assert_eq!(error.kind, RunErrorKind::Index { index: n + first, extent: n }, "{}", func.name);
                        assert_eq!(error.span.map(|s| s.start), Some(3));
                        assert_eq!(stats.regions, 1);
                    }
                }
            });
        }
    });
}

/// The same, without failures: every result of many concurrent runs is the same.
#[test]
fn many_runs_share_the_threads() {
    let func = parse(GATHER);
    let n = 60_000i64;
    let is: Vec<i64> = (0..n).map(|k| (k * 7919) % n).collect();
    let args = [floats(n as usize, 3), ints(is)];
    let versions: Vec<Compiled> = [1, 2, 5, 7].map(|t| compiled(&func, true, t)).into();
    let expected = run(&versions[0], &[n], &args);
    assert_eq!(expected.1.regions, 2);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..30 {
                    for compiled in &versions {
                        assert!(run(compiled, &[n], &args) == expected);
                    }
                }
            });
        }
    });
}

/// A limit on memory holds, and small sizes are not divided.
#[test]
fn limits_hold() {
    let func = parse(GATHER);
    let n = 60_000i64;
    let args = [floats(n as usize, 3), ints((0..n).collect())];
    for threads in THREADS {
        let compiled = compiled(&func, true, threads);
        let limits = Limits { max_bytes: Some(8 * n as u64 - 1), ..Limits::default() };
        let error = compiled.run(&[n], &args, &limits).unwrap_err();
        assert_eq!(error.kind, RunErrorKind::OutOfMemory { bytes: 8 * n, limit: 8 * n - 1 });
        let limits = Limits { max_bytes: Some(8 * n as u64), ..Limits::default() };
        let stats = compiled.run(&[n], &args, &limits).unwrap().stats;
        assert_eq!((stats.peak_bytes, stats.regions, stats.threads), (8 * n as u64, 2, threads as u64));
        let few = [floats(10, 3), ints((0..10).collect())];
        assert_eq!(compiled.run(&[10], &few, &limits).unwrap().stats.regions, 0);
        // Again after a run that divided nothing, which does not begin on the threads.
        assert_eq!(compiled.run(&[n], &args, &limits).unwrap().stats.regions, 2);
    }
}
