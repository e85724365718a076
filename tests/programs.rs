//! Programs that say of themselves what they do: values and derivatives, on every back end.

use arr_tests::{checks, files};
use libtest_mimic::{Arguments, Trial};

const DIRECTORIES: [&str; 3] = ["dual_numbers", "branches", "language"];

fn main() {
    let mut trials = Vec::new();
    for directory in DIRECTORIES {
        for program in files::list(&format!("tests/programs/{directory}"), ".arr") {
            trials.push(Trial::test(format!("{directory}::{}", files::stem(&program)), move || {
                let text = files::read(&program)?;
                Ok(checks::run(&program, &text)?)
            }));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
