//! `arr check`.

use crate::commands::{self, Result};
use crate::options::{Check, Deny};
use arr_base::Diagnostic;
use arr_driver::{Failure, Session};

/// Checks programs. Whether they may go on: with `--deny warnings`, whether there are none. Fails with all errors of all files.
pub fn run(session: &mut Session, options: &Check) -> Result<bool> {
    let mut errors = Vec::new();
    let mut warnings = Vec::new();
    for file in &options.files {
        match session.check(file) {
            Ok(found) => add(&mut warnings, found),
            Err(Failure::Diagnostics(found)) => add(&mut errors, found),
            Err(bug) => return Err(bug),
        }
    }
    if !errors.is_empty() {
        return Err(Failure::Diagnostics(errors));
    }
    if !warnings.is_empty() {
        commands::report(&warnings, session.sources(), options.json);
    }
    Ok(warnings.is_empty() || options.deny != Some(Deny::Warnings))
}

/// What is found in a file that several of them import is reported once.
fn add(all: &mut Vec<Diagnostic>, found: Vec<Diagnostic>) {
    for diagnostic in found {
        if !all.contains(&diagnostic) {
            all.push(diagnostic);
        }
    }
}
