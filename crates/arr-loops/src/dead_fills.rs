//! Removes dead fills: an array that is wholly overwritten is not filled before. This is dead-store elimination for the
//! initialization of arrays.
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
//! The tape of a loop is such an array: reverse mode makes it for the states of all iterations, and each iteration
//! stores its own there. So is the derivative by an array of which each iteration uses its row: zeros, to which each
//! iteration adds its part. There the fill value replaces the element that is added to.
//!
//! ```text
//!   let old = load b.data[t.step + j]             let old = 0.0
//!   let sum = add old, part                ==>    let sum = add old, part
//!   store b.data[t.step + j] = sum                store b.data[t.step + j] = sum
//! ```
//!
//! - **Sound** if the array is the state of one loop, which has as many iterations as the array's outermost axis is
//!   long, and writes every element of the row of its index in each, once. It reads nothing of the array, or just the
//!   element that it writes next, which then equals the fill value.
//! - **Left alone.** Whatever is written in branches or in part, and arrays that are read before the loop.
//! - **Cost.** One walk over the loop for each array that is filled.

use crate::analysis::alias::AliasInfo;
use crate::{Expr, For, LocalId, LoopFunc, Operand, Stmt, for_each_stmt};
use arr_ir::{Const, Prim};

/// Removes such fills.
pub(crate) fn remove_fills(func: &mut LoopFunc) {
    let mut body = std::mem::take(&mut func.body);
    let facts = AliasInfo::of(func, &body);
    block(&facts, &mut body);
    func.body = body;
    crate::dead::remove(func);
}

fn block(facts: &AliasInfo, stmts: &mut Vec<Stmt>) {
    let mut at = 0;
    while at < stmts.len() {
        if let Some(fill) = filled(facts, stmts, at) {
            fill.apply(stmts);
            continue;
        }
        stmts.get_mut(at).into_iter().flat_map(Stmt::bodies_mut).for_each(|body| block(facts, body));
        at += 1;
    }
}

/// A loop whose fill of an array is dead.
struct Filled {
    /// Its position.
    fill: usize,
    /// The loop that overwrites the array.
    run: usize,
    /// The loads of overwritten elements, and the fill value.
    loads: Vec<LocalId>,
    value: Option<Const>,
}

impl Filled {
    fn apply(&self, stmts: &mut Vec<Stmt>) {
        if let (Some(value), Some(run)) = (self.value, stmts.get_mut(self.run)) {
            self.replace(value, run);
        }
        stmts.remove(self.fill);
    }

    /// Replaces the loads by the fill value.
    fn replace(&self, value: Const, stmt: &mut Stmt) {
        if let Stmt::Let { local, expr } = stmt
            && self.loads.contains(local)
        {
            *expr = Expr::Copy(value.into());
        }
        stmt.bodies_mut().into_iter().flatten().for_each(|s| self.replace(value, s));
    }
}

/// The loop that fills the array made at a position, if none of that needs to be read.
fn filled(facts: &AliasInfo, stmts: &[Stmt], made: usize) -> Option<Filled> {
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
    let loads = overwrites(facts, l, state, others).filter(|_| l.extent == *first)?;
    let mut values = Vec::new();
    stmts.get(fill).into_iter().for_each(|s| stored(s, &mut values));
    // If there are several fill values, it is not known which is where.
    let value = values.first().copied().filter(|first| values.iter().all(|v| v == first));
    (loads.is_empty() || value.is_some()).then_some(Filled { fill, run, loads, value })
}

/// The constants that a statement stores.
fn stored(stmt: &Stmt, values: &mut Vec<Const>) {
    for_each_stmt(std::slice::from_ref(stmt), &mut |stmt| {
        if let Stmt::Store { value: Operand::Const(value), .. } = stmt {
            values.push(*value);
        }
    });
}

/// Whether a loop only stores constants to an array.
fn only_fills(facts: &AliasInfo, l: &For, array: LocalId) -> bool {
    l.body.iter().all(|stmt| match stmt {
        Stmt::Let { expr, .. } => matches!(expr, Expr::Offset(..) | Expr::Prim(..)),
        Stmt::Store { address, value, .. } => {
            matches!(value, Operand::Const(_)) && facts.place(*address).is_some_and(|(b, _)| b == array)
        }
        Stmt::For(l) => only_fills(facts, l, array),
        _ => false,
    })
}

