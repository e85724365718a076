//! What belongs to a shell: completions and manual pages, both made from the command line's own description.

use crate::commands::{Result, print};
use crate::options::{Completions, Man, Options};
use arr_base::{Code, Diagnostic};
use arr_driver::{Failure, Session};
use clap::CommandFactory;

/// Prints the completions for a shell. Fails if the output cannot be written.
pub fn completions(options: &Completions) -> Result<()> {
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut Options::command(), "arr", &mut text);
    print(&String::from_utf8_lossy(&text))
}

/// Writes `arr.1` and a page for each command, `arr-run.1`. Errors: E0707.
pub fn manual(session: &mut Session, options: &Man) -> Result<()> {
    session.make_directory(&options.directory)?;
    clap_mangen::generate_to(Options::command(), &options.directory).map_err(not_written)
}

fn not_written(error: std::io::Error) -> Failure {
    Diagnostic::error(Code::FILE_NOT_WRITTEN, format!("a manual page cannot be written: {error}")).into()
}
