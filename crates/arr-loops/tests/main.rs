//! The loop IR: lowering, passes, verifier, accesses, the shadow evaluator.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod accesses;
mod golden;
#[path = "support/goldens.rs"]
mod goldens;
mod passes;
mod sections;
mod shadow;
mod verify;
mod walk;
