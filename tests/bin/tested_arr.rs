//! The `arr` command for the tests of this package. Cargo builds it with them, from the libraries that they are built
//! from: the command's own package, built alone, would have other features of its dependencies, and compile most of
//! them again.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    arr_cli::command(std::iter::once("arr".into()).chain(arguments))
}
