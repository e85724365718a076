//! Analyses for passes: aliases, accesses, rows that belong to iterations, and liveness.

pub(crate) mod accesses;
pub(crate) mod alias;
pub(crate) mod liveness;
pub(crate) mod rows;
