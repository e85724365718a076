//! Phrases that messages share.

use crate::data::problem::Fact;
use arr_base::{Diagnostic, Span};

/// With the hint that another name was meant, and that name as the text for `span`.
pub(crate) fn did_you_mean(diagnostic: Diagnostic, span: Span, suggestion: Option<String>) -> Diagnostic {
    match suggestion {
        Some(s) => diagnostic.hint(format!("did you mean `{s}`?")).fix(span, s),
        None => diagnostic,
    }
}

/// "`a`, `b`".
pub(crate) fn list(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// "1 argument", "2 arguments".
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// With the places that explain it.
pub(crate) fn with_facts(mut diagnostic: Diagnostic, facts: Vec<Fact>) -> Diagnostic {
    for (span, text) in facts {
        diagnostic = diagnostic.because(span, text);
    }
    diagnostic
}
