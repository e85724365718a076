//! Reasons why a program cannot be assembled.

/// An obstacle to machine code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The instruction set lacks an operation.
    Unsupported(&'static str),
    /// Too many values, or too much memory or code.
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
