//! Documentation as static pages: one per file, an index, a list of all names and the built-in functions. Examples are run, and shown with their values.
//!
//! The text of a program is plain text on its page: no markup of a doc comment gets through, and the pages neither run
//! scripts nor load anything.

// A failure occurs once per run; its size does not matter.
#![allow(clippy::result_large_err)]

mod html;
mod item;
mod markdown;
mod page;
mod text;

use arr_base::{Diagnostic, SourceId};
use arr_check::Checked;
use arr_driver::{Execution, Failure, Session};

/// A checked file to document.
#[derive(Debug)]
pub struct Source {
    /// The path as the user gave it, or the name of a module.
    pub path: String,
    pub file: SourceId,
    pub checked: Checked,
}

impl Source {
    /// Reads and checks a file. Fails as [`Session::checked`] does.
    pub fn read(session: &mut Session, path: &str) -> Result<Source, Failure> {
        let checked = session.checked(path)?;
        // The text that was checked, which the spans of its items point into.
        let file = match checked.module().items.first() {
            Some(item) => item::item_span(item).file,
            None => session.load(path)?,
        };
        Ok(Source { path: path.to_string(), file, checked })
    }
}

impl Source {
    /// Checks a text outside any file, such as a module of the standard library. Fails with all errors of the text or
    /// of its imports.
    pub fn of_text(session: &mut Session, path: &str, text: &str) -> Result<Source, Failure> {
        let file = session.add_text(path, text);
        let parsed = arr_syntax::parse_module(file, text);
        let checked = session.checked_items(parsed.module.items);
        let mut diagnostics = parsed.diagnostics;
        diagnostics.extend(checked.diagnostics.iter().cloned());
        if diagnostics.is_empty() {
            Ok(Source { path: path.to_string(), file, checked })
        } else {
            Err(diagnostics.into())
        }
    }
}

/// A page, with its file name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    pub file: String,
    pub html: String,
}

/// The pages of some files: the index first, all names, the built-in functions, then one for each file. Fails with all examples that fail, at once.
pub fn document(session: &mut Session, sources: &[Source], execution: &Execution) -> Result<Vec<Page>, Failure> {
    let paths: Vec<&str> = sources.iter().map(|source| source.path.as_str()).collect();
    let titles = page::titles(&paths);
    let names = page::file_names(titles.iter().map(String::as_str));
    let mut failed: Vec<Diagnostic> = Vec::new();
    let mut modules = Vec::new();
    for ((source, title), file) in sources.iter().zip(titles).zip(names) {
        modules.push(item::module(session, source, title, file, execution, &mut failed)?);
    }
    if !failed.is_empty() {
        return Err(failed.into());
    }
    let mut pages = vec![page::index(&modules), page::all_names(&modules), page::builtins()];
    pages.extend(modules.iter().map(page::module));
    Ok(pages)
}
