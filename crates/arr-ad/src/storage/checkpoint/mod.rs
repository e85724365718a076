//! Checkpointing: loops that keep few of their states and recompute the others, periodically or by bisection.

pub(crate) mod bisect;
pub(crate) mod periodic;
