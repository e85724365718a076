//! Reasons why a function cannot be written as C.

use arr_base::Span;

/// An obstacle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// Something that a program may need, and that C without allocation cannot have; with its place, if it has one.
    Unsupported(&'static str, Option<Span>),
    /// An invariant of the loop IR does not hold.
    Internal(&'static str),
}
