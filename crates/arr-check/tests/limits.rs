//! Large and deep programs: checking is linear in the program's size, and nothing overflows the stack.

use crate::common::{check, good};
use std::fmt::Write;
use std::time::{Duration, Instant};

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

/// The codes of what is wrong with a program, found within seconds.
fn soon(text: &str) -> Vec<String> {
    let start = Instant::now();
    let (_, diagnostics, _) = check(text);
    let beginning: String = text.chars().take(60).collect();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?} for {beginning}", start.elapsed());
    diagnostics.iter().map(|d| d.code.to_string()).collect()
}

/// Each line doubles what the line before made, in every way that a program can.
#[test]
fn values_that_double_have_a_limit() {
    let lets = |first: &str, next: &dyn Fn(usize) -> String, count: usize| {
        let lines: String = (1..count).map(|i| format!("  let t{i} = {}\n", next(i - 1))).collect();
        format!("type Pair[t: any] = | Pair(t, t)\ndef main(x: f64) -> f64 =\n  let t0 = {first}\n{lines}  in x\n")
    };
    for first in ["(x, x)", "()", "{ a = x }", "[(x, x)]"] {
        for (count, wrong) in [(10, vec![]), (40, vec!["E0901".to_string()])] {
            for next in ["(T, T)", "{ a = T, b = T }", "(T, (), T)", "(\\y => (y, y))(T)", "Pair(T, T)", "[(T, T)]"] {
                let text = lets(first, &|before| next.replace('T', &format!("t{before}")), count);
                assert_eq!(soon(&text), wrong, "{text}");
            }
        }
    }
    let wide =
        format!("def main(x: f64) -> f64 = let t = ({}) let u = ({}) in x\n", "x, ".repeat(5_000), "t, ".repeat(5_000));
    assert_eq!(soon(&wide), ["E0901"]);
    let stacked =
        format!("def main(x: f64) -> f64 = let t = ({}) let u = [{}] in x\n", "x, ".repeat(5_000), "t, ".repeat(5_000));
    assert_eq!(soon(&stacked), ["E0901"]);
}

/// A message about a long type shows its beginning.
#[test]
fn a_long_type_is_cut_in_messages() {
    let text = format!("def main(x: f64) -> f64 = ({}) + 1.0\n", "x, ".repeat(5_000));
    let (_, diagnostics, _) = check(&text);
    assert!(!diagnostics.is_empty() && diagnostics.iter().all(|d| format!("{d:?}").len() < 20_000));
}

#[test]
fn sizes_have_a_limit() {
    let product = |n: usize| (0..n).map(|i| format!("(a{i}+b{i})")).collect::<Vec<_>>().join("*");
    let params = |n: usize| (0..n).map(|i| format!("y{i}: [a{i}][b{i}]f64")).collect::<Vec<_>>().join(", ");
    let sized = |n: usize| format!("def f(x: [{}]f64, {}) -> f64 = 1.0\n", product(n), params(n));
    assert_eq!(soon(&sized(6)), [""; 0]);
    assert_eq!(soon(&sized(20)), ["E0901"]);
    assert_eq!(soon(&sized(400)), ["E0901"]);
    // A size of a size of a size, by aliases and by calls.
    let aliases: String = (1..40).map(|i| format!("type A{i}[n] = A{}[n*n]\n", i - 1)).collect();
    assert_eq!(
        soon(&format!("type A0[n] = [n]f64\n{aliases}def f(x: A39[n], y: [n]f64) -> f64 = 1.0\n"))[..1],
        ["E0901"]
    );
    let square = "def sq(x: [n]f64) -> [n*n+n]f64 = for i < n*n+n => 0.0\n";
    let calls = |depth: usize| format!("{}x{}", "sq(".repeat(depth), ")".repeat(depth));
    assert_eq!(soon(&format!("{square}def f(x: [n]f64) -> f64 = sum({})\n", calls(3))), [""; 0]);
    assert_eq!(soon(&format!("{square}def f(x: [n]f64) -> f64 = sum({})\n", calls(40))), ["E0901"]);
    // One that is computed has no limit: it is a number like others.
    let axes: String = (0..20).map(|i| format!("[a{i}+b{i}]")).collect();
    let flat = format!("def f(x: {axes}f64, {}) -> i64 = length(flatten(x))\n", params(20));
    assert_eq!(soon(&flat), [""; 0]);
    let elaborated = arr_check::elaborate(&good(&flat), "f");
    assert!(elaborated.is_ok(), "{elaborated:?}");
}

#[test]
fn computed_elements_have_a_limit() {
    let literal =
        |element: &str, n: usize| format!("def main(x: f64) -> f64 = sum([{}])\n", vec![element; n].join(", "));
    assert_eq!(soon(&literal("x", 5_000)), [""; 0]);
    assert_eq!(soon(&literal("x", 100_000)), ["E0901"]);
    // Constants are one literal.
    assert_eq!(soon(&literal("1.5", 100_000)), [""; 0]);
    let rows = format!("def main(x: f64) -> f64 = sum(flatten([{}]))\n", vec!["[1.0, 2.0]"; 30_000].join(", "));
    assert_eq!(soon(&rows), [""; 0]);
}
