//! The `arr` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    arr_cli::command(std::env::args_os())
}
