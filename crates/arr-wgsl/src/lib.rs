//! Loop functions as WGSL compute shaders and the steps of the host that runs them.
//!
//! [`program`] has the data: what a back end or another host reads.

pub mod program;
