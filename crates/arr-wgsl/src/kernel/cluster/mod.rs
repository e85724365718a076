//! Several small nests, reductions, scalar statements, and the loops and branches around them, in one workgroup.
//!
//! Scalars that more than one part uses are variables of each invocation, which all have the same values. Before a part
//! that reads another one's writes, or overwrites what another one read, the workgroup waits at a barrier
//! ([`waiting`]).

mod flow;
mod part;
mod reduce;
mod waiting;
mod write;

pub(crate) use part::{Part, is_repeatable};
use part::{flat, width};
use write::Writer;

use super::needs::{self, Needs};
use super::nest::Nest;
use super::text::{Result, result_name, span_of, unnamed};
use crate::builder::Builder;
use crate::plan::Placement;
use crate::program::{Groups, Kernel, KernelId};
use crate::walk::{Use, own_uses};
use arr_loops::{LocalId, Operand, Stmt, for_each_chunked_stmt};
use std::collections::{HashMap, HashSet};

/// A nest with one workgroup per point.
pub(crate) struct WorkgroupPerRow<'n, 's> {
    pub nest: &'n Nest<'s>,
    /// The maximal number of invocations of a workgroup.
    pub width: u32,
}

/// Makes one kernel of parts, which are a point of `rows` if there are some. `escapes` are locals bound in them that
/// something else reads; `regions` are arrays of addresses whose buffer holds several.
pub(crate) fn make(
    b: &mut Builder<'_>,
    placement: &Placement,
    parts: &[Part<'_>],
    escapes: &[LocalId],
    regions: &HashMap<LocalId, LocalId>,
    rows: Option<&WorkgroupPerRow<'_, '_>>,
) -> Result<KernelId> {
    let mut all = Vec::new();
    flat(parts, &mut all);
    let stmts: Vec<Stmt> = all.iter().flat_map(|part| part.statements()).collect();
    let needs = needed(b, placement, &all, &stmts, rows);
    let mut kernel = shaped(b, &all, &stmts, rows);
    kernel.name = named(b, &all, &stmts, escapes, rows);
    needs.give(&mut kernel);
    kernel.slots |= !escapes.is_empty();
    let what = match in_order(b, &all) {
        _ if rows.is_some() => "A workgroup a point of a nest",
        Some(_) => "In order, in one workgroup",
        None => "Small nests one after the other, the first of them",
    };
    let mut writer = Writer::new(b, kernel, regions);
    let of_rows = rows.map(|rows| rows.nest.indices()).unwrap_or_default();
    writer.find_privates(&all, &[needs.slots.as_slice(), &of_rows].concat(), escapes);
    writer.load(&needs.slots);
    if let Some(rows) = rows {
        writer.row(rows.nest);
    }
    writer.parts(parts)?;
    writer.store(&needs.changed, escapes);
    Ok(writer.done(what))
}

/// The interface of the kernel to its outside.
fn needed(
    b: &mut Builder<'_>,
    placement: &Placement,
    all: &[&Part<'_>],
    stmts: &[Stmt],
    rows: Option<&WorkgroupPerRow<'_, '_>>,
) -> Needs {
    let local = declared(stmts);
    let nests = || all.iter().filter_map(|part| part.nest()).chain(rows.map(|rows| rows.nest));
    let mut operands: Vec<Operand> = nests().flat_map(Nest::operands).collect();
    let mut bound: Vec<LocalId> = nests().flat_map(Nest::indices).collect();
    for part in all {
        operands.extend(part.control());
        operands.extend(part.partials().iter().map(|p| Operand::from(p.local)));
        bound.extend(part.turns());
        bound.extend(part.partials().iter().map(|p| p.other));
    }
    operands.retain(|o| !matches!(o, Operand::Local(l) if local.contains(l)));
    let mut needs = needs::find(b, placement, stmts, &operands, &bound);
    for partial in all.iter().flat_map(|part| part.partials()) {
        // A variable changed by a reduction is in a slot if it was declared elsewhere.
        if !local.contains(&partial.local) && !needs.changed.contains(&partial.local) {
            needs.changed.push(partial.local);
        }
    }
    needs.hold_changed();
    // Loops whose length depends on data end only if the data are sound.
    needs.faults |= all.iter().any(|part| matches!(part, Part::While(..)));
    needs
}

/// The locals that statements bind, at any depth.
fn declared(stmts: &[Stmt]) -> HashSet<LocalId> {
    let mut local = HashSet::new();
    for_each_chunked_stmt(stmts, &mut |stmt| {
        own_uses(stmt, &mut |used| {
            if let Use::Bind(l) = used {
                local.insert(l);
            }
        })
    });
    local
}

/// The kernel with its source position and its workgroups, and no name.
fn shaped(b: &Builder<'_>, all: &[&Part<'_>], stmts: &[Stmt], rows: Option<&WorkgroupPerRow<'_, '_>>) -> Kernel {
    let outer = |part: &&Part<'_>| match part {
        Part::Loop(l, _) => Some(l.span),
        _ => part.nest()?.loops.last().map(|l| l.span),
    };
    let mut kernel = unnamed(all.iter().find_map(outer).unwrap_or_else(|| span_of(stmts)));
    let workgroup = all
        .iter()
        .filter_map(|part| if let Part::Reduce(r) = part { Some(r.workgroup(b)) } else { None })
        .min()
        .unwrap_or(b.options.workgroup)
        .min(rows.map_or_else(|| width(all, b.options.workgroup), |rows| rows.width));
    kernel.workgroup = [workgroup, 1, 1];
    if let Some(rows) = rows {
        kernel.groups = Groups { points: rows.nest.extents.clone(), per_group: 1, most: None };
    }
    kernel
}

/// The name of the first loop in order, if there is one.
fn in_order(b: &Builder<'_>, all: &[&Part<'_>]) -> Option<String> {
    all.iter().find_map(|part| match part {
        Part::Loop(l, _) => Some(format!("{}_loop", b.func.locals[l.index].name)),
        Part::While(..) => Some("while_loop".to_string()),
        _ => None,
    })
}

/// A unique name for a kernel: after its ordered loop, or else its result.
fn named(
    b: &mut Builder<'_>,
    all: &[&Part<'_>],
    stmts: &[Stmt],
    escapes: &[LocalId],
    rows: Option<&WorkgroupPerRow<'_, '_>>,
) -> String {
    let result = result_name(b, stmts).or_else(|| escapes.last().map(|&l| b.func.locals[l].name.clone()));
    let what = if rows.is_some() { "rows" } else { "all" };
    let result = format!("{}_{what}", result.as_deref().unwrap_or("scalars"));
    let ordered = in_order(b, all);
    b.name(ordered.as_deref().unwrap_or(&result))
}
