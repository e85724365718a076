//! Array short-circuiting, as Futhark calls it: a state that each iteration copies into its tape is built there
//! directly.
//!
//! ```text
//! let us = alloc [steps, n]                     let us = alloc [steps + 1, n]
//! var u.state = x                               for k < n { store us.data[k] = load x.data[k] }
//! var us.state = us                             var us.state = us
//! for t < steps {                               for t < steps {
//!   let u = u.state                               let r = unique us.state
//!   let r = unique us.state                       let u.data = offset r.data[t.step]
//!   for j < n {                                   let v.data = offset r.data[t.step + n]
//!     store r.data[t.step + j] = load u[j]  ==>   .. v.data from u.data ..
//!   }                                             set us.state = r
//!   let v = alloc [n]                           }
//!   .. v from u ..                              let last.data = offset us.data[steps * n]
//!   release u
//!   set u.state = v
//!   set us.state = r
//! }
//! let last = u.state
//! ```
//!
//! An iteration writes one array instead of two, and reads one less.
//!
//! - **Where.** The tape is made in front of the loop, with as many rows as there are iterations; the state's copy is a
//!   nest of its own; after the loop, elements of the last state and of the tape are read, and neither is used in any
//!   other way.
//! - **Sound**, as an iteration reads the row of its index, and writes the next.
//! - **Cost.** One walk over the rest of the block for each array that is made.
//!
//! Of the workloads that it was measured on, it is worth something on `lstm` alone (docs/ablation.md).

use crate::analysis::alias::AliasInfo;
use crate::dead_fills::{fills_row, names};
use crate::fresh::Fresh;
use crate::reuse_buffers::readdress;
use crate::{Expr, For, LocalId, LoopFunc, Operand, SpanId, Stmt, Ty, any_stmt, captures};
use arr_ir::{Const, Prim, Scalar};

/// Applies the transformation wherever possible.
pub(crate) fn short_circuit(func: &mut LoopFunc) {
    let mut body = std::mem::take(&mut func.body);
    let facts = AliasInfo::of(func, &body);
    let changed = block(func, &facts, &mut body);
    func.body = body;
    if changed {
        crate::dead::remove(func);
    }
}

fn block(func: &mut LoopFunc, facts: &AliasInfo, stmts: &mut Vec<Stmt>) -> bool {
    let mut changed = false;
    for at in 0..stmts.len() {
        stmts.get_mut(at).into_iter().flat_map(Stmt::bodies_mut).for_each(|body| changed |= block(func, facts, body));
    }
    let mut at = 0;
    while at < stmts.len() {
        if let Some(found) = find(func, facts, stmts, at) {
            *stmts = found.apply(func, facts, stmts);
            changed = true;
        }
        at += 1;
    }
    changed
}

/// A tape, and the state that is copied into it.
struct Found {
    /// The positions of the tape's allocation, the state's declaration, and the loop.
    made: usize,
    declared: usize,
    looped: usize,
    tape: LocalId,
    /// The mutable local of the state, and its initial value.
    state: LocalId,
    first: LocalId,
    /// In an iteration: the state, the tape before and after it is made unique, the next state, and the nest that copies.
    old: LocalId,
    before: LocalId,
    unique: LocalId,
    span: SpanId,
    next: LocalId,
    copies: usize,
    /// The index times the length of a row.
    induction: LocalId,
    row: Operand,
    /// After the loop.
    last: LocalId,
    whole: LocalId,
}

/// The local that is bound to a snapshot of a mutable one in a block, if there is exactly one.
fn snapshot(stmts: &[Stmt], of: LocalId) -> Option<LocalId> {
    let mut all = stmts.iter().filter_map(|s| match s {
        Stmt::Let { local, expr: Expr::Copy(Operand::Local(l)) } if *l == of => Some(*local),
        _ => None,
    });
    all.next().filter(|_| all.next().is_none())
}

