//! Why a function has no module.

use arr_base::Span;

/// What StableHLO cannot say, or what this crate should never meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The program needs what XLA lacks: a sentence without a full stop, and the place.
    Unsupported(String, Option<Span>),
    /// Arrays have sizes that only a run knows, and there is no room for them. Never empty.
    UnknownSizes(Vec<UnknownSize>),
    /// A broken invariant.
    Internal(String),
}

/// A size that only a run knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownSize {
    /// Where it is needed first.
    pub span: Option<Span>,
    /// The parameters that it is computed from, where it is a polynomial of some.
    pub params: Vec<String>,
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

pub(crate) fn internal<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::Internal(what.into()))
}
