//! Reverse mode of control flow at the level of blocks: `loop` and `if`.
//!
//! A loop runs forwards once, keeping its state at the start of each iteration, then backwards: each iteration is
//! computed again from its state and swept. What the reverse sweep does not read is not kept: dead code elimination
//! removes it. Cotangents of arrays from outside are carried, so that an iteration that reads one element adds to one
//! element.

use crate::code::{Code, copy_block, d_name};
use crate::cotangents::Cotangents;
use crate::error::AdError;
use crate::reverse::{Active, backward, forward};
use crate::scalar::{Ct, block_depends, depends};
use arr_ir::walk::{Subst, free_vars_of_block};
use arr_ir::{Atom, Axis, Block, Op, ScatterKind, SizeId, Stmt, Type, VarId};

/// A loop of the forward sweep.
pub(crate) struct SavedLoop {
    /// The loop as it was before states were kept.
    pub stmt: Stmt,
    /// For each of its params, the states at the start of all iterations.
    states: Vec<VarId>,
    /// Which params depend on the inputs.
    active: Vec<bool>,
}

/// Which of a loop's params depend on something active: the least solution.
fn active_params(code: &Code<'_>, inits: &[Atom], body: &Block, active: &Active) -> Vec<bool> {
    let float = |v: VarId| code.func.ty(v).elem.is_float();
    let mut known: Vec<bool> = inits
        .iter()
        .zip(&body.params)
        .map(|(a, &p)| float(p) && a.var().is_some_and(|v| active.contains(&v)))
        .collect();
    loop {
        let mut inside: Active = active.clone();
        for (&p, &is) in body.params.iter().zip(&known) {
            if is {
                inside.insert(p);
            }
        }
        for stmt in &body.stmts {
            if depends(stmt, &|v| inside.contains(&v)) {
                inside.extend(stmt.vars.iter().copied().filter(|&v| float(v)));
            }
        }
        let next: Vec<bool> = known
            .iter()
            .zip(&body.params)
            .zip(&body.results)
            .map(|((&was, &p), r)| was || (float(p) && r.var().is_some_and(|v| inside.contains(&v))))
            .collect();
        if next == known {
            return known;
        }
        known = next;
    }
}

/// Writes the loop so that it keeps its states.
pub(crate) fn forward_loop(code: &mut Code<'_>, stmt: Stmt, active: &mut Active) -> Result<SavedLoop, AdError> {
    let original = stmt.clone();
    let Op::Loop { axis, reverse, inits, body } = stmt.op else {
        return Err(AdError::NoRule { what: "this loop", span: stmt.span });
    };
    let known = active_params(code, &inits, &body, active);
    for (&v, &is) in stmt.vars.iter().zip(&known) {
        if is {
            active.insert(v);
        }
    }
    let mut saving = Block { params: body.params.clone(), stmts: Vec::new(), results: body.results.clone() };
    let mut all_inits = inits;
    let mut vars = stmt.vars.clone();
    let mut states = Vec::new();
    for &param in &body.params {
        let Type { elem, dims } = code.func.ty(param).clone();
        let ty = Type { elem, dims: std::iter::once(axis.extent).chain(dims).collect() };
        let name = format!("{}s", code.func.name(param));
        let start = code.zeros(&ty, &name);
        let id = code.func.types.ty(ty);
        let [before, after, end] = [0; 3].map(|_| code.func.var(name.clone(), id));
        let (store, ()) = code.nested(|code| store_state(code, param, before, after, axis.index));
        saving.stmts.extend(store);
        saving.params.push(before);
        saving.results.push(Atom::Var(after));
        all_inits.push(start);
        vars.push(end);
        states.push(end);
    }
    saving.stmts.extend(body.stmts);
    code.push(vars, Op::Loop { axis, reverse, inits: all_inits, body: saving });
    Ok(SavedLoop { stmt: original, states, active: known })
}

