//! Arrays that are filled and then overwritten whole are not filled.
//!
//! ```text
//! let us = alloc [steps, n]                     let us = alloc [steps, n]
//! for i < steps {                               var state = us
//!   for j < n { store us.. = 0.0 }              for t < steps {
//! }                                               let a = state
//! var state = us                        ==>       let b = unique a
//! for t < steps {                                 for j < n { store b.data[t.step + j] = .. }
//!   let a = state                                 set state = b
//!   let b = unique a                            }
//!   for j < n { store b.data[t.step + j] = .. }
//!   set state = b
//! }
//! ```
//!
//! So is the tape of a loop: reverse mode makes an array for the states of all iterations, and each iteration puts its own there.
//!
//! - **Sound** if the array is the state of one loop, which has as many iterations as the array's outermost axis is long, reads
//!   nothing of it, and writes every element of the row of its index in each.
//! - **Left alone.** Whatever is written in branches or in part, and arrays that anything else looks at before the loop.
//! - **Cost.** One walk over the loop for each array that is filled.

use crate::join::{Facts, inside};
use crate::{Expr, For, LocalId, LoopFunc, Operand, Stmt};
use arr_ir::Prim;

/// Removes such loops.
pub(crate) fn unfill(func: &mut LoopFunc) {
    let mut body = std::mem::take(&mut func.body);
    let facts = Facts::of(func, &body);
    block(&facts, &mut body);
    func.body = body;
    crate::dead::remove(func);
}

fn block(facts: &Facts, stmts: &mut Vec<Stmt>) {
    let mut at = 0;
    while at < stmts.len() {
        if let Some(fill) = filled(facts, stmts, at) {
            stmts.remove(fill);
            continue;
        }
        match stmts.get_mut(at) {
            Some(Stmt::For(l)) => block(facts, &mut l.body),
            Some(Stmt::While(l)) => block(facts, &mut l.body),
            Some(Stmt::If { then_body, else_body, .. }) => {
                block(facts, then_body);
                block(facts, else_body);
            }
            _ => {}
        }
        at += 1;
    }
}

/// The loop that fills the array made at a place, if nothing of that is ever read.
fn filled(facts: &Facts, stmts: &[Stmt], made: usize) -> Option<usize> {
    let Stmt::Alloc { local: array, dims, .. } = stmts.get(made)? else { return None };
    let rest = || stmts.iter().enumerate().skip(made + 1);
    let (fill, _) = rest().find(|(_, s)| matches!(s, Stmt::For(l) if only_fills(facts, l, *array)))?;
    let state = rest().find_map(|(k, s)| match s {
        Stmt::Var { local, init } if *init == Some((*array).into()) => Some((k, *local)),
        _ => None,
    });
    let (declared, state) = state?;
    let (run, l) = rest().skip_while(|(k, _)| *k < declared).find_map(|(k, s)| match s {
        Stmt::For(l) => Some((k, l)),
        _ => None,
    })?;
    // Up to the loop the array is filled and becomes the state.
    let known = |k: usize, s: &Stmt| k == fill || k == declared || !names(facts, s, &[*array, state]);
    if !rest().take_while(|(k, _)| *k < run).all(|(k, s)| known(k, s)) {
        return None;
    }
    let (first, others) = dims.split_first()?;
    (!l.reverse && l.extent == *first && overwrites(facts, l, state, others)).then_some(fill)
}

/// Whether a loop does nothing but store constants to an array.
fn only_fills(facts: &Facts, l: &For, array: LocalId) -> bool {
    l.body.iter().all(|stmt| match stmt {
        Stmt::Let { expr, .. } => matches!(expr, Expr::Offset(..) | Expr::Prim(..)),
        Stmt::Store { address, value, .. } => {
            matches!(value, Operand::Const(_)) && facts.place(*address).is_some_and(|(b, _)| b == array)
        }
        Stmt::For(l) => only_fills(facts, l, array),
        _ => false,
    })
}

/// Whether a statement has to do with one of the buffers, other than to know where its elements are.
pub(crate) fn names(facts: &Facts, stmt: &Stmt, buffers: &[LocalId]) -> bool {
    let rooted = |a: &LocalId| facts.place(*a).is_none_or(|(b, _)| buffers.contains(&b));
    let is = |o: &Operand| matches!(o, Operand::Local(l) if buffers.contains(l));
    match stmt {
        Stmt::Let { expr: Expr::Load(address, _), .. } | Stmt::Store { address, .. } => rooted(address),
        Stmt::Let { expr: Expr::Copy(a), .. } => is(a),
        Stmt::Let { .. } | Stmt::Alloc { .. } | Stmt::Check { .. } => false,
        Stmt::Var { init, .. } => init.iter().any(is),
        Stmt::Set { local, value } => buffers.contains(local) || is(value),
        Stmt::Retain(b) | Stmt::Release(b) => buffers.contains(b),
        Stmt::MakeUnique { buffer, .. } | Stmt::CheckShape { buffer, .. } => buffers.contains(buffer),
        Stmt::Argsort { into, keys, .. } => buffers.contains(into) || buffers.contains(keys),
        Stmt::MatMul(product) => product
            .operands()
            .iter()
            .any(|o| is(o) || matches!(o, Operand::Local(l) if rooted_address(facts, *l, buffers))),
        Stmt::For(_) | Stmt::While(_) | Stmt::If { .. } => {
            inside(stmt).into_iter().flatten().any(|s| names(facts, s, buffers))
        }
    }
}

