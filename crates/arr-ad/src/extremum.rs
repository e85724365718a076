//! Maxima and minima, for both modes: the index that each is taken from, and the element there.

use crate::code::{CodeBuilder, copy_block, reduce_of};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Op, Reduction, Stmt};

/// Writes a maximum or minimum as the index that it is taken from and the element there, and returns the index, which
/// its derivative needs. `None` where the statement is something else.
pub(crate) fn forward_extremum(code: &mut CodeBuilder<'_>, stmt: &Stmt) -> Option<Atom> {
    let (outer, reduce): (&[Axis], &Stmt) = match &stmt.op {
        Op::Build { axes, body } => (axes, reduce_of(body)?),
        _ => (&[], stmt),
    };
    let Op::Reduce { kind, axes, body } = &reduce.op else { return None };
    let arg = match kind {
        Reduction::Max => Reduction::ArgMax,
        Reduction::Min => Reduction::ArgMin,
        _ => return None,
    };
    let ([axis], [result], [y]) = (axes.as_slice(), body.results.as_slice(), stmt.vars.as_slice()) else { return None };
    let defined = body.stmts.iter().any(|s| result.var().is_some_and(|v| s.vars == [v]));
    if !defined {
        return None;
    }
    let mut subst = Subst::new();
    let fresh = subst.fresh_axes(code.func, outer);
    let block = code.block(|code| {
        let inner = subst.fresh_axes(code.func, std::slice::from_ref(axis));
        let body = subst.clone_block(code.func, body);
        code.reduce(arg, inner, body, "chosen")
    });
    let chosen = code.build_one(fresh, block, "chosen");
    let mut subst = Subst::new();
    let fresh = subst.fresh_axes(code.func, outer);
    let point: Vec<Atom> = fresh.iter().map(|a| Atom::Var(a.index)).collect();
    let (mut stmts, value) = code.nested(|code| {
        let here = code.element(chosen, &point);
        subst.insert(axis.index, here);
        let copy = copy_block(code.func, &mut subst, body);
        code.stmts.extend(copy.stmts);
        copy.results.first().copied()
    });
    let Some(Atom::Var(value)) = value else {
        return code.func.broken(None, "what a maximum is taken of is no variable in a copy");
    };
    if fresh.is_empty() {
        // The element is the result itself.
        for s in &mut stmts {
            s.vars.iter_mut().filter(|v| **v == value).for_each(|v| *v = *y);
            s.op.map_operands(&mut |a| if a == Atom::Var(value) { Atom::Var(*y) } else { a });
        }
        code.stmts.extend(stmts);
    } else {
        let body = Block { params: Vec::new(), stmts, results: vec![Atom::Var(value)] };
        code.push(vec![*y], Op::Build { axes: fresh, body });
    }
    Some(chosen)
}

/// The index that each maximum or minimum (`kind`) is taken from: one array, or scalar, per result.
pub(crate) fn arg_of(
    code: &mut CodeBuilder<'_>,
    outer: &[Axis],
    axis: &Axis,
    kind: Reduction,
    body: &Block,
) -> Vec<Atom> {
    let kind = if kind == Reduction::Max { Reduction::ArgMax } else { Reduction::ArgMin };
    let mut subst = Subst::new();
    let axes = subst.fresh_axes(code.func, outer);
    let build = code.block(|code| {
        let inner = subst.fresh_axes(code.func, std::slice::from_ref(axis));
        let body = copy_block(code.func, &mut subst, body);
        code.reduce(kind, inner, body, "chosen")
    });
    code.build(axes, build, "chosen")
}

/// The element that a maximum or minimum is taken from, as the body of a kernel over the outer axes: result `k` of the
/// reduction's body at the chosen index.
pub(crate) fn element_at(
    code: &mut CodeBuilder<'_>,
    outer: &[Axis],
    axis: &Axis,
    body: &Block,
    chosen: Atom,
    k: usize,
) -> Block {
    let g: Vec<Atom> = outer.iter().map(|a| Atom::Var(a.index)).collect();
    let (mut stmts, here) = code.nested(|code| code.element(chosen, &g));
    let mut subst = Subst::new();
    subst.insert(axis.index, here);
    for stmt in &body.stmts {
        let mut stmt = stmt.clone();
        subst.apply_to_stmt(code.func, &mut stmt);
        stmts.push(stmt);
    }
    let results = match body.results.get(k) {
        Some(&result) => vec![subst.atom(result)],
        None => code.func.broken(Vec::new(), "a maximum has fewer results than were differentiated"),
    };
    Block { params: Vec::new(), stmts, results }
}