/// `after = before with [t, ..] = param`
fn store_state(code: &mut Code<'_>, param: VarId, before: VarId, after: VarId, t: VarId) {
    let dims: Vec<SizeId> = code.func.ty(param).dims.clone();
    let (axes, index) = code.axes(&dims);
    let body = code.block(|code| {
        let name = code.func.name(param).to_string();
        let value = code.read(param, index.clone(), &name);
        [Atom::bool(true), Atom::Var(t)].into_iter().chain(index).chain([value]).collect()
    });
    code.push(vec![after], Op::Scatter { kind: ScatterKind::Set, dest: before, axes, body, checked: false });
}

/// The state of a param at the start of iteration `t`.
fn load_state(code: &mut Code<'_>, param: VarId, states: VarId, t: Atom) -> Atom {
    let dims: Vec<SizeId> = code.func.ty(param).dims.clone();
    let (axes, index) = code.axes(&dims);
    let name = code.func.name(param).to_string();
    let body = code.block(|code| {
        let point = std::iter::once(t).chain(index).collect();
        vec![code.read(states, point, &name)]
    });
    code.build(axes, body, &name).first().copied().unwrap_or(t)
}

/// Writes the loop that runs backwards.
pub(crate) fn reverse_loop(
    code: &mut Code<'_>,
    saved: SavedLoop,
    cots: &mut Cotangents,
    active: &Active,
) -> Result<(), AdError> {
    let Op::Loop { axis, reverse, inits, body } = &saved.stmt.op else { return Ok(()) };
    if !saved.stmt.vars.iter().any(|&v| cots.has(v)) {
        return Ok(());
    }
    let carried: Vec<usize> = saved.active.iter().enumerate().filter(|(_, is)| **is).map(|(k, _)| k).collect();
    let captured: Vec<VarId> = free_vars_of_block(code.func, body).into_iter().filter(|v| active.contains(v)).collect();
    // The state of the reverse loop: cotangents of the carried params, then of the captured variables.
    let mut start: Vec<Ct> = Vec::new();
    for &k in &carried {
        let Some(&v) = saved.stmt.vars.get(k) else { continue };
        start.push(cots.take_or_zero(code, v));
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
    let t = code.func.copy_var(axis.index);
    let (stmts, swept) =
        code.nested(|code| reverse_iteration(code, &saved, t, (&carried, &captured), (&start, &params), active));
    let swept = swept?;
    let block = Block { params, stmts, results: swept.iter().map(|ct| ct.atom).collect() };
    let results: Vec<VarId> = block.params.iter().map(|&p| code.func.copy_var(p)).collect();
    let op = Op::Loop {
        axis: Axis { index: t, extent: axis.extent },
        reverse: !reverse,
        inits: start.iter().map(|ct| ct.atom).collect(),
        body: block,
    };
    code.push(results.clone(), op);
    let init_vars = carried.iter().map(|&k| inits.get(k).and_then(|a| a.var()).filter(|v| active.contains(v)));
    let targets = init_vars.chain(captured.iter().copied().map(Some));
    for ((target, result), (before, after)) in targets.zip(results).zip(start.iter().zip(&swept)) {
        if let Some(v) = target {
            cots.add_dense(v, Ct { atom: Atom::Var(result), selective: before.selective && after.selective });
        }
    }
    Ok(())
}

fn carried_vars<'a>(body: &'a Block, carried: &'a [usize]) -> impl Iterator<Item = VarId> + 'a {
    carried.iter().filter_map(|&k| body.params.get(k).copied())
}

/// One iteration again, and its sweep; gives the new state of the reverse loop.
fn reverse_iteration(
    code: &mut Code<'_>,
    saved: &SavedLoop,
    t: VarId,
    (carried, captured): (&[usize], &[VarId]),
    (start, params): (&[Ct], &[VarId]),
    active: &Active,
) -> Result<Vec<Ct>, AdError> {
    let Op::Loop { axis, body, .. } = &saved.stmt.op else { return Ok(Vec::new()) };
    let mut subst = Subst::new();
    subst.insert(axis.index, t);
    let mut inside: Active = active.clone();
    let mut states = Vec::new();
    for ((&param, &store), &is) in body.params.iter().zip(&saved.states).zip(&saved.active) {
        let state = load_state(code, param, store, Atom::Var(t));
        subst.insert(param, state);
        if let (Atom::Var(v), true) = (state, is) {
            inside.insert(v);
        }
        states.push(state);
    }
    let plain = Block { params: Vec::new(), stmts: body.stmts.clone(), results: body.results.clone() };
    let copy = copy_block(code.func, &mut subst, &plain);
    let tape = forward(code, copy.stmts, &mut inside)?;
    let mut cots = Cotangents::default();
    let (d_carried, d_captured) = params.split_at(carried.len().min(params.len()));
    for ((&u, &d), ct) in captured.iter().zip(d_captured).zip(start.iter().skip(carried.len())) {
        cots.add_dense(u, Ct { atom: Atom::Var(d), selective: ct.selective });
    }
    for ((&k, &d), ct) in carried.iter().zip(d_carried).zip(start) {
        if let Some(Atom::Var(r)) = copy.results.get(k)
            && inside.contains(r)
        {
            // The first iteration back may start from the zero of an unused result.
            cots.add_dense(*r, Ct { atom: Atom::Var(d), selective: ct.selective });
        }
    }
    backward(code, tape, &mut cots, &inside)?;
    let mut results = Vec::new();
    for &k in carried {
        if let Some(Atom::Var(state)) = states.get(k) {
            results.push(cots.take_or_zero(code, *state));
        }
    }
    for &u in captured {
        results.push(cots.take_or_zero(code, u));
    }
    Ok(results)
}

/// The reverse of an `if` over blocks is an `if` that runs one branch again and backwards, starting from what its
/// captured variables have so far.
pub(crate) fn reverse_if_block(
    code: &mut Code<'_>,
    cond: Atom,
    blocks: [&Block; 2],
    cts: &[Option<Ct>],
    cots: &mut Cotangents,
    active: &Active,
) -> Result<(), AdError> {
    let is_active = |v: VarId| active.contains(&v);
    let mut captured: Vec<VarId> = Vec::new();
    for block in blocks {
        if !block_depends(block, &is_active) {
            continue;
        }
        for v in free_vars_of_block(code.func, block) {
            if is_active(v) && !captured.contains(&v) {
                captured.push(v);
            }
        }
    }
    let so_far: Vec<Option<Ct>> = captured.iter().map(|&v| cots.take(code, v)).collect();
    let mut branches = Vec::new();
    for block in blocks {
        let (stmts, swept) = code.nested(|code| reverse_block_branch(code, block, cts, (&captured, &so_far), active));
        branches.push((stmts, swept?));
    }
    let (Some((other, other_cts)), Some((then, then_cts))) = (branches.pop(), branches.pop()) else { return Ok(()) };
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
    active: &Active,
) -> Result<Vec<Ct>, AdError> {
    let mut inside = active.clone();
    let copy = copy_block(code.func, &mut Subst::new(), block);
    let tape = forward(code, copy.stmts, &mut inside)?;
    let mut cots = Cotangents::default();
    for (&v, ct) in captured.iter().zip(so_far) {
        if let Some(ct) = ct {
            cots.add_dense(v, *ct);
        }
    }
    for (&result, ct) in copy.results.iter().zip(cts) {
        if let (Atom::Var(v), Some(ct)) = (result, ct)
            && inside.contains(&v)
        {
            cots.add_dense(v, *ct);
        }
    }
    backward(code, tape, &mut cots, &inside)?;
    Ok(captured.iter().map(|&v| cots.take_or_zero(code, v)).collect())
}
