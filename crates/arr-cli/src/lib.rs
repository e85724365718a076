//! The `arr` command: the only place that prints and decides exit statuses. A library, so that other programs can be the
//! command too.
//!
//! 0: done. 1: the program or its input is at fault, with a diagnostic. 2: the command line is at fault. 101: a fault
//! of the compiler itself, with a message.

mod beginning;
mod bisecting;
mod bug;
mod building;
mod cells;
mod checking;
mod commands;
mod costing;
mod devices;
mod documenting;
mod explain;
mod formatting;
mod interactive;
mod json;
mod long_lines;
mod options;
mod output;
mod piped;
mod plotting;
mod profiling;
pub mod render;
mod serving;
mod shell;
#[cfg(unix)]
mod signals;
pub mod store;
mod testing;
mod timing;
mod tracing;

use clap::Parser;
use options::Options;
use std::ffi::OsString;
use std::process::ExitCode;

/// The command line is at fault.
const USAGE: u8 = 2;

/// Does what a command line says, whose first word is the name of the program.
pub fn command(line: impl Iterator<Item = OsString>) -> ExitCode {
    bug::install_hook();
    // Only while there is one thread: signals have a thread of their own.
    arr_driver::quiet_devices();
    #[cfg(unix)]
    signals::install();
    let options = match Options::try_parse_from(options::shield_negative_values(line)) {
        Ok(options) => options,
        Err(error) => return usage(&error),
    };
    match arr_driver::with_stack(|| commands::run(options)) {
        Ok(Ok(code)) => code,
        Ok(Err(error)) => usage(&error),
        // The hook has said what happened.
        Err(_) => ExitCode::from(bug::STATUS),
    }
}

/// Shows clap's message: help on standard output with status 0, faults on standard error with 2.
fn usage(error: &clap::Error) -> ExitCode {
    let text = error.render();
    if error.use_stderr() {
        let colored = output::stderr_colors();
        output::to_stderr(&if colored { text.ansi().to_string() } else { text.to_string() });
        return ExitCode::from(USAGE);
    }
    let colored = output::stdout_colors();
    commands::shown(&if colored { text.ansi().to_string() } else { text.to_string() })
}
