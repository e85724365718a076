//! The Cranelift back end: a loop function becomes machine code in memory, and runs.
//!
//! ```text
//! let loops = arr_loops::lower(&func)?;
//! let compiled = arr_cpu::compile(&loops)?;
//! let outcome = compiled.run(&sizes, &args, &Limits::default())?;
//! ```
//!
//! Arguments are read in place, results are moved out. Floating-point code is neither contracted nor reassociated, and
//! results equal the reference interpreter's bit for bit, unless [`CompileOptions::relaxed`] is set.
#![allow(unsafe_code)]

mod aot;
mod code;
mod codegen;
mod error;
mod image;
mod jit;
mod lent;
mod run;
mod sanitize;
mod saved;
mod target;

pub use aot::{Cpu, ObjectFunction, ObjectOptions, ObjectRelease, object};
pub use arr_ir::interp::Limits;
pub use arr_runtime::Block;
pub use arr_x86::Isa;
pub use error::CompileError;
pub use jit::{CompileOptions, Compiled, clif_text, compile, compile_plain, compile_with, host_isa, wide_loops};
pub use lent::{Dims, Lent, LentArray, Owned};
pub use run::{Outcome, Stats};
pub use saved::{Saved, restore, target_name};
