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
mod call;
mod checks;
mod edge;
mod emitter;
mod kernel;
mod mark;
mod names;
mod prepare;
mod scalar;
mod sum_types;
mod update;

use arr_base::Span;
use arr_ir::Func;
use arr_syntax::ast::{Item, Module, Type};

/// The function as a definition with this name, behind the sum types that its signature needs. Fails with the construct
/// that a verified function cannot contain.
pub fn emit_source(func: &Func, name: &str) -> Result<Vec<Item>, &'static str> {
    emitter::definition(func, name, &[], false).map(|(items, _)| items)
}

/// The function as source text, or as [`emit_source`]. Fails where that does.
pub fn emit_text(func: &Func, name: &str) -> Result<String, &'static str> {
    Ok(arr_syntax::print_module(&Module { items: emit_source(func, name)? }))
}

/// Where a binding comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Label {
    pub span: Option<Span>,
    /// Whether it belongs to the derivative of the place.
    pub derivative: bool,
}

/// As [`emit_text`], with a line of comment in front of bindings outside of kernels where `note` gives one; it is asked
/// for each in the order of the text. `types` are those of the first parameters as they are to be written, if known.
/// Fails where [`emit_source`] does.
pub fn emit_text_with(
    func: &Func,
    name: &str,
    types: &[Type],
    note: &mut dyn FnMut(Label) -> Option<String>,
) -> Result<String, &'static str> {
    let (items, labels) = emitter::definition(func, name, types, true)?;
    let text = arr_syntax::print_module(&Module { items });
    mark::replaced(&text, &mut |k| note(labels.get(k).copied()?))
}
