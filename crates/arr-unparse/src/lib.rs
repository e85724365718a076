//! Unparsing: IR written back as Arr source.
//!
//! `arr grad` prints a derivative this way: what comes out is an ordinary definition that checks, runs and can be
//! differentiated again. It is written to be read against a derivation by hand: an operation that is used once stands
//! where it is used, what is used more often has a name, and names come from the user's own where there is one.
//!
//! Expects a verified, simplified function of bulk or fused level (core works where no `vjp` or `jvp` is left). What the
//! text does not say again: `check`s, because reading the text back puts a check at every index; and whether a read is
//! checked, for the same reason.

mod analysis;
mod ast;
mod edge;
mod emitter;
mod kernel;
mod names;
mod prepare;
mod scalar;
mod sum_types;
mod update;

use arr_ir::Func;
use arr_syntax::ast::{Item, Module};

/// The function as a definition of this name, behind the sum types that its signature needs. An error is what the function
/// holds that a verified one does not.
pub fn emit_source(func: &Func, name: &str) -> Result<Vec<Item>, &'static str> {
    emitter::definition(func, name)
}

/// The function as source text, or as [`emit_source`]. Fails where that does.
pub fn emit_text(func: &Func, name: &str) -> Result<String, &'static str> {
    Ok(arr_syntax::print_module(&Module { items: emit_source(func, name)? }))
}
