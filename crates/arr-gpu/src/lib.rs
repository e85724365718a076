//! Runs programs on graphics processors through wgpu.
//!
//! ```text
//! let device = Device::open(None, Ask::All)?;
//! let program = arr_wgsl::compile(loops, &device.options(), &source)?;
//! let outcome = Executable::new(&device, program)?.run(&sizes, &args, &Limits::default())?;
//! ```
//!
//! The host interprets the steps of an `arr_wgsl` program: it computes sizes, keeps buffers and their reference counts,
//! and records kernels. Recorded commands are submitted when a value of the device is needed, and at the end. Every
//! error of the device, its loss included, is a [`GpuError`].

mod adapter;
mod data;
mod device;
mod error;
mod executable;
mod host;
mod memory;
mod modules;
mod params;
mod quiet;
mod readback;
mod recorder;
mod scope;

#[cfg(test)]
mod tests;

pub use adapter::{Adapter, AdapterKind, AdapterLimits, adapters, find};
pub use arr_ir::interp::Limits;
pub use device::{Ask, Device};
pub use error::{GpuError, HOW_TO_GET_ONE};
pub use executable::{Executable, Outcome, Stats};
pub use quiet::quiet;
