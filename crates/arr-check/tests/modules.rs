//! Names of other files: what begins with `_` is for its own.

use crate::common::render_all;
use arr_base::SourceMap;
use arr_check::{Imported, Program, ProgramModule, check_program};
use std::sync::Arc;

/// What is wrong with a file that imports another as `m`.
fn problems(text: &str, imported: &str) -> String {
    let mut map = SourceMap::new();
    let mut module = |name: &str, text: &str, imports: Vec<Imported>| {
        let file = map.add(format!("{name}.arr"), text);
        let parsed = arr_syntax::parse_module(file, text);
        assert!(parsed.diagnostics.is_empty());
        ProgramModule { syntax: Arc::new(parsed.module), name: name.to_string(), imports, standard: false }
    };
    let text = format!("import \"./m.arr\"\n{text}");
    let modules = vec![module("main", &text, vec![Imported::Module(1)]), module("m", imported, Vec::new())];
    let checked = check_program(Program { modules, ..Program::default() });
    render_all(&checked.diagnostics, &map)
}

const IMPORTED: &str = "type _Pair = (f64, f64)
def _width = 2
def _half(x: f64) -> f64 = 0.5 * x
def half(x: f64) -> f64 = _half(x)
def pair(x: f64) -> _Pair = (half(x), x)
def twice(x: [_width]f64) -> [_width]f64 = 2.0 * x";

#[test]
fn what_uses_a_private_name_in_its_own_file_is_for_others() {
    let text = "def f(x: f64) -> (f64, f64) = m.pair(m.half(x))\ndef g() = m.twice([1.0, 2.0])";
    assert_eq!(problems(text, IMPORTED), "");
}

#[test]
fn private_names_of_another_file_are_refused() {
    for text in [
        "def f(x: f64) -> f64 = m._half(x)",
        "def f() -> i64 = m._width",
        "def f(x: [m._width]f64) -> f64 = sum(x)",
        "def f(x: m._Pair) -> f64 = x.0",
        "def f(x: f64) = let y: m._Pair = (x, x) in y",
    ] {
        let found = problems(text, IMPORTED);
        assert!(found.starts_with("E0209: ") && found.contains("is for its own file"), "{text}\n{found}");
        assert_eq!(found.matches("E0").count(), 1, "{text}\n{found}");
    }
}

#[test]
fn private_names_are_not_suggested() {
    let found = problems("def f(x: f64) -> f64 = m.halv(x)", "def _halv(x: f64) -> f64 = x");
    assert!(found.contains("has no definition `halv`") && !found.contains("did you mean"), "{found}");
}
