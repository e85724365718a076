//! Kernels of loop nests and of scalar code.

pub(crate) mod cluster;
pub(crate) mod map;
pub(crate) mod needs;
pub(crate) mod nest;
pub(crate) mod reduce;
pub(crate) mod serial;
pub(crate) mod text;
