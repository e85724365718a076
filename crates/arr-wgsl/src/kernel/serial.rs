//! Scalar code between nests, and loops whose iterations need their order: one invocation.

use super::needs;
use super::text::{Result, Text, result_name, span_of, unnamed};
use crate::builder::Builder;
use crate::plan::Placement;
use crate::program::KernelId;
use arr_loops::{LocalId, Stmt};

/// Makes a kernel of statements. `escapes` are the locals that they bind and something else reads.
pub(crate) fn make(
    b: &mut Builder<'_>,
    placement: &Placement,
    stmts: &[Stmt],
    escapes: &[LocalId],
) -> Result<KernelId> {
    let needs = needs::find(b, placement, stmts, &[], &[]);
    let mut kernel = unnamed(span_of(stmts));
    let hint = result_name(b, stmts).or_else(|| {
        let local = escapes.last().or(needs.changed.last())?;
        Some(b.func.locals[*local].name.clone())
    });
    kernel.name = b.name(hint.as_deref().unwrap_or("check"));
    needs.give(&mut kernel);
    kernel.slots |= !escapes.is_empty();
    // In a group of one, Mesa's lavapipe continues loops until the lanes beside the one invocation are finished, too,
    // and those may never be: a condition in the shader excludes them.
    kernel.workgroup = [2, 1, 1];
    let entry = b.entry(&kernel, "@builtin(local_invocation_index) lane: u32");
    let mut text = Text::new(b, kernel);
    text.line("if lane != 0u { return; }");
    text.load_slots(&needs.slots);
    text.block(stmts)?;
    text.store_slots(&needs.changed);
    text.store_slots(escapes);
    let comment = text.comment("In order");
    let Text { out, kernel, .. } = text;
    Ok(b.kernel(kernel, format!("{comment}{entry}{out}}}\n")))
}
