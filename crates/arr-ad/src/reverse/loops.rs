//! Reverse mode of loops: `loop` and `while`. A scan is such a loop, whose state is the running value; it has no rule
//! of its own.
//!
//! A loop runs forwards once and keeps its state at the start of each iteration, then backwards: each iteration is
//! recomputed from its state, except for the values that the tape keeps (`tape`), and swept. What the reverse sweep
//! does not read is not kept: dead code elimination removes it. In a `checkpoint` the states are recomputed instead
//! (`checkpoint::bisect`).
//!
//! A `while` runs once to count its iterations and then is a loop. The first run computes only what the condition
//! needs. Cotangents of arrays from outside are part of the reverse loop's state, so that an iteration that reads one
//! element adds to one element.

use crate::analysis::activity::Active;
use crate::analysis::structural_zeros::carried_backwards;
use crate::code::{CodeBuilder, copy_block, d_name, elide_checks};
use crate::error::AdError;
use crate::reverse::cotangents::{Cotangents, Ct};
use crate::reverse::sweep::{Sweep, Taped, backward, forward};
use crate::storage::checkpoint::bisect::Stack;
use crate::storage::history::{History, chains_of};
use crate::storage::states::{LoopParts, Stores};
use crate::storage::tape::Tape;
use crate::storage::undo::Iteration;
use crate::storage::versions::{Cursor, elsewhere};
use crate::storage::write_log::record;
use arr_ir::walk::{Subst, free_vars_of_block};
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Prim, Scalar, Stmt, VarId};

/// A loop of the forward sweep.
pub(crate) struct SavedLoop {
    /// The loop as it was before states were kept.
    pub stmt: Stmt,
    /// What is kept of its iterations; nothing if the states are recomputed.
    kept: Option<Kept>,
    /// Which params depend on the inputs.
    active: Vec<bool>,
}

/// What the reverse loop needs of the iterations.
struct Kept {
    history: History,
    tape: Tape,
    /// The statements of an iteration, for the reverse sweep.
    taped: Vec<Taped>,
}

/// Writes the loop so that it keeps its states, or unchanged if they will be recomputed.
pub(crate) fn forward_loop(code: &mut CodeBuilder<'_>, stmt: Stmt, sweep: &mut Sweep) -> Result<SavedLoop, AdError> {
    let original = stmt.clone();
    let Op::Loop { axis, reverse, inits, body } = stmt.op else {
        return Err(AdError::NoRule { what: "this loop", span: stmt.span });
    };
    let active = sweep.active.flags(&body.params);
    if sweep.settings.bisect {
        code.push(stmt.vars, Op::Loop { axis, reverse, inits, body });
        return Ok(SavedLoop { stmt: original, kept: None, active });
    }
    let (mut stores, mut outside) = (Stores::default(), Vec::new());
    let stored = sweep.nested.stored_over(axis, &stmt.vars);
    let chains = chains_of(code, &mut outside, (axis, &body), &mut sweep.nested);
    let (mut stmts, mut history) = code.nested(|code| {
        History::keep(code, &mut outside, (stored, &body.params), &chains, (&sweep.nested, &mut stores))
    });
    let (recorded, logs) =
        code.nested(|code| record(code, &mut outside, (stored, &body), &chains, (&mut sweep.nested, &mut stores)));
    history.add_logs(logs, &stores, &sweep.nested);
    let elsewhere = elsewhere(&history.arrays(), &sweep.nested);
    let (written, recorded) = code.nested(|code| {
        let each = |code: &mut CodeBuilder<'_>, stmt| forward(code, vec![stmt], sweep);
        Tape::record(code, &mut outside, (stored, &body.params), (recorded, elsewhere), &mut stores, each)
    });
    stmts.extend(written);
    let (tape, taped) = recorded?;
    code.stmts.extend(outside);
    let mut saving = Block { params: body.params, stmts, results: body.results };
    saving.params.extend(stores.params);
    saving.results.extend(stores.results);
    // The reverse loop binds the original variables of the body.
    let (axis, saving) = copy_iteration(code.func, axis, &saving);
    let all_inits = inits.into_iter().chain(stores.inits).collect();
    let vars = stmt.vars.into_iter().chain(stores.ends).collect();
    code.push(vars, Op::Loop { axis, reverse, inits: all_inits, body: saving });
    Ok(SavedLoop { stmt: original, kept: Some(Kept { history, tape, taped }), active })
}

