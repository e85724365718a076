//! `arr fmt`: programs formatted in place, or what that would change.

use crate::commands::{Result, print};
use crate::options::Fmt;
use arr_base::Diagnostic;
use arr_driver::{Failure, Session};

/// The lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// Formats the readable files, and then reports the others. Whether all is done: with `--check` and `--diff`, whether
/// nothing would change. Fails with what is wrong with the others.
pub fn run(session: &mut Session, options: &Fmt) -> Result<bool> {
    let standard_input = ["-".to_string()];
    let files = if options.files.is_empty() { &standard_input } else { options.files.as_slice() };
    let mut formatting = Formatting { options, failures: Vec::new(), unchanged: true };
    for name in files {
        match formatting.below(session, name) {
            Ok(()) => {}
            Err(Failure::Diagnostics(list)) => formatting.failures.extend(list),
            Err(bug) => return Err(bug),
        }
    }
    let Formatting { failures, unchanged, .. } = formatting;
    if failures.is_empty() { Ok(unchanged) } else { Err(Failure::Diagnostics(failures)) }
}

struct Formatting<'a> {
    options: &'a Fmt,
    failures: Vec<Diagnostic>,
    unchanged: bool,
}

impl Formatting<'_> {
    /// A file, the programs in and below a directory, or standard input.
    fn below(&mut self, session: &mut Session, name: &str) -> Result<()> {
        let only_look = self.options.check || self.options.diff;
        if name == "-" {
            let (before, after) = session.format_stdin()?;
            return if only_look { self.compare("standard input", &before, &after) } else { print(&after) };
        }
        for file in session.programs(name)? {
            let done = match only_look {
                true => session.formatted(&file).and_then(|(before, after)| self.compare(&file, &before, &after)),
                false => session.format(&file).map(|_| ()),
            };
            match done {
                Ok(()) => {}
                Err(Failure::Diagnostics(list)) => self.failures.extend(list),
                Err(bug) => return Err(bug),
            }
        }
        Ok(())
    }

    /// Says what would change in a file.
    fn compare(&mut self, name: &str, before: &str, after: &str) -> Result<()> {
        if before == after {
            return Ok(());
        }
        self.unchanged = false;
        if !self.options.diff {
            return print(&format!("{name}\n"));
        }
        let changes = similar::TextDiff::from_lines(before, after);
        let formatted = format!("{name}, formatted");
        print(&changes.unified_diff().context_radius(CONTEXT).header(name, &formatted).to_string())
    }
}
