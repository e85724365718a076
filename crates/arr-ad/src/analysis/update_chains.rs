//! Which states a loop updates in place, and by which statements: the chain of `scatter`s, and of `if`s with such
//! chains in their branches, that leads from the state at the start of an iteration to the state at its end.

use arr_ir::walk::bound_in_block;
use arr_ir::{Atom, Axis, Block, Func, Op, Stmt, VarId};
use rustc_hash::FxHashSet;

/// A statement of a block, by its position, that updates an array in place.
pub(crate) enum Link {
    Write(usize),
    /// An `if`, with the updates in its branches.
    Branch(usize, [Vec<Link>; 2]),
}

impl Link {
    fn writes(&self) -> bool {
        match self {
            Link::Write(_) => true,
            Link::Branch(_, branches) => branches.iter().flatten().any(Link::writes),
        }
    }

    pub fn place(&self) -> usize {
        match self {
            Link::Write(at) | Link::Branch(at, _) => *at,
        }
    }
}

/// For each state that is updated in place: the chain of updates from the param to the result. The number of elements
/// that a statement writes must be the same in every iteration.
pub(crate) fn chains(func: &Func, axis: Axis, body: &Block) -> Vec<Option<Vec<Link>>> {
    let bound = bound_inside(axis, body);
    let chain = |param: VarId, result: Atom| {
        let (base, links) = chain_of(func, &bound, body, result.var()?);
        (base == param && links.iter().any(Link::writes)).then_some(links)
    };
    body.params.iter().zip(&body.results).map(|(&p, &r)| chain(p, r)).collect()
}

/// Follows an array back through the updates of a block: the array before them, and the updates.
fn chain_of(func: &Func, bound: &FxHashSet<VarId>, block: &Block, result: VarId) -> (VarId, Vec<Link>) {
    let (mut v, mut links) = (result, Vec::new());
    for (at, stmt) in block.stmts.iter().enumerate().rev() {
        let Some(k) = stmt.vars.iter().position(|w| *w == v) else { continue };
        match &stmt.op {
            Op::Scatter { dest, axes, .. }
                if axes.iter().all(|a| func.types.poly(a.extent).vars().iter().all(|v| !bound.contains(v))) =>
            {
                links.push(Link::Write(at));
                v = *dest;
            }
            Op::If { then_block, else_block, .. } => {
                let branches = [then_block, else_block].map(|branch| match branch.results.get(k) {
                    Some(&Atom::Var(r)) => Some(chain_of(func, bound, branch, r)),
                    _ => None,
                });
                let [Some((base, then)), Some((same, other))] = branches else { break };
                if base != same {
                    break;
                }
                links.push(Link::Branch(at, [then, other]));
                v = base;
            }
            _ => break,
        }
    }
    links.reverse();
    (v, links)
}

/// The writes of a chain, each with the statements of the blocks around it; `None` if the chain belongs to another
/// block.
pub(crate) fn writes_of(block: &Block, links: &[Link], around: &[Stmt]) -> Option<Vec<(Stmt, Vec<Stmt>)>> {
    let around: Vec<Stmt> = around.iter().chain(&block.stmts).cloned().collect();
    let mut writes = Vec::new();
    for link in links {
        match (link, block.stmts.get(link.place())) {
            (Link::Write(_), Some(stmt)) => writes.push((stmt.clone(), around.clone())),
            (Link::Branch(_, [then, other]), Some(Stmt { op: Op::If { then_block, else_block, .. }, .. })) => {
                writes.extend(writes_of(then_block, then, &around)?);
                writes.extend(writes_of(else_block, other, &around)?);
            }
            _ => return None,
        }
    }
    Some(writes)
}

/// The variables that an iteration binds.
pub(crate) fn bound_inside(axis: Axis, body: &Block) -> FxHashSet<VarId> {
    let mut bound = FxHashSet::default();
    bound_in_block(body, &mut bound);
    bound.insert(axis.index);
    bound
}
