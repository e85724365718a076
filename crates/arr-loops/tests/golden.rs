//! Golden tests: `cases/*.ir` lowered to loops equal `cases/*.loops`. `ARR_BLESS=1` rewrites them. The cases leave out
//! the checks of programs, so that they contain unproved accesses; lowering does not check them.

use crate::goldens;
use std::path::{Path, PathBuf};

fn cases() -> Vec<PathBuf> {
    ir_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases"))
}

fn ir_files(dir: &Path) -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|path| path.extension().is_some_and(|e| e == "ir"));
    cases.sort();
    cases
}

/// Compares with a file, or writes it.
fn check(expected: &Path, actual: &str, wrong: &mut Vec<String>) {
    if std::env::var_os("ARR_BLESS").is_some() {
        std::fs::write(expected, actual).unwrap();
    } else if std::fs::read_to_string(expected).unwrap_or_default() != actual {
        wrong.push(format!("{}:\n{actual}", expected.display()));
    }
}

#[test]
fn loops_are_as_expected() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() > 15);
    for path in cases {
        let text = std::fs::read_to_string(&path).unwrap();
        let func = arr_ir::parse_func(&text).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        if let Err(errors) = arr_ir::verify_structure(&func, arr_ir::Level::Core) {
            panic!("{}", arr_ir::report(&func, &errors));
        }
        let actual = arr_loops::print(&arr_loops::lower(&func).unwrap());
        check(&path.with_extension("loops"), &actual, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Printed functions parse, and print the same again; lowered functions are well formed after parsing.
#[test]
fn text_is_a_fixed_point() {
    let mut count = 0;
    for path in goldens::files("loops") {
        let text = std::fs::read_to_string(&path).unwrap();
        let read = arr_loops::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert_eq!(arr_loops::print(&read), text, "{}", path.display());
        count += 1;
    }
    assert!(count > 90, "{count}");
}

/// The same for `products/*.ir` under relaxed arithmetic: which kernels are matrix products, and how they are described.
#[test]
fn products_are_as_expected() {
    relaxed("products");
}

/// The same for `scans/*.ir`: which loops are scans, their summaries, and how chunks are chained.
#[test]
fn scans_are_as_expected() {
    relaxed("scans");
}

/// The same for `fuse_loops/*.ir`: which neighbouring loops are fused, and which are not.
#[test]
fn fused_loops_are_as_expected() {
    relaxed("fuse_loops");
}

/// The same for `strip_mine/*.ir`: which loops of the program run in blocks of points, and which do not.
#[test]
fn strip_mined_loops_are_as_expected() {
    relaxed("strip_mine");
}

/// The same for `parallelize/*.ir`: which loops have independent iterations, and which stay in order.
#[test]
fn parallel_loops_are_as_expected() {
    relaxed("parallelize");
}

/// Sums of floats are divided only in relaxed code, integers and iterations' own places in both. Where iterations are
/// counted no nest is fused into a loop.
#[test]
fn strict_code_adds_in_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parallelize");
    let lowered = |name: &str, options| {
        let func = arr_ir::parse_func(&std::fs::read_to_string(root.join(name)).unwrap()).unwrap();
        arr_loops::print(&arr_loops::lower_with(&func, options).unwrap())
    };
    let strict = arr_loops::LowerOptions::default();
    for (name, marks) in
        [("histogram.ir", ""), ("sparse.ir", ""), ("meet.ir", "adding to c at c.data"), ("tapes.ir", "allocating")]
    {
        let text = lowered(name, strict);
        let found: Vec<&str> = text.lines().filter_map(|l| l.split_once(" parallel ")).map(|(_, mark)| mark).collect();
        let expected: Vec<String> = Some(format!("{marks} {{")).filter(|_| !marks.is_empty()).into_iter().collect();
        assert_eq!(
            found.iter().filter(|mark| **mark != "{").collect::<Vec<_>>(),
            expected.iter().collect::<Vec<_>>(),
            "{name}"
        );
    }
    let counted = lowered("sparse.ir", arr_loops::LowerOptions { relaxed: true, counts: true, ..strict });
    assert!(counted.contains("store d_sum.data[i]") && counted.contains(" adding to "));
}

/// The same for `short_circuit/*.ir`: which states are carried in their tapes, and which are not.
#[test]
fn short_circuited_tapes_are_as_expected() {
    relaxed("short_circuit");
}

/// Sums of floats are scans only in relaxed code, a maximum is one in both.
#[test]
fn strict_scans_are_exact() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scans");
    let strict = |name: &str| {
        let func = arr_ir::parse_func(&std::fs::read_to_string(root.join(name)).unwrap()).unwrap();
        arr_loops::print(&arr_loops::lower(&func).unwrap())
    };
    for (name, scans) in [("scan_max.ir", 1), ("gathered.ir", 1), ("average.ir", 0), ("sum_backwards.ir", 0)] {
        assert_eq!(strict(name).matches(" scan ").count(), scans, "{name}");
    }
}

fn relaxed(dir: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(dir);
    let mut wrong = Vec::new();
    for path in ir_files(&dir) {
        let text = std::fs::read_to_string(&path).unwrap();
        let func = arr_ir::parse_func(&text).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        if let Err(errors) = arr_ir::verify_structure(&func, arr_ir::Level::Fused) {
            panic!("{}", arr_ir::report(&func, &errors));
        }
        let options = arr_loops::LowerOptions {
            relaxed: true,
            blocks: dir.ends_with("strip_mine"),
            ..arr_loops::LowerOptions::default()
        };
        let actual = arr_loops::print(&arr_loops::lower_with(&func, options).unwrap());
        check(&path.with_extension("loops"), &actual, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn derivatives_are_refused() {
    let text = "func f(x: f64) -> f64, f64 {
  y: f64, d: f64 = vjp (a: f64 = x) seed (1.0) {
    b: f64 = mul a, a
    yield b
  }
  return y, d
}";
    let func = arr_ir::parse_func(text).unwrap();
    assert_eq!(arr_loops::lower(&func).unwrap_err(), arr_loops::LowerError::NotEliminated("vjp"));
}

/// With `nested` every loop of a kernel says whether it needs an order, and nothing else changes.
#[test]
fn inner_loops_are_marked() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/map.ir");
    let func = arr_ir::parse_func(&std::fs::read_to_string(path).unwrap()).unwrap();
    let plain = arr_loops::print(&arr_loops::lower(&func).unwrap());
    let options = arr_loops::LowerOptions { nested: true, ..arr_loops::LowerOptions::default() };
    let nested = arr_loops::print(&arr_loops::lower_with(&func, options).unwrap());
    let loops = |text: &str, word: &str| text.lines().filter(|l| l.contains("for ") && l.contains(word)).count();
    assert_eq!(loops(&nested, " parallel"), loops(&nested, " < "), "{nested}");
    assert_eq!(nested.replace(" parallel", ""), plain.replace(" parallel", ""));
}
