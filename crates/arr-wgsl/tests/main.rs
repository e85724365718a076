//! Shaders.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod argsort;
mod broken;
mod common;
mod dispatches;
mod examples;
mod golden;
mod manifest;
mod matmul;
mod scalar;
mod support;