/// Writes a `while` that counts its iterations, and returns a loop with that many.
pub(crate) fn while_to_for(code: &mut CodeBuilder<'_>, stmt: Stmt) -> Result<Stmt, AdError> {
    let Op::While { inits, cond, mut body } = stmt.op else {
        return Err(AdError::NoRule { what: "this loop", span: stmt.span });
    };
    let mut first_cond = Subst::new().clone_block(code.func, &cond);
    let mut first_body = Subst::new().clone_block(code.func, &body);
    let [in_cond, in_body, count] = [0; 3].map(|_| code.func.scalar_var("count", Scalar::I64));
    first_cond.params.push(in_cond);
    first_body.params.push(in_body);
    let (stmts, next) = code.nested(|code| code.prim(Prim::Add, &[Atom::Var(in_body), Atom::int(1)], "count"));
    first_body.stmts.extend(stmts);
    first_body.results.push(next);
    let vars = stmt.vars.iter().map(|&v| code.func.copy_var(v)).chain([count]).collect();
    let first_inits = inits.iter().copied().chain([Atom::int(0)]).collect();
    code.push(vars, Op::While { inits: first_inits, cond: first_cond, body: first_body });
    elide_checks(&mut body);
    let index = code.func.scalar_var("step", Scalar::I64);
    let extent = code.func.types.size(Poly::var(count));
    let op = Op::Loop { axis: Axis { index, extent }, reverse: false, inits, body };
    Ok(Stmt { vars: stmt.vars, op, span: stmt.span })
}

/// A copy of a loop's axis and body, with fresh variables.
fn copy_iteration(func: &mut Func, axis: Axis, block: &Block) -> (Axis, Block) {
    let mut subst = Subst::new();
    let index = subst.fresh(func, axis.index);
    let block = subst.clone_block(func, block);
    (Axis { index, extent: axis.extent }, block)
}

/// The cotangents that the reverse loop carries from iteration to iteration.
struct ReverseState {
    /// The params of the body that have one, by position.
    carried: Vec<usize>,
    /// The variables from outside that have one, after the params.
    captured: Vec<VarId>,
    /// The cotangents that the reverse loop starts from.
    start: Vec<Ct>,
    /// The params of the reverse loop that hold them.
    params: Vec<VarId>,
}

impl ReverseState {
    /// The state of the reverse loop of `saved`, whose cotangents are taken. `None` if the loop is broken.
    fn new(
        code: &mut CodeBuilder<'_>,
        saved: &SavedLoop,
        parts: &LoopParts<'_>,
        cots: &mut Cotangents,
        active: &Active,
    ) -> Option<ReverseState> {
        let body = parts.body;
        let carried: Vec<usize> = saved.active.iter().enumerate().filter(|(_, is)| **is).map(|(k, _)| k).collect();
        let captured: Vec<VarId> =
            free_vars_of_block(code.func, body).into_iter().filter(|&v| active.contains(v)).collect();
        let (mut start, mut sources) = (Vec::new(), Vec::new());
        let selects = carried_backwards(code.func, parts.axis, body);
        for &k in &carried {
            let (Some(&v), Some(&selects)) = (saved.stmt.vars.get(k), selects.get(k)) else {
                return code.func.broken(None, "a loop has fewer results than it has states");
            };
            let ct = cots.take_or_zero(code, v);
            start.push(Ct { selective: ct.selective || selects, ..ct });
            sources.extend(body.params.get(k).copied());
        }
        for &u in &captured {
            start.push(cots.take_or_zero(code, u));
        }
        sources.extend(&captured);
        let mut params = Vec::new();
        for (ct, source) in start.iter().zip(sources) {
            let ty = code.func.atom_ty(ct.atom);
            let ty = code.func.types.ty(ty);
            let name = d_name(code.func, source);
            params.push(code.func.var(name, ty));
        }
        Some(ReverseState { carried, captured, start, params })
    }

