//! Checkpointing: loops that keep few of their states and compute the others again.

pub(crate) mod bisect;
pub(crate) mod periodic;
