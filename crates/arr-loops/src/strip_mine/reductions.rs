//! Reductions over the points of a loop's arrays, each of which an iteration adds to an element of an array.
//!
//! ```text
//! var sum = 0.0
//! for i < n parallel { .. set sum = t } combine sum by addition
//! let s = sum
//! let old = load a.row[j]
//! let total = add old, s
//! store a.row[j] = total
//! ```
//!
//! So is the derivative by a number that all points use, one number per iteration. A block of points adds its part.

use crate::analysis::alias::AliasInfo;
use crate::dead_fills::names;
use crate::{Added, Expr, For, LocalId, LoopFunc, Operand, Parallel, Partial, Stmt};
use arr_ir::{Const, Prim};
use std::collections::{HashMap, HashSet};

/// The sums of a loop's body.
#[derive(Default)]
pub(super) struct Sums {
    /// The accumulators.
    pub locals: HashSet<LocalId>,
    /// Elements that are added to: their old values, and the new ones.
    pub olds: HashSet<LocalId>,
    pub totals: HashSet<LocalId>,
    /// The arrays of these elements.
    pub added: Vec<Added>,
}

impl Sums {
    /// Empty if there are none, or if one has another use.
    pub fn of(func: &LoopFunc, facts: &AliasInfo, l: &For) -> Sums {
        find(func, facts, l).unwrap_or_default()
    }
}

fn find(func: &LoopFunc, facts: &AliasInfo, l: &For) -> Option<Sums> {
    let mut sums = Sums::default();
    let mut exprs: HashMap<LocalId, &Expr> = HashMap::new();
    let mut kept: HashSet<LocalId> = HashSet::new();
    let mut taken: HashSet<LocalId> = HashSet::new();
    for stmt in &l.body {
        match stmt {
            Stmt::Var { local, init: Some(Operand::Const(init)) } if is_zero(*init) => {
                sums.locals.insert(*local);
            }
            Stmt::Let { local, expr } => drop(exprs.insert(*local, expr)),
            Stmt::For(nest) => {
                let partials = nest.parallel.iter().flat_map(|p| &p.partials);
                let known = partials.clone().all(|p| sums.locals.contains(&p.local) && is_zero(p.init));
                let added = nest.parallel.as_ref().is_none_or(adds_up);
                kept.extend(partials.map(|p| p.local));
                (known && added).then_some(())?;
            }
            Stmt::Store { address, offset, value: Operand::Local(total) } => {
                let (old, sum) = addition(&exprs, (*address, *offset), *total)?;
                let Some(Expr::Copy(Operand::Local(local))) = exprs.get(&sum) else { return None };
                let once = [old, sum, *total].into_iter().all(|part| count(&l.body, part) == 1);
                (once && kept.contains(local)).then_some(())?;
                sums.olds.insert(old);
                sums.totals.insert(*total);
                taken.insert(sum);
                let (buffer, _) = facts.place(*address)?;
                if sums.added.iter().all(|a| a.buffer != buffer) {
                    sums.added.push(Added { buffer, data: data(&l.body, buffer)? });
                }
            }
            Stmt::Store { .. } => return None,
            _ => {}
        }
    }
    let alone = sums.added.iter().all(|a| only_added(func, facts, l, &sums, a.buffer));
    let parts = sums.locals.iter().all(|&sum| {
        // A partial sum must go nowhere else: it is read where a point is added, and at the end.
        let copies = exprs.iter().filter(|(_, e)| ***e == Expr::Copy(sum.into())).map(|(local, _)| local);
        copies.clone().all(|copy| taken.contains(copy)) && count(&l.body, sum) == 1 + copies.count()
    });
    (alone && parts && kept.len() == sums.locals.len()).then_some(sums)
}

fn is_zero(c: Const) -> bool {
    c.scalar().is_float() && c.as_f64() == Some(0.0)
}

/// Whether partial results are combined by addition.
fn adds_up(parallel: &Parallel) -> bool {
    let (pairs, rest) = parallel.combine.as_chunks::<2>();
    let adds = |Partial { local, other, .. }: &Partial| {
        pairs.iter().any(|pair| match pair {
            [Stmt::Let { local: next, expr: Expr::Prim(Prim::Add, args) }, Stmt::Set { local: to, value }] => {
                let both = [(*local).into(), (*other).into()];
                let sum = args.as_slice() == both || args.iter().rev().copied().eq(both);
                sum && to == local && *value == Operand::Local(*next)
            }
            _ => false,
        })
    };
    rest.is_empty() && pairs.len() == parallel.partials.len() && parallel.partials.iter().all(adds)
}

/// The element that a total is added to, loaded from the place where it is stored, and the summand.
fn addition(
    exprs: &HashMap<LocalId, &Expr>,
    (address, offset): (LocalId, Operand),
    total: LocalId,
) -> Option<(LocalId, LocalId)> {
    let Some(Expr::Prim(Prim::Add, args)) = exprs.get(&total) else { return None };
    let &[Operand::Local(a), Operand::Local(b)] = args.as_slice() else { return None };
    let place = Expr::Load(address, offset);
    let is_old = |local: LocalId| exprs.get(&local).is_some_and(|e| **e == place);
    match (is_old(a), is_old(b)) {
        (true, false) => Some((a, b)),
        (false, true) => Some((b, a)),
        _ => None,
    }
}

/// The only address of an array's first element.
fn data(body: &[Stmt], buffer: LocalId) -> Option<LocalId> {
    let mut found = body.iter().filter_map(|stmt| match stmt {
        Stmt::Let { local, expr: Expr::BaseAddr(of) } if *of == buffer => Some(*local),
        _ => None,
    });
    found.next().filter(|_| found.next().is_none())
}

/// Whether an array, a state of the loop, has no other use.
fn only_added(func: &LoopFunc, facts: &AliasInfo, l: &For, sums: &Sums, buffer: LocalId) -> bool {
    l.body.iter().all(|stmt| match stmt {
        Stmt::Let { local, expr: Expr::Load(..) } if sums.olds.contains(local) => true,
        Stmt::Store { value: Operand::Local(total), .. } if sums.totals.contains(total) => true,
        Stmt::Set { local, value } if *value == Operand::Local(buffer) => func.locals[*local].mutable,
        _ => !names(facts, stmt, &[buffer]),
    })
}

/// How often iterations read a local. The combination of chunks runs once per chunk, and does not count.
fn count(stmts: &[Stmt], local: LocalId) -> usize {
    let one = |stmt: &Stmt| -> usize {
        let own = stmt.reads().into_iter().filter(|&o| o == Operand::Local(local)).count();
        let blocks = match stmt {
            Stmt::For(l) => vec![l.body.as_slice()],
            _ => stmt.blocks(),
        };
        own + blocks.into_iter().map(|block| count(block, local)).sum::<usize>()
    };
    stmts.iter().map(one).sum()
}
