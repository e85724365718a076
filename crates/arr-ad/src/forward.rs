//! Forward mode: each statement is followed by the code for the tangents of its float results.
//!
//! It works on any level of the IR, since every construct is differentiated as itself: a `build` of pairs, a `loop` with
//! a longer state, an `if` with more results. A variable without a tangent has tangent zero, and costs nothing.

use crate::code::{Code, copy_block, d_name, with_inputs};
use crate::error::AdError;
use crate::reduction::{arg_of, forward_extremum};
use crate::table::{partial, times};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Func, Op, Prim, Reduction, ScatterKind, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Replaces a `jvp`: statements, and its results (the body's, then the tangents of its float results).
pub(crate) fn jvp(
    func: &mut Func,
    inputs: &[Atom],
    tangents: &[Atom],
    body: Block,
) -> Result<(Vec<Stmt>, Vec<Atom>), AdError> {
    let mut code = Code::new(func, None);
    let mut map = Tangents::default();
    for (&param, &tangent) in body.params.iter().zip(tangents) {
        map.insert(param, tangent);
    }
    for stmt in body.stmts {
        forward_stmt(&mut code, stmt, &mut map)?;
    }
    let mut results = body.results.clone();
    for &result in &body.results {
        if code.func.is_float(result) {
            let d = tangent_or_zero(&mut code, result, &map);
            results.push(d);
        }
    }
    let stmts = code.stmts;
    Ok(with_inputs(func, &body.params, inputs, stmts, results))
}

/// The tangents of variables; a missing one is zero. Variables are bound once, so one map serves all scopes.
type Tangents = FxHashMap<VarId, Atom>;

fn tangent(atom: Atom, map: &Tangents) -> Option<Atom> {
    atom.var().and_then(|v| map.get(&v).copied())
}

fn tangent_or_zero(code: &mut Code<'_>, atom: Atom, map: &Tangents) -> Atom {
    match tangent(atom, map) {
        Some(d) => d,
        None => {
            let ty = code.func.atom_ty(atom);
            code.zeros(&ty, "d")
        }
    }
}

fn forward_stmt(code: &mut Code<'_>, stmt: Stmt, map: &mut Tangents) -> Result<(), AdError> {
    code.span = stmt.span;
    let Stmt { vars, op, span } = stmt;
    match op {
        Op::Prim(prim, args) => {
            code.push(vars.clone(), Op::Prim(prim, args.clone()));
            if let [y] = vars.as_slice()
                && code.func.ty(*y).elem.is_float()
                && let Some(d) = forward_prim(code, prim, &args, *y, map, span)?
            {
                map.insert(*y, d);
            }
            Ok(())
        }
        Op::Read { array, index, checked } => {
            code.push(vars.clone(), Op::Read { array, index: index.clone(), checked });
            if let ([y], Some(Atom::Var(d))) = (vars.as_slice(), map.get(&array).copied()) {
                let name = d_name(code.func, *y);
                let value = code.read(d, index, &name);
                map.insert(*y, value);
            }
            Ok(())
        }
        Op::Build { axes, body } => {
            let (block, with) = forward_block(code, body, map, None)?;
            forward_results(code, vars, &with, map, |_| Op::Build { axes, body: block });
            Ok(())
        }
        Op::Reduce { kind, axes, body } => forward_reduce(code, vars, kind, axes, body, map, span),
        Op::Scatter { kind, dest, axes, body, checked } => {
            forward_scatter(code, vars, (kind, dest, checked), axes, body, map)
        }
        Op::Loop { axis, reverse, inits, body } => forward_loop(code, vars, axis, reverse, inits, body, map),
        Op::If { cond, then_block, else_block } => {
            // Both branches must carry a tangent for a result if either does.
            let mut trial = then_block.clone();
            trial = Subst::new().clone_block(code.func, &trial);
            let (_, first) = code.nested(|code| forward_block(code, trial, map, None));
            let other = Subst::new().clone_block(code.func, &else_block);
            let (_, second) = code.nested(|code| forward_block(code, other, map, None));
            let with: Vec<bool> = first?.1.iter().zip(second?.1).map(|(&a, b)| a || b).collect();
            let (then_block, _) = forward_block(code, then_block, map, Some(&with))?;
            let (else_block, _) = forward_block(code, else_block, map, Some(&with))?;
            forward_results(code, vars, &with, map, |_| Op::If { cond, then_block, else_block });
            Ok(())
        }
        Op::Reshape(array) => {
            code.push(vars.clone(), Op::Reshape(array));
            if let ([y], Some(Atom::Var(d))) = (vars.as_slice(), map.get(&array).copied()) {
                let name = d_name(code.func, *y);
                let out = code.func.var(name, code.func.type_id(*y));
                code.push(vec![out], Op::Reshape(d));
                map.insert(*y, Atom::Var(out));
            }
            Ok(())
        }
        op @ (Op::Size(_) | Op::Literal(_) | Op::Argsort(_) | Op::Check { .. } | Op::StopGradient(_)) => {
            code.push(vars, op);
            Ok(())
        }
        Op::While { .. } => Err(AdError::NoRule { what: "a `while` loop", span }),
        Op::Custom { .. } => Err(AdError::NoRule { what: "a declared derivative", span }),
        Op::Vjp { .. } | Op::Jvp { .. } => Err(AdError::NoRule { what: "a nested derivative", span }),
    }
}

fn forward_prim(
    code: &mut Code<'_>,
    prim: Prim,
    args: &[Atom],
    y: VarId,
    map: &Tangents,
    span: Option<arr_base::Span>,
) -> Result<Option<Atom>, AdError> {
    let mut sum: Option<Atom> = None;
    let elem = code.func.ty(y).elem;
    for (k, &arg) in args.iter().enumerate() {
        let Some(d) = tangent(arg, map) else { continue };
        let row = partial(code, prim, args, Atom::Var(y), k).ok_or(AdError::NoRule { what: prim.name(), span })?;
        if let Some(term) = times(code, d, row, elem, false) {
            sum = Some(match sum {
                None => term,
                Some(s) => code.add(s, term),
            });
        }
    }
    Ok(sum)
}

/// The block with tangent code; its results, then the tangents of those flagged (all that have one, when not given).
fn forward_block(
    code: &mut Code<'_>,
    block: Block,
    map: &mut Tangents,
    with: Option<&[bool]>,
) -> Result<(Block, Vec<bool>), AdError> {
    let results = block.results;
    let mut flags = Vec::new();
    let (stmts, outcome) = code.nested(|code| {
        for stmt in block.stmts {
            forward_stmt(code, stmt, map)?;
        }
        let mut all = results.clone();
        for (k, &result) in results.iter().enumerate() {
            let has = match with {
                Some(with) => with.get(k).copied().unwrap_or(false),
                None => tangent(result, map).is_some(),
            };
            flags.push(has);
            if has {
                let d = tangent_or_zero(code, result, map);
                all.push(d);
            }
        }
        Ok::<Vec<Atom>, AdError>(all)
    });
    Ok((Block { params: block.params, stmts, results: outcome? }, flags))
}

/// Pushes the operation with variables for the flagged results' tangents.
fn forward_results(
    code: &mut Code<'_>,
    vars: Vec<VarId>,
    with: &[bool],
    map: &mut Tangents,
    op: impl FnOnce(&mut Code<'_>) -> Op,
) {
    let mut all = vars.clone();
    for (&v, &has) in vars.iter().zip(with) {
        if has {
            let name = d_name(code.func, v);
            let d = code.func.var(name, code.func.type_id(v));
            all.push(d);
            map.insert(v, Atom::Var(d));
        }
    }
    let op = op(code);
    code.push(all, op);
}

fn forward_reduce(
    code: &mut Code<'_>,
    vars: Vec<VarId>,
    kind: Reduction,
    axes: Vec<Axis>,
    body: Block,
    map: &mut Tangents,
    span: Option<arr_base::Span>,
) -> Result<(), AdError> {
    let trial = Subst::new().clone_block(code.func, &body);
    let (_, trial) = code.nested(|code| forward_block(code, trial, map, None));
    let float = vars.iter().any(|&v| code.func.ty(v).elem.is_float());
    if !float || !trial?.1.contains(&true) {
        code.push(vars, Op::Reduce { kind, axes, body });
        return Ok(());
    }
    match kind {
        Reduction::Sum => {
            let (block, with) = forward_block(code, body, map, None)?;
            forward_results(code, vars, &with, map, |_| Op::Reduce { kind, axes, body: block });
            Ok(())
        }
        Reduction::Max | Reduction::Min => {
            let [axis] = axes.as_slice() else {
                return Err(AdError::NoRule { what: "a maximum over several axes at once", span });
            };
            let arg = if kind == Reduction::Max { Reduction::ArgMax } else { Reduction::ArgMin };
            let whole =
                Stmt { vars: vars.clone(), op: Op::Reduce { kind, axes: axes.clone(), body: body.clone() }, span };
            let chosen = match forward_extremum(code, &whole) {
                Some(chosen) => vec![chosen],
                None => {
                    code.stmts.push(whole);
                    arg_of(code, &[], axis, arg, &body)
                }
            };
            let copies: Vec<(VarId, Atom)> = vars.iter().copied().zip(chosen).collect();
            for (k, (y, chosen)) in copies.into_iter().enumerate() {
                let mut subst = Subst::new();
                subst.insert(axis.index, chosen);
                let copy = copy_block(code.func, &mut subst, &body);
                for stmt in copy.stmts {
                    forward_stmt(code, stmt, map)?;
                }
                if let Some(d) = copy.results.get(k).and_then(|&r| tangent(r, map)) {
                    map.insert(y, d);
                }
            }
            Ok(())
        }
        Reduction::Product => forward_product(code, vars, axes, body, map, span),
        Reduction::ArgMax | Reduction::ArgMin | Reduction::Any | Reduction::All => {
            code.push(vars, Op::Reduce { kind, axes, body });
            Ok(())
        }
    }
}

/// A product as a loop that carries the product and its tangent.
fn forward_product(
    code: &mut Code<'_>,
    vars: Vec<VarId>,
    axes: Vec<Axis>,
    body: Block,
    map: &mut Tangents,
    span: Option<arr_base::Span>,
) -> Result<(), AdError> {
    let [axis] = axes.as_slice() else {
        return Err(AdError::NoRule { what: "a product over several axes at once", span });
    };
    let params: Vec<VarId> = vars.iter().map(|&v| code.func.copy_var(v)).collect();
    let inits = vars.iter().map(|&v| code.number(Atom::Var(v), 1.0)).collect();
    let factors = body.results.clone();
    let mut block = Block { params: params.clone(), stmts: body.stmts, results: Vec::new() };
    for (&p, &x) in params.iter().zip(&factors) {
        let next = code.func.copy_var(p);
        block.stmts.push(Stmt { vars: vec![next], op: Op::Prim(Prim::Mul, vec![Atom::Var(p), x]), span });
        block.results.push(Atom::Var(next));
    }
    forward_loop(code, vars, *axis, false, inits, block, map)
}

fn forward_scatter(
    code: &mut Code<'_>,
    vars: Vec<VarId>,
    (kind, dest, checked): (ScatterKind, VarId, bool),
    axes: Vec<Axis>,
    body: Block,
    map: &mut Tangents,
) -> Result<(), AdError> {
    let copy_axes = |code: &mut Code<'_>, subst: &mut Subst| crate::reverse::fresh_axes(code, subst, &axes);
    let mut subst = Subst::new();
    let fresh = copy_axes(code, &mut subst);
    let copy = subst.clone_block(code.func, &body);
    let (block, with) = forward_block(code, copy, map, None)?;
    let moves = with.last().copied().unwrap_or(false);
    let d_dest = map.get(&dest).copied();
    code.push(vars.clone(), Op::Scatter { kind, dest, axes: axes.clone(), body, checked });
    if !moves && d_dest.is_none() {
        return Ok(());
    }
    let Some(&y) = vars.first() else { return Ok(()) };
    if !code.func.ty(y).elem.is_float() {
        return Ok(());
    }
    let d_dest = match d_dest {
        Some(d) => d,
        None => {
            let ty = code.func.ty(dest).clone();
            code.zeros(&ty, "d")
        }
    };
    let Atom::Var(d_dest) = d_dest else { return Ok(()) };
    // The tangent of the value takes the value's place; only it can have one.
    let mut results = block.results;
    let tangent = results.split_off(with.len()).pop();
    if let Some(value) = results.last_mut() {
        let zero = code.zero(code.func.ty(y).elem);
        *value = tangent.unwrap_or(zero);
    }
    let body = Block { params: Vec::new(), stmts: block.stmts, results };
    let name = d_name(code.func, y);
    let d = code.func.var(name, code.func.type_id(y));
    code.push(vec![d], Op::Scatter { kind, dest: d_dest, axes: fresh, body, checked: false });
    map.insert(y, Atom::Var(d));
    Ok(())
}

fn forward_loop(
    code: &mut Code<'_>,
    vars: Vec<VarId>,
    axis: Axis,
    reverse: bool,
    inits: Vec<Atom>,
    body: Block,
    map: &mut Tangents,
) -> Result<(), AdError> {
    // Which params carry a tangent: the least solution.
    let mut with: Vec<bool> = inits.iter().map(|&a| tangent(a, map).is_some()).collect();
    loop {
        let copy = Subst::new().clone_block(code.func, &body);
        for (&p, &has) in copy.params.iter().zip(&with) {
            if has {
                map.insert(p, Atom::Var(p));
            }
        }
        let (_, block) = code.nested(|code| forward_block(code, copy, map, None));
        let next: Vec<bool> = with.iter().zip(block?.1).map(|(&a, b)| a || b).collect();
        if next == with {
            break;
        }
        with = next;
    }
    let mut params = body.params.clone();
    let mut all_inits = inits.clone();
    for ((&p, &has), &init) in body.params.iter().zip(&with).zip(&inits) {
        if has {
            let name = d_name(code.func, p);
            let d = code.func.var(name, code.func.type_id(p));
            let start = tangent_or_zero(code, init, map);
            map.insert(p, Atom::Var(d));
            params.push(d);
            all_inits.push(start);
        }
    }
    let (mut block, _) = forward_block(code, body, map, Some(&with))?;
    block.params = params;
    forward_results(code, vars, &with, map, |_| Op::Loop { axis, reverse, inits: all_inits, body: block });
    Ok(())
}
