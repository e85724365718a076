//! Source text of functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod golden;
mod pipeline;
