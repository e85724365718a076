//! From a loop function to a program: which statements are the host's, and which kernels the others are.

use crate::builder::Builder;
use crate::error::CompileError;
use crate::program::{Options, Program};
use arr_base::{Id, Span};
use arr_loops::{LoopFunc, SpanId};

/// Makes a program of a function that was lowered with [`arr_loops::LowerOptions::nested`]. `source` gives the source line
/// of a span, for comments.
pub fn compile(
    func: LoopFunc,
    options: &Options,
    source: &dyn Fn(Span) -> Option<String>,
) -> Result<Program, CompileError> {
    let builder = Builder::new(func, *options, source);
    let what = format!("function like `{}`", builder.func.name);
    Err(CompileError::Unsupported { what, span: SpanId::from_index(0) })
}
