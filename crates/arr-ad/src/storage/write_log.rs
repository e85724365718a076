//! The write log of array states that a loop updates in place, known as an undo log.
//!
//! Keeping such a state whole for every iteration would cost more than the loop itself. Instead, the elements that each
//! write overwrites are kept, and the reverse sweep undoes the writes (`undo`), starting at the last state; the writes of
//! a branch where it was taken. Nothing is recomputed, so that the states come back bit for bit.
//!
//! An iteration may update the state in loops of its own. What these overwrite is stored in arrays over all the loops,
//! which the loops inside hand on as states: an iteration stores to them in place.

use crate::analysis::index::Defs;
use crate::analysis::update_chains::{Link, Update, bound_inside};
use crate::code::CodeBuilder;
use crate::storage::nested::Nested;
use crate::storage::states::{Stores, store, store_row};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Stmt, VarId};
use rustc_hash::FxHashSet;

/// One update of a state in an iteration.
pub(crate) enum LogEntry {
    /// A write, over its own axes.
    Write { axes: Vec<Axis>, guard: Logged, index: Vec<Logged>, old: Logged },
    /// The updates of the branch that is taken.
    Branch { cond: Logged, then: Vec<LogEntry>, other: Vec<LogEntry> },
    /// The updates of a loop inside the iteration.
    Loop { axis: Axis, reverse: bool, updates: Vec<LogEntry> },
}

/// Where the reverse sweep finds a value of an iteration.
pub(crate) enum Logged {
    /// Recomputed from the indices of the loops and the write's axes.
    Again(Poly),
    Constant(Atom),
    /// In this variable, which is still to be stored.
    Value(VarId),
    /// In an array that loops inside the iteration store to: the variable that they start from, and the one after them.
    Carried {
        before: VarId,
        after: VarId,
    },
    /// In this array, after the loop.
    Stored(VarId),
}

impl LogEntry {
    /// All values that the update keeps.
    fn kept(&mut self) -> Vec<&mut Logged> {
        match self {
            LogEntry::Write { guard, index, old, .. } => std::iter::once(guard).chain(index).chain([old]).collect(),
            LogEntry::Branch { cond, then, other, .. } => {
                let inner = then.iter_mut().chain(other).flat_map(LogEntry::kept);
                std::iter::once(cond).chain(inner).collect()
            }
            LogEntry::Loop { updates, .. } => updates.iter_mut().flat_map(LogEntry::kept).collect(),
        }
    }
}

/// Writes the statements of a loop's body, with code that stores the elements that each update overwrites, over `axis`.
/// The zero-filled arrays that the loop starts from go to `outside`. Returns the log of each chain, from the first
/// update to the last.
pub(crate) fn record(
    code: &mut CodeBuilder<'_>,
    outside: &mut Vec<Stmt>,
    (axis, body): (Axis, &Block),
    chains: &[Option<Vec<Link>>],
    (nested, stores): (&mut Nested, &mut Stores),
) -> Vec<Vec<LogEntry>> {
    let bound = bound_inside(axis, body);
    let mut recorder = Recorder { loops: vec![axis], bound, nested };
    let chains: Vec<&[Link]> = chains.iter().map(|c| c.as_deref().unwrap_or_default()).collect();
    let mut logs = recorder.stmts(code, body.stmts.clone(), &chains, &[]);
    for kept in logs.iter_mut().flatten().flat_map(LogEntry::kept) {
        match *kept {
            Logged::Value(v) => *kept = Logged::Stored(store(code, outside, axis, v, stores)),
            Logged::Carried { before, after } => {
                recorder.nested.add_log([before]);
                *kept = Logged::Stored(stores.hand_on(code, outside, before, after));
            }
            Logged::Again(_) | Logged::Constant(_) | Logged::Stored(_) => {}
        }
    }
    logs
}

struct Recorder<'a> {
    /// The loops around the code that is written, as axes over which its log is stored.
    loops: Vec<Axis>,
    /// The variables that an iteration binds.
    bound: FxHashSet<VarId>,
    nested: &'a mut Nested,
}

