//! Programs with claims in comments: values and derivatives, on every back end.

use arr_ir::Prim;
use arr_tests::trial::Trial;
use arr_tests::{Outcome, arr, checks, files};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for directory in checks::DIRECTORIES {
        for program in files::list(&format!("tests/{directory}"), ".arr") {
            let group = directory.rsplit('/').next().unwrap_or(directory);
            trials.push(Trial::test(format!("{group}::{}", files::stem(&program)), move || {
                let text = files::read(&program)?;
                Ok(checks::run(&program, &text)?)
            }));
        }
    }
    trials.push(Trial::test("builtins::none_is_missing", || Ok(none_is_missing()?)));
    trials.push(Trial::test("every_back_end_has_tests", || Ok(every_back_end_has_tests()?)));
    trials.push(Trial::test("builtins::functions_of_one_float", || Ok(functions_of_one_float()?)));
    trials
}

/// The back ends that the command has are those that run the programs here, and `gpu`, which `gpu.rs` tests.
fn every_back_end_has_tests() -> Outcome {
    let complaint = arr::run(&["eval", "1", "--backend", "none"], &files::root())?.stderr;
    let list = complaint.split_once("possible values: ").and_then(|(_, rest)| rest.split_once(']'));
    let (list, _) = list.ok_or_else(|| format!("no list of back ends:\n{complaint}"))?;
    let tested: Vec<&str> = arr::BACKENDS.into_iter().chain(["gpu"]).collect();
    let untested: Vec<&str> = list.split(", ").filter(|name| !tested.contains(name)).collect();
    if untested.is_empty() { Ok(()) } else { Err(format!("no test runs programs on {untested:?}")) }
}

/// The functions of one float: name, an argument, and the value there.
fn functions() -> impl Iterator<Item = (&'static str, f64, f64)> {
    Prim::ALL.iter().filter_map(|prim| prim.known_value().map(|(x, value)| (prim.name(), x, value)))
}

/// A function of one float has its value of numbers and of arrays of rows, and takes no arrays of tuples.
fn functions_of_one_float() -> Outcome {
    let mut text = String::from("def unused = 0\n");
    for (name, x, value) in functions() {
        text += &format!("-- > {name}({x:?})\n-- {value:?}\n");
        text += &format!("-- > {name}([[{x:?}], [{x:?}]])\n-- [[{value:?}], [{value:?}]]\n");
        text += &format!("-- > {name}([({x:?}, [1, 2])])\n-- error: E0302\n");
    }
    let directory = files::scratch()?;
    let file = directory.path().join("functions.arr");
    files::write(&file, &text)?;
    checks::run(&file, &text)
}

/// Every built-in function is asked for in each program of `builtins`, which differ in what the elements of arrays are; the
/// functions of one float are alike and need not be there.
fn none_is_missing() -> Outcome {
    let mut missing = Vec::new();
    for program in files::list("tests/programs/builtins", ".arr") {
        let text = files::read(&program)?;
        let questions: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("-- > ")).collect();
        for (name, _) in arr_check::builtin_docs().filter(|(name, _)| functions().all(|(f, ..)| f != *name)) {
            let call = format!("{name}(");
            let called = |question: &&str| {
                let before = question.find(&call).map(|at| question.chars().take(at).last());
                before.is_some_and(|c| c.is_none_or(|c| !c.is_alphanumeric() && c != '_'))
            };
            if !questions.iter().any(called) {
                missing.push(format!("{name} in {}", files::stem(&program)));
            }
        }
    }
    if missing.is_empty() { Ok(()) } else { Err(format!("not asked for: {}", missing.join(", "))) }
}
