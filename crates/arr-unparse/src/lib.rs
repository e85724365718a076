//! Unparsing: prints IR as Arr source.
//!
//! `arr grad` prints a derivative this way: the output is an ordinary definition that checks, runs and can be
//! differentiated again. It is meant to be read against a derivation by hand: an operation that is used once is inlined
//! at its use, one that is used several times gets a name, and names come from the user's own if possible.
//!
//! Expects a verified, simplified function of bulk or fused level (core works if no `vjp` or `jvp` is left). The text
//! leaves out `check`s, because parsing it puts a check at every index; and whether a read is checked, for the same
//! reason.

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

/// The function as a definition with this name, behind the sum types that its signature needs. Fails with the construct
/// that a verified function cannot contain.
pub fn emit_source(func: &Func, name: &str) -> Result<Vec<Item>, &'static str> {
    emitter::definition(func, name)
}

/// The function as source text, or as [`emit_source`]. Fails where that does.
pub fn emit_text(func: &Func, name: &str) -> Result<String, &'static str> {
    Ok(arr_syntax::print_module(&Module { items: emit_source(func, name)? }))
}
