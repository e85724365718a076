//! Large and deep programs: checking is linear in the program's size, and nothing overflows the stack.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{check, good};
use std::fmt::Write;

#[test]
fn definitions_without_declared_results() {
    let mut text = String::from("def f0(x: [n]f64) = x + 1.0\n");
    for i in 1..200 {
        let _ = writeln!(text, "def f{i}(x: [n]f64) = f{}(x) + f{}(x)", i - 1, i - 1);
    }
    good(&text);
}

#[test]
fn inlining_has_a_limit() {
    let mut text = String::from("def f0(x: f64) -> f64 = x * x\n");
    for i in 1..40 {
        let _ = writeln!(text, "def f{i}(x: f64) -> f64 = f{}(x) + f{}(x)", i - 1, i - 1);
    }
    let problems = arr_check::elaborate(&good(&text), "f39").expect_err("too large");
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code.to_string(), "E0901");
}

#[test]
fn deep_expressions() {
    let cases = [
        format!("def f(x: f64) -> f64 = {}x{}", "(-".repeat(3000), ")".repeat(3000)),
        format!("def f(x: f64) -> f64 = x{}", " + x".repeat(19_000)),
        format!("def f(x: f64) -> f64 = {}x", "if x > 0.0 then x else ".repeat(2000)),
        format!("def f(x: f64) -> f64 = 1{}", " + 1".repeat(19_000)),
        format!("def f(x: f64) -> f64 = {}x{}", "let y = x in ".repeat(3000), ""),
        format!("def f(x: f64) = {}x", "for i < 2 => ".repeat(500)),
        format!("def f(x: f64) -> f64 = {}x{}", "(\\y => ".repeat(300), ")(x)".repeat(300)),
    ];
    for text in cases {
        let (checked, diagnostics, _) = check(&text);
        assert!(diagnostics.iter().all(|d| d.code.to_string() == "E0105"), "{diagnostics:?}");
        let _ = arr_check::elaborate(&checked, "f");
    }
}

#[test]
fn deep_blocks() {
    let mut text = String::from("def f0(x: f64) -> f64 = x\n");
    for i in 1..9000 {
        let _ = writeln!(text, "def f{i}(x: f64) -> f64 = (for j < 1 => if x > 0.0 then f{}(x) else x)[0]", i - 1);
    }
    let problems = arr_check::elaborate(&good(&text), "f8999").expect_err("too deep");
    assert_eq!(problems.iter().map(|d| d.code.to_string()).collect::<Vec<_>>(), ["E0105"]);
}

#[test]
fn long_chains_of_calls() {
    let mut text = String::from("def f0(x: f64) -> f64 = x\n");
    for i in 1..9000 {
        let _ = writeln!(text, "def f{i}(x: f64) -> f64 = f{}(x) + 1.0", i - 1);
    }
    let checked = good(&text);
    assert!(arr_check::elaborate(&checked, "f8999").is_ok());
}
