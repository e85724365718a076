//! What the server reads and writes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod gradbench;
mod json;
