//! Nests of loops that do nothing where an inner loop has no iterations.
//!
//! An array of 2^62 empty rows has no elements, and takes no time: back ends test the extents of inner loops before they
//! begin the outer one.

use crate::{Expr, For, LocalId, Operand, Stmt};
use std::collections::HashSet;

/// The extents of the nested loops of which a loop consists, as far as they are known in front of it: it does nothing
/// unless all are positive.
pub fn inner_extents(l: &For) -> Vec<LocalId> {
    let (mut extents, mut bound, mut outer) = (Vec::new(), HashSet::new(), l);
    while !outer.is_source()
        && let Some((inner, alone)) = only_loops(outer, &mut bound)
    {
        if let Operand::Local(extent) = inner.extent
            && !bound.contains(&extent)
            && !extents.contains(&extent)
            && l.extent != inner.extent
        {
            extents.push(extent);
        }
        if !alone {
            break;
        }
        outer = inner;
    }
    extents
}

/// The first of the loops that an iteration consists of, all of which have its extent, apart from the computation of
/// their operands and from locals of the iteration; and whether it is the only one. Adds the locals that are bound there.
fn only_loops<'l>(l: &'l For, bound: &mut HashSet<LocalId>) -> Option<(&'l For, bool)> {
    bound.insert(l.index);
    bound.extend(l.inductions.iter().map(|i| i.local));
    let (mut found, mut alone): (Option<&For>, bool) = (None, true);
    for stmt in &l.body {
        match stmt {
            // A constant array is a counted reference.
            Stmt::Let { expr: Expr::Literal(_), .. } => return None,
            Stmt::Let { local, .. } | Stmt::Var { local, .. } => {
                bound.insert(*local);
            }
            Stmt::Set { local, .. } if bound.contains(local) => {}
            Stmt::For(inner) => match found {
                None => found = Some(&**inner),
                Some(first) if first.extent == inner.extent && !inner.is_source() && !first.is_source() => {
                    alone = false
                }
                Some(_) => return None,
            },
            _ => return None,
        }
    }
    Some((found?, alone))
}
