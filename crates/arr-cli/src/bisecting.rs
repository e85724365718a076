//! `arr run --bisect`.

use crate::commands::{self, Result};
use crate::options::Run;
use arr_base::{Code, Diagnostic};
use arr_data::Arg;
use arr_driver::{Derive, Session};

/// Prints the outcome of comparing the steps. A step that changed the results is an error.
pub fn run(session: &mut Session, options: &Run) -> Result<()> {
    let execution = commands::driver_execution(&options.execution)?;
    let args: Vec<Arg> = options.args.iter().map(|text| Arg::parse(text)).collect();
    let mut program = session.program(&options.file, &options.entry, &Derive::Nothing)?;
    let found = session.bisect(&mut program, &args, &execution)?;
    commands::print(&found.text())?;
    match found.finding {
        None => Ok(()),
        Some(finding) => {
            let title =
                format!("the step `{}` of the compiler changed the results of `{}`", finding.step, options.entry);
            Err(Diagnostic::error(Code::STEP_CHANGED, title)
                .hint(format!("this is a fault of the compiler; `--without {}` may run the program", finding.step))
                .into())
        }
    }
}
