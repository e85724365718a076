//! Large results, which are written past the cache: every element is written, at sizes and rows that are not aligned,
//! on any number of threads, and if a kernel is left; and which arrays are not written so.
#![allow(clippy::print_stderr)]

use arr_cpu::{CompileOptions, Isa, Limits, clif_text, compile_with, host_isa};
use arr_ir::{Array, Data, Func, Value, parse_func};
use arr_loops::{LoopFunc, LowerOptions};

/// More than 32 MiB, with a prime number of elements.
const N: usize = 4_194_319;

fn options(isa: Option<Isa>, relaxed: bool) -> CompileOptions {
    CompileOptions { isa, relaxed, verify: true, ..CompileOptions::default() }
}

fn lowered(text: &str, relaxed: bool) -> LoopFunc {
    let func: Func = parse_func(text).unwrap();
    arr_loops::lower_with(&func, LowerOptions { relaxed, ..LowerOptions::default() }).unwrap()
}

fn isas() -> Vec<Isa> {
    match host_isa() {
        Some(Isa::Avx512) => vec![Isa::Avx512, Isa::Avx2],
        Some(isa) => vec![isa],
        None => Vec::new(),
    }
}

/// Runs a function of an array on both instruction sets and several numbers of threads, and checks each result.
fn check(text: &str, x: &[f64], look: &dyn Fn(&[Vec<f64>])) {
    for isa in isas() {
        for relaxed in [false, true] {
            let loops = lowered(text, relaxed);
            let clif = clif_text(&loops, options(Some(isa), relaxed)).unwrap();
            assert!(clif.contains("fence"), "{text}");
            let mut code = compile_with(&loops, options(Some(isa), relaxed)).unwrap();
            for threads in [1, 3] {
                code.set_threads(Some(threads));
                let args = [Value::f64s(&[x.len() as i64], x)];
                let (outcome, stats) = code.run_with_stats(&[], &args, &Limits::default());
                assert_eq!(stats.leaked, 0);
                let results: Vec<Vec<f64>> = outcome.unwrap().results.iter().map(Value::to_f64s).collect();
                look(&results);
            }
        }
    }
    if isas().is_empty() {
        eprintln!("skipped: this machine has no vectors of more than 128 bits");
    }
}

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|i| (i % 8191) as f64 * 0.25 - 700.0).collect()
}

#[test]
fn results_of_a_map() {
    let text = format!(
        "func f(x: [{N}]f64) -> [{N}]f64, [{N}]f64 {{
  a: [{N}]f64, b: [{N}]f64 = build i<{N} {{
    u: f64 = read! x[i]
    v: f64 = mul u, 3.0
    w: f64 = sub u, 1.5
    yield v, w
  }}
  return a, b
}}"
    );
    let x = numbers(N);
    check(&text, &x, &|results| {
        let [a, b] = results else { panic!() };
        assert!((0..N).all(|i| a[i] == x[i] * 3.0 && b[i] == x[i] - 1.5));
    });
}

/// A program that computes this many rows of `m` elements, multiples of one.
fn multiples(n: usize, m: usize) -> String {
    format!(
        "func f(x: [{m}]f64) -> [{n}][{m}]f64 {{
  a: [{n}][{m}]f64 = build i<{n}, j<{m} {{
    u: f64 = read! x[j]
    k: f64 = f64 i
    v: f64 = mul u, k
    yield v
  }}
  return a
}}"
    )
}

/// Each begins at a different offset between two boundaries.
#[test]
fn rows_of_odd_length() {
    let (rows, m) = (N / 1009 + 1, 1009);
    let text = multiples(rows, m);
    let x = numbers(m);
    check(&text, &x, &|results| {
        let place = (0..rows * m).find(|&at| results[0][at] != x[at % m] * (at / m) as f64);
        assert_eq!(place, None);
    });
}

/// Elements after an angle that vectors do not support are written, too.
#[test]
fn kernels_that_are_left() {
    let text = format!(
        "func f(x: [{N}]f64) -> [{N}]f64 {{
  a: [{N}]f64 = build i<{N} {{
    u: f64 = read! x[i]
    v: f64 = sin u
    yield v
  }}
  return a
}}"
    );
    for large in [0, 7, N - 1] {
        let mut x = numbers(N);
        x[large] = 1e15;
        check(&text, &x, &|results| {
            let same = |i: &usize| results[0][*i].to_bits() == sine(x[*i]);
            assert_eq!((0..N).filter(|i| i % 997 == 0 || i.abs_diff(large) < 70).find(|i| !same(i)), None);
        });
    }
}

fn sine(x: f64) -> u64 {
    arr_math::sin(x).to_bits()
}

/// Single precision has 16 elements per line.
#[test]
fn singles() {
    let n = 2 * N + 1;
    let text = format!(
        "func f(x: [{n}]f32) -> [{n}]f32 {{
  a: [{n}]f32 = build i<{n} {{
    u: f32 = read! x[i]
    v: f32 = add u, u
    yield v
  }}
  return a
}}"
    );
    let x: Vec<f32> = (0..n).map(|i| (i % 4093) as f32).collect();
    let loops = lowered(&text, true);
    for isa in isas() {
        let code = compile_with(&loops, options(Some(isa), true)).unwrap();
        let args = [Value::array(vec![n as i64], Data::F32(x.clone()))];
        let found = code.run(&[], &args, &Limits::default()).unwrap().results;
        let Value::Array(array) = &found[0] else { panic!() };
        let Array { data: Data::F32(found), .. } = array.as_ref() else { panic!() };
        assert!(found.iter().zip(&x).all(|(f, x)| *f == x + x));
    }
}

/// Arrays that are read again, and such of unknown size, are stored to the cache.
#[test]
fn others_are_kept() {
    let read = format!(
        "func f(x: [{N}]f64) -> [{N}]f64, f64 {{
  a: [{N}]f64 = build i<{N} {{
    u: f64 = read! x[i]
    v: f64 = exp u
    yield v
  }}
  s: f64 = reduce max j<{N} {{
    k: i64 = sub {}, j
    w: f64 = read! a[k]
    yield w
  }}
  return a, s
}}",
        N - 1
    );
    let open = "func f[n](x: [n]f64) -> [n]f64 {
  a: [n]f64 = build i<n {
    u: f64 = read! x[i]
    v: f64 = add u, u
    yield v
  }
  return a
}";
    for text in [read.as_str(), open] {
        for isa in isas() {
            assert!(!clif_text(&lowered(text, false), options(Some(isa), false)).unwrap().contains("fence"));
        }
    }
}

/// Rows that are mostly before the first boundary or after the last.
#[test]
fn short_rows_are_kept() {
    for isa in isas() {
        let kernels = |m: usize| {
            let text = clif_text(&lowered(&multiples(2 * N / m, m), false), options(Some(isa), false)).unwrap();
            text.lines().filter(|line| line.contains("call fn")).count()
        };
        // A long row is written by one of two kernels, the second in two calls.
        assert_eq!(kernels(511) + 2, kernels(512));
    }
}
