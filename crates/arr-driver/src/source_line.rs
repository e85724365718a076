//! Lines of programs, as comments, costs and profiles name them.

use arr_base::{SourceId, SourceMap, Span};

/// A line of a program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SourceLine {
    pub file: String,
    /// Whether that is the program's own file, not one that it imports.
    pub own: bool,
    pub number: usize,
    /// Its text, without the indentation.
    pub text: String,
}

impl SourceLine {
    /// The line in which a span begins.
    pub(crate) fn of(sources: &SourceMap, span: Span) -> Option<SourceLine> {
        let (number, _) = sources.get(span.file)?.line_column(span.start as usize);
        SourceLine::at(sources, span.file, number)
    }

    pub(crate) fn at(sources: &SourceMap, id: SourceId, number: usize) -> Option<SourceLine> {
        let file = sources.get(id)?;
        let own = sources.iter().next().is_some_and(|(first, _)| first == id);
        Some(SourceLine { file: file.name.clone(), own, number, text: file.line(number).trim().to_string() })
    }

    /// Its number, behind the name of the file if that is not the program's own.
    pub fn place(&self) -> String {
        if self.own { self.number.to_string() } else { format!("{}:{}", self.file, self.number) }
    }
}
