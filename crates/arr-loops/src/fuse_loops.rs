//! Loop fusion: neighbouring loops over one range become one.
//!
//! ```text
//! for i < n parallel {                          for i < n parallel {
//!   let t = ..                                    let t = ..
//!   store a.data[i] = t                           store a.data[i] = t
//! }                                               let u = add sum, t
//! var sum = 0.0                         ==>       set sum = u
//! for k < n parallel {                          } combine sum ..
//!   let a = load a.data[k]
//!   let u = add sum, a
//!   set sum = u
//! } combine sum ..
//! ```
//!
//! Fusion of kernels turns a kernel into one array or one number; an array that is stored because others need it too is
//! read again by its sum. On loops, one pass over the memory serves both.
//!
//! - **Where.** Two loops of one extent, both unordered or both ordered, that share a buffer. Statements between them
//!   go before the first, or after the second.
//! - **Sound** if no iteration of one reads what another iteration of the other writes. Each writes only its own
//!   places: the element at its index, or a row as long as the step of its address. Of buffers that are written in
//!   either, both may touch only their iteration's own place; other buffers do not alias, as those that are written
//!   were made here.
//! - **Left alone.** Loops that can fail or have branches: fusion would change the order of failures and make
//!   vectorisation less likely. So are those of anything but floats of one type.
//! - **Cost.** One walk over the statements for each pair of neighbours.

use crate::analysis::accesses::Accesses;
use crate::analysis::alias::AliasInfo;
use crate::{Expr, For, LocalId, LoopFunc, Operand, Parallel, Stmt, Ty, captures, has_trace};
use std::collections::{HashMap, HashSet};

/// Pairs of loops with more statements than this are left alone: their values would not fit in registers.
const MOST_STATEMENTS: usize = 48;

/// Unless one of them has so few that it takes no registers of its own: it keeps what the other computes with.
const FEW_STATEMENTS: usize = 4;

/// A row of fewer elements ends in the first vectors that are written, under a mask; a load of it waits until the
/// stores have reached the cache.
const SHORT_ROW: i64 = 16;

/// Fuses the loops of a function wherever possible.
pub(crate) fn fuse_loops(func: &mut LoopFunc) {
    let mut body = std::mem::take(&mut func.body);
    let mut facts = AliasInfo::of(func, &body);
    block(func, &mut facts, &mut body);
    func.body = body;
    crate::dead::remove(func);
}

fn block(func: &LoopFunc, facts: &mut AliasInfo, stmts: &mut Vec<Stmt>) {
    let mut at = 0;
    while at < stmts.len() {
        let mut grown = false;
        while let Some(joined) = neighbour(func, facts, stmts, at) {
            *stmts = joined;
            grown = true;
            // Statements between the two may have come before.
            while !matches!(stmts.get(at), Some(Stmt::For(_))) {
                at += 1;
            }
            // Addresses of the second loop now move with the first one's index.
            stmts.get(at).into_iter().for_each(|l| facts.bind(std::slice::from_ref(l)));
        }
        stmts.get_mut(at).into_iter().flat_map(Stmt::bodies_mut).for_each(|body| block(func, facts, body));
        // The loop before may now share a buffer with it.
        let before = |at| stmts.iter().take(at).rposition(|s| matches!(s, Stmt::For(_)));
        at = if grown { before(at).unwrap_or(at + 1) } else { at + 1 };
    }
}

/// The block after fusion of the loop at a position with the next one, if possible.
fn neighbour(func: &LoopFunc, facts: &AliasInfo, stmts: &[Stmt], at: usize) -> Option<Vec<Stmt>> {
    let Stmt::For(first) = stmts.get(at)? else { return None };
    let other = |s: &Stmt| matches!(s, Stmt::For(l) if !only_checks(&l.body));
    let next = at + 1 + stmts.get(at + 1..)?.iter().position(other)?;
    let Stmt::For(second) = stmts.get(next)? else { return None };
    let alike = first.extent == second.extent && first.parallel.is_some() == second.parallel.is_some();
    let whole =
        |l: &For| l.parallel.as_ref().is_none_or(|p| p.added.is_empty() && !p.allocates && p.disjoint_if.is_none());
    let plain = |l: &For| !l.reverse && !l.is_source() && l.scan.is_none() && whole(l);
    let shown = |l: &For| has_trace(&l.body) || has_trace(stmts.get(at + 1..next).unwrap_or_default());
    if !alike || !plain(first) || !plain(second) || shown(first) || shown(second) {
        return None;
    }
    let (a, b) = (Accesses::of(func, facts, first)?, Accesses::of(func, facts, second)?);
    // Vectors hold floats of one type.
    let wide = a.types.len() == 1 && a.types == b.types && a.types.iter().all(|t| t.is_float());
    let long = a.statements + b.statements > MOST_STATEMENTS && a.statements.min(b.statements) > FEW_STATEMENTS;
    if !wide || long || !independent(facts, &a, &b) || waits(facts, first, second) {
        return None;
    }
    let wanted: HashSet<LocalId> = captures(second).into_iter().collect();
    // A sum of the first loop is known only after it; the first does not know a sum of the second.
    let early = captures(first);
    if wanted.iter().chain(&b.sets).any(|l| a.sets.contains(l)) || early.iter().any(|l| b.sets.contains(l)) {
        return None;
    }
    let (before, after) = apart(func, facts, stmts.get(at + 1..next)?, (&a, &b), &wanted, second)?;
    let joined = merged(facts, first, second);
    let (head, tail) = (stmts.get(..at)?, stmts.get(next + 1..)?);
    let middle = before.into_iter().chain([Stmt::For(Box::new(joined))]).chain(after);
    Some(head.iter().cloned().chain(middle).chain(tail.iter().cloned()).collect())
}

