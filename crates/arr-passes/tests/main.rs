//! Each pass over the core IR alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bot;
mod broken;
mod common;
mod expand;
mod factor;
mod fuse;
mod hoist;
mod interchange;
mod layout;
mod narrow;
mod recheck;
mod reciprocals;
mod roots;
mod simplify;
mod specialise;
mod speculate;
