//! Reverse mode of control flow at the level of blocks: `loop`, `while` and `if`.
//!
//! A loop runs forwards once, keeping its state at the start of each iteration, then backwards: each iteration is
//! computed again from its state, but for what is kept of it (`tape`), and swept. What the reverse sweep does not read is
//! not kept: dead code elimination removes it. (Or the states are computed again, see `checkpoint::bisect`.) A `while` is run once for the number of its iterations
//! and then is a loop; what of its state the condition does not need is not computed in the first run. Cotangents of
//! arrays from outside are carried, so that an iteration that reads one element adds to one element.

use crate::checkpoint::bisect::Stack;
use crate::code::{Code, copy_block, d_name, elide_checks};
use crate::cotangents::Cotangents;
use crate::error::AdError;
use crate::reverse::{Sweep, Taped, backward, forward};
use crate::scalar::{Ct, block_depends};
use crate::structural_zeros::carried_backwards;
use crate::tape::{Tape, copy_iteration};
use crate::write_log::{LogEntry, Stores, chains, record, store, undo};
use arr_ir::walk::{Subst, free_vars_of_block};
use arr_ir::{Atom, Axis, Block, Op, Poly, Prim, Scalar, ScatterKind, SizeId, Stmt, VarId};

/// A loop of the forward sweep.
pub(crate) struct SavedLoop {
    /// The loop as it was before states were kept.
    pub stmt: Stmt,
    /// For each of its params, how to get the states at the start of all iterations, and what an iteration is; nothing if
    /// states are computed again.
    states: Option<(Vec<States>, Tape)>,
    /// Which params depend on the inputs.
    active: Vec<bool>,
}

/// How the states of one param are found going backwards.
enum States {
    /// All are in this array.
    Kept(VarId),
    /// The updates of each iteration are undone.
    Undone(Vec<LogEntry>),
}

/// The parts of a loop statement.
pub(crate) struct LoopParts<'a> {
    pub axis: Axis,
    pub reverse: bool,
    pub inits: &'a [Atom],
    pub body: &'a Block,
}

impl SavedLoop {
    fn parts(&self) -> Option<LoopParts<'_>> {
        match &self.stmt.op {
            Op::Loop { axis, reverse, inits, body } => Some(LoopParts { axis: *axis, reverse: *reverse, inits, body }),
            _ => None,
        }
    }
}

/// Writes the loop so that it keeps its states, or as it is if they will be computed again.
pub(crate) fn forward_loop(code: &mut Code<'_>, stmt: Stmt, sweep: &mut Sweep) -> Result<SavedLoop, AdError> {
    let original = stmt.clone();
    let Op::Loop { axis, reverse, inits, body } = stmt.op else {
        return Err(AdError::NoRule { what: "this loop", span: stmt.span });
    };
    let known = sweep.active.flags(&body.params);
    if sweep.settings.bisect {
        code.push(stmt.vars, Op::Loop { axis, reverse, inits, body });
        return Ok(SavedLoop { stmt: original, states: None, active: known });
    }
    let mut stores = Stores::default();
    let mut states = Vec::new();
    let mut outside = Vec::new();
    let chains = chains(code.func, axis, &body);
    let (kept, ()) = code.nested(|code| {
        for (&param, chain) in body.params.iter().zip(&chains) {
            states.push(match chain {
                Some(_) => States::Undone(Vec::new()),
                None => States::Kept(store(code, &mut outside, axis, param, &mut stores)),
            });
        }
    });
    let mut stmts = kept;
    let (recorded, steps) = code.nested(|code| record(code, &mut outside, (axis, &body), &chains, &mut stores));
    let params = &body.params;
    let (taped, tape) =
        code.nested(|code| Tape::record(code, &mut outside, (axis, params), recorded, &mut stores, sweep));
    stmts.extend(taped);
    let tape = tape?;
    for (state, steps) in states.iter_mut().zip(steps) {
        if let States::Undone(undone) = state {
            *undone = steps;
        }
    }
    code.stmts.extend(outside);
    let mut saving = Block { params: body.params, stmts, results: body.results };
    saving.params.extend(stores.params);
    saving.results.extend(stores.results);
    // The names of the body are those of the reverse loop.
    let (axis, saving) = copy_iteration(code.func, axis, &saving);
    let all_inits = inits.into_iter().chain(stores.inits).collect();
    let vars = stmt.vars.into_iter().chain(stores.ends).collect();
    code.push(vars, Op::Loop { axis, reverse, inits: all_inits, body: saving });
    Ok(SavedLoop { stmt: original, states: Some((states, tape)), active: known })
}