fn rooted_address(facts: &Facts, address: LocalId, buffers: &[LocalId]) -> bool {
    facts.place(address).is_some_and(|(b, _)| buffers.contains(&b))
}

/// Whether each iteration of a loop overwrites its row of a state, an array with these axes but the outermost, and looks at
/// nothing of it.
fn overwrites(facts: &Facts, l: &For, state: LocalId, others: &[Operand]) -> bool {
    let mut own: Option<LocalId> = None;
    let mut unique: Option<LocalId> = None;
    let (mut whole, mut set) = (false, false);
    for stmt in &l.body {
        match stmt {
            Stmt::Let { local, expr: Expr::Copy(a) } if *a == Operand::Local(state) && own.is_none() => {
                own = Some(*local)
            }
            Stmt::MakeUnique { local, buffer, .. } if Some(*buffer) == own && unique.is_none() => unique = Some(*local),
            Stmt::Set { local, value } if *local == state => {
                set |= unique.is_some_and(|u| *value == Operand::Local(u));
            }
            _ => {
                if let Some(array) = unique
                    && !whole
                    && fills_row(facts, stmt, l, array, others)
                {
                    whole = true;
                    continue;
                }
                let buffers: Vec<LocalId> = [Some(state), own, unique].into_iter().flatten().collect();
                if names(facts, stmt, &buffers) {
                    return false;
                }
            }
        }
    }
    whole && set
}

/// Whether a statement writes all elements of the row of a loop's index, and touches nothing else of the array.
pub(crate) fn fills_row(facts: &Facts, stmt: &Stmt, l: &For, array: LocalId, others: &[Operand]) -> bool {
    let mut nest: Vec<&For> = Vec::new();
    let mut at = stmt;
    let mut stores = 0;
    loop {
        match at {
            Stmt::For(inner) => {
                nest.push(inner);
                let mut next = None;
                for s in &inner.body {
                    match s {
                        Stmt::For(_) if next.is_none() => next = Some(s),
                        Stmt::Store { address, .. } if rooted_address(facts, *address, &[array]) => {
                            stores += 1;
                            next = Some(s);
                        }
                        s if names(facts, s, &[array]) => return false,
                        _ => {}
                    }
                }
                let Some(next) = next else { return false };
                at = next;
            }
            Stmt::Store { address, offset, .. } => {
                let all = stores <= 1 && nest.iter().all(|l| !l.counted) && nest.len() == others.len();
                let sizes = nest.iter().zip(others).all(|(l, size)| l.extent == *size);
                return all && sizes && covers(facts, (*address, *offset), l, &nest, others, array);
            }
            _ => return false,
        }
    }
}

/// Whether an element's offset is that of the loops' indices in row-major order.
fn covers(
    facts: &Facts,
    (address, offset): (LocalId, Operand),
    l: &For,
    nest: &[&For],
    others: &[Operand],
    array: LocalId,
) -> bool {
    let Some((root, mut offsets)) = facts.place(address) else { return false };
    offsets.push(offset);
    offsets.retain(|o| o.as_int() != Some(0));
    if root != array || offsets.len() != nest.len() + 1 {
        return false;
    }
    [l].iter().chain(nest).enumerate().all(|(k, axis)| {
        let inner = others.get(k..).unwrap_or_default();
        offsets.iter().any(|o| match o {
            Operand::Local(local) if *local == axis.index => inner.is_empty(),
            Operand::Local(local) => {
                let step = axis.inductions.iter().find(|i| i.local == *local).map(|i| i.step);
                step.is_some_and(|step| factors(facts, step) == product(facts, inner))
            }
            Operand::Const(_) => false,
        })
    })
}

/// What is multiplied, in order; constants are one.
pub(crate) fn factors(facts: &Facts, operand: Operand) -> (i64, Vec<Operand>) {
    if let Some(n) = operand.as_int() {
        return (n, Vec::new());
    }
    if let Operand::Local(local) = operand
        && let Some(Expr::Prim(Prim::Mul, args)) = facts.exprs.get(&local)
    {
        return product(facts, args);
    }
    (1, vec![operand])
}

fn product(facts: &Facts, operands: &[Operand]) -> (i64, Vec<Operand>) {
    let (mut constant, mut all) = (1i64, Vec::new());
    for &operand in operands {
        let (c, mut list) = factors(facts, operand);
        constant = constant.wrapping_mul(c);
        all.append(&mut list);
    }
    all.sort_by_key(|o| match o {
        Operand::Local(l) => arr_base::Id::index(*l),
        Operand::Const(_) => usize::MAX,
    });
    (constant, all)
}
