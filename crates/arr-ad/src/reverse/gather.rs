//! Contributions in gather form: an array each element of which is the sum over the points that read it.

use crate::analysis::affine::Solution;
use crate::code::{CodeBuilder, d_name, emit_poly};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Poly, Prim, Reduction, SizeId, VarId};

/// Writes the quotients of a solution at an element, and returns the conditions that they have no remainder. Their
/// values are bound in `point`.
fn quotients(code: &mut CodeBuilder<'_>, solution: &Solution, point: &mut Subst) -> Vec<Atom> {
    let mut exact = Vec::new();
    for quotient in &solution.quotients {
        let numerator = emit_poly(code, &renamed(&quotient.numerator, point));
        let divisor = emit_poly(code, &renamed(&quotient.divisor, point));
        let value = code.prim(Prim::Div, &[numerator, divisor], "q");
        let rest = code.prim(Prim::Rem, &[numerator, divisor], "rest");
        match quotient.rest {
            Some(var) => point.insert(var, rest),
            None => exact.push(code.prim(Prim::Eq, &[rest, Atom::int(0)], "exact")),
        }
        point.insert(quotient.var, value);
    }
    exact
}

fn all(code: &mut CodeBuilder<'_>, conditions: Vec<Atom>) -> Option<Atom> {
    conditions.into_iter().reduce(|a, b| code.prim(Prim::And, &[a, b], "inside"))
}

/// Writes the gather form: `build h { sum free { value at the point that reads h } }`. Where axes of the array are
/// pinned to one index, this is done over the other axes, so that the sum is taken once, and then spread by
/// `build h { if pinned { .. } else 0 }`. `None` if `value` returns none.
pub(crate) fn gather(
    code: &mut CodeBuilder<'_>,
    array: VarId,
    kernel_axes: &[Axis],
    solution: Solution,
    value: impl FnOnce(&mut CodeBuilder<'_>, &[Atom]) -> Option<Atom>,
) -> Option<Atom> {
    let dims = code.func.ty(array).dims.clone();
    let is_pinned = |d: usize| solution.pinned.iter().any(|(p, _)| *p == d);
    let own: Vec<SizeId> = dims.iter().enumerate().filter(|(d, _)| !is_pinned(*d)).map(|(_, &s)| s).collect();
    let (axes, index) = code.axes(&own);
    let mut point = Subst::new();
    let unpinned = solution.element.iter().enumerate().filter(|(d, _)| !is_pinned(*d));
    for ((_, h), i) in unpinned.zip(&index) {
        point.insert(*h, *i);
    }
    let name = d_name(code.func, array);
    let mut found = true;
    let body = code.block(|code| {
        let exact = quotients(code, &solution, &mut point);
        let mut free = Vec::new();
        for axis in &solution.free {
            let index = point.fresh(code.func, axis.index);
            free.push(Axis { index, extent: axis.extent });
        }
        let sum = code.block(|code| {
            let mut conditions = exact;
            for (value, extent) in &solution.ranges {
                conditions.push(in_range(code, value, *extent, &point));
            }
            let cond = all(code, conditions);
            code.guarded(cond, |code| {
                let at: Vec<Atom> = kernel_axes
                    .iter()
                    .map(|axis| match solution.solved.iter().find(|(v, _)| *v == axis.index) {
                        Some((_, poly)) => emit_poly(code, &renamed(poly, &point)),
                        None => point.atom(Atom::Var(axis.index)),
                    })
                    .collect();
                match value(code, &at) {
                    Some(atom) => vec![atom],
                    None => {
                        found = false;
                        Vec::new()
                    }
                }
            })
        });
        code.reduce(Reduction::Sum, free, sum, &name)
    });
    if !found {
        return None;
    }
    let compact = code.build_one(axes, body, &name);
    Some(if solution.pinned.is_empty() { compact } else { spread(code, array, &solution, compact) })
}

/// The cotangent of an array that is read only where some indices have fixed values, from the cotangent over the other
/// axes.
fn spread(code: &mut CodeBuilder<'_>, array: VarId, solution: &Solution, compact: Atom) -> Atom {
    let name = d_name(code.func, array);
    let dims = code.func.ty(array).dims.clone();
    let (axes, index) = code.axes(&dims);
    let mut point = Subst::new();
    for (h, i) in solution.element.iter().zip(&index) {
        point.insert(*h, *i);
    }
    let body = code.block(|code| {
        quotients(code, solution, &mut point);
        let mut conditions = Vec::new();
        for (d, value) in &solution.pinned {
            let Some(&here) = index.get(*d) else {
                return code.func.broken(Vec::new(), "a solution fixes an index that the array has not");
            };
            let value = emit_poly(code, &renamed(value, &point));
            conditions.push(code.prim(Prim::Eq, &[here, value], "here"));
        }
        let cond = all(code, conditions);
        code.guarded(cond, |code| {
            let is_pinned = |d: usize| solution.pinned.iter().any(|(p, _)| *p == d);
            let place = index.iter().enumerate().filter(|(d, _)| !is_pinned(*d)).map(|(_, &i)| i).collect();
            match compact {
                Atom::Var(v) => vec![code.read(v, place, &name)],
                Atom::Const(_) => vec![compact],
            }
        })
    });
    code.build_one(axes, body, &name)
}

/// A polynomial with variables replaced as `subst` says.
pub(crate) fn renamed(poly: &Poly, subst: &Subst) -> Poly {
    poly.substitute(&mut |v| match subst.atom(Atom::Var(v)) {
        Atom::Var(w) => (w != v).then(|| Poly::var(w)),
        Atom::Const(c) => c.as_i64().map(Poly::constant),
    })
}

/// `0 <= value and value < extent`
fn in_range(code: &mut CodeBuilder<'_>, value: &Poly, extent: SizeId, point: &Subst) -> Atom {
    let value = emit_poly(code, &renamed(value, point));
    let extent = code.func.types.poly(extent).clone();
    let extent = emit_poly(code, &extent);
    let low = code.prim(Prim::Le, &[Atom::int(0), value], "low");
    let high = code.prim(Prim::Lt, &[value, extent], "high");
    code.prim(Prim::And, &[low, high], "inside")
}
