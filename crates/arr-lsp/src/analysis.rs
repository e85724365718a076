//! The analysis of one file's program.

use crate::FileSpan;
use crate::documents::Desk;
use crate::file::{File, Files};
use crate::resolve::{Bound, Index, resolve};
use arr_base::{Diagnostic, SourceId, SourceMap, Span};
use arr_check::{Known, Types};
use arr_driver::{Failure, Session, World};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// A program in its editor's state.
#[derive(Debug)]
pub struct Analysis {
    /// The file in question.
    pub path: String,
    /// It and its imports.
    pub files: Files,
    pub indices: BTreeMap<String, Index>,
    pub sources: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
    pub types: Types,
    /// A fault of the compiler that occurred.
    pub bug: Option<String>,
    /// The texts that were read, for detecting changes.
    read: BTreeMap<String, Option<Vec<u8>>>,
}

impl Analysis {
    /// Checks the program of a file.
    pub fn new(desk: &Desk, path: &str) -> Analysis {
        let reads = Arc::new(Mutex::default());
        let mut session = Session::new(Watched { below: desk.clone(), reads: reads.clone() });
        let survey = session.survey(path);
        let sources = session.sources().clone();
        let read = std::mem::take(&mut *reads.lock().unwrap_or_else(PoisonError::into_inner));
        let mut analysis = Analysis {
            path: path.to_string(),
            files: Files::new(),
            indices: BTreeMap::new(),
            sources,
            diagnostics: Vec::new(),
            types: Types::default(),
            bug: None,
            read,
        };
        match survey {
            Ok(survey) => {
                for file in survey.files {
                    let Some(source) = analysis.sources.get(file.source) else { continue };
                    let parsed = File::new(&source.name, source.text.clone(), file.syntax);
                    analysis.files.insert(source.name.clone(), Arc::new(parsed));
                }
                (analysis.diagnostics, analysis.types) = (survey.diagnostics, survey.types);
            }
            Err(Failure::Diagnostics(list)) => analysis.diagnostics = list,
            Err(Failure::Bug(what)) => analysis.bug = Some(what),
        }
        let indices = analysis.files.iter().map(|(path, file)| (path.clone(), resolve(file, &analysis.files)));
        analysis.indices = indices.collect();
        analysis
    }

    /// Whether everything that was read is unchanged.
    pub fn is_current(&self, desk: &Desk) -> bool {
        self.read.iter().all(|(path, bytes)| desk.read(path).ok() == *bytes)
    }

    /// The file in question.
    pub fn file(&self) -> Option<&Arc<File>> {
        self.files.get(&self.path)
    }

    pub fn index(&self) -> Option<&Index> {
        self.indices.get(&self.path)
    }

    /// The binding at a place.
    pub fn bound(&self, place: &FileSpan) -> Option<(&Arc<File>, &Bound)> {
        Some((self.files.get(&place.path)?, self.indices.get(&place.path)?.bound_at(place.start)?))
    }

    fn source(&self, path: &str) -> Option<SourceId> {
        self.sources.iter().find(|(_, file)| file.name == path).map(|(id, _)| id)
    }

    /// The checker's span for a place.
    pub fn span(&self, path: &str, start: u32, end: u32) -> Option<Span> {
        Some(Span { file: self.source(path)?, start, end })
    }

    /// The place of a span.
    pub fn place(&self, span: Span) -> Option<FileSpan> {
        Some(FileSpan::new(&self.sources.get(span.file)?.name, span))
    }

    /// The checker's knowledge about a bound name.
    pub fn known(&self, path: &str, bound: &Bound) -> Option<&Known> {
        self.types.name(self.span(path, bound.start, bound.end)?)
    }

    /// The type of the result of the definition that is bound there.
    pub fn result(&self, path: &str, start: u32, end: u32) -> Option<&Known> {
        self.types.result(self.span(path, start, end)?)
    }

    /// The innermost expression around a byte of the file, with the checker's knowledge about it.
    pub fn expr_at(&self, offset: usize) -> Option<(Span, &Known)> {
        self.types.expr_at(self.source(&self.path)?, u32::try_from(offset).ok()?)
    }
}

/// A world that records what is read.
struct Watched {
    below: Desk,
    reads: Arc<Mutex<BTreeMap<String, Option<Vec<u8>>>>>,
}

impl World for Watched {
    fn read_at_most(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        let read = self.below.read_at_most(path, most);
        let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        reads.insert(path.to_string(), read.as_ref().ok().cloned());
        read
    }

    fn read_stdin(&self, most: u64) -> io::Result<Vec<u8>> {
        self.below.read_stdin(most)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.below.write(path, bytes)
    }

    fn list(&self, directory: &str) -> io::Result<Vec<arr_driver::Listed>> {
        self.below.list(directory)
    }

    fn make_directory(&self, directory: &str) -> io::Result<()> {
        self.below.make_directory(directory)
    }
}
