//! Golden tests: a file holds IR text, a line `==>`, and the printed source. `ARR_BLESS=1` rewrites the second part.
//! Printed source must parse, and print as itself.

use arr_base::{Id, SourceId};
use arr_ir::interp::{Limits, run};
use arr_ir::{Edge, EdgeParam, Func, Level, Scalar, SizeId, parse_func, sample, verify_structure};
use std::path::Path;

/// The printed source, checked again, gives the same results.
fn same_meaning(func: &Func, text: &str) {
    let parsed = arr_syntax::parse_module(SourceId::from_index(0), text);
    let checked = arr_check::check_module(parsed.module);
    assert!(checked.diagnostics.is_empty(), "{:?}\n{text}", checked.diagnostics);
    let again = arr_check::elaborate(&checked, "g").unwrap_or_else(|d| panic!("{d:?}\n{text}"));
    for n in 0..4i64 {
        let sizes: Vec<i64> = func.sizes.iter().map(|_| n).collect();
        let sizes_again: Vec<i64> = again.sizes.iter().map(|_| n).collect();
        let args = sample::args(func, &sizes, 7).unwrap();
        let Ok(old) = run(func, &sizes, &args, &Limits::default()) else { continue };
        let new = run(&again, &sizes_again, &args, &Limits::default()).unwrap();
        for (a, b) in old.results.iter().zip(&new.results) {
            let (x, y) = (a.to_f64s(), b.to_f64s());
            assert_eq!(a.dims(), b.dims());
            let same = x.iter().zip(&y).all(|(p, q)| p == q || (p.is_nan() && q.is_nan()));
            assert!(same, "size {n}: {x:?} became {y:?}\n{text}");
        }
    }
}

fn source(func: &Func) -> String {
    let text = arr_unparse::emit_text(func, "g").unwrap();
    let parsed = arr_syntax::parse_module(SourceId::from_index(0), &text);
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{text}", parsed.diagnostics);
    assert_eq!(arr_syntax::print_module(&parsed.module), text);
    // A call means what the program that it is printed for means by it.
    if !text.contains("linalg.") {
        same_meaning(func, &text);
    }
    text
}

#[test]
fn golden() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut failures = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let (input, expected) = text.split_once("==>\n").unwrap_or((&text, ""));
        let func = parse_func(input).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        verify_structure(&func, Level::Core).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        let actual = source(&func);
        if std::env::var_os("ARR_BLESS").is_some() {
            std::fs::write(&path, format!("{}\n==>\n{actual}", input.trim_end())).unwrap();
        } else if actual != expected {
            failures.push(format!("{}\n--- expected\n{expected}\n--- actual\n{actual}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn array(size: SizeId, inner: Edge) -> Edge {
    Edge::Array(size, Box::new(inner))
}

fn record(fields: &[(&str, Edge)]) -> Edge {
    Edge::Record(fields.iter().map(|(n, e)| (n.to_string(), e.clone())).collect())
}

/// Records, tuples, and arrays of records at the edge.
#[test]
fn edges() {
    let text = "func f[n](w: f64, v: [n]f64, a: [n]f64, b: [n][3]f64, k: i64) -> f64, [n]f64, [n]f64 {
      s: f64 = read! a[k]
      t: f64 = read! b[k, 1]
      u: f64 = mul s, t
      y: [n]f64 = build i<n {
        p: f64 = read! v[i]
        q: f64 = mul p, w
        yield q
      }
      return u, y, a
    }";
    let mut func = parse_func(text).unwrap();
    let f64_ = Edge::Scalar(Scalar::F64);
    let n = func.types.size_var(func.sizes[0]);
    let three = func.types.size_const(3);
    let p = record(&[("w", f64_.clone()), ("v", array(n, f64_.clone()))]);
    let ps = array(n, record(&[("a", f64_.clone()), ("b", array(three, f64_.clone()))]));
    let param = |name: &str, ty: Edge| EdgeParam { name: name.to_string(), ty, text: String::new() };
    func.edge_params = vec![param("p", p), param("ps", ps), param("k", Edge::Scalar(Scalar::I64))];
    let pairs = array(n, Edge::Tuple(vec![f64_.clone(), f64_.clone()]));
    func.edge_result = record(&[("sum", f64_), ("pairs", pairs)]);
    verify_structure(&func, Level::Core).unwrap();
    let actual = source(&func);
    let head = "def g(\n  p: { w: f64, v: [n]f64 },\n  ps: [n]{ a: f64, b: [3]f64 },\n  k: i64\n) -> {";
    assert!(actual.starts_with(head), "{actual}");
    assert!(actual.contains("ps[k].a * ps[k].b[1]"), "{actual}");
    assert!(actual.contains("for i < n => p.v[i] * p.w"), "{actual}");
    assert!(actual.contains("pairs = for i < n => (y[i], ps[i].a)"), "{actual}");
}
