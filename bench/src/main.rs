//! The benchmark programme: every workload in Arr and in the available peers, alternating, with results compared.
//!
//! `cargo xtask bench` runs it, and `cargo xtask ablate` measures the worth of the compiler's steps;
//! `docs/benchmarks.md` explains how to read the results.

mod ablate;
mod c99;
mod measure;
mod options;
mod peers;
mod plot;
mod process;
mod report;
mod serve;
mod statistics;
mod suite;

use clap::Parser;
use options::{Command, Options};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = Options::parse();
    let result = match &options.command {
        Some(Command::Serve(serve)) => serve::run(serve),
        Some(Command::C99(serve)) => c99::run(serve),
        Some(Command::Ablate(options)) => ablate::run(options),
        None => suite::run(&options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("arr-bench: {message}");
            ExitCode::FAILURE
        }
    }
}