/// A `while` as a loop that is run twice: once for the number of iterations, then as often as that.
pub(crate) fn while_to_for(code: &mut Code<'_>, stmt: Stmt) -> Result<Stmt, AdError> {
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

/// `after = before with [t, ..] = param`
pub(crate) fn store_state(code: &mut Code<'_>, param: VarId, before: VarId, after: VarId, t: Atom) {
    let dims: Vec<SizeId> = code.func.ty(param).dims.clone();
    let (axes, index) = code.axes(&dims);
    let body = code.block(|code| {
        let name = code.func.name(param).to_string();
        let value = code.read(param, index.clone(), &name);
        [Atom::bool(true), t].into_iter().chain(index).chain([value]).collect()
    });
    code.push(vec![after], Op::Scatter { kind: ScatterKind::Set, dest: before, axes, body, checked: false });
}

/// The state of a param at the start of iteration `t`.
pub(crate) fn load_state(code: &mut Code<'_>, param: VarId, states: VarId, t: Atom) -> Atom {
    let dims: Vec<SizeId> = code.func.ty(param).dims.clone();
    let (axes, index) = code.axes(&dims);
    let name = code.func.name(param).to_string();
    let body = code.block(|code| {
        let point = std::iter::once(t).chain(index).collect();
        vec![code.read(states, point, &name)]
    });
    code.build_one(axes, body, &name)
}

/// Writes the loop that runs backwards.
pub(crate) fn reverse_loop(
    code: &mut Code<'_>,
    mut saved: SavedLoop,
    cots: &mut Cotangents,
    sweep: &mut Sweep,
) -> Result<(), AdError> {
    let states = saved.states.take();
    let Some(parts) = saved.parts() else { return code.broken("what was saved of a loop is no loop") };
    let (axis, body) = (parts.axis, parts.body);
    if !saved.stmt.vars.iter().any(|&v| cots.has(v)) {
        return Ok(());
    }
    let carried: Vec<usize> = saved.active.iter().enumerate().filter(|(_, is)| **is).map(|(k, _)| k).collect();
    let captured: Vec<VarId> =
        free_vars_of_block(code.func, body).into_iter().filter(|&v| sweep.active.contains(v)).collect();
    // The state of the reverse loop: cotangents of the carried params, then of the captured variables.
    let mut start: Vec<Ct> = Vec::new();
    let selects = carried_backwards(code.func, axis, body);
    for &k in &carried {
        let (Some(&v), Some(&selects)) = (saved.stmt.vars.get(k), selects.get(k)) else {
            return code.broken("a loop has fewer results than it has states");
        };
        let ct = cots.take_or_zero(code, v);
        start.push(Ct { selective: ct.selective || selects, ..ct });
    }
    for &u in &captured {
        start.push(cots.take_or_zero(code, u));
    }
    let mut params = Vec::new();
    for (ct, source) in start.iter().zip(carried_vars(body, &carried).chain(captured.iter().copied())) {
        let ty = code.func.atom_ty(ct.atom);
        let ty = code.func.types.ty(ty);
        let name = d_name(code.func, source);
        params.push(code.func.var(name, ty));
    }
    let mut inits: Vec<Atom> = start.iter().map(|ct| ct.atom).collect();
    let stack = states.is_none().then(|| Stack::new(code, &parts));
    let t = if stack.is_some() { code.func.copy_var(axis.index) } else { axis.index };
    // States whose writes are undone, from the last on.
    let mut undone = Vec::new();
    let kinds = states.iter().flat_map(|(states, _)| states);
    for ((&p, &last), state) in body.params.iter().zip(&saved.stmt.vars).zip(kinds) {
        if let States::Undone(_) = state {
            undone.push((code.func.copy_var(p), Atom::Var(last)));
        }
    }
    let (stmts, swept) = code.nested(|code| {
        let around = (&carried[..], &captured[..]);
        match (&stack, states) {
            (Some(stack), _) => {
                let (index, states, rest) = stack.at_step(code, &parts, t);
                let swept = iteration_again(code, &parts, (index, &states), around, (&start, &params), sweep)?;
                Ok::<_, AdError>((swept, rest))
            }
            (None, Some((kinds, tape))) => {
                let (states, rest) = earlier_states(code, &kinds, body, &undone, t);
                let swept = taped_iteration(code, &parts, (tape, &states), around, (&start, &params), sweep)?;
                Ok((swept, rest))
            }
            (None, None) => {
                code.broken("the states of a loop are neither kept nor computed again")?;
                Ok((start.clone(), Vec::new()))
            }
        }
    });
    let (swept, rest) = swept?;
    if let Some(stack) = &stack {
        inits.extend(&stack.inits);
        params.extend(&stack.params);
    }
    for (param, last) in undone {
        params.push(param);
        inits.push(last);
    }
    let results = swept.iter().map(|ct| ct.atom).chain(rest).collect();
    let block = Block { params, stmts, results };
    let results: Vec<VarId> = block.params.iter().map(|&p| code.func.copy_var(p)).collect();
    let axis = Axis { index: t, extent: axis.extent };
    code.push(results.clone(), Op::Loop { axis, reverse: stack.is_some() || !parts.reverse, inits, body: block });
    let init_vars =
        carried.iter().map(|&k| parts.inits.get(k).and_then(|a| a.var()).filter(|&v| sweep.active.contains(v)));
    let targets = init_vars.chain(captured.iter().copied().map(Some));
    for ((target, result), (before, after)) in targets.zip(results).zip(start.iter().zip(&swept)) {
        if let Some(v) = target {
            cots.add_dense(v, Ct { atom: Atom::Var(result), selective: before.selective && after.selective });
        }
    }
    Ok(())
}

/// The states at the start of iteration `t`: loaded, or with the writes of the iteration undone; and the latter alone.
fn earlier_states(
    code: &mut Code<'_>,
    kinds: &[States],
    body: &Block,
    undone: &[(VarId, Atom)],
    t: VarId,
) -> (Vec<Atom>, Vec<Atom>) {
    let (mut states, mut restored) = (Vec::new(), Vec::new());
    let mut after = undone.iter().map(|(param, _)| *param);
    for (&param, state) in body.params.iter().zip(kinds) {
        states.push(match state {
            States::Kept(array) => load_state(code, param, *array, Atom::Var(t)),
            States::Undone(steps) => {
                let after = after.next();
                let after =
                    after.unwrap_or_else(|| code.func.broken(param, "a state that is undone has no last value"));
                let before = undo(code, steps, after, Atom::Var(t));
                restored.push(Atom::Var(before));
                Atom::Var(before)
            }
        });
    }
    (states, restored)
}

fn carried_vars<'a>(body: &'a Block, carried: &'a [usize]) -> impl Iterator<Item = VarId> + 'a {
    carried.iter().filter_map(|&k| body.params.get(k).copied())
}

/// One iteration again, and its sweep; gives the new state of the reverse loop.
fn iteration_again(
    code: &mut Code<'_>,
    parts: &LoopParts<'_>,
    (index, states): (Atom, &[Atom]),
    around: (&[usize], &[VarId]),
    (start, params): (&[Ct], &[VarId]),
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
    let tape = forward(code, copy.stmts, sweep)?;
    let states: Vec<Option<VarId>> = states.iter().map(|s| s.var()).collect();
    swept_iteration(code, tape, (&states, &copy.results), around, (start, params), sweep)
}

/// The sweep of an iteration, with what it needs of the iteration from the tape.
fn taped_iteration(
    code: &mut Code<'_>,
    parts: &LoopParts<'_>,
    (mut tape, states): (Tape, &[Atom]),
    around: (&[usize], &[VarId]),
    (start, params): (&[Ct], &[VarId]),
    sweep: &mut Sweep,
) -> Result<Vec<Ct>, AdError> {
    let body = parts.body;
    let own: Vec<Option<VarId>> = body.params.iter().copied().map(Some).collect();
    let taped = tape.taken();
    let (stmts, swept) =
        code.nested(|code| swept_iteration(code, taped, (&own, &body.results), around, (start, params), sweep));
    let mut swept = swept?;
    let results: Vec<Atom> = swept.iter().map(|ct| ct.atom).collect();
    let (mut again, ()) = code.nested(|code| tape.replay(code, &stmts, &results, Atom::Var(parts.axis.index)));
    again.extend(stmts);
    let mut subst = Subst::new();
    for (&param, &state) in body.params.iter().zip(states) {
        subst.insert(param, state);
    }
    for stmt in &mut again {
        subst.apply_to_stmt(code.func, stmt);
    }
    for ct in &mut swept {
        ct.atom = subst.atom(ct.atom);
    }
    code.stmts.extend(again);
    Ok(swept)
}

/// The sweep of the statements of an iteration with the given states before it and results; gives the new state of the
/// reverse loop.
fn swept_iteration(
    code: &mut Code<'_>,
    tape: Vec<Taped>,
    (states, results): (&[Option<VarId>], &[Atom]),
    (carried, captured): (&[usize], &[VarId]),
    (start, params): (&[Ct], &[VarId]),
    sweep: &mut Sweep,
) -> Result<Vec<Ct>, AdError> {
    let mut cots = Cotangents::in_place();
    let (d_carried, d_captured) = params.split_at(carried.len().min(params.len()));
    for ((&u, &d), ct) in captured.iter().zip(d_captured).zip(start.iter().skip(carried.len())) {
        cots.add_dense(u, Ct { atom: Atom::Var(d), selective: ct.selective });
    }
    for ((&k, &d), ct) in carried.iter().zip(d_carried).zip(start) {
        if let Some(&Atom::Var(r)) = results.get(k)
            && sweep.active.contains(r)
        {
            // The first iteration back may start from the zero of an unused result.
            cots.add_dense(r, Ct { atom: Atom::Var(d), selective: ct.selective });
        }
    }
    backward(code, tape, &mut cots, sweep)?;
    let mut swept = Vec::new();
    for (&k, &before) in carried.iter().zip(start) {
        swept.push(match states.get(k) {
            Some(&Some(state)) => cots.take_or_zero(code, state),
            _ => code.func.broken(before, "a state of an iteration is no variable"),
        });
    }
    for &u in captured {
        swept.push(cots.take_or_zero(code, u));
    }
    Ok(swept)
}

/// The reverse of an `if` over blocks is an `if` that runs one branch again and backwards, starting from what its
/// captured variables have so far.
pub(crate) fn reverse_if_block(
    code: &mut Code<'_>,
    cond: Atom,
    blocks: [&Block; 2],
    cts: &[Option<Ct>],
    cots: &mut Cotangents,
    sweep: &mut Sweep,
) -> Result<(), AdError> {
    let mut captured: Vec<VarId> = Vec::new();
    for block in blocks {
        if !block_depends(block, &|v| sweep.active.contains(v)) {
            continue;
        }
        for v in free_vars_of_block(code.func, block) {
            if sweep.active.contains(v) && !captured.contains(&v) {
                captured.push(v);
            }
        }
    }
    let so_far: Vec<Option<Ct>> = captured.iter().map(|&v| cots.take(code, v)).collect();
    let mut branches = Vec::new();
    for block in blocks {
        let (stmts, swept) = code.nested(|code| reverse_block_branch(code, block, cts, (&captured, &so_far), sweep));
        branches.push((stmts, swept?));
    }
    let (Some((other, other_cts)), Some((then, then_cts))) = (branches.pop(), branches.pop()) else {
        return code.broken("an `if` has not two branches");
    };
    let results = |cts: &[Ct]| cts.iter().map(|ct| ct.atom).collect();
    let then_block = Block { params: Vec::new(), stmts: then, results: results(&then_cts) };
    let else_block = Block { params: Vec::new(), stmts: other, results: results(&other_cts) };
    let joined = code.if_(cond, then_block, else_block, "d");
    for (((&v, atom), a), b) in captured.iter().zip(joined).zip(&then_cts).zip(&other_cts) {
        if let Atom::Var(d) = atom {
            let name = d_name(code.func, v);
            code.func.vars[d].name = name;
        }
        cots.add_dense(v, Ct { atom, selective: a.selective || b.selective });
    }
    Ok(())
}

fn reverse_block_branch(
    code: &mut Code<'_>,
    block: &Block,
    cts: &[Option<Ct>],
    (captured, so_far): (&[VarId], &[Option<Ct>]),
    sweep: &mut Sweep,
) -> Result<Vec<Ct>, AdError> {
    let mut subst = Subst::new();
    let copy = copy_block(code.func, &mut subst, block);
    sweep.active.copied(&subst);
    let tape = forward(code, copy.stmts, sweep)?;
    let mut cots = Cotangents::in_place();
    for (&v, ct) in captured.iter().zip(so_far) {
        if let Some(ct) = ct {
            cots.add_dense(v, *ct);
        }
    }
    for (&result, ct) in copy.results.iter().zip(cts) {
        if let (Atom::Var(v), Some(ct)) = (result, ct)
            && sweep.active.contains(v)
        {
            cots.add_dense(v, *ct);
        }
    }
    backward(code, tape, &mut cots, sweep)?;
    Ok(captured.iter().map(|&v| cots.take_or_zero(code, v)).collect())
}
