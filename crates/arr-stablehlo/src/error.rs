//! Why a function has no module.

use arr_base::Span;

/// What StableHLO cannot say, or what this crate should never meet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The program needs what XLA lacks: a sentence without a full stop, and the place.
    Unsupported(String, Option<Span>),
    /// A broken invariant.
    Internal(String),
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

pub(crate) fn internal<T>(what: impl Into<String>) -> Result<T> {
    Err(Error::Internal(what.into()))
}
