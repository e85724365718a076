//! Sparse adjoints: kernels where only one place in each row of a result has a cotangent, because the reader takes the
//! maximum of each row, or an element at a computed index.
//!
//! Such a cotangent is an update of few places. The kernel is run backwards at these places alone, not at all of its
//! points with a cotangent that is zero nearly everywhere. The zeros that are left out are those of something that was
//! not selected, which win over any factor.

use crate::code::{CodeBuilder, reduce_of};
use crate::error::AdError;
use crate::extremum::{arg_of, element_at};
use crate::reverse::cotangents::{Cotangents, Ct, Update};
use crate::reverse::kernel::Kernel;
use arr_base::Span;
use arr_ir::rewrite::for_each_stmt_mut;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Func, Op, Reduction, Stmt, VarId};
use rustc_hash::FxHashMap;

/// The cotangent of the only result of a kernel that has one.
pub(crate) struct SparseAdjoint {
    result: usize,
    update: Update,
}

/// Takes the cotangent of a kernel if all of it is one update with fewer points than the kernel.
pub(crate) fn take_sparse(func: &Func, stmt: &Stmt, cots: &mut Cotangents) -> Option<SparseAdjoint> {
    let Op::Build { axes, body } = &stmt.op else { return None };
    if !is_restrictable(func, axes, body) {
        return None;
    }
    let mut with = stmt.vars.iter().enumerate().filter(|(_, v)| cots.has(**v));
    let (Some((result, &var)), None) = (with.next(), with.next()) else { return None };
    let update = cots.take_update(var, |update| is_thin(axes, update))?;
    Some(SparseAdjoint { result, update })
}

/// Whether the update has fewer points than the kernel, and no two at one place: each of its axes is an index of its
/// own, with the extent of the kernel's axis there, and it has fewer axes.
fn is_thin(axes: &[Axis], Update { axes: own, body, .. }: &Update) -> bool {
    let Some((&guard, rest)) = body.results.split_first() else { return false };
    let index = rest.get(..axes.len()).unwrap_or_default();
    let is_own = |a: &Axis| index.iter().zip(axes).any(|(&i, axis)| i == Atom::Var(a.index) && axis.extent == a.extent);
    guard == Atom::bool(true) && own.len() < axes.len() && index.len() == axes.len() && own.iter().all(is_own)
}

/// Whether the kernel can run at some of its points: a sum in it must not have extents that depend on the point, an
/// extremum must be over one axis, and there is no other reduction.
fn is_restrictable(func: &Func, axes: &[Axis], body: &Block) -> bool {
    let Some(reduce) = reduce_of(body) else { return true };
    let Op::Reduce { kind, axes: inner, .. } = &reduce.op else { return false };
    let depends = |a: &Axis| func.types.poly(a.extent).vars().iter().any(|v| axes.iter().any(|o| o.index == *v));
    match kind {
        Reduction::Sum => !inner.iter().any(depends),
        Reduction::Max | Reduction::Min => inner.len() == 1,
        _ => false,
    }
}

/// Adds the contributions of a kernel at the places of the update. `saved` are the values that are kept over the
/// kernel's points; `chosen` is the index that a maximum is taken from. Fails with [`AdError::NoRule`] where something
/// in the body has no derivative rule.
pub(crate) fn reverse_sparse(
    code: &mut CodeBuilder<'_>,
    stmt: &Stmt,
    (saved, chosen): (&FxHashMap<VarId, VarId>, Option<Atom>),
    sparse: SparseAdjoint,
    cots: &mut Cotangents,
    active: &dyn Fn(VarId) -> bool,
) -> Result<(), AdError> {
    let Op::Build { axes, body } = &stmt.op else { return code.broken("a kernel with a sparse adjoint is no kernel") };
    let Update { axes: own, body: mut points, span } = sparse.update;
    let element;
    let (inner, body, result): (&[Axis], &Block, usize) = match reduce_of(body).map(|s| &s.op) {
        Some(Op::Reduce { kind: Reduction::Sum, axes: inner, body }) => (inner, body, sparse.result),
        Some(Op::Reduce { kind, axes: inner, body }) => {
            let [axis] = inner.as_slice() else { return code.broken("an extreme has not one axis") };
            let chosen = chosen.or_else(|| arg_of(code, axes, axis, *kind, body).get(sparse.result).copied());
            let Some(chosen) = chosen else { return code.broken("an extreme has no index") };
            element = element_at(code, axes, axis, body, chosen, sparse.result);
            (&[], &element, 0)
        }
        _ => (&[], body, sparse.result),
    };
    let (Some(value), Some(&result)) = (points.results.pop(), body.results.get(result)) else {
        return code.broken("a kernel with a sparse adjoint has no such result");
    };
    let place: Vec<Atom> = points.results.iter().skip(1).copied().collect();
    let mut subst = Subst::new();
    for (axis, &i) in axes.iter().zip(&place) {
        subst.insert(axis.index, i);
    }
    for stmt in &body.stmts {
        let mut stmt = stmt.clone();
        subst.apply_to_stmt(code.func, &mut stmt);
        name_reader(&mut stmt, span);
        points.stmts.push(stmt);
    }
    points.results = vec![subst.atom(result), value];
    let seed = |code: &mut CodeBuilder<'_>, _: &[Atom], _: &[Atom], results: &[Atom]| match results {
        [result, value] => vec![(*result, Ct { atom: *value, selective: true })],
        _ => code.func.broken(Vec::new(), "a kernel with a sparse adjoint has not a value and its cotangent"),
    };
    let kernel = Kernel { outer: &own, inner, body: &points, saved, place: Some(&place), seed: &seed, store: false };
    kernel.reverse(code, cots, active)
}

/// Lets the accesses of a kernel's statement, run again at a place that a read names, fail where that read does: at all
/// of the kernel's points they have run, so that nothing but the place can be wrong.
fn name_reader(stmt: &mut Stmt, reader: Option<Span>) {
    for_each_stmt_mut(std::slice::from_mut(stmt), &mut |stmt| {
        if matches!(stmt.op, Op::Read { .. } | Op::Scatter { .. }) {
            stmt.span = reader.or(stmt.span);
        }
    });
}
