//! A nest whose points write elements of their own: one invocation per point.

use super::needs;
use super::nest::Nest;
use super::text::{Result, Text, result_name, unnamed};
use crate::builder::Builder;
use crate::plan::Placement;
use crate::program::{Groups, KernelId};

pub(crate) const BUILTINS: &str = "@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, \
     @builtin(local_invocation_index) lane: u32";

/// Makes the kernel of a nest.
pub(crate) fn make(b: &mut Builder<'_>, placement: &Placement, nest: &Nest<'_>) -> Result<KernelId> {
    let stmts = nest.statements();
    let needs = needs::find(b, placement, &stmts, &nest.operands(), &nest.indices());
    let mut kernel = unnamed(nest.loops.last().map_or_else(|| super::text::span_of(&stmts), |l| l.span));
    let hint = result_name(b, &stmts).unwrap_or_else(|| "check".to_string());
    kernel.name = b.name(&hint);
    kernel.workgroup = [b.options.workgroup, 1, 1];
    kernel.groups = Groups { points: nest.extents.clone(), per_group: b.options.workgroup, most: None };
    needs.give(&mut kernel);
    let workgroup = kernel.workgroup[0];
    let entry = b.entry(&kernel, BUILTINS);
    let mut text = Text::new(b, kernel);
    text.line(&format!("let point = (group.x + group.y * groups.x) * {workgroup}u + lane;"));
    let points = nest.points(&mut text);
    text.line(&format!("if point >= {points} {{ return; }}"));
    let indices = nest.decode(&mut text, "point");
    for (l, index) in nest.loops.iter().zip(indices) {
        let word = text.b.word(l.index);
        text.line(&format!("let {word} = {index};"));
    }
    text.load_slots(&needs.slots);
    nest.point(&mut text)?;
    let comment = text.comment("A point of a nest");
    let Text { out, kernel, .. } = text;
    Ok(b.kernel(kernel, format!("{comment}{entry}{out}}}\n")))
}
