//! `arr doc`.

use crate::commands::{self, Result};
use crate::options::Doc;
use arr_base::{Code, Diagnostic};
use arr_doc::Source;
use arr_driver::{Failure, Session};

/// Writes the pages of programs and prints the path of the index. Fails with all errors of all programs, of which nothing
/// is written, and with all examples that fail, which are marked on their pages.
pub fn run(session: &mut Session, options: &Doc) -> Result<()> {
    // The contents of a page must not depend on the machine that it was made on.
    let execution = arr_driver::Execution { strict: true, ..commands::driver_execution(&options.execution)? };
    let here = vec![".".to_string()];
    let paths = if options.paths.is_empty() && !options.std { &here } else { &options.paths };
    let (mut sources, mut failures) = (Vec::new(), Vec::new());
    for path in paths {
        for path in session.programs(path)? {
            match Source::read(session, &path) {
                Ok(source) => sources.push(source),
                Err(Failure::Diagnostics(list)) => failures.extend(list),
                Err(bug) => return Err(bug),
            }
        }
    }
    for module in arr_driver::STANDARD_MODULES.iter().filter(|_| options.std) {
        sources.push(Source::of_text(session, &format!("{}.arr", module.name), module.text)?);
    }
    if !failures.is_empty() {
        return Err(Failure::Diagnostics(failures));
    }
    if sources.is_empty() {
        let title = format!("there is no program in {}", list(paths));
        return Err(Diagnostic::error(Code::FILE_NOT_READ, title).into());
    }
    if options.output.is_empty() {
        let title = "the directory to write pages to has no name";
        return Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).into());
    }
    let documentation = arr_doc::document(session, &sources, &execution)?;
    let directory = options.output.trim_end_matches('/');
    session.make_directory(directory)?;
    for page in &documentation.pages {
        session.write_text(&format!("{directory}/{}", page.file), &page.html)?;
    }
    commands::print(&format!("{directory}/index.html\n"))?;
    if !documentation.warnings.is_empty() {
        commands::report(&documentation.warnings, session.sources(), options.execution.json);
    }
    match documentation.failures {
        failures if failures.is_empty() => Ok(()),
        failures => Err(Failure::Diagnostics(failures)),
    }
}

fn list(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
