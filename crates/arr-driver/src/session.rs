//! The session: the sources that were read, and the questions that can be asked about them.

use crate::data::{read_arguments, unreadable, write_bytes, write_value};
use crate::program::{Execution, Outcome, Program};
use crate::{Failure, World};
use arr_base::{Code, Diagnostic, SourceId, SourceMap};
use arr_data::{Arg, EdgeValue};
use arr_ir::Edge;
use arr_syntax::ast::{Item, Module};
use std::sync::Arc;

/// What to make of the entry before it is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Derive {
    Nothing,
    /// The gradient with respect to the named parameters; to all that hold floats if none is named.
    Gradient { wrt: Vec<String>, mode: Mode },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Reverse,
    Forward,
}

/// A compilation session.
pub struct Session {
    world: Box<dyn World>,
    sources: SourceMap,
}

impl Session {
    pub fn new(world: impl World + 'static) -> Session {
        Session { world: Box::new(world), sources: SourceMap::new() }
    }

    /// The files read so far; spans of diagnostics point into them.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Reads a program's text. A byte order mark in front is not part of it.
    pub fn load(&mut self, path: &str) -> Result<SourceId, Failure> {
        let bytes = self.world.read(path).map_err(|e| unreadable(path, &e))?;
        let text = String::from_utf8(bytes).map_err(|e| {
            let offset = e.utf8_error().valid_up_to();
            let good = e.as_bytes().get(..offset).unwrap_or(&[]);
            let line = good.iter().filter(|&&b| b == b'\n').count() + 1;
            Diagnostic::error(Code::BAD_FILE, format!("`{path}` is not a text file in UTF-8"))
                .note(format!("byte {offset}, on line {line}, begins no character"))
        })?;
        if text.len() > u32::MAX as usize / 2 {
            return Err(Diagnostic::error(Code::BAD_FILE, format!("`{path}` is too large for a program")).into());
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        Ok(self.sources.add(path, text))
    }

    fn text(&self, file: SourceId) -> Arc<str> {
        self.sources.get(file).map_or_else(|| Arc::from(""), |f| f.text.clone())
    }

    /// Reads and parses a file; what is wrong with its text comes along.
    fn parse(&mut self, path: &str) -> Result<(Module, Vec<Diagnostic>), Failure> {
        let file = self.load(path)?;
        let parsed = arr_syntax::parse_module(file, &self.text(file));
        Ok((parsed.module, parsed.diagnostics))
    }

    /// Everything that is wrong with a file.
    pub fn check(&mut self, path: &str) -> Result<(), Failure> {
        let (_module, diagnostics) = self.parse(path)?;
        if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics.into()) }
    }

    /// Writes a value in the format that the file's name says.
    pub fn write_value(&self, path: &str, value: &EdgeValue, ty: &Edge) -> Result<(), Failure> {
        write_value(&*self.world, path, value, ty)
    }

    pub fn write_text(&self, path: &str, text: &str) -> Result<(), Failure> {
        write_bytes(&*self.world, path, text.as_bytes())
    }
}
