//! The workloads of the benchmark: their inputs, and the comparison of results. The tests of the whole compiler run
//! them, too.

pub mod compare;
pub mod input;
pub mod workloads;
