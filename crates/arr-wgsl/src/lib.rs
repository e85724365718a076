//! Loop functions as WGSL compute shaders and the steps of the host that runs them.
//!
//! [`compile`] makes a [`Program`] of a function; [`program`] has the data: what a back end or another host reads.

pub mod builder;
mod error;
mod manifest;
mod names;
mod plan;
pub mod program;
mod roots;
pub mod scalar;
mod validate;

pub use error::CompileError;
pub use manifest::manifest;
pub use plan::compile;
pub use program::{Integers, Needs, Options, Program};
pub use validate::validate;
