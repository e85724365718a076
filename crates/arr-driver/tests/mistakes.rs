//! Mistakes of newcomers, and the help that each must get: `mistakes/newcomers.txt` has programs, each with the code
//! and the help of all that is found wrong with it. An error without help is in no row.
//! `ARR_BLESS=1` writes the present help.

use arr_driver::{Failure, MemoryWorld, Session};
use std::path::Path;

/// The program of a row, and its lines of help.
fn rows(text: &str) -> Vec<(String, Vec<String>)> {
    let rows = text.split("\n\n").map(|block| {
        let lines = || block.lines().filter(|line| !line.starts_with('#'));
        let program = lines().filter(|line| !line.starts_with("=> ")).collect::<Vec<_>>().join("\n");
        (program, lines().filter_map(|line| line.strip_prefix("=> ")).map(str::to_string).collect())
    });
    rows.filter(|(program, _): &(String, Vec<String>)| !program.trim().is_empty()).collect()
}

/// What `arr check` says is wrong with a program: codes and help.
fn help(program: &str) -> Vec<String> {
    let text = format!("{program}\n");
    let mut session = Session::new(MemoryWorld::new([("main.arr", text.as_bytes())]));
    match session.check("main.arr") {
        Ok(_) => Vec::new(),
        Err(Failure::Diagnostics(found)) => {
            let line = |d: &arr_base::Diagnostic| format!("{} {}", d.code, d.hint.as_deref().unwrap_or("(no help)"));
            found.iter().map(line).collect()
        }
        Err(other) => vec![format!("{other:?}")],
    }
}

#[test]
fn newcomers_get_help() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes/newcomers.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    let rows = rows(&text);
    assert!(rows.len() >= 50, "only {} rows", rows.len());
    let mut wrong = Vec::new();
    let mut blessed = text.clone();
    for (program, stated) in &rows {
        let found = help(program);
        if found != *stated {
            let lines = |list: &[String]| list.iter().map(|line| format!("\n=> {line}")).collect::<String>();
            blessed =
                blessed.replacen(&format!("{program}{}", lines(stated)), &format!("{program}{}", lines(&found)), 1);
            wrong.push(format!("{program}\nshould get {stated:#?}\nand gets {found:#?}"));
        }
        if found.is_empty() || found.iter().any(|line| line.ends_with("(no help)")) {
            wrong.push(format!("{program}\ngets {found:#?}, and should get errors with help"));
        }
    }
    if std::env::var_os("ARR_BLESS").is_some() {
        std::fs::write(&path, blessed).unwrap();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Programs with warnings that are meant, each with its code.
const MEANT: &[(&str, &str)] = &[
    // `stats.mean` has the name of the built-in function on purpose.
    ("stdlib/stats.arr", "E1104"),
    // The workload's value takes the arguments of its method.
    ("bench/workloads/newton.arr", "E1101"),
];

#[test]
fn examples_workloads_and_the_library_have_no_warnings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut session = Session::new(arr_driver::OsWorld);
    let mut found = Vec::new();
    for folder in ["examples", "bench/workloads", "stdlib"] {
        for path in session.programs(&root.join(folder).to_string_lossy()).unwrap() {
            let name = path.rsplit_once("../../").map_or(path.as_str(), |(_, name)| name).to_string();
            let warnings = session.check(&path).unwrap();
            found.extend(warnings.iter().map(|d| (name.clone(), d.code.to_string())));
        }
    }
    let meant: Vec<(String, String)> = MEANT.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    found.sort();
    let mut expected = meant;
    expected.sort();
    assert_eq!(found, expected);
}
