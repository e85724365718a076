//! The core IR: text, verifier, interpreter, ranges.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bounds;
mod broken;
mod interp;
mod rewrite;
mod symbolic;
mod text;
mod trap;
mod verify;
