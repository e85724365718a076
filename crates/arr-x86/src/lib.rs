//! Vector kernels as x86-64 machine code.
//!
//! A [`Program`] is one counted loop whose iterations are independent, with loops that run one after the other inside.
//! [`assemble`] executes as many iterations at once as vector registers hold, and returns position-independent bytes:
//!
//! ```text
//! extern "C" fn(env: *mut u64) -> i64        // System V
//! ```
//!
//! `env` holds addresses, sizes and numbers, and receives sums. The result is the first index of the outer loop that
//! was not reached: the extent or beyond, unless the program was left before. [`eval`] defines the meaning of a
//! program, one iteration after the other; nothing here runs machine code.

mod alloc;
mod build;
mod codes;
mod commit_accumulators;
mod cse_dce;
mod emit;
mod error;
mod eval;
mod function;
mod isa;
mod lir;
mod program;
mod select;
mod software_pipeline;
mod text;

pub use build::Builder;
pub use emit::{Kernel, assemble};
pub use error::Error;
pub use eval::{Elements, Memory, eval};
pub use function::{Function, call};
pub use isa::Isa;
pub use program::{
    Access, Accumulator, Binary, Bits, Combine, Compare, Elem, For, MemOperand, Op, Program, Stmt, Type, Unary, Value,
    Width,
};
pub use text::print;
