//! Shared by the tests: rendering diagnostics as plain text, golden files, big stacks.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

pub mod erase;
pub mod generate;
pub mod sexpr;

use arr_base::{Diagnostic, Id, SourceFile, SourceId};
use arr_syntax::ast::*;
use std::fmt::Write;
use std::path::PathBuf;

pub fn file() -> SourceId {
    SourceId::from_index(0)
}

/// One diagnostic as a few lines of text.
pub fn render(text: &str, diagnostic: &Diagnostic) -> String {
    let source = SourceFile { name: "test.arr".into(), text: text.into() };
    let mut out = format!("{} {}\n", diagnostic.code, diagnostic.title);
    for label in &diagnostic.labels {
        let (line, column) = source.line_column(label.span.start as usize);
        let (to_line, to_column) = source.line_column(label.span.end as usize);
        let mark = if label.primary { "at" } else { "because" };
        let to = if line == to_line { format!("{to_column}") } else { format!("{to_line}:{to_column}") };
        writeln!(out, "  {mark} {line}:{column}-{to} {}", label.text).unwrap();
    }
    for note in &diagnostic.notes {
        writeln!(out, "  note: {note}").unwrap();
    }
    if let Some(hint) = &diagnostic.hint {
        writeln!(out, "  hint: {hint}").unwrap();
    }
    out
}

pub fn render_all(text: &str, diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| render(text, d)).collect()
}

/// Parses a module that must be well formed.
pub fn module(text: &str) -> Module {
    let parsed = arr_syntax::parse_module(file(), text);
    assert!(parsed.diagnostics.is_empty(), "{text}\n{}", render_all(text, &parsed.diagnostics));
    parsed.module
}

/// Parses an expression that must be well formed.
pub fn expr(text: &str) -> Expr {
    let (expr, diagnostics) = arr_syntax::parse_expr(file(), text);
    assert!(diagnostics.is_empty(), "{text}\n{}", render_all(text, &diagnostics));
    expr
}

/// Compares with `tests/golden/NAME.txt`, or writes it when `ARR_BLESS=1`.
pub fn golden(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("ARR_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected != actual {
        let first = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
        let line = first.unwrap_or_else(|| expected.lines().count().min(actual.lines().count()));
        panic!(
            "{} differs at line {}:\n  golden: {:?}\n  now:    {:?}\nrun with ARR_BLESS=1 to accept",
            path.display(),
            line + 1,
            expected.lines().nth(line),
            actual.lines().nth(line),
        );
    }
}
