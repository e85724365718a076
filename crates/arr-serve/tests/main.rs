//! The inputs and outputs of the server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod gradbench;
mod host;
mod json;