fn find(func: &LoopFunc, facts: &AliasInfo, stmts: &[Stmt], made: usize) -> Option<Found> {
    let Stmt::Alloc { local: tape, dims, .. } = stmts.get(made)? else { return None };
    let (tape, (extent, others)) = (*tape, dims.split_first().filter(|(_, others)| !others.is_empty())?);
    let rest = stmts.get(made + 1..)?;
    // The one state that begins with the tape; nothing else uses it.
    let mut known = rest.iter().enumerate().filter(|(_, s)| names(facts, s, &[tape]));
    let (at, Stmt::Var { local: tapes, init: Some(_) }) = known.next()? else { return None };
    let is_loop = |s: &Stmt| matches!(s, Stmt::For(_)) && names(facts, s, &[*tapes]);
    let looped = made + 1 + at + 1 + rest.get(at + 1..)?.iter().position(is_loop)?;
    let Stmt::For(l) = stmts.get(looped)? else { return None };
    if known.next().is_some() || is_result(func, tape) || !l.is_source() || l.reverse || l.extent != *extent {
        return None;
    }
    let before = snapshot(&l.body, *tapes)?;
    let (unique, span) = l.body.iter().find_map(|s| match s {
        Stmt::MakeUnique { local, buffer, span } if *buffer == before => Some((*local, *span)),
        _ => None,
    })?;
    let copies = l.body.iter().position(|s| fills_row(facts, s, l, unique, others))?;
    let (old, induction) = copied(facts, l, l.body.get(copies)?, unique)?;
    let state = l.body.iter().find_map(|s| match s {
        Stmt::Let { local, expr: Expr::Copy(Operand::Local(state)) } if *local == old => Some(*state),
        _ => None,
    })?;
    let row = l.inductions.iter().find(|i| i.local == induction)?.step;
    let next = l.body.iter().find_map(|s| match s {
        Stmt::Set { local, value: Operand::Local(value) } if *local == state => Some(*value),
        _ => None,
    })?;
    let (declared, first) = stmts.get(..looped)?.iter().enumerate().find_map(|(k, s)| match s {
        Stmt::Var { local, init: Some(Operand::Local(first)) } if *local == state => Some((k, *first)),
        _ => None,
    })?;
    let after = stmts.get(looped + 1..)?;
    let (last, whole) = (snapshot(after, state)?, snapshot(after, *tapes)?);
    let found = Found {
        made,
        declared,
        looped,
        tape,
        state,
        first,
        old,
        before,
        unique,
        span,
        next,
        copies,
        induction,
        row,
        last,
        whole,
    };
    (found.is_body(func, facts, l, (*tapes, others)) && found.is_rest(func, facts, stmts, *tapes)).then_some(found)
}

fn is_result(func: &LoopFunc, local: LocalId) -> bool {
    func.outputs.iter().any(|o| o.value == Operand::Local(local))
}

/// The buffer that a nest copies into a row of another, and the induction that selects the row.
fn copied(facts: &AliasInfo, l: &For, nest: &Stmt, into: LocalId) -> Option<(LocalId, LocalId)> {
    let (mut load, mut store) = (None, None);
    let mut at = vec![nest];
    while let Some(stmt) = at.pop() {
        match stmt {
            Stmt::For(inner) => at.extend(&inner.body),
            Stmt::Let { expr: Expr::Offset(..), .. } => {}
            Stmt::Let { local, expr: Expr::Load(address, offset) } if load.is_none() => {
                load = Some((*local, places(facts, *address, *offset)?));
            }
            Stmt::Store { address, offset, value } if store.is_none() => {
                store = Some((*value, places(facts, *address, *offset)?));
            }
            _ => return None,
        }
    }
    let ((loaded, (from, offsets)), (stored, (to, mut row))) = (load?, store?);
    let is_induction = |o: &Operand| l.inductions.iter().any(|i| Operand::Local(i.local) == *o);
    let Operand::Local(induction) = row.remove(row.iter().position(is_induction)?) else { return None };
    let same = row.len() == offsets.len() && offsets.iter().all(|o| row.contains(o));
    // Its only inputs from outside are the first elements of both, so that it can run elsewhere.
    let Stmt::For(l) = nest else { return None };
    let starts = captures(l).into_iter().filter_map(|a| facts.place(a)).all(|(b, offsets)| match offsets.as_slice() {
        [] => b == from,
        [only] => b == into && *only == Operand::Local(induction),
        _ => false,
    });
    let same = same && starts;
    (Operand::Local(loaded) == stored && to == into && from != into && same).then_some((from, induction))
}

