//! Questions of an editor about a program: its files as far as they can be read, all errors, and the types of names.

use crate::load::{self, Loaded};
use crate::{Failure, Session};
use arr_base::{Diagnostic, SourceId};
use arr_check::Types;
use arr_syntax::ast::Module;
use std::sync::Arc;

/// A file of a program.
#[derive(Clone, Debug)]
pub struct Surveyed {
    pub source: SourceId,
    pub syntax: Arc<Module>,
}

/// A program that may have errors.
#[derive(Debug)]
pub struct Survey {
    /// The first is the file in question; the others are imported.
    pub files: Vec<Surveyed>,
    /// In source order.
    pub diagnostics: Vec<Diagnostic>,
    /// As far as the program is well formed.
    pub types: Types,
}

impl Session {
    /// Reads and checks a file and its imports. Fails only if the file itself cannot be read.
    pub fn survey(&mut self, path: &str) -> Result<Survey, Failure> {
        let Loaded { program, mut diagnostics, sources } = load::load_file(&*self.world, &mut self.sources, path)?;
        let files = program.modules.iter().zip(sources);
        let files = files.filter_map(|(m, source)| Some(Surveyed { source: source?, syntax: m.syntax.clone() }));
        let files = files.collect();
        let (checked, types) = arr_check::check_program_with_types(program);
        diagnostics.extend(checked.diagnostics.iter().cloned());
        if diagnostics.is_empty() {
            diagnostics.extend(checked.warnings.iter().cloned());
        }
        Diagnostic::sort(&mut diagnostics);
        Ok(Survey { files, diagnostics, types })
    }
}

/// The path of a file that another one imports as `path`.
pub fn imported_path(from: &str, path: &str) -> String {
    load::beside(from, path)
}

/// A path without redundant parts, so that one file has one path.
pub fn clean_path(path: &str) -> String {
    load::clean(path)
}

/// The name of a module of the standard library where a path is expected.
pub fn standard_path(module: &str) -> String {
    format!("<std>/{module}.arr")
}
