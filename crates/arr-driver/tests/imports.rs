//! Programs of several files, in memory.

use arr_base::{Code, Diagnostic};
use arr_data::to_literal;
use arr_driver::{Derive, Execution, Failure, MemoryWorld, STANDARD_MODULES, Session, with_stack};

fn session(files: &[(&str, &str)]) -> Session {
    Session::new(MemoryWorld::new(files.iter().map(|(name, text)| (*name, text.as_bytes()))))
}

fn diagnostics(files: &[(&str, &str)]) -> Vec<Diagnostic> {
    match session(files).check(files[0].0) {
        Ok(_) => Vec::new(),
        Err(Failure::Diagnostics(list)) => list,
        Err(Failure::Bug(what)) => panic!("{what}"),
    }
}

fn run(files: &[(&str, &str)]) -> String {
    let mut session = session(files);
    let mut program = session.program(files[0].0, "main", &Derive::Nothing).expect("a program");
    to_literal(&session.run(&mut program, &[], &Execution::default()).expect("a value").value)
}

#[test]
fn unknown_standard_module() {
    let found = diagnostics(&[("a.arr", "import statz\nimport nothing_like_it\nimport b\n"), ("b.arr", "")]);
    let hints: Vec<&str> = found.iter().filter_map(|d| d.hint.as_deref()).collect();
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::UNKNOWN_MODULE; 3]);
    let expected = [
        "did you mean `stats`?",
        "a file is imported by its path: `import \"./model.arr\"`; built-in functions need no import",
        "a file is imported by its path: `import \"./b.arr\"`",
    ];
    assert_eq!(hints, expected);
    for module in STANDARD_MODULES {
        assert!(found[0].notes[0].contains(&format!("`{}`", module.name)), "{:?}", found[0].notes);
    }
}

#[test]
fn sources_of_the_library_have_names() {
    let mut session = session(&[("a.arr", "import stats\ndef main() -> f64 = stats.mean([1.0])")]);
    session.check("a.arr").expect("a program");
    assert!(session.sources().iter().any(|(_, f)| f.name == "<std>/stats.arr"));
}

#[test]
fn every_standard_module_checks_by_itself() {
    for module in STANDARD_MODULES {
        let found = diagnostics(&[(module.name, module.text)]);
        assert!(found.is_empty(), "{}: {found:#?}", module.name);
    }
}

#[test]
fn equal_names_of_modules_are_different_things() {
    let main = r#"
import "one/m.arr" as one
import "two/m.arr" as two
def k = 1
def value() -> f64 = 1.0
type T = f64
def first(x: [one.k]f64, y: [two.k]f64, z: [k]f64) -> (f64, f64, f64) = (sum(x), sum(y), sum(z))
def main() -> (f64, one.T, two.T, (f64, f64, f64)) =
  (value(), one.value(), two.value(), first([1.0, 1.0], [1.0, 1.0, 1.0], [1.0]))
"#;
    let one = "def k = 2\ndef value() -> T = (f64(k), 0.0)\ntype T = (f64, f64)";
    let two = "def k = 3\ndef value() -> T = { x = f64(k) }\ntype T = { x: f64 }";
    let files = [("main.arr", main), ("one/m.arr", one), ("two/m.arr", two)];
    assert_eq!(run(&files), "(1.0, (2.0, 0.0), {x = 3.0}, (2.0, 3.0, 1.0))");
}

/// The constants of the importing file are unknown in the imported one, and vice versa.
#[test]
fn sizes_of_modules_do_not_meet() {
    let main = r#"
import "m.arr"
def n = 2
def main() -> (i64, i64, f64) = (m.length_of([1.0, 2.0, 3.0]), m.fixed(ones(4)), m.apply(\x => sum(x)))
"#;
    let m = "
def k = 4
type Fixed = [k]f64
def length_of(x: [n]f64) -> i64 = n
def fixed(x: Fixed) -> i64 = let k = 7 in length(x) + k
def apply(f: [k]f64 -> f64) -> f64 = f(ones(k))
";
    assert_eq!(run(&[("main.arr", main), ("m.arr", m)]), "(3, 11, 4.0)");
}

/// A file that is reached in two ways is one module, and its errors are reported once.
#[test]
fn a_file_is_loaded_once() {
    let files = [
        ("p/main.arr", "import \"./a.arr\"\nimport \"../p/b.arr\"\nimport \"./q/../b.arr\" as c"),
        ("p/a.arr", "import \"b.arr\" as other\ndef f() -> f64 = other.f()"),
        ("p/b.arr", "def f() -> f64 = nothing"),
    ];
    let found = diagnostics(&files);
    assert_eq!(found.iter().map(|d| d.code).collect::<Vec<_>>(), [Code::UNKNOWN_NAME]);
}

#[test]
fn names_of_a_module_end_at_its_imports() {
    let files = [
        ("a.arr", "import \"b.arr\"\ndef f(x: b.c.T) -> f64 = b.c.f()"),
        ("b.arr", "import \"c.arr\""),
        ("c.arr", "type T = f64\ndef f() -> f64 = 1.0"),
    ];
    let codes: Vec<Code> = diagnostics(&files).iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::UNEXPECTED_TOKEN, Code::NO_MEMBER]);
}

#[test]
fn a_thousand_files_in_a_row() {
    let name = |i: usize| format!("m{i}.arr");
    let file = |i: usize| match i {
        999 => "def main() -> i64 = 0".to_string(),
        i => format!("import \"./m{}.arr\" as next\ndef main() -> i64 = next.main() + 1", i + 1),
    };
    let files: Vec<(String, String)> = (0..1000).map(|i| (name(i), file(i))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    assert_eq!(with_stack(|| run(&files)), Ok("999".to_string()));
}
