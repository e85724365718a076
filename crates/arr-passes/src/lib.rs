//! Middle-end passes: the bulk-operation transform, simplification, hoisting, fusion.
//!
//! A pass is one row of [`PASSES`] and maps a function to a function of the same meaning. Each runs alone on text:
//! parse, run, print, compare.

pub mod analysis;
pub mod bot;
pub mod demote_f64;
pub mod drop_traces;
pub mod expand;
pub mod factor;
pub mod fix_sizes;
pub mod follow;
pub mod fuse;
pub mod hoist;
pub mod layout;
pub mod recheck;
pub mod reciprocals;
pub mod registry;
pub mod roots;
pub mod simplify;
pub mod speculate;

pub use analysis::{Repeats, is_scalar_code};
pub use demote_f64::demote_f64;
pub use drop_traces::drop_traces;
pub use expand::expand;
pub use factor::factor;
pub use fix_sizes::fix_sizes;
pub use follow::{Follow, Part};
pub use fuse::{
    CONTRACT_PARTS, FUSE_PARTS, INTERCHANGE_PARTS, Lanes, contract, contract_with, decisions, explain, fuse, fuse_with,
    interchange, interchange_with,
};
pub use hoist::hoist;
pub use layout::layout;
pub use recheck::recheck;
pub use reciprocals::reciprocals;
pub use registry::{Level, PASSES, Pass, PassError, run_pass};
pub use roots::roots;
pub use simplify::{simplify, simplify_bulk};
pub use speculate::speculate;