/// The buffer of an element, and the summands on top of the address of its first one.
fn places(facts: &AliasInfo, address: LocalId, offset: Operand) -> Option<(LocalId, Vec<Operand>)> {
    let (buffer, mut offsets) = facts.place(address)?;
    offsets.push(offset);
    offsets.retain(|o| o.as_int() != Some(0));
    Some((buffer, offsets))
}

/// Whether a statement uses a buffer only to read, or write, elements in loops.
fn only_elements(facts: &AliasInfo, stmt: &Stmt, buffer: LocalId) -> bool {
    match stmt {
        Stmt::Let { expr: Expr::Load(..), .. } | Stmt::Store { .. } => true,
        Stmt::For(_) | Stmt::While(_) | Stmt::If { .. } => {
            stmt.blocks().into_iter().flatten().all(|s| only_elements(facts, s, buffer))
        }
        _ => !names(facts, stmt, &[buffer]),
    }
}

impl Found {
    /// Whether the loop uses the state and the tape in no other way.
    fn is_body(&self, func: &LoopFunc, facts: &AliasInfo, l: &For, (tapes, others): (LocalId, &[Operand])) -> bool {
        let (mut released, mut made) = (0, 0);
        let fits = l.body.iter().enumerate().all(|(k, stmt)| match stmt {
            _ if k == self.copies => true,
            Stmt::Let { local, expr: Expr::Copy(_) } if *local == self.old || *local == self.before => true,
            Stmt::MakeUnique { local, .. } if *local == self.unique => true,
            Stmt::Release(b) if *b == self.old => {
                released += 1;
                true
            }
            Stmt::Alloc { local, dims, .. } if *local == self.next => {
                made += 1;
                dims == others
            }
            Stmt::Set { local, value } if *local == tapes => *value == Operand::Local(self.unique),
            Stmt::Set { local, .. } if *local == self.state => true,
            _ => {
                let elements = [self.old, self.next].into_iter().all(|b| only_elements(facts, stmt, b));
                elements && !names(facts, stmt, &[self.before, self.unique, self.state, tapes])
            }
        });
        let sets = |of: LocalId| l.body.iter().filter(|s| matches!(s, Stmt::Set { local, .. } if *local == of)).count();
        let same = func.ty(self.old) == func.ty(self.unique) && func.ty(self.next) == func.ty(self.unique);
        fits && same && released == 1 && made == 1 && sets(self.state) == 1 && sets(tapes) == 1
    }

    /// Whether the code after the loop only reads elements, those of the last state before the tape is released, and
    /// nothing reads the previous state.
    fn is_rest(&self, func: &LoopFunc, facts: &AliasInfo, stmts: &[Stmt], tapes: LocalId) -> bool {
        let between = stmts.iter().take(self.looped).enumerate().all(|(k, stmt)| {
            let here = k == self.declared || matches!(stmt, Stmt::Var { local, .. } if *local == tapes);
            here || !names(facts, stmt, &[self.state, tapes])
        });
        let (mut known, mut given_up, mut last) = (false, false, 0);
        let fits = stmts.iter().skip(self.looped + 1).all(|stmt| match stmt {
            Stmt::Let { local, expr: Expr::Copy(_) } if *local == self.last => true,
            Stmt::Let { local, expr: Expr::Copy(_) } if *local == self.whole => {
                known = true;
                true
            }
            Stmt::Let { expr: Expr::BaseAddr(b), .. } if *b == self.last => known,
            Stmt::Release(b) if *b == self.last => {
                last += 1;
                !given_up
            }
            Stmt::Release(b) if *b == self.whole => {
                given_up = true;
                last == 1
            }
            _ => {
                let elements = [self.last, self.whole].into_iter().all(|b| only_elements(facts, stmt, b));
                elements && !names(facts, stmt, &[self.state, tapes])
            }
        });
        let has_inner =
            stmts.iter().skip(self.looped + 1).flat_map(Stmt::blocks).flatten().any(|s| has_data(s, self.last));
        let results = [self.last, self.whole, self.first].into_iter().any(|b| is_result(func, b));
        between && fits && given_up && last == 1 && !has_inner && !results
    }

