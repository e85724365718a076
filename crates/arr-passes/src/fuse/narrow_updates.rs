//! Updates under a condition on an index: only the points at which it holds.
//!
//! ```text
//! v: [n][d]f64 = scatter add u, k<e, i<2*d {         v: [n][d]f64 = scatter add u, k<e, i<d {
//!   c: bool = lt i, d                                  x: f64 = read! y[k, i]
//!   x: f64 = if c { y: f64 = read! y[k, i]        =>   p: i64 = read! to[k]
//!     yield y } else { yield 0.0 }                     yield true, p, i, x }
//!   p: i64 = read! to[k]
//!   yield c, p, i, x }
//! ```
//!
//! The derivative of rows that are put side by side is such an update for each of them. A tensor compiler makes a point of
//! every index and drops what does not count; and where a condition says so, it does not see that whole rows are added.
//!
//! Legal when nothing in a point can fail outside of the update itself, whose places are checked only where the condition
//! holds. The points that are left keep their order.
//!
//! Assumes:      a verified bulk or fused function.
//! Guarantees:   the function is as before; values are unchanged, and terms are added in the same order.
//! Leaves alone: conditions on anything but one index, compared with a size or a number; several conditions on an index.
//! Cost:         O(statements x nesting depth).
//! Tests:        tests/contract/narrow*.ir

use crate::analysis::size_operand;
use arr_base::Span;
use arr_ir::integers::{Integers, is_natural, range};
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, may_fail_deep};
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Poly, Prim, Scalar, Stmt, VarId};

/// Whether anything changed.
pub(super) fn narrow_updates(func: &mut Func) -> bool {
    let mut changed = false;
    let mut integers = Integers::default();
    rewrite_stmts(func, Enter::Control, &mut |func, mut stmt, out| {
        if let Op::Scatter { dest, axes, body, .. } = &mut stmt.op {
            let width = func.ty(*dest).dims.len() + 2;
            if let Some(parts) = parts(func, &integers, axes, body, width) {
                narrow(func, axes, body, parts, (stmt.span, &mut *out));
                decide(func, &integers, axes, body);
                changed = true;
            }
        }
        integers.note(func, &stmt);
        out.push(stmt);
    });
    changed
}

/// The points of an axis that count: their first, and their number. `None` where all do.
type Part = Option<(Poly, Poly)>;

/// The parts of the axes at which the one condition of all writes holds; `None` if it is about something else.
fn parts(func: &Func, integers: &Integers, axes: &[Axis], body: &Block, width: usize) -> Option<Vec<Part>> {
    let mut guards = body.results.chunks(width).filter_map(|write| write.first().copied());
    let guard = guards.next()?;
    let fails = body.stmts.iter().any(|stmt| may_fail_deep(func, &stmt.op));
    if guard.var().is_none() || guards.any(|other| other != guard) || fails {
        return None;
    }
    let mut inner = integers.clone();
    body.stmts.iter().for_each(|stmt| inner.note(func, stmt));
    let mut parts: Vec<Part> = vec![None; axes.len()];
    for bound in inner.guard(func, (guard, true), axes, &[])? {
        let (at, part) = part(func, &bound, axes)?;
        let slot = parts.get_mut(at).filter(|slot| slot.is_none())?;
        *slot = Some(part);
    }
    parts.iter().any(Option::is_some).then_some(parts)
}

/// The axis, and the part of it, at which a polynomial is not negative: one index plus or minus sizes and numbers.
fn part(func: &Func, bound: &Poly, axes: &[Axis]) -> Option<(usize, (Poly, Poly))> {
    let mut about = axes.iter().enumerate().filter(|(_, axis)| bound.vars().contains(&axis.index));
    let ((at, axis), None) = (about.next()?, about.next()) else { return None };
    let slope = *bound.terms.get(&[axis.index])?;
    let rest = bound.sub(&Poly::var(axis.index).mul(&Poly::constant(slope)));
    let whole = func.types.poly(axis.extent);
    let (low, count) = match slope {
        -1 => (Poly::constant(0), rest.add(&Poly::constant(1))),
        1 => (rest.neg(), whole.add(&rest)),
        _ => return None,
    };
    let left = whole.sub(&low).sub(&count);
    let fits = is_natural(func, &low) && is_natural(func, &count) && is_natural(func, &left);
    fits.then_some((at, (low, count)))
}

/// Leaves the other points out.
fn narrow(
    func: &mut Func,
    axes: &mut [Axis],
    body: &mut Block,
    parts: Vec<Part>,
    (span, before): (Option<Span>, &mut Vec<Stmt>),
) {
    let mut shifts = Vec::new();
    for (axis, part) in axes.iter_mut().zip(parts) {
        let Some((low, count)) = part else { continue };
        axis.extent = func.types.size(count);
        if low.as_constant() == Some(0) {
            continue;
        }
        let low = func.types.size(low);
        let low = size_operand(func, low, span, before);
        let index = func.scalar_var("i", Scalar::I64);
        let op = Op::Prim(Prim::Add, vec![index.into(), low]);
        shifts.push(Stmt { vars: vec![axis.index], op, span });
        axis.index = index;
    }
    body.stmts.splice(0..0, shifts);
}

/// Replaces the conditions that hold, or do not hold, at all points.
fn decide(func: &mut Func, integers: &Integers, axes: &[Axis], body: &mut Block) {
    let mut inner = integers.clone();
    body.stmts.iter().for_each(|stmt| inner.note(func, stmt));
    let mut subst = Subst::new();
    let is_condition = |func: &Func, var: &VarId| func.ty(*var).is_scalar() && func.ty(*var).elem == Scalar::Bool;
    for stmt in &body.stmts {
        for &var in stmt.vars.iter().filter(|var| is_condition(func, var)) {
            for holds in [true, false] {
                let bounds = inner.guard(func, (Atom::Var(var), holds), axes, &[]);
                let natural = |bound: &Poly| range(func, bound, axes).is_some_and(|(low, _)| is_natural(func, &low));
                if bounds.is_some_and(|bounds| bounds.iter().all(natural)) {
                    subst.insert(var, Atom::Const(Const::Bool(holds)));
                }
            }
        }
    }
    subst.apply_to_block(func, body);
}
