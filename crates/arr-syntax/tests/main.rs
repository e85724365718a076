//! The parser and the formatter.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod errors;
mod format;
mod grammar;
mod limits;
mod roundtrip;
mod support;
