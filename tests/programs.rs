//! Programs with claims in comments: values and derivatives, on every back end.

use arr_tests::trial::Trial;
use arr_tests::{Outcome, checks, files};

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
    trials
}

/// Each program of `builtins`, which differ in the element types of arrays, uses every built-in function.
fn none_is_missing() -> Outcome {
    let mut missing = Vec::new();
    for program in files::list("tests/programs/builtins", ".arr") {
        let text = files::read(&program)?;
        let questions: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("-- > ")).collect();
        for (name, _) in arr_check::builtin_docs() {
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
