//! The table of steps and its laws.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod laws;
mod table;
