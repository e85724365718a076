//! Why a program cannot be assembled.

/// What stands in the way of machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The instruction set has nothing for it.
    Unsupported(&'static str),
    /// More values, memory or code than fits.
    TooLarge,
    /// The program is not well formed.
    Malformed(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Unsupported(what) => write!(f, "the instruction set has no {what}"),
            Error::TooLarge => write!(f, "the kernel is too large"),
            Error::Malformed(what) => write!(f, "the kernel is not well formed: {what}"),
        }
    }
}

impl std::error::Error for Error {}

pub(crate) fn malformed<T>(what: impl Into<String>) -> Result<T, Error> {
    Err(Error::Malformed(what.into()))
}
