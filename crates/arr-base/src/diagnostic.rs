//! Diagnostics as data. Rendering is left to the caller.

use crate::{Code, Span};

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// A span with words; the primary label is the place to change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub span: Span,
    pub text: String,
    pub primary: bool,
}

/// A text for a place, which corrects the error there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    pub span: Span,
    pub text: String,
}

/// One error in a program, its input or the command line, or a warning about a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// One sentence, lower case, no full stop. If only one thing can be shown, it is this.
    pub title: String,
    pub labels: Vec<Label>,
    /// What was expected and what was found, each in the user's own words (types, shapes, sizes).
    pub expected_found: Option<(String, String)>,
    /// Further facts, one sentence each.
    pub notes: Vec<String>,
    /// One concrete suggestion.
    pub hint: Option<String>,
    /// The hint as a change of the text, if it is one.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    pub fn error(code: Code, title: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            title: title.into(),
            labels: Vec::new(),
            expected_found: None,
            notes: Vec::new(),
            hint: None,
            fix: None,
        }
    }

    /// As [`Diagnostic::error`], for what a program may have and most likely should not.
    pub fn warning(code: Code, title: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, title) }
    }

    /// The place to change. The first primary label is where the diagnostic is filed.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: true });
        self
    }

    /// A place that explains a fact.
    pub fn because(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    pub fn expected_found(mut self, expected: impl Into<String>, found: impl Into<String>) -> Self {
        self.expected_found = Some((expected.into(), found.into()));
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn hint_opt(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// The change that the hint describes.
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, text: text.into() });
        self
    }

    pub fn primary_span(&self) -> Option<Span> {
        self.labels.iter().find(|l| l.primary).or(self.labels.first()).map(|l| l.span)
    }

    /// Source order, then code: the order in which a file's diagnostics are shown.
    pub fn sort(diagnostics: &mut [Diagnostic]) {
        diagnostics.sort_by_key(|d| (d.primary_span(), d.code));
    }
}
