//! The command `arr`: the system it runs on.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bench;
mod system;
