//! The standard library: the examples and the tests of every module, on every back end.

use arr_tests::trial::Trial;
use arr_tests::{Outcome, arr, files};
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for module in files::list("stdlib", ".arr") {
        for backend in arr::BACKENDS {
            let module = module.clone();
            trials.push(Trial::test(format!("{}::{backend}", files::stem(&module)), move || {
                Ok(check(&module, backend)?)
            }));
        }
    }
    trials
}

/// Runs `arr test` on a module. Fewer cases than in a user's run, since two back ends have to agree.
fn check(module: &Path, backend: &str) -> Outcome {
    let output = arr::run(&["test", "--cases", "20", "--backend", backend, &module.to_string_lossy()], &files::root())?;
    match output.status {
        Some(0) => Ok(()),
        status => Err(format!("`arr test` ended with {status:?}:\n{}{}", output.stdout, output.stderr)),
    }
}