/// Whether the second loop would wait for short rows that the first has just written: it reads them again together with
/// the first one's result about each. Otherwise the short loops become one, and nothing is read again.
fn waits(facts: &AliasInfo, first: &For, second: &For) -> bool {
    let buffer = |address: &LocalId| facts.place(*address).map(|(buffer, _)| buffer);
    let about = first.body.iter().filter_map(|stmt| match stmt {
        Stmt::Store { address, .. } => buffer(address),
        _ => None,
    });
    let about: Vec<LocalId> = about.collect();
    let asks = captures(second).iter().filter_map(buffer).any(|b| about.contains(&b));
    let (mut stored, mut loaded) = (Vec::new(), Vec::new());
    short_rows(facts, &first.body, true, &mut stored);
    short_rows(facts, &second.body, false, &mut loaded);
    asks && stored.iter().any(|buffer| loaded.contains(buffer))
}

/// The buffers that short loops in a loop store to, or load from.
fn short_rows(facts: &AliasInfo, body: &[Stmt], stored: bool, found: &mut Vec<LocalId>) {
    let inner = body.iter().filter_map(|stmt| if let Stmt::For(l) = stmt { Some(l) } else { None });
    for l in inner.filter(|l| l.extent.as_int().is_some_and(|n| n < SHORT_ROW)) {
        let addresses = l.body.iter().filter_map(|stmt| match stmt {
            Stmt::Store { address, .. } if stored => Some(*address),
            Stmt::Let { expr: Expr::Load(address, _), .. } if !stored => Some(*address),
            _ => None,
        });
        found.extend(addresses.filter_map(|address| Some(facts.place(address)?.0)));
    }
}

/// Whether iterations of either loop touch nothing that another iteration of the other writes, and both touch
/// something.
fn independent(facts: &AliasInfo, a: &Accesses, b: &Accesses) -> bool {
    let mut common = false;
    for x in &a.list {
        for y in &b.list {
            if !facts.may_alias(x.buffer, y.buffer) {
                continue;
            }
            common = true;
            let same_place = x.buffer == y.buffer && x.own.is_some() && x.own == y.own;
            if (x.stored || y.stored) && !same_place {
                return false;
            }
        }
    }
    common
}

/// Whether a loop consists of checks only.
fn only_checks(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::Let { expr, .. } => !matches!(expr, Expr::Literal(_)),
        Stmt::Check { .. } => true,
        Stmt::For(l) => !l.is_source() && only_checks(&l.body),
        _ => false,
    })
}

/// The statements between two loops, divided into those that can run before both and those after.
fn apart(
    func: &LoopFunc,
    facts: &AliasInfo,
    between: &[Stmt],
    (a, b): (&Accesses, &Accesses),
    wanted: &HashSet<LocalId>,
    second: &For,
) -> Option<(Vec<Stmt>, Vec<Stmt>)> {
    let (mut before, mut after): (Vec<Stmt>, Vec<Stmt>) = (Vec::new(), Vec::new());
    // Bound only after the second loop.
    let mut late: HashSet<LocalId> = a.sets.clone();
    for stmt in between {
        match stmt {
            Stmt::Release(buffer) if matches!(func.ty(*buffer), Ty::Buffer(_)) => after.push(stmt.clone()),
            stmt if runs_before(facts, stmt, a, &late) => before.push(stmt.clone()),
            Stmt::Let { local, expr } if !is_load(expr) => {
                // A snapshot of a local that the second loop changes would differ.
                let changed = expr.operands().iter().any(|o| matches!(o, Operand::Local(l) if b.sets.contains(l)));
                if changed || wanted.contains(local) || second.extent == Operand::Local(*local) {
                    return None;
                }
                late.insert(*local);
                after.push(stmt.clone());
            }
            _ => return None,
        }
    }
    // A buffer that dies between the loops may share the memory that is made unique: it would be copied for nothing.
    let dies = after.iter().any(|s| matches!(s, Stmt::Release(_)));
    let unique = before.iter().any(|s| matches!(s, Stmt::MakeUnique { .. }));
    (!(dies && unique)).then_some((before, after))
}

fn is_load(expr: &Expr) -> bool {
    matches!(expr, Expr::Load(..) | Expr::Literal(_))
}

