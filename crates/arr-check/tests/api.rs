//! Entries: which definitions can be elaborated, and what their edges look like.

use crate::common::{check, core, golden, good, render_all};
use arr_ir::Edge;

#[test]
fn good_definitions_of_a_bad_file_work() {
    let text = "def bad(x: f64) -> i64 = x\ndef user(x: f64) -> i64 = bad(x)\ndef fine(x: f64) -> f64 = x";
    let (checked, diagnostics, _) = check(text);
    assert_eq!(diagnostics.len(), 1);
    assert!(arr_check::elaborate(&checked, "fine").is_ok());
    let problems = arr_check::elaborate(&checked, "user").expect_err("it uses a bad definition");
    assert_eq!(problems, diagnostics);
}

#[test]
fn an_entry_that_is_not_there() {
    let checked = good("def density(x: f64) -> f64 = x");
    let problems = arr_check::elaborate(&checked, "densty").expect_err("no entry");
    let text = render_all(&problems, &arr_base::SourceMap::new());
    assert!(text.contains("E0206") && text.contains("did you mean `density`?"), "{text}");
}

#[test]
fn edges_are_as_the_user_wrote_them() {
    let text = "type P[n] = { a: [n]f64, b: (i64, bool) }\ndef f(p: P[n], k: i64) -> [n](f64, f64) = for a in p.a => (a, f64(k))";
    let func = core(text, "f");
    let params: Vec<(&str, &str)> = func.edge_params.iter().map(|p| (p.name.as_str(), p.text.as_str())).collect();
    assert_eq!(params, [("p", "P[n]"), ("k", "i64")]);
    let names: Vec<&str> = func.params.iter().map(|v| func.name(*v)).collect();
    assert_eq!(names, ["p.a", "p.b.0", "p.b.1", "k"]);
    assert_eq!(func.sizes.len(), 1);
    assert!(
        matches!(&func.edge_result, Edge::Array(_, inner) if matches!(&**inner, Edge::Tuple(items) if items.len() == 2))
    );
}

#[test]
fn problems_come_in_source_order_and_once() {
    let text = "def b(x: f64) -> f64 = y + y\ndef a(x: f64) -> i64 = x\ndef c[t: num](x: t) -> t = x + true";
    let (_, diagnostics, map) = check(text);
    let codes: Vec<String> = diagnostics.iter().map(|d| d.code.to_string()).collect();
    assert_eq!(codes, ["E0201", "E0201", "E0301", "E0302"], "{}", render_all(&diagnostics, &map));
}

#[test]
fn function_parameters_stay_inside() {
    let checked = good("def apply(f: f64 -> f64, x: f64) -> f64 = f(x)");
    let problems = arr_check::elaborate(&checked, "apply").expect_err("a function at the edge");
    assert_eq!(problems.first().map(|d| d.code.to_string()), Some("E0307".to_string()));
}

#[test]
fn every_builtin_is_documented() {
    for (name, doc) in arr_check::builtin_docs() {
        assert!(doc.ends_with('.'), "{name}: {doc}");
    }
}

/// The table of signatures in the reference is that of the built-in functions; `ARR_BLESS=1` writes it.
#[test]
fn the_reference_has_the_signatures() {
    const HEAD: &str = "<!-- The signatures of built-in functions: ARR_BLESS=1 cargo test -p arr-check -->\n";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference.md");
    let page = std::fs::read_to_string(&path).expect("the reference");
    let (before, rest) = page.split_once(HEAD).expect("the place of the table");
    let (_, after) = rest.split_once("\n### ").expect("a section after the table");
    let mut table = String::from("\n| signature | |\n|---|---|\n");
    for (name, doc) in arr_check::builtin_docs() {
        let signature = arr_check::builtin_signature(name).expect("a signature");
        table.push_str(&format!("| `{signature}` | {doc} |\n"));
    }
    golden(&path, &format!("{before}{HEAD}{table}\n### {after}"));
}
