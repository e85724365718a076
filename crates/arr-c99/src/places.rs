//! The places in a program that can fail, and their numbers.

use arr_base::Span;
use arr_loops::Demand;

/// What fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FailureKind {
    Index,
    Slice,
    Division,
    Size,
    NegativeSize,
    Empty,
    TooLarge,
    Step,
    /// An argument is no value of its sum.
    Tag,
}

impl FailureKind {
    pub(crate) fn of(demand: Demand) -> FailureKind {
        match demand {
            Demand::Index | Demand::Element | Demand::Place => FailureKind::Index,
            Demand::Slice => FailureKind::Slice,
            Demand::NonZero => FailureKind::Division,
            Demand::SizeEq => FailureKind::Size,
            Demand::SizeNonNeg => FailureKind::NegativeSize,
            Demand::NonEmpty => FailureKind::Empty,
            Demand::SizeSum | Demand::SizeProduct | Demand::Steps => FailureKind::TooLarge,
            Demand::Step => FailureKind::Step,
        }
    }

    /// The code of the diagnostic.
    pub fn code(self) -> &'static str {
        match self {
            FailureKind::Index | FailureKind::Slice => "E0601",
            FailureKind::Division => "E0602",
            FailureKind::Size => "E0603",
            FailureKind::NegativeSize => "E0604",
            FailureKind::TooLarge => "E0605",
            FailureKind::Empty => "E0606",
            FailureKind::Step => "E0608",
            FailureKind::Tag => "E0704",
        }
    }

    pub(crate) fn message(self) -> &'static str {
        match self {
            FailureKind::Index => "an index is out of range",
            FailureKind::Slice => "a slice is out of range",
            FailureKind::Division => "an integer is divided by zero",
            FailureKind::Size => "two sizes differ",
            FailureKind::NegativeSize => "a size is negative",
            FailureKind::TooLarge => "a size is too large",
            FailureKind::Empty => "an empty array has no maximum or minimum",
            FailureKind::Step => "the step of a range is not positive",
            FailureKind::Tag => "a tag is no constructor's",
        }
    }
}

/// A place in a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub file: String,
    /// From 1 on.
    pub line: usize,
    pub column: usize,
    /// The text of the line.
    pub text: String,
}

/// A failure of the table; its number is its row, from 1 on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    pub kind: FailureKind,
    pub span: Option<Span>,
    pub(crate) place: String,
    pub(crate) message: String,
}

/// The failures of a file, in the order in which they were met.
pub struct Places<'a> {
    locate: &'a dyn Fn(Span) -> Option<Location>,
    pub(crate) failures: Vec<Failure>,
}

impl<'a> Places<'a> {
    /// `locate` gives the place of a span.
    pub fn new(locate: &'a dyn Fn(Span) -> Option<Location>) -> Places<'a> {
        Places { locate, failures: Vec::new() }
    }

    /// The rows, for who wants to know more of a failure than its text.
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    pub(crate) fn locate(&self, span: Span) -> Option<Location> {
        (self.locate)(span)
    }

    /// The number of a failure, and the text of its place for a comment.
    pub(crate) fn number(&mut self, kind: FailureKind, span: Option<Span>) -> (usize, String) {
        self.refusal(kind, span, kind.message().to_string())
    }

    /// The same for a failure with a message of its own.
    pub(crate) fn refusal(&mut self, kind: FailureKind, span: Option<Span>, message: String) -> (usize, String) {
        let place = span
            .and_then(|span| self.locate(span))
            .map_or(String::new(), |l| format!("{}:{}:{}", l.file, l.line, l.column));
        let is = |f: &Failure| f.kind == kind && f.span == span && f.message == message;
        let at = self.failures.iter().position(is).unwrap_or_else(|| {
            self.failures.push(Failure { kind, span, place: place.clone(), message });
            self.failures.len() - 1
        });
        (at + 1, if place.is_empty() { place } else { format!(" {place}") })
    }
}
