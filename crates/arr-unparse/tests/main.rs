//! Source text of functions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod broken;
mod golden;
mod pipeline;
