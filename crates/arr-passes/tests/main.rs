//! Each pass over the core IR alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bot;
mod broken;
mod common;
mod contract;
mod demote_f64;
mod drop_traces;
mod expand;
mod factor;
mod fix_sizes;
mod fuse;
mod hoist;
mod interchange;
mod layout;
mod recheck;
mod reciprocals;
mod roots;
mod simplify;
mod speculate;
