//! What an iteration of a loop keeps for its reverse sweep, beside its states.
//!
//! The reverse sweep recomputes an iteration from its states, except for values that are cheaper to store: results of
//! expensive primitives, and inner loops, which then run forwards once and not twice. Such a value is kept only if it
//! is no larger than a state of the loop, so that memory grows by a factor that depends on the program's text alone.
//! Where an inner loop updates a state in place, what else is read of it is kept too, if it is smaller: to read it again,
//! the inner loop would have to be undone first, and then run again. Values that the sweep does not read are removed as
//! dead code.

use crate::code::{CodeBuilder, elide_checks_op};
use crate::error::AdError;
use crate::storage::states::{Stores, load_state, store};
use arr_ir::cost::is_function;
use arr_ir::integers::is_natural;
use arr_ir::walk::for_each_use;
use arr_ir::{Atom, Axis, Block, Func, Op, Reduction, SizeId, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// An iteration as the reverse sweep needs it: with the variables of the loop's original body, which the reverse loop
/// binds. (The loop that runs forwards has a copy.)
pub(crate) struct Tape {
    /// The statements that recompute the iteration.
    stmts: Vec<Stmt>,
    /// Values that are kept, each with its array over all iterations.
    kept: FxHashMap<VarId, VarId>,
}

/// What the sweep of an iteration does not find on the tape.
pub(crate) struct Elsewhere {
    /// Values that are not kept.
    pub names: FxHashSet<VarId>,
    /// Whether there is a state that is updated in place. An iteration then may take less time than a sum in it, of which
    /// one number is kept.
    pub in_place: bool,
    /// Those that it costs the run of an inner loop to come back to, and values that are computed from them.
    pub far: FxHashSet<VarId>,
}

impl Elsewhere {
    fn is_read_by(&self, func: &Func, op: &Op) -> bool {
        let mut read = false;
        if !self.far.is_empty() {
            for_each_use(func, op, &mut |v| read |= self.far.contains(&v));
        }
        read
    }
}

impl Tape {
    /// Writes the statements of an iteration, with code that stores what is kept. The zero-filled arrays that the loop
    /// starts from go to `outside`. `forward` writes one statement as the forward sweep does; its results are returned
    /// beside the tape. Fails where `forward` does.
    pub fn record<T>(
        code: &mut CodeBuilder<'_>,
        outside: &mut Vec<Stmt>,
        (axis, params): (Axis, &[VarId]),
        (stmts, mut elsewhere): (Vec<Stmt>, Elsewhere),
        stores: &mut Stores,
        mut forward: impl FnMut(&mut CodeBuilder<'_>, Stmt) -> Result<Vec<T>, AdError>,
    ) -> Result<(Tape, Vec<T>), AdError> {
        let states: Vec<Vec<SizeId>> = params.iter().map(|&p| code.func.ty(p).dims.clone()).collect();
        let mut tape = Tape { stmts: Vec::new(), kept: FxHashMap::default() };
        let mut taped_stmts = Vec::new();
        for stmt in stmts {
            let (written, taped) = code.nested(|code| forward(code, stmt.clone()));
            taped_stmts.extend(taped?);
            let kept = worth_keeping(code.func, &written, &states, &mut elsewhere);
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

    /// Writes what the statements and results of a sweep need of iteration `t`: values that are kept are loaded, the
    /// others recomputed, but for those that are found `elsewhere`.
    pub fn replay(
        &self,
        code: &mut CodeBuilder<'_>,
        (sweep, results): (&[Stmt], &[Atom]),
        elsewhere: &dyn Fn(VarId) -> bool,
        t: Atom,
    ) {
        let mut wanted: FxHashSet<VarId> = results.iter().filter_map(|a| a.var()).collect();
        for stmt in sweep {
            for_each_use(code.func, &stmt.op, &mut |v| {
                wanted.insert(v);
            });
        }
        let mut again = Vec::new();
        for stmt in self.stmts.iter().rev() {
            let own: Vec<VarId> = stmt.vars.iter().copied().filter(|&v| wanted.contains(&v) && !elsewhere(v)).collect();
            if own.is_empty() || matches!(stmt.op, Op::Check { .. } | Op::Trace { .. }) {
                continue;
            }
            let arrays: Option<Vec<VarId>> = own.iter().map(|v| self.kept.get(v).copied()).collect();
            if let Some(arrays) = arrays {
                again.push(loads(code, &own, &arrays, t));
                continue;
            }
            let mut stmt = stmt.clone();
            elide_checks_op(&mut stmt.op);
            for_each_use(code.func, &stmt.op, &mut |v| {
                wanted.insert(v);
            });
            again.push(vec![stmt]);
        }
        code.stmts.extend(again.into_iter().rev().flatten());
    }
}

/// Statements that load values of iteration `t` from their arrays.
fn loads(code: &mut CodeBuilder<'_>, values: &[VarId], arrays: &[VarId], t: Atom) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    for (&value, &array) in values.iter().zip(arrays) {
        let (mut loaded, _) = code.nested(|code| load_state(code, value, array, t));
        // The value keeps its variable from the body.
        if let Some(last) = loaded.last_mut() {
            last.vars = vec![value];
        }
        stmts.extend(loaded);
    }
    stmts
}

/// The values of statements that are kept rather than recomputed. Others that are `far` because of what they are
/// computed from are noted there.
fn worth_keeping(func: &Func, stmts: &[Stmt], states: &[Vec<SizeId>], elsewhere: &mut Elsewhere) -> Vec<VarId> {
    let mut kept = Vec::new();
    for stmt in stmts {
        let is_sum = elsewhere.in_place && matches!(stmt.op, Op::Reduce { kind: Reduction::Sum, .. });
        let (is_kept, is_far) = (is_sum || is_kept(&stmt.op), elsewhere.is_read_by(func, &stmt.op));
        // The rows of a loop that updates a state in place are as many as its iterations, at most.
        let is_update = stmt.vars.iter().any(|v| elsewhere.names.contains(v));
        let shorter = |dim, axis| is_natural(func, &func.types.poly(axis).sub(func.types.poly(dim)));
        let fits = |dim: SizeId, axis: SizeId| dim == axis || is_update && shorter(dim, axis);
        for &v in stmt.vars.iter().filter(|v| !elsewhere.names.contains(v)) {
            let dims = &func.ty(v).dims;
            let mut around = states.iter().filter(|state| is_part(dims, state, &fits));
            if is_kept && around.clone().next().is_some() || is_far && around.any(|state| dims.len() < state.len()) {
                kept.push(v);
            } else if is_far {
                elsewhere.far.insert(v);
            }
        }
    }
    kept
}

/// Whether recomputing the operation costs more than storing and loading its results.
fn is_kept(op: &Op) -> bool {
    let expensive = |body: &Block| body.stmts.iter().any(|s| is_function(&s.op));
    match op {
        Op::Loop { .. } | Op::While { .. } => true,
        Op::Prim(..) => is_function(op),
        Op::Build { body, .. } => expensive(body),
        _ => false,
    }
}

/// Whether the axes `dims` are those of `whole`, or some of them, in the same order.
fn is_part(dims: &[SizeId], whole: &[SizeId], fits: &dyn Fn(SizeId, SizeId) -> bool) -> bool {
    let mut rest = whole.iter();
    dims.iter().all(|&dim| rest.any(|&axis| fits(dim, axis)))
}
