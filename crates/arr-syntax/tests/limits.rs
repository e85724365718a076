//! Texts that are deep, long or random: an answer within a moment, and never a crash.
#![allow(clippy::string_slice)]

use crate::support::generate::Random;
use crate::support::*;
use arr_base::{Code, on_large_stack};
use std::time::{Duration, Instant};

const MOMENT: Duration = Duration::from_secs(20);

fn codes(text: &str) -> Vec<Code> {
    let start = Instant::now();
    let parsed = arr_syntax::parse_module(file(), text);
    assert!(start.elapsed() < MOMENT, "{:?} for {}", start.elapsed(), &text[..40]);
    parsed.diagnostics.iter().map(|d| d.code).collect()
}

/// Deep texts are refused on an ordinary stack: nothing deep is ever built.
#[test]
fn deep_nesting_is_one_diagnostic() {
    for (n, forms) in [(100_000, 19), (1_000_000, 9)] {
        for (open, middle, close) in [
            ("(", "x", ")"),
            ("[", "x", "]"),
            ("{ a = ", "x", "}"),
            ("f(", "x", ")"),
            ("x[", "i", "]"),
            ("(", "", ""),
            ("- ", "x", ""),
            ("not ", "x", ""),
            ("\\x => ", "x", ""),
            ("for i => ", "x", ""),
            ("x ** ", "x", ""),
            ("if a then b else ", "c", ""),
            ("if ", "c", " then a else b"),
            ("let a = ", "c", " in a"),
            ("let a = 1 in x + ", "c", ""),
            ("loop a = 1 while b do ", "c", ""),
            ("match a { _ => ", "c", "}"),
            ("match ", "c", ""),
            ("x :> ", "c", ""),
        ]
        .into_iter()
        .take(forms)
        {
            let text = format!("def f = {}{middle}{}\ndef g = 1", open.repeat(n), close.repeat(n));
            assert_eq!(codes(&text), [Code::TOO_DEEP], "{n} x {open:?}");
        }
    }
}

#[test]
fn deep_types_and_patterns_are_one_diagnostic() {
    let n = 100_000;
    for (open, middle, close) in [
        ("(", "f64", ")"),
        ("[n]", "f64", ""),
        ("f64 -> ", "f64", ""),
        ("{ a: ", "f64", "}"),
        ("T[", "f64", "]"),
        ("[", "n", "]f64"),
    ] {
        let text = format!("def f(x: {}{middle}{}) = x", open.repeat(n), close.repeat(n));
        assert_eq!(codes(&text), [Code::TOO_DEEP], "{open:?}");
    }
    assert_eq!(codes(&format!("def f(x: [{}n]f64) = x", "n + ".repeat(n))), [Code::TOO_DEEP]);
    assert_eq!(codes(&format!("def f(x: T[{}n]) = x", "n * ".repeat(n))), [Code::TOO_DEEP]);
    assert_eq!(codes(&format!("def f({}x{}) = x", "(".repeat(n), ")".repeat(n))), [Code::TOO_DEEP]);
    assert_eq!(codes(&format!("def f = match x {{ {}x{} => x }}", "A(".repeat(n), ")".repeat(n))), [Code::TOO_DEEP]);
}

#[test]
fn long_chains_are_refused_past_the_limit() {
    on_large_stack(|| {
        for step in [" + x", " and x", ".a", "(x)", "[0]", " :> t", " with [0] = x", " @ x"] {
            let text = format!("def f = x{}\ndef g = 1", step.repeat(100_000));
            assert_eq!(codes(&text), [Code::TOO_DEEP], "{step}");
        }
    });
}

#[test]
fn long_programs_parse_and_print() {
    on_large_stack(|| {
        let lets: String = (0..10_000).map(|i| format!("let x{i} = f(x, {i}) in ")).collect();
        let several: String = (0..10_000).map(|i| format!("let x{i} = f(x, {i})\n")).collect();
        for text in [
            format!("def f(x: f64) = x{}", " + x".repeat(10_000)),
            format!("def f(x: f64) = {lets} x"),
            format!("def f(x: f64) = {several} in x"),
            format!("def f = [{}]", "1.5, ".repeat(200_000)),
            format!("def f = [{}]", "f(x), ".repeat(50_000)),
            format!("def f = {}x", "if a then b else ".repeat(5_000)),
            "def f(x: [n]f64) -> f64 = sum(x)\n".repeat(20_000),
        ] {
            let start = Instant::now();
            let tree = module(&text);
            let printed = arr_syntax::print_module(&tree);
            assert!(start.elapsed() < MOMENT, "{:?} for {}", start.elapsed(), &text[..60]);
            assert_eq!(arr_syntax::print_module(&module(&printed)), printed);
        }
    });
}

#[test]
fn many_errors_end_soon() {
    on_large_stack(|| {
        for text in [
            format!("def f = [{}]", "1 2, ".repeat(100_000)),
            "def f = (1 2)\n".repeat(100_000),
            "def f = $\n".repeat(100_000),
            ") ".repeat(1_000_000),
            format!("def f = x {}", ") ".repeat(100_000)),
            format!("def f = {} * {}", "(".repeat(400), "x ".repeat(100_000)),
            format!("def f = {} * {}", "let a = ".repeat(400), "x ".repeat(2_000)),
            "$ x ".repeat(100_000),
        ] {
            let start = Instant::now();
            let parsed = arr_syntax::parse_module(file(), &text);
            assert!(start.elapsed() < MOMENT, "{:?} for {}", start.elapsed(), &text[..40]);
            assert!(!parsed.diagnostics.is_empty());
        }
    });
}

/// Well-formed text with pieces removed, doubled or replaced, and pure token soup.
#[test]
fn random_texts_do_not_crash() {
    on_large_stack(|| {
        let corpus = include_str!("corpus.arr");
        let pieces: Vec<&str> = corpus.split_inclusive([' ', '(', ')', ',', '\n']).collect();
        for seed in 0..400 {
            let mut r = Random::new(seed);
            let soup = seed % 4 == 0;
            let from = r.below(pieces.len());
            let count = r.below(200);
            let mut text = String::new();
            for i in 0..count {
                let piece = pieces[if soup { r.below(pieces.len()) } else { (from + i) % pieces.len() }];
                match r.below(20) {
                    0 => {}
                    1 => text.push_str(&piece.repeat(2)),
                    2 => text.push_str(["$", "é", "\"", "--| x\n", "def ", "1.", "1e", "\u{0}", "=> "][r.below(9)]),
                    _ => text.push_str(piece),
                }
            }
            let parsed = arr_syntax::parse_module(file(), &text);
            arr_syntax::print_module(&parsed.module);
            for d in &parsed.diagnostics {
                assert!(d.primary_span().is_some());
                for label in &d.labels {
                    let range = label.span.start as usize..label.span.end as usize;
                    assert!(text.get(range).is_some(), "{d:?}\n{text}");
                }
            }
            let (expr, _) = arr_syntax::parse_expr(file(), &text);
            arr_syntax::print_expr(&expr);
        }
    });
}
