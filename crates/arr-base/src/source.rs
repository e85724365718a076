//! Source files and the spans that point into them.

use crate::IndexVec;
use std::sync::Arc;

crate::define_id!(
    /// A source file of the session.
    SourceId,
    "file"
);

/// Bytes `start..end` of one source file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
pub struct Span {
    pub file: SourceId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: SourceId, start: usize, end: usize) -> Self {
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { file, start: clip(start), end: clip(end) }
    }

    /// The smallest span that covers both; `self` if they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A file's name as the user gave it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub name: String,
    pub text: Arc<str>,
}

impl SourceFile {
    /// Line and column of a byte offset, both from 1; columns count characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |p| p + 1);
        let column = before.get(start..).map_or(0, |s| s.chars().count()) + 1;
        (line, column)
    }

    /// The text of a line, counted from 1; empty where there is none.
    pub fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number.saturating_sub(1)).unwrap_or("")
    }
}

/// All source files of a session.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: IndexVec<SourceId, SourceFile>,
}

impl SourceMap {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> SourceId {
        self.files.push(SourceFile { name: name.into(), text: text.into() })
    }

    pub fn get(&self, id: SourceId) -> Option<&SourceFile> {
        self.files.get(id)
    }

    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &SourceFile)> {
        self.files.iter()
    }

    /// The text under a span; empty if the span is not in a file of this map.
    pub fn slice(&self, span: Span) -> &str {
        self.get(span.file).and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }
}
