//! The shared code of the tests of the whole compiler: running the `arr` command, checks written as comments in
//! programs, transcripts of commands, and comparison of printed values.

pub mod arr;
pub mod asking;
pub mod c99;
pub mod checks;
pub mod definitions;
pub mod derivative;
pub mod files;
pub mod generator;
pub mod gradbench;
pub mod large;
pub mod npy;
pub mod numbers;
pub mod page;
pub mod samples;
pub mod sweeps;
pub mod transcript;
pub mod tree;
pub mod trial;
pub mod values;

use std::process::{Command, Stdio};

/// The message of a failed test.
pub type Outcome = Result<(), String>;

/// Whether golden files are to be rewritten instead of compared.
pub fn blessing() -> bool {
    std::env::var_os("ARR_BLESS").is_some()
}

/// Whether there is a program of this name, such as a compiler.
pub fn exists(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}
