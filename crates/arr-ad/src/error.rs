//! Why a program could not be differentiated.

use arr_base::{Code, Diagnostic, Span};
use arr_passes::bot::BotError;

/// Why a derivative could not be eliminated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdError {
    /// An operation, named by the text, has no derivative rule in this form.
    NoRule { what: &'static str, span: Option<Span> },
    /// The code to differentiate could not be brought into bulk form.
    Bot(BotError),
}

impl From<BotError> for AdError {
    fn from(error: BotError) -> Self {
        AdError::Bot(error)
    }
}

impl AdError {
    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            AdError::Bot(error) => error.to_diagnostic(),
            AdError::NoRule { what, span } => {
                let diagnostic = Diagnostic::error(Code::NO_RULE, format!("{what} has no derivative rule yet"));
                match span {
                    Some(span) => diagnostic.at(*span, "this is differentiated"),
                    None => diagnostic,
                }
            }
        }
    }
}