    /// The cotangents of an iteration before its reverse sweep: those of the captured variables and of its results.
    fn before(&self, results: &[Atom], active: &Active) -> Cotangents {
        let mut cots = Cotangents::in_place();
        let (d_carried, d_captured) = self.params.split_at(self.carried.len().min(self.params.len()));
        for ((&u, &d), ct) in self.captured.iter().zip(d_captured).zip(self.start.iter().skip(self.carried.len())) {
            cots.add_dense(u, Ct { atom: Atom::Var(d), selective: ct.selective });
        }
        for ((&k, &d), ct) in self.carried.iter().zip(d_carried).zip(&self.start) {
            if let Some(&Atom::Var(r)) = results.get(k)
                && active.contains(r)
            {
                // The first iteration back may start from the zero of an unused result.
                cots.add_dense(r, Ct { atom: Atom::Var(d), selective: ct.selective });
            }
        }
        cots
    }

    /// The new state, after the reverse sweep of an iteration that started from `states`.
    fn after(&self, code: &mut CodeBuilder<'_>, states: &[Option<VarId>], cots: &mut Cotangents) -> Vec<Ct> {
        let mut swept = Vec::new();
        for (&k, &before) in self.carried.iter().zip(&self.start) {
            swept.push(match states.get(k) {
                Some(&Some(state)) => cots.take_or_zero(code, state),
                _ => code.func.broken(before, "a state of an iteration is no variable"),
            });
        }
        for &u in &self.captured {
            swept.push(cots.take_or_zero(code, u));
        }
        swept
    }
}

/// Writes the loop that runs backwards. Fails where the sweep of an iteration does.
pub(crate) fn reverse_loop(
    code: &mut CodeBuilder<'_>,
    mut saved: SavedLoop,
    cots: &mut Cotangents,
    sweep: &mut Sweep,
) -> Result<(), AdError> {
    let kept = saved.kept.take();
    let Some(parts) = LoopParts::of(&saved.stmt.op) else { return code.broken("what was saved of a loop is no loop") };
    if !saved.stmt.vars.iter().any(|&v| cots.has(v)) {
        return Ok(());
    }
    let Some(state) = ReverseState::new(code, &saved, &parts, cots, &sweep.active) else { return Ok(()) };
    let stack = kept.is_none().then(|| Stack::new(code, &parts));
    let t = if stack.is_some() { code.func.copy_var(parts.axis.index) } else { parts.axis.index };
    // States whose writes are undone, and what each is after the last iteration.
    let undone: Vec<(VarId, VarId)> = match &kept {
        Some(kept) => kept.history.undone(code.func, parts.body, &saved.stmt.vars),
        None => Vec::new(),
    };
    let axis = Axis { index: t, extent: parts.axis.extent };
    code.loops.push(axis);
    for stmt in &parts.body.stmts {
        code.integers.note(code.func, stmt);
    }
    let (stmts, swept) = code.nested(|code| match (&stack, kept) {
        (Some(stack), _) => {
            let (index, states, rest) = stack.at_step(code, &parts, t);
            let swept = recomputed_iteration(code, &parts, (index, &states), &state, sweep)?;
            Ok::<_, AdError>((swept, rest))
        }
        (None, Some(kept)) => {
            let after: Vec<VarId> = undone.iter().map(|(param, _)| *param).collect();
            taped_iteration(code, &parts, (kept, &after), &state, sweep)
        }
        (None, None) => {
            code.broken("the states of a loop are neither kept nor computed again")?;
            Ok((state.start.clone(), Vec::new()))
        }
    });
    code.loops.pop();
    let (swept, rest) = swept?;
    let mut params = state.params.clone();
    let mut inits: Vec<Atom> = state.start.iter().map(|ct| ct.atom).collect();
    if let Some(stack) = &stack {
        inits.extend(&stack.inits);
        params.extend(&stack.params);
    }
    for &(param, last) in &undone {
        params.push(param);
        inits.push(Atom::Var(last));
    }
    let results = swept.iter().map(|ct| ct.atom).chain(rest).collect();
    let block = Block { params, stmts, results };
    let results: Vec<VarId> = block.params.iter().map(|&p| code.func.copy_var(p)).collect();
    let restored = results.iter().rev().zip(undone.iter().rev());
    sweep.nested.restored.extend(restored.map(|(&first, &(_, last))| (first, last)));
    code.push(results.clone(), Op::Loop { axis, reverse: stack.is_some() || !parts.reverse, inits, body: block });
    let init_vars =
        state.carried.iter().map(|&k| parts.inits.get(k).and_then(|a| a.var()).filter(|&v| sweep.active.contains(v)));
    let targets = init_vars.chain(state.captured.iter().copied().map(Some));
    for ((target, result), (before, after)) in targets.zip(results).zip(state.start.iter().zip(&swept)) {
        if let Some(v) = target {
            cots.add_dense(v, Ct { atom: Atom::Var(result), selective: before.selective && after.selective });
        }
    }
    Ok(())
}

