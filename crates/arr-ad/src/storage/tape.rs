//! What an iteration of a loop keeps for its reverse sweep, beside its states.
//!
//! Going backwards an iteration is computed again from its states, but for what costs more than storing it: results of
//! expensive primitives, and loops in the loop, which then run forwards once and not twice. Such a value is kept only if it
//! is no larger than a state of the loop, so that memory grows by a factor that depends on the program's text alone; what
//! of it the sweep does not read is removed as dead code.

use crate::code::{Code, elide_checks_op};
use crate::error::AdError;
use crate::storage::states::{Stores, load_state, store};
use arr_ir::walk::for_each_use;
use arr_ir::{Atom, Axis, Block, Func, Op, SizeId, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An iteration as the reverse sweep needs it: with the names of the loop's own body, which the reverse loop binds. (The
/// loop that runs forwards has a copy.)
pub(crate) struct Tape {
    /// What computes the iteration again.
    stmts: Vec<Stmt>,
    /// Values that are kept, each with the array of all iterations.
    kept: FxHashMap<VarId, VarId>,
}

impl Tape {
    /// Writes the statements of an iteration, with code that stores what is kept. The zero-filled arrays that the loop
    /// starts from go to `outside`. `forward` writes one statement as the forward sweep does; what it gives comes back
    /// with the tape. Fails where `forward` does on one of the statements.
    pub fn record<T>(
        code: &mut Code<'_>,
        outside: &mut Vec<Stmt>,
        (axis, params): (Axis, &[VarId]),
        stmts: Vec<Stmt>,
        stores: &mut Stores,
        mut forward: impl FnMut(&mut Code<'_>, Stmt) -> Result<Vec<T>, AdError>,
    ) -> Result<(Tape, Vec<T>), AdError> {
        let states: Vec<Vec<SizeId>> = params.iter().map(|&p| code.func.ty(p).dims.clone()).collect();
        let mut tape = Tape { stmts: Vec::new(), kept: FxHashMap::default() };
        let mut taped_stmts = Vec::new();
        for stmt in stmts {
            let (written, taped) = code.nested(|code| forward(code, stmt.clone()));
            taped_stmts.extend(taped?);
            let kept = worth_keeping(code.func, &written, &states);
            if kept.is_empty() {
                code.stmts.push(stmt);
            } else {
                code.stmts.extend(written.iter().cloned());
            }
            for v in kept {
                let array = store(code, outside, axis, v, stores);
                tape.kept.insert(v, array);
            }
            tape.stmts.extend(written);
        }
        Ok((tape, taped_stmts))
    }

    /// Writes what the statements and results of a sweep need of iteration `t`: loads of what is kept, the rest again.
    pub fn replay(self, code: &mut Code<'_>, sweep: &[Stmt], results: &[Atom], t: Atom) {
        let mut wanted: FxHashSet<VarId> = results.iter().filter_map(|a| a.var()).collect();
        for stmt in sweep {
            for_each_use(code.func, &stmt.op, &mut |v| {
                wanted.insert(v);
            });
        }
        let mut again = Vec::new();
        for mut stmt in self.stmts.into_iter().rev() {
            let own: Vec<VarId> = stmt.vars.iter().copied().filter(|v| wanted.contains(v)).collect();
            if own.is_empty() || matches!(stmt.op, Op::Check { .. }) {
                continue;
            }
            let arrays: Option<Vec<VarId>> = own.iter().map(|v| self.kept.get(v).copied()).collect();
            if let Some(arrays) = arrays {
                again.push(loads(code, &own, &arrays, t));
                continue;
            }
            elide_checks_op(&mut stmt.op);
            for_each_use(code.func, &stmt.op, &mut |v| {
                wanted.insert(v);
            });
            again.push(vec![stmt]);
        }
        code.stmts.extend(again.into_iter().rev().flatten());
    }
}

/// Statements that bind values of iteration `t` to what their arrays have.
fn loads(code: &mut Code<'_>, values: &[VarId], arrays: &[VarId], t: Atom) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    for (&value, &array) in values.iter().zip(arrays) {
        let (mut loaded, _) = code.nested(|code| load_state(code, value, array, t));
        // The value has its name from the body.
        if let Some(last) = loaded.last_mut() {
            last.vars = vec![value];
        }
        stmts.extend(loaded);
    }
    stmts
}

/// The values of a statement that are kept rather than computed again.
fn worth_keeping(func: &Func, stmts: &[Stmt], states: &[Vec<SizeId>]) -> Vec<VarId> {
    let fits = |v: &VarId| states.iter().any(|state| is_part(&func.ty(*v).dims, state));
    stmts.iter().filter(|stmt| is_costly(&stmt.op)).flat_map(|stmt| stmt.vars.iter().copied().filter(fits)).collect()
}

fn is_costly(op: &Op) -> bool {
    let expensive = |body: &Block| body.stmts.iter().any(|s| matches!(&s.op, Op::Prim(p, _) if p.is_expensive()));
    match op {
        Op::Loop { .. } => true,
        Op::Prim(prim, _) => prim.is_expensive(),
        Op::Build { body, .. } => expensive(body),
        _ => false,
    }
}

/// Whether an array has the axes of another, or some of them.
fn is_part(dims: &[SizeId], whole: &[SizeId]) -> bool {
    let mut rest = whole.iter();
    dims.iter().all(|dim| rest.any(|d| d == dim))
}