impl Recorder<'_> {
    /// Writes the statements of one block, and returns the log of each chain that goes through it.
    fn stmts(
        &mut self,
        code: &mut CodeBuilder<'_>,
        stmts: Vec<Stmt>,
        chains: &[&[Link]],
        around: &[Stmt],
    ) -> Vec<Vec<LogEntry>> {
        let known: Vec<Stmt> = around.iter().chain(&stmts).cloned().collect();
        let mut logs: Vec<Vec<LogEntry>> = chains.iter().map(|_| Vec::new()).collect();
        for (at, stmt) in stmts.into_iter().enumerate() {
            let own: Vec<Option<&Link>> = chains.iter().map(|c| c.iter().find(|link| link.at == at)).collect();
            match own.iter().flatten().next().map(|link| &link.update) {
                Some(Update::Branch(_)) => {
                    self.branch(code, stmt, &own, &known, &mut logs);
                    continue;
                }
                Some(Update::Loop(..)) => {
                    self.inner_loop(code, stmt, &own, &known, &mut logs);
                    continue;
                }
                Some(Update::Write) | None => {}
            }
            // An index out of bounds is found when the old element is read, so that this read has the span of the
            // write.
            let outer = code.span;
            code.span = stmt.span.or(outer);
            for (link, log) in own.iter().zip(&mut logs) {
                if link.is_some() {
                    match self.write(code, &stmt, &known) {
                        Some(entry) => log.push(entry),
                        None => code.func.broken((), "what an update in place overwrites is not kept"),
                    }
                }
            }
            code.span = outer;
            code.stmts.push(stmt);
        }
        logs
    }

    /// Writes an `if` that also returns the values that its branches keep; the branch that is not taken returns zeros
    /// for them.
    fn branch(
        &mut self,
        code: &mut CodeBuilder<'_>,
        stmt: Stmt,
        own: &[Option<&Link>],
        known: &[Stmt],
        logs: &mut [Vec<LogEntry>],
    ) {
        let Stmt { mut vars, op: Op::If { cond, then_block, else_block }, span } = stmt else {
            return code.func.broken((), "what keeps elements of two branches is no `if`");
        };
        let mut blocks = Vec::new();
        let mut inner = Vec::new();
        for (k, block) in [then_block, else_block].into_iter().enumerate() {
            let chains = inside(own, k);
            let (stmts, mut logs) = code.nested(|code| self.stmts(code, block.stmts, &chains, known));
            let mut values = Vec::new();
            for kept in logs.iter_mut().flatten().flat_map(LogEntry::kept) {
                if let Logged::Value(v) = *kept {
                    let out = code.func.copy_var(v);
                    values.push((v, out));
                    *kept = Logged::Value(out);
                }
            }
            blocks.push((Block { params: Vec::new(), stmts, results: block.results }, values));
            inner.push(logs);
        }
        let (Some((mut other, else_values)), Some((mut then, then_values))) = (blocks.pop(), blocks.pop()) else {
            return code.func.broken((), "an `if` has not two branches");
        };
        give(code, &mut vars, (&mut then, &mut other), &then_values);
        give(code, &mut vars, (&mut other, &mut then), &else_values);
        code.stmts.push(Stmt { vars, op: Op::If { cond, then_block: then, else_block: other }, span });
        let (Some(others), Some(thens)) = (inner.pop(), inner.pop()) else {
            return code.func.broken((), "an `if` has not two branches");
        };
        for (((log, link), then), other) in logs.iter_mut().zip(own).zip(thens).zip(others) {
            if link.is_some() {
                let cond = match cond {
                    Atom::Var(v) => Logged::Value(v),
                    Atom::Const(_) => Logged::Constant(cond),
                };
                log.push(LogEntry::Branch { cond, then, other });
            }
        }
    }

    /// Writes a loop inside an iteration so that it stores what its iterations keep.
    fn inner_loop(
        &mut self,
        code: &mut CodeBuilder<'_>,
        stmt: Stmt,
        own: &[Option<&Link>],
        known: &[Stmt],
        logs: &mut [Vec<LogEntry>],
    ) {
        let Stmt { mut vars, op: Op::Loop { axis, reverse, mut inits, mut body }, span } = stmt else {
            return code.func.broken((), "what keeps elements of all its iterations is no `loop`");
        };
        let chains = inside(own, 0);
        self.loops.push(self.nested.stored_over(axis, &vars));
        let (stmts, mut inner) = code.nested(|code| {
            let mut inner = self.stmts(code, body.stmts, &chains, known);
            for kept in inner.iter_mut().flatten().flat_map(LogEntry::kept) {
                let (param, result) = match *kept {
                    Logged::Value(v) => store_row(code, &self.loops, v),
                    Logged::Carried { before, after } => (before, after),
                    Logged::Again(_) | Logged::Constant(_) | Logged::Stored(_) => continue,
                };
                let [before, after] = [0; 2].map(|_| code.func.copy_var(param));
                body.params.push(param);
                body.results.push(Atom::Var(result));
                inits.push(Atom::Var(before));
                vars.push(after);
                self.nested.add_log([param, after]);
                *kept = Logged::Carried { before, after };
            }
            inner
        });
        self.loops.pop();
        code.stmts.push(Stmt { vars, op: Op::Loop { axis, reverse, inits, body: Block { stmts, ..body } }, span });
        for ((log, link), updates) in logs.iter_mut().zip(own).zip(&mut inner) {
            if link.is_some() {
                log.push(LogEntry::Loop { axis, reverse, updates: std::mem::take(updates) });
            }
        }
    }

    /// Writes code, before a `scatter`, that keeps the elements that it overwrites. `None` for any other statement.
    fn write(&self, code: &mut CodeBuilder<'_>, scatter: &Stmt, known: &[Stmt]) -> Option<LogEntry> {
        let Op::Scatter { dest, axes, body: points, checked, .. } = &scatter.op else { return None };
        let rank = code.func.ty(*dest).rank();
        let all: Vec<Stmt> = known.iter().chain(&points.stmts).cloned().collect();
        let defs = Defs::new(code.func, &all);
        let visible = |v: VarId| self.loops.iter().chain(axes).any(|a| a.index == v) || !self.bound.contains(&v);
        let again = |func: &Func, atom: Atom| match atom {
            Atom::Const(_) => Some(Logged::Constant(atom)),
            Atom::Var(_) => defs.of_atom(func, atom).filter(|p| p.vars().into_iter().all(visible)).map(Logged::Again),
        };
        let mut kept: Vec<Option<Logged>> =
            points.results.iter().take(rank + 1).map(|&a| again(code.func, a)).collect();
        kept.push(None);
        // The values that must be stored, at every point of the write.
        let mut subst = Subst::new();
        let own = subst.fresh_axes(code.func, axes);
        let block = code.block(|code| {
            let copy = subst.clone_block(code.func, points);
            code.stmts.extend(copy.stmts);
            let index: Vec<Atom> = copy.results.iter().skip(1).take(rank).copied().collect();
            let guard = copy.results.first().copied().filter(|g| *g != Atom::bool(true));
            let old = code.guarded(guard, |code| {
                let value = code.func.scalar_var("old", code.func.ty(*dest).elem);
                code.push(vec![value], Op::Read { array: *dest, index, checked: *checked });
                vec![Atom::Var(value)]
            });
            let values = copy.results.into_iter().take(rank + 1).chain(old);
            values.zip(&kept).filter(|(_, k)| k.is_none()).map(|(value, _)| value).collect()
        });
        let mut values = code.build(own, block, "old").into_iter();
        let mut slots = Vec::new();
        for slot in kept {
            slots.push(match slot {
                Some(known) => known,
                None => match values.next()? {
                    Atom::Var(v) => Logged::Value(v),
                    constant => Logged::Constant(constant),
                },
            });
        }
        let old = slots.pop()?;
        let mut slots = slots.into_iter();
        let guard = slots.next()?;
        Some(LogEntry::Write { axes: axes.clone(), guard, index: slots.collect(), old })
    }
}

/// The part of each chain that is in block `k` of a statement; `links` are those that the statement is of the chains.
fn inside<'l>(links: &[Option<&'l Link>], k: usize) -> Vec<&'l [Link]> {
    links.iter().map(|link| link.map_or(&[] as &[Link], |link| link.inside(k))).collect()
}

/// Adds values of the branch `own` to the results of an `if`; in the other branch they are zero.
fn give(
    code: &mut CodeBuilder<'_>,
    vars: &mut Vec<VarId>,
    (own, other): (&mut Block, &mut Block),
    values: &[(VarId, VarId)],
) {
    for &(value, out) in values {
        let ty = code.func.ty(value).clone();
        let (stmts, zero) = code.nested(|code| code.zeros(&ty, "none"));
        other.stmts.extend(stmts);
        own.results.push(Atom::Var(value));
        other.results.push(zero);
        vars.push(out);
    }
}