/// Recomputes one iteration and sweeps it; gives the new state of the reverse loop. Fails where the sweep does.
fn recomputed_iteration(
    code: &mut CodeBuilder<'_>,
    parts: &LoopParts<'_>,
    (index, states): (Atom, &[Atom]),
    state: &ReverseState,
    sweep: &mut Sweep,
) -> Result<Vec<Ct>, AdError> {
    let mut subst = Subst::new();
    subst.insert(parts.axis.index, index);
    for (&param, &state) in parts.body.params.iter().zip(states) {
        subst.insert(param, state);
    }
    let body = parts.body;
    let plain = Block { params: Vec::new(), stmts: body.stmts.clone(), results: body.results.clone() };
    let copy = copy_block(code.func, &mut subst, &plain);
    sweep.active.copied(&subst);
    let taped = forward(code, copy.stmts, sweep)?;
    let states: Vec<Option<VarId>> = states.iter().map(|s| s.var()).collect();
    swept_iteration(code, taped, (&states, &copy.results), state, sweep)
}

/// Sweeps one iteration, with what the sweep needs of it from the tape. `after` are the states after it that are updated
/// in place. Gives the new state of the reverse loop, and these states before the iteration. Fails where the sweep does.
fn taped_iteration(
    code: &mut CodeBuilder<'_>,
    parts: &LoopParts<'_>,
    (kept, after): (Kept, &[VarId]),
    state: &ReverseState,
    sweep: &mut Sweep,
) -> Result<(Vec<Ct>, Vec<Atom>), AdError> {
    let Kept { history, tape, taped } = kept;
    let body = parts.body;
    let t = parts.axis.index;
    let own: Vec<Option<VarId>> = body.params.iter().copied().map(Some).collect();
    let (stmts, swept) = code.nested(|code| swept_iteration(code, taped, (&own, &body.results), state, sweep));
    let mut swept = swept?;
    let results: Vec<Atom> = swept.iter().map(|ct| ct.atom).collect();
    let names = history.names(code, body, t);
    let arrays = history.arrays();
    // Updates are run again only if that turns out to be necessary.
    for updates in [Vec::new(), Cursor::updates(&arrays, body)] {
        let is_version = |v| arrays.iter().any(|array| array.versions.contains(&v));
        let read: Vec<Stmt> = stmts.iter().chain(&updates).cloned().collect();
        let (mut all, ()) = code.nested(|code| tape.replay(code, (&read, &results), &is_version, Atom::Var(t)));
        all.extend(stmts.iter().cloned());
        let here = Iteration::of(parts.axis, Atom::Var(t));
        let cursor = Cursor::new(&arrays, after, (body, here, &sweep.nested), names.clone());
        let (written, (results, first, climbed)) = code.nested(|code| cursor.write(code, &all, &results));
        if climbed && updates.is_empty() {
            continue;
        }
        code.stmts.extend(written);
        for (ct, result) in swept.iter_mut().zip(results) {
            ct.atom = result;
        }
        return Ok((swept, first.into_iter().map(Atom::Var).collect()));
    }
    code.broken("an iteration is neither swept with its updates nor without")?;
    Ok((swept, Vec::new()))
}

/// Sweeps the statements of an iteration, which has the given states before it and results; gives the new state of the
/// reverse loop. Fails where the sweep does.
fn swept_iteration(
    code: &mut CodeBuilder<'_>,
    taped: Vec<Taped>,
    (states, results): (&[Option<VarId>], &[Atom]),
    state: &ReverseState,
    sweep: &mut Sweep,
) -> Result<Vec<Ct>, AdError> {
    let mut cots = state.before(results, &sweep.active);
    backward(code, taped, &mut cots, sweep)?;
    Ok(state.after(code, states, &mut cots))
}
