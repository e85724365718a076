//! `arr doc`.

use crate::commands::{self, Result};
use crate::options::Doc;
use arr_base::{Code, Diagnostic};
use arr_doc::Source;
use arr_driver::{Failure, Session};

/// Writes the pages of programs and prints the path of the index. Nothing is written if an example fails.
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
    let pages = arr_doc::document(session, &sources, &execution)?;
    if options.output.is_empty() {
        let title = "the directory to write pages to has no name";
        return Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).into());
    }
    let directory = options.output.trim_end_matches('/');
    session.make_directory(directory)?;
    for page in &pages {
        session.write_text(&format!("{directory}/{}", page.file), &page.html)?;
    }
    commands::print(&format!("{directory}/index.html\n"))
}

fn list(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