    fn apply(self, func: &mut LoopFunc, facts: &AliasInfo, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut rows = RowWriter { fresh: Fresh::of(func), func };
        let mut out = Vec::new();
        let mut extent = Operand::int(0);
        for (k, stmt) in stmts.iter().enumerate() {
            match stmt {
                Stmt::Alloc { local, dims, span } if k == self.made => {
                    let Some((&tapes, rest)) = dims.split_first() else {
                        return rows.func.broken(out, "a tape of states has no axis");
                    };
                    extent = tapes;
                    let count = rows.one_more(extent, &mut out);
                    let dims = [count].into_iter().chain(rest.iter().copied()).collect();
                    out.push(Stmt::Alloc { local: *local, dims, span: *span });
                }
                _ if k == self.declared => {}
                Stmt::For(l) if k == self.looped => {
                    self.first_row(&mut rows, facts, l, &mut out);
                    let body = self.iteration(&mut rows, l);
                    out.push(Stmt::For(Box::new(For { body, ..(**l).clone() })));
                }
                Stmt::Let { local, expr: Expr::Copy(_) } if *local == self.last => {}
                Stmt::Let { local, expr: Expr::BaseAddr(b) } if *b == self.last => {
                    let base = rows.data(self.whole, &mut out);
                    let count = rows.int(Prim::Max, extent, Operand::int(0), &mut out);
                    let by = rows.int(Prim::Mul, count, self.row, &mut out);
                    out.push(Stmt::Let { local: *local, expr: Expr::Offset(base, by) });
                }
                Stmt::Release(b) if *b == self.last => {}
                _ => out.push(stmt.clone()),
            }
        }
        out
    }

    /// Copies the initial state into the first row, with the nest that did so in each iteration.
    fn first_row(&self, rows: &mut RowWriter<'_>, facts: &AliasInfo, l: &For, out: &mut Vec<Stmt>) {
        let (from, to) = (rows.data(self.first, out), rows.data(self.tape, out));
        if let Some(Stmt::For(nest)) = l.body.get(self.copies) {
            let mut nest = nest.clone();
            let rooted = |a: LocalId| facts.place(a).map(|(b, _)| if b == self.old { (a, from) } else { (a, to) });
            let names = addresses(rows.func, &nest).into_iter().filter_map(rooted).collect();
            readdress(&mut nest.body, names);
            out.push(Stmt::For(nest));
        }
        out.push(Stmt::Release(self.first));
    }