/// Whether a statement mentions one of the buffers, other than to take the address of its elements.
pub(crate) fn names(facts: &AliasInfo, stmt: &Stmt, buffers: &[LocalId]) -> bool {
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
        Stmt::Trace { value, .. } => is(value),
        Stmt::MatMul(product) => product
            .operands()
            .iter()
            .any(|o| is(o) || matches!(o, Operand::Local(l) if rooted_address(facts, *l, buffers))),
        Stmt::For(_) | Stmt::While(_) | Stmt::If { .. } => {
            stmt.blocks().into_iter().flatten().any(|s| names(facts, s, buffers))
        }
    }
}

fn rooted_address(facts: &AliasInfo, address: LocalId, buffers: &[LocalId]) -> bool {
    facts.place(address).is_some_and(|(b, _)| buffers.contains(&b))
}

/// The loads from a state, an array with these axes but the outermost, if each iteration of a loop overwrites its row
/// and reads only the elements that it overwrites, just before.
fn overwrites(facts: &AliasInfo, l: &For, state: LocalId, others: &[Operand]) -> Option<Vec<LocalId>> {
    let mut own: Option<LocalId> = None;
    let mut unique: Option<LocalId> = None;
    let mut whole: Option<Vec<LocalId>> = None;
    let mut set = false;
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
                if let (Some(array), None) = (unique, &whole)
                    && let Some(loads) = overwritten(facts, stmt, l, array, others)
                {
                    whole = Some(loads);
                    continue;
                }
                let buffers: Vec<LocalId> = [Some(state), own, unique].into_iter().flatten().collect();
                if names(facts, stmt, &buffers) {
                    return None;
                }
            }
        }
    }
    whole.filter(|_| set)
}

/// Whether a statement writes all elements of the row of a loop's index, and touches nothing else of the array.
pub(crate) fn fills_row(facts: &AliasInfo, stmt: &Stmt, l: &For, array: LocalId, others: &[Operand]) -> bool {
    overwritten(facts, stmt, l, array, others).is_some_and(|loads| loads.is_empty())
}

/// The loads of a statement from an array, if it writes all elements of the row of a loop's index, and reads no others,
/// each before it is written.
fn overwritten(facts: &AliasInfo, stmt: &Stmt, l: &For, array: LocalId, others: &[Operand]) -> Option<Vec<LocalId>> {
    let mut nest: Vec<&For> = Vec::new();
    let mut at = stmt;
    let mut stores = 0;
    let mut loads: Vec<(LocalId, (LocalId, Operand))> = Vec::new();
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
                        Stmt::Let { local, expr: Expr::Load(address, offset) }
                            if next.is_none() && rooted_address(facts, *address, &[array]) =>
                        {
                            loads.push((*local, (*address, *offset)));
                        }
                        s if names(facts, s, &[array]) => return None,
                        _ => {}
                    }
                }
                at = next?;
            }
            Stmt::Store { address, offset, .. } => {
                let all = stores <= 1 && nest.iter().all(|l| !l.is_source()) && nest.len() == others.len();
                let sizes = nest.iter().zip(others).all(|(l, size)| l.extent == *size);
                // The address depends on the innermost index, so the loads are in that loop.
                let place = (*address, *offset);
                let same = loads.iter().all(|(_, of)| *of == place);
                let covers = all && sizes && same && covers(facts, place, l, &nest, others, array);
                return covers.then(|| loads.into_iter().map(|(local, _)| local).collect());
            }
            _ => return None,
        }
    }
}

/// Whether an element's offset is that of the loops' indices in row-major order.
fn covers(
    facts: &AliasInfo,
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
        let Some(inner) = others.get(k..) else { return false };
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

/// The factors of a product, in order; constants are one.
pub(crate) fn factors(facts: &AliasInfo, operand: Operand) -> (i64, Vec<Operand>) {
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

fn product(facts: &AliasInfo, operands: &[Operand]) -> (i64, Vec<Operand>) {
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
