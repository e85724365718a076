//! Machine code beside the interpreter.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod differential;
mod kernels;
mod long;
mod memory;
mod perf;
mod prims;
mod products;
mod relaxed;
mod sanitize;
#[path = "../../arr-loops/tests/support/scans.rs"]
mod scan_cases;
mod scans;
mod stop;
mod streams;
mod strip_mine;
mod threads;
mod widths;
