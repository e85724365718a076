//! Large programs: reading and checking takes time in proportion to their length.
//!
//! Each program is made in two lengths, and the long one may take no more than its length makes it take, with room for
//! a busy machine. An optimised build checks each of the long ones in well under a second.

use crate::common;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// How much longer the long program is, and how much more time it may take. Quadratic behaviour takes 64 times as much.
const FACTOR: usize = 8;
const ALLOWED: u32 = 36;

/// Lines `make(i)` for `i` below `n`.
fn lines(n: usize, make: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{}", make(i));
        text
    })
}

fn time(text: &str, problems: bool) -> Duration {
    let source = common::parse(text);
    let start = Instant::now();
    let parsed = arr_syntax::parse_module(source.file, text);
    let checked = arr_check::check_module(parsed.module);
    let found = !parsed.diagnostics.is_empty() || !checked.diagnostics.is_empty();
    let time = start.elapsed();
    assert_eq!(found, problems, "{:?}", checked.diagnostics.first());
    time
}

/// Checks programs of a length and of a smaller one.
fn linear(length: usize, make: impl Fn(usize) -> String) {
    linear_with(length, false, make);
}

fn linear_with(length: usize, problems: bool, make: impl Fn(usize) -> String) {
    let (short, long) = (make(length / FACTOR), make(length));
    // Another program may have the machine for a while, so a few attempts are allowed.
    let mut last = (Duration::ZERO, Duration::ZERO);
    for _ in 0..5 {
        last = (time(&short, problems), time(&long, problems));
        if last.1 < last.0.max(Duration::from_millis(5)) * ALLOWED {
            return;
        }
    }
    panic!("a program of {} takes {:?}, and one of {length} takes {:?}", length / FACTOR, last.0, last.1);
}

#[test]
fn definitions_that_use_the_one_before() {
    linear(10_000, |n| lines(n, |i| format!("def f{}(x: [n]f64) -> [n]f64 = f{i}(x) * 2.0 + f{i}(x)", i + 1)) + BEGIN);
}

const BEGIN: &str = "def f0(x: [n]f64) -> [n]f64 = x + 1.0";

#[test]
fn definitions_that_use_the_one_after() {
    linear(10_000, |n| lines(n, |i| format!("def f{i}(x: f64) -> f64 = f{}(x)", i + 1)) + &format!("def f{n} = sin"));
}

#[test]
fn definitions_without_declared_types() {
    linear(10_000, |n| lines(n, |i| format!("def c{} = c{i} + 1", i + 1)) + "def c0 = 0");
}

#[test]
fn independent_definitions() {
    let def = |i| format!("def f{i}(x: [n]f64, y: [n][m]f64) -> f64 = sum(x * x) + sum(for j => x[j] * y[j, 0])");
    linear(4_000, |n| lines(n, def));
}

#[test]
fn definitions_in_a_cycle() {
    linear_with(10_000, true, |n| lines(n, |i| format!("def f{i}(x: f64) -> f64 = f{}(x)", (i + 1) % n)));
}

#[test]
fn definitions_with_unknown_names() {
    linear_with(10_000, true, |n| lines(n, |i| format!("def f{i}(x: f64) -> f64 = y{i}")));
}

#[test]
fn types_that_use_the_one_before() {
    let types = |n: usize| lines(n, |i| format!("type T{} = {{ x: [3]f64, y: f64 }}\ntype U{i} = (T{i}, f64)", i + 1));
    linear(10_000, |n| types(n) + "type T0 = f64\ndef f(x: U3) -> f64 = x.1");
}

#[test]
fn one_expression_of_many_operators() {
    linear(10_000, |n| format!("def f(x: f64) -> f64 = x{}", " + x * 2.0".repeat(n / 2)));
    linear(10_000, |n| format!("def f(x: [n]f64) -> [n]f64 = x{}", " + x".repeat(n)));
    linear(10_000, |n| format!("def f(n: i64) -> i64 = n{}", " + n * n".repeat(n / 2)));
}

#[test]
fn literals_of_many_elements() {
    let elements = |n, x: &str| (0..n).map(|i| format!("{x}{i}.5")).collect::<Vec<_>>().join(", ");
    linear(10_000, |n| format!("def a = [{}]", elements(n, "")));
    linear(10_000, |n| format!("def f(x: f64) -> [{n}]f64 = [{}]", elements(n, "x + ")));
}

#[test]
fn nested_lets() {
    let let_ = |i: usize| format!("let y{} = y{i} + 1.0", i + 1);
    linear(2_000, |n| format!("def f(y0: f64) -> f64 = {} in y{n}", lines(n, let_)));
    linear(2_000, |n| format!("def f(y0: f64) -> f64 = {} y{n}", lines(n, |i| let_(i) + " in")));
    linear(2_000, |n| format!("def f(y0: [n]f64) -> [n]f64 = {} in y{n}", lines(n, let_)));
}

#[test]
fn one_record_of_many_fields() {
    let fields = |n, make: &dyn Fn(usize) -> String| (0..n).map(make).collect::<Vec<_>>().join(", ");
    linear(500, |n| {
        let declared = fields(n, &|i| format!("f{i}: [n]f64"));
        let given = fields(n, &|i| format!("f{i} = sin(r.f{i})"));
        let f = format!("type R[n] = {{ {declared} }}\ndef f(r: R[n]) -> R[n] = {{ {given} }}\n");
        f + "def g(r: R[n]) -> R[n] = f({ r with f1 = r.f0 })\ndef h(r: [m]R[n]) -> f64 = sum(r[0].f1)"
    });
}

#[test]
fn a_function_called_many_times() {
    linear(10_000, |n| format!("def g(x: f64) -> f64 = sin(x)\ndef f(x: f64) -> f64 = x{}", " + g(x)".repeat(n)));
    let g = "def g(x: [n]f64) -> [n]f64 = sin(x)";
    linear(4_000, |n| format!("{g}\ndef f(x: [n]f64) -> [n]f64 = x{}", " + g(x)".repeat(n)));
}

#[test]
fn many_parameters() {
    let list = |n, make: &dyn Fn(usize) -> String| (0..n).map(make).collect::<Vec<_>>();
    let params = |n| list(n, &|i| format!("x{i}: [n{i}]f64")).join(", ");
    let body = |n| list(n, &|i| format!("sum(x{i})")).join(" + ");
    linear(1_000, |n| format!("def f({}) -> f64 = {}", params(n), body(n)));
}
