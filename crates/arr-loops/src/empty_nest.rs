//! Nests of loops that do nothing where an inner loop has no iterations.
//!
//! An array of 2^62 empty rows has no elements, and takes no time: back ends test the extents of inner loops before they
//! begin the outer one.

use crate::{Expr, For, LocalId, Operand, Stmt};
use std::collections::HashSet;

/// The extents of the nested loops of which a loop consists, as far as they are known in front of it.
pub fn inner_extents(l: &For) -> Vec<LocalId> {
    let (mut extents, mut bound, mut outer) = (Vec::new(), HashSet::new(), l);
    while !outer.is_source()
        && let Some(inner) = only_loop(outer, &mut bound)
    {
        if let Operand::Local(extent) = inner.extent
            && !bound.contains(&extent)
            && !extents.contains(&extent)
            && l.extent != inner.extent
        {
            extents.push(extent);
        }
        outer = inner;
    }
    extents
}

/// The only loop of an iteration, apart from the computation of its operands. Adds the locals that are bound there.
fn only_loop<'l>(l: &'l For, bound: &mut HashSet<LocalId>) -> Option<&'l For> {
    bound.insert(l.index);
    bound.extend(l.inductions.iter().map(|i| i.local));
    let mut found = None;
    for stmt in &l.body {
        match stmt {
            // A constant array is a counted reference.
            Stmt::Let { expr: Expr::Literal(_), .. } => return None,
            Stmt::Let { local, .. } => {
                bound.insert(*local);
            }
            Stmt::For(inner) if found.is_none() => found = Some(&**inner),
            _ => return None,
        }
    }
    found
}
