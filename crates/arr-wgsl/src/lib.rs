//! Loop functions as WGSL compute shaders and the steps of the host that runs them.
//!
//! [`compile`] turns a function into a [`Program`]; [`program`] has the data that a back end or another host reads.

pub mod builder;
mod ends;
mod error;
mod kernel;
pub mod library;
mod manifest;
mod names;
mod packs;
mod plan;
mod print;
pub mod program;
mod ranges;
mod roots;
pub mod scalar;
mod validate;
mod walk;

pub use error::CompileError;
pub use manifest::manifest;
pub use plan::compile;
pub use print::print;
pub use program::{Integers, Needs, Options, Program};
pub use validate::validate;
