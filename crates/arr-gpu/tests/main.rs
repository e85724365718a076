//! Programs on a device.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod buffers;
#[path = "../../arr-wgsl/tests/common/mod.rs"]
mod common;
mod narrow;
mod on_device;
mod plans;
mod scan;
#[path = "../../arr-loops/tests/support/scans.rs"]
mod scan_cases;
mod scatter;
mod subgroups;
