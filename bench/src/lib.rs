//! The workloads of the benchmark: their inputs, and when two results are the same. The tests of the whole compiler run them, too.

pub mod compare;
pub mod input;
pub mod workloads;