/// Whether a statement between two loops can run before the first, which accesses `a`. `late` are locals that are bound
/// or changed only later.
fn runs_before(facts: &AliasInfo, stmt: &Stmt, a: &Accesses, late: &HashSet<LocalId>) -> bool {
    let stored = |buffer: LocalId| a.list.iter().any(|u| u.stored && facts.may_alias(u.buffer, buffer));
    let is_late = |o: &Operand| matches!(o, Operand::Local(l) if late.contains(l));
    match stmt {
        Stmt::Let { expr, .. } => !is_load(expr) && !expr.operands().iter().any(is_late),
        Stmt::Var { init, .. } => !init.as_ref().is_some_and(is_late),
        Stmt::Alloc { dims, .. } => !dims.iter().any(is_late),
        // Loops to be fused cannot fail, so this may fail before them. It reads nothing that the first writes.
        Stmt::For(l) if only_checks(&l.body) => {
            let reads = captures(l);
            let buffer = |l: &LocalId| facts.place(*l).map(|(buffer, _)| buffer);
            !reads.iter().any(|l| late.contains(l)) && !reads.iter().filter_map(buffer).any(stored)
        }
        // If there are other references to the buffer, this copies it. It gives up the reference by which the first may
        // read it.
        Stmt::MakeUnique { buffer, .. } => {
            !stored(*buffer) && !a.list.iter().any(|u| facts.is_name_of(u.buffer, *buffer))
        }
        _ => false,
    }
}

/// The second loop's statements after the first's, in one loop. Whatever the first stores to a place, or loads from it,
/// is not loaded again.
pub(crate) fn merged(facts: &AliasInfo, first: &For, second: &For) -> For {
    let mut joined = first.clone();
    let mut names: Names = HashMap::from([(second.index, first.index.into())]);
    for induction in &second.inductions {
        match joined.inductions.iter().find(|i| i.step == induction.step) {
            Some(same) => drop(names.insert(induction.local, same.local.into())),
            None => joined.inductions.push(induction.clone()),
        }
    }
    let mut held: Vec<(LocalId, Operand, Operand)> = Vec::new();
    let forget = |held: &mut Vec<(LocalId, Operand, Operand)>, address: LocalId| {
        held.retain(|&(a, ..)| !same_buffer(facts, a, address));
    };
    for stmt in &first.body {
        match stmt {
            Stmt::Store { address, offset, value } => {
                forget(&mut held, *address);
                let fixed = |o: &Operand| !matches!(o, Operand::Local(l) if !facts.exprs.contains_key(l));
                if fixed(value) {
                    held.push((*address, *offset, *value));
                }
            }
            Stmt::Let { local, expr: Expr::Load(address, offset) } => held.push((*address, *offset, (*local).into())),
            Stmt::For(_) => held.clear(),
            _ => {}
        }
    }
    for stmt in &second.body {
        let mut stmt = stmt.clone();
        rename(&mut stmt, &names);
        match &stmt {
            Stmt::Let { local, expr: Expr::Load(address, offset) } => {
                let same =
                    |a: LocalId| a == *address || facts.place(a).is_some_and(|p| facts.place(*address) == Some(p));
                let known = held.iter().find(|(a, o, _)| o == offset && same(*a));
                if let Some(&(.., value)) = known {
                    names.insert(*local, value);
                    continue;
                }
            }
            Stmt::Store { address, .. } => forget(&mut held, *address),
            Stmt::For(_) => held.clear(),
            _ => {}
        }
        joined.body.push(stmt);
    }
    if let (Some(parallel), Some(other)) = (&mut joined.parallel, &second.parallel) {
        let Parallel { partials, combine, .. } = other.clone();
        parallel.partials.extend(partials);
        parallel.combine.extend(combine);
    }
    joined
}

/// The present names of locals.
type Names = HashMap<LocalId, Operand>;

fn rename(stmt: &mut Stmt, names: &Names) {
    let operand = |o: &mut Operand| {
        if let Operand::Local(l) = o {
            *o = names.get(l).copied().unwrap_or(*o);
        }
    };
    match stmt {
        Stmt::Let { expr, .. } => match expr {
            Expr::Prim(_, args) => args.iter_mut().for_each(operand),
            Expr::Copy(a) | Expr::Offset(_, a) | Expr::Load(_, a) => operand(a),
            Expr::BaseAddr(_) | Expr::Len(_) | Expr::Literal(_) => {}
        },
        Stmt::Var { init, .. } => init.iter_mut().for_each(operand),
        Stmt::Set { value, .. } => operand(value),
        Stmt::Store { offset, value, .. } => [offset, value].into_iter().for_each(operand),
        Stmt::For(l) => {
            operand(&mut l.extent);
            l.inductions.iter_mut().for_each(|i| operand(&mut i.step));
            l.body.iter_mut().for_each(|stmt| rename(stmt, names));
        }
        // Fused loops contain no others.
        _ => {}
    }
}

fn same_buffer(facts: &AliasInfo, a: LocalId, b: LocalId) -> bool {
    match (facts.place(a), facts.place(b)) {
        (Some((a, _)), Some((b, _))) => facts.may_alias(a, b),
        _ => true,
    }
}
