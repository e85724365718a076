//! What the tests of this crate share: parsing, checking, running, and diagnostics as plain text.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_base::{Diagnostic, SourceId, SourceMap};
use arr_check::{Checked, check_module};
use arr_ir::interp::{self, Limits};
use arr_ir::{Func, Level, RunError, Value};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A file in a map of its own, parsed.
pub struct Source {
    pub map: SourceMap,
    pub file: SourceId,
    pub parsed: arr_syntax::Parsed,
}

pub fn parse(text: &str) -> Source {
    let mut map = SourceMap::new();
    let file = map.add("test.arr", text);
    let parsed = arr_syntax::parse_module(file, text);
    Source { map, file, parsed }
}

/// Parses and checks; all diagnostics of both.
pub fn check(text: &str) -> (Checked, Vec<Diagnostic>, SourceMap) {
    let source = parse(text);
    let mut diagnostics = source.parsed.diagnostics.clone();
    let checked = check_module(source.parsed.module);
    diagnostics.extend(checked.diagnostics.iter().cloned());
    Diagnostic::sort(&mut diagnostics);
    (checked, diagnostics, source.map)
}

/// A checked file without problems.
pub fn good(text: &str) -> Checked {
    let (checked, diagnostics, map) = check(text);
    assert!(diagnostics.is_empty(), "{}", render_all(&diagnostics, &map));
    checked
}

pub fn verified(func: Func) -> Func {
    if let Err(errors) = arr_ir::verify(&func, Level::Core) {
        panic!("{}\n{}", arr_ir::print_func(&func), arr_ir::report(&func, &errors));
    }
    func
}

/// The core function of a definition, verified.
pub fn core(text: &str, entry: &str) -> Func {
    let checked = good(text);
    match arr_check::elaborate(&checked, entry) {
        Ok(func) => verified(func),
        Err(diagnostics) => panic!("{}", render_all(&diagnostics, &parse(text).map)),
    }
}

pub fn run_func(func: &Func, sizes: &[i64], args: &[Value]) -> Result<Vec<Value>, RunError> {
    let mut func = func.clone();
    if arr_ir::has_derivatives(&func) {
        arr_ad::differentiate(&mut func).expect("a derivative");
        func = verified(func);
    }
    interp::run(&func, sizes, args, &Limits::default()).map(|outcome| outcome.results)
}

/// The value of an expression in the scope of some definitions, as text.
pub fn eval(definitions: &str, expr: &str) -> String {
    let mut map = SourceMap::new();
    let file = map.add("test.arr", definitions);
    let checked = check_module(arr_syntax::parse_module(file, definitions).module);
    assert!(checked.diagnostics.is_empty(), "{}", render_all(&checked.diagnostics, &map));
    let id = map.add("expr", expr);
    let (parsed, diagnostics) = arr_syntax::parse_expr(id, expr);
    assert!(diagnostics.is_empty(), "{}", render_all(&diagnostics, &map));
    let func = match arr_check::elaborate_expr(&checked, &parsed) {
        Ok(func) => verified(func),
        Err(diagnostics) => return render_all(&diagnostics, &map),
    };
    match run_func(&func, &[], &[]) {
        Ok(values) => values.iter().map(show).collect::<Vec<_>>().join("; "),
        Err(error) => format!("{}: {}", error.to_diagnostic().code, error.to_diagnostic().title),
    }
}

/// A leaf value as text: nested brackets by dimension.
pub fn show(value: &Value) -> String {
    fn level(dims: &[i64], items: &mut impl Iterator<Item = String>) -> String {
        match dims.split_first() {
            None => items.next().unwrap_or_default(),
            Some((n, rest)) => {
                let parts: Vec<String> = (0..*n).map(|_| level(rest, items)).collect();
                format!("[{}]", parts.join(", "))
            }
        }
    }
    match value {
        Value::Scalar(c) => scalar(*c),
        Value::Array(a) => {
            let mut items = (0..a.data.len()).filter_map(|i| a.data.get(i)).map(scalar);
            level(&a.dims, &mut items)
        }
    }
}

fn scalar(c: arr_ir::Const) -> String {
    use arr_ir::Const::{Bool, F32, F64, I32, I64, U32};
    match c {
        Bool(b) => b.to_string(),
        I32(i) => format!("{i}i32"),
        I64(i) => i.to_string(),
        U32(u) => format!("{u}u32"),
        F32(x) => format!("{x:?}f32"),
        F64(x) => format!("{x:?}"),
    }
}

/// A diagnostic as plain text: every part of it, in order.
pub fn render(d: &Diagnostic, map: &SourceMap) -> String {
    let mut out = format!("{}: {}\n", d.code, d.title);
    for label in &d.labels {
        let file = map.get(label.span.file).expect("a file of the map");
        let (line, column) = file.line_column(label.span.start as usize);
        let mark = if label.primary { "-->" } else { "..." };
        let text = map.slice(label.span).replace('\n', " ");
        let _ = writeln!(out, "  {mark} {line}:{column} `{text}`: {}", label.text);
    }
    if let Some((expected, found)) = &d.expected_found {
        let _ = writeln!(out, "  expected: {expected}\n  found:    {found}");
    }
    for note in &d.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    if let Some(hint) = &d.hint {
        let _ = writeln!(out, "  hint: {hint}");
    }
    out
}

pub fn render_all(diagnostics: &[Diagnostic], map: &SourceMap) -> String {
    diagnostics.iter().map(|d| render(d, map)).collect::<Vec<_>>().join("\n")
}

/// The `.arr` files of a folder of this crate's tests, in order.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "arr"))
        .collect();
    files.sort();
    files
}

/// Compares with the golden file, or rewrites it when `ARR_BLESS` is set.
pub fn golden(path: &Path, actual: &str) {
    if std::env::var_os("ARR_BLESS").is_some() {
        std::fs::write(path, actual).expect("the golden file");
        return;
    }
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    assert!(expected == actual, "{} differs:\n{actual}", path.display());
}