    /// The body of the loop, in which both states are rows of the tape.
    fn iteration(&self, rows: &mut RowWriter<'_>, l: &For) -> Vec<Stmt> {
        let mut out = Vec::new();
        let taken = |s: &&Stmt| matches!(s, Stmt::Let { local, .. } if *local == self.before);
        out.extend(l.body.iter().filter(taken).cloned());
        out.push(Stmt::MakeUnique { local: self.unique, buffer: self.before, span: self.span });
        let from = rows.data(self.unique, &mut out);
        // Under another name: it is another row.
        out.push(Stmt::Let { local: self.next, expr: Expr::Copy(self.unique.into()) });
        let to = rows.data(self.next, &mut out);
        let to = rows.offset(to, self.induction.into(), &mut out);
        for (k, stmt) in l.body.iter().enumerate() {
            match stmt {
                _ if k == self.copies || taken(&stmt) => {}
                Stmt::Let { local, .. } if *local == self.old => {}
                Stmt::MakeUnique { local, .. } if *local == self.unique => {}
                Stmt::Alloc { local, .. } if *local == self.next => {}
                Stmt::Release(b) if *b == self.old => {}
                Stmt::Set { local, .. } if *local == self.state => {}
                _ => {
                    let mut stmt = stmt.clone();
                    self.place(std::slice::from_mut(&mut stmt), (from, to));
                    out.push(stmt);
                }
            }
        }
        out
    }

    /// Replaces the addresses of the states' first elements by those of rows.
    fn place(&self, stmts: &mut [Stmt], rows: (LocalId, LocalId)) {
        for stmt in stmts {
            match stmt {
                Stmt::Let { expr, .. } if *expr == Expr::BaseAddr(self.old) => {
                    *expr = Expr::Offset(rows.0, self.induction.into());
                }
                Stmt::Let { expr, .. } if *expr == Expr::BaseAddr(self.next) => *expr = Expr::Offset(rows.1, self.row),
                _ => stmt.bodies_mut().into_iter().for_each(|body| self.place(body, rows)),
            }
        }
    }
}

/// The addresses from outside that a nest uses.
fn addresses(func: &LoopFunc, nest: &For) -> Vec<LocalId> {
    captures(nest).into_iter().filter(|&a| matches!(func.ty(a), Ty::Address(_))).collect()
}

/// Whether a statement, or one inside, takes the address of a buffer's elements.
fn has_data(stmt: &Stmt, buffer: LocalId) -> bool {
    let asks = |stmt: &Stmt| matches!(stmt, Stmt::Let { expr: Expr::BaseAddr(b), .. } if *b == buffer);
    any_stmt(std::slice::from_ref(stmt), &asks)
}

/// Emits the addresses of rows.
struct RowWriter<'f> {
    func: &'f mut LoopFunc,
    fresh: Fresh,
}

impl RowWriter<'_> {
    fn int(&mut self, prim: Prim, a: Operand, b: Operand, out: &mut Vec<Stmt>) -> Operand {
        let constants = [a, b].map(|o| o.as_int());
        if let [Some(a), Some(b)] = constants
            && let Some(Const::I64(folded)) = prim.eval(&[Const::I64(a), Const::I64(b)])
        {
            return Operand::int(folded);
        }
        let local = self.fresh.local(self.func, "rows", Ty::Scalar(Scalar::I64), false);
        out.push(Stmt::Let { local, expr: Expr::Prim(prim, vec![a, b]) });
        local.into()
    }

    /// A number of rows plus one, if it is not negative. One that is too large stays so.
    fn one_more(&mut self, count: Operand, out: &mut Vec<Stmt>) -> Operand {
        let count = self.int(Prim::Max, count, Operand::int(0), out);
        let count = self.int(Prim::Min, count, Operand::int(i64::MAX - 1), out);
        self.int(Prim::Add, count, Operand::int(1), out)
    }

    fn data(&mut self, buffer: LocalId, out: &mut Vec<Stmt>) -> LocalId {
        let hint = format!("{}.rows", self.func.locals[buffer].name);
        let local = self.fresh.local(self.func, &hint, Ty::Address(self.func.ty(buffer).elem()), false);
        out.push(Stmt::Let { local, expr: Expr::BaseAddr(buffer) });
        local
    }

    fn offset(&mut self, address: LocalId, by: Operand, out: &mut Vec<Stmt>) -> LocalId {
        let info = self.func.locals[address].clone();
        let local = self.fresh.local(self.func, &info.name, info.ty, false);
        out.push(Stmt::Let { local, expr: Expr::Offset(address, by) });
        local
    }
}
