//! The types that are taken down for whoever looks at the text.

use arr_base::{Id, SourceId, Span};
use arr_check::{Known, Types, check_program_with_types};
use std::sync::Arc;

fn types(text: &str) -> Types {
    let parsed = arr_syntax::parse_module(SourceId::from_index(0), text);
    check_program_with_types(Arc::new(parsed.module).into()).1
}

/// Every name with its type, and its extent if it is an index.
fn names(text: &str) -> Vec<String> {
    let shown = |(span, known): (Span, &Known)| {
        let name = text.get(span.start as usize..span.end as usize).unwrap();
        let extent = known.extent.as_ref().map_or(String::new(), |extent| format!(" < {extent}"));
        format!("{name}: {}{extent}", known.ty)
    };
    types(text).names().map(shown).collect()
}

#[test]
fn names_of_every_kind() {
    let text = "type S = A(i64) | B
def f(x: [n]f64, p: { a: f64, b: [n]f64 }, s: S) -> f64 =
  let y = x[1:]
  let (q, { b }) = (1, p)
  let w = for i, j < 3 => x[i] * f64(j)
  let v = loop (k, acc) = (0, 0.0) for t < n do (k + t, acc + x[t])
  let g = \\u => u * 2.0
  in match s { A(c) => g(x[c]), B => sum(for e in y => e) }
";
    let expected = [
        "x: [n]f64",
        "p: { a: f64, b: [n]f64 }",
        "s: S",
        "y: [n-1]f64",
        "q: i64",
        "b: [n]f64",
        "w: [n][3]f64",
        "i: i64 < n",
        "j: i64 < 3",
        "v: (i64, f64)",
        "k: i64",
        "acc: f64",
        "t: i64 < n",
        "g: function",
        "u: f64",
        "c: i64",
        "e: f64",
    ];
    assert_eq!(names(text), expected);
}

#[test]
fn type_parameters_are_shown_by_name() {
    let text = "def f[t: num](x: [n]t) -> t = let y = x * x let z = 1.0 let k = length(x) in sum(y)";
    assert_eq!(names(text), ["x: [n]t", "y: [n]t", "z: f64", "k: i64"]);
}

#[test]
fn results_and_expressions() {
    let text = "def g(x: [n]f64, r: { a: f64 }) = x[0:2] * r.a\ndef k = 3\n";
    let types = types(text);
    let span = |what: &str| {
        let at = text.find(what).expect(what);
        Span::new(SourceId::from_index(0), at, at + what.len())
    };
    let result = |name: &str| types.result(span(name)).map(|known| known.ty.clone());
    assert_eq!(result("g"), Some("[2]f64".to_string()));
    assert_eq!(result("k"), Some("i64".to_string()));
    assert_eq!(types.expr(span("x[0:2]")).map(|known| known.ty.as_str()), Some("[2]f64"));
    let record = Span::new(SourceId::from_index(0), text.find("r.a").unwrap(), text.find("r.a").unwrap() + 1);
    assert_eq!(types.expr(record).map(|known| known.fields.clone()), Some(vec![("a".into(), "f64".into())]));
}

/// What is wrong in one place does not keep the rest from being known.
#[test]
fn types_of_wrong_programs() {
    let text = "def f(x: [n]f64) -> f64 = let a = nothing let b = x + 1.0 in sum(b) + a";
    assert_eq!(names(text), ["x: [n]f64", "b: [n]f64"]);
}
