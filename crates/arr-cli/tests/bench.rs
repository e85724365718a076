//! `arr bench`: the figures are complete and plausible; faults are diagnostics.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Written once: the tests run at the same time.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench.arr");
        std::fs::write(&path, "def f(x: [n]f64, a: f64) -> f64 = sum(a * x * x)\n").expect("a program");
        path
    })
}

fn bench(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arr")).arg("bench").arg(program()).args(args).output().expect("arr starts")
}

#[test]
fn value_and_gradient_in_json() {
    let output = bench(&["--entry", "f", "--wrt", "x,a", "--runs", "20", "--json", "[1.0, 2.0]", "a=3.0"]);
    assert!(output.status.success(), "{output:?}");
    let figures: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for what in ["value", "gradient"] {
        let number = |key: &str| figures[what][key].as_f64().unwrap_or_else(|| panic!("no {key} of the {what}"));
        assert_eq!(number("runs"), 20.0);
        assert!(0.0 < number("min") && number("min") <= number("median"), "{figures}");
        assert!(number("compile") > 0.0 && number("first") > 0.0 && number("spread") >= 0.0);
    }
    // At least two derivatives for the elements of x.
    assert!(figures["gradient"]["peak_bytes"].as_u64() >= Some(16), "{figures}");
}

#[test]
fn a_table() {
    let output = bench(&["--entry", "f", "--grad", "--seconds", "0", "--backend", "interp", "[1.0]", "2.0"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].contains("median") && lines[0].contains("memory"), "{text}");
    assert!(lines[1].trim_start().starts_with("value") && lines[2].trim_start().starts_with("gradient"), "{text}");
    assert!(lines[3].starts_with("the gradient takes "), "{text}");
}

#[test]
fn faults_are_diagnostics() {
    let missing = bench(&["--entry", "g"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("has no definition `g`"));
    let never = bench(&["--entry", "f", "--runs", "0", "[1.0]", "2.0"]);
    assert_eq!(never.status.code(), Some(2));
    let short = bench(&["--entry", "f", "[1.0]"]);
    assert_eq!(short.status.code(), Some(1));
    // NaN is as good as no time.
    let odd = bench(&["--entry", "f", "--seconds", "nan", "[1.0]", "2.0"]);
    assert_ne!(odd.status.code(), Some(101), "{odd:?}");
}
