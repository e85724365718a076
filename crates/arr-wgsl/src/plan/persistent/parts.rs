//! The statements of a loop, or of a point of a nest, as the parts of a kernel of one workgroup.

use crate::builder::Builder;
use crate::kernel::cluster::{Part, is_repeatable};
use crate::kernel::nest::Nest;
use crate::kernel::reduce::Reduction;
use crate::plan::Placement;
use crate::plan::short::is_short;
use arr_loops::{For, Stmt, for_each_chunked_stmt};

pub(crate) fn of<'s>(b: &mut Builder<'_>, placement: &Placement, stmts: &'s [Stmt]) -> Vec<Part<'s>> {
    let mut parts: Vec<Part<'s>> = Vec::new();
    for stmt in stmts {
        match stmt {
            Stmt::For(l) if l.parallel.is_some() && !is_short(l) => nest(b, placement, l, &mut parts),
            Stmt::For(l) if has_nest(&l.body) => parts.push(Part::Loop(l, of(b, placement, &l.body))),
            Stmt::While(l) if has_nest(&l.head) || has_nest(&l.body) => {
                parts.push(Part::While(l, of(b, placement, &l.head), of(b, placement, &l.body)));
            }
            Stmt::If { cond, then_body, else_body } if has_nest(then_body) || has_nest(else_body) => {
                parts.push(Part::Branch(*cond, of(b, placement, then_body), of(b, placement, else_body)));
            }
            _ => scalar(stmt.clone(), &mut parts),
        }
    }
    parts
}

fn has_nest(stmts: &[Stmt]) -> bool {
    let mut found = false;
    for_each_chunked_stmt(stmts, &mut |stmt| {
        found |= matches!(stmt, Stmt::For(l) if l.parallel.is_some() && !is_short(l))
    });
    found
}

/// Adds a statement to the previous ones if the same invocations run both.
fn scalar(stmt: Stmt, parts: &mut Vec<Part<'_>>) {
    match parts.last_mut() {
        Some(Part::Scalars(list)) if is_repeatable(list) == is_repeatable(std::slice::from_ref(&stmt)) => {
            list.push(stmt);
            if is_repeatable(list) || list.len() == 1 {
                return;
            }
            // Together their loops may be too long for all.
            if let Some(last) = list.pop_if(|last| is_repeatable(std::slice::from_ref(last))) {
                parts.push(Part::Scalars(vec![last]));
            }
        }
        _ => parts.push(Part::Scalars(vec![stmt])),
    }
}

fn nest<'s>(b: &mut Builder<'_>, placement: &Placement, l: &'s For, parts: &mut Vec<Part<'s>>) {
    let mut nest = Nest::of(l, placement);
    for (local, expr) in nest.guard(b) {
        scalar(Stmt::Let { local, expr }, parts);
    }
    match l.parallel.as_ref().filter(|p| !p.partials.is_empty()) {
        Some(parallel) => {
            let before = vec![None; parallel.partials.len()];
            parts.push(Part::Reduce(Reduction { nest, parallel, before }));
        }
        None => parts.push(Part::Map(nest)),
    }
}
