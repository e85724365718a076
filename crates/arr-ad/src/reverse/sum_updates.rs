//! Updates that add many values to one place: the values are summed first, and added once.
//!
//! ```text
//!                                             c: [k][m]f64 = build k<c, m<c {
//! d' = scatter add d, i<n, k<c, m<c {           s: f64 = reduce sum i<n { .. yield a[i, k] * b[i, m] }
//!   v: f64 = .. a[i, k] * b[i, m]        =>     yield s }
//!   yield true, t, k, m, v }                  d' = scatter add d, k<c, m<c { x: f64 = read! c[k, m]
//!                                               yield true, t, k, m, x }
//! ```
//!
//! An axis that neither the place nor the guard depends on is summed over. The sum is kept in a register, and where the
//! value is a product of two elements it is a matrix product: the derivative of a layer whose weights are one of many
//! in an array, in a loop.

use crate::code::{CodeBuilder, needed};
use crate::reverse::cotangents::Update;
use crate::storage::states::extent_value;
use arr_ir::integers::{is_natural, range};
use arr_ir::walk::{Subst, for_each_use};
use arr_ir::{Atom, Axis, Block, Const, Func, Poly, Prim, SizeId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The update of an array with these dimensions with its sums taken before it, for which code is written; the same
/// update if it has none.
pub(super) fn summed(code: &mut CodeBuilder<'_>, update: Update, dims: &[SizeId], name: &str) -> Update {
    let Some((placed, free)) = divided(code.func, &update) else { return update };
    let Update { axes: _, body, span } = update;
    let Some((&value, place)) = body.results.split_last() else { return Update { axes: placed, body, span } };
    let sum = sums(code, (&placed, &free), &body, value, name);
    let cond = if always_inside(code, &placed, &body, place, dims) { None } else { have_points(code, &free) };
    let at: Vec<Atom> = placed.iter().map(|a| Atom::Var(a.index)).collect();
    let point = code.block(|code| {
        code.stmts = needed(code.func, body.stmts.clone(), place);
        let value = code.element(sum, &at);
        place.iter().copied().chain([value]).collect()
    });
    let body = match cond {
        Some(cond) => code.block(|code| {
            let mut nothing = vec![Atom::bool(false)];
            nothing.extend(point.results.iter().skip(1).map(|&r| Atom::Const(Const::zero(code.func.atom_elem(r)))));
            code.if_(cond, point, Block { results: nothing, ..Block::default() }, "d")
        }),
        None => point,
    };
    Update { axes: placed, body, span }
}

/// The sums over the free axes: an array over the others, or a scalar if there are none.
fn sums(code: &mut CodeBuilder<'_>, (placed, free): (&[Axis], &[Axis]), body: &Block, value: Atom, name: &str) -> Atom {
    let mut subst = Subst::new();
    let axes = subst.fresh_axes(code.func, placed);
    let free = subst.fresh_axes(code.func, free);
    let stmts = needed(code.func, body.stmts.clone(), &[value]);
    let term = subst.clone_block(code.func, &Block { params: Vec::new(), stmts, results: vec![value] });
    if axes.is_empty() {
        return code.sum_one(free, term, name);
    }
    let sum = code.block(|code| vec![code.sum_one(free, term, name)]);
    code.build_one(axes, sum, name)
}

/// The axes that the guard or the place of an update depends on, and the others; `None` if there are no others.
fn divided(func: &Func, Update { axes, body, .. }: &Update) -> Option<(Vec<Axis>, Vec<Axis>)> {
    let (_, place) = body.results.split_last()?;
    let mut of: FxHashMap<VarId, FxHashSet<VarId>> =
        axes.iter().map(|a| (a.index, FxHashSet::from_iter([a.index]))).collect();
    for stmt in &body.stmts {
        let mut all = FxHashSet::default();
        for_each_use(func, &stmt.op, &mut |v| all.extend(of.get(&v).into_iter().flatten().copied()));
        stmt.vars.iter().for_each(|&v| {
            of.insert(v, all.clone());
        });
    }
    let needed: FxHashSet<VarId> =
        place.iter().filter_map(|a| a.var()).flat_map(|v| of.get(&v).into_iter().flatten().copied()).collect();
    let (mut placed, free): (Vec<Axis>, Vec<Axis>) = axes.iter().partition(|a| needed.contains(&a.index));
    // The sums lie in memory as the elements that they are added to.
    placed.sort_by_key(|axis| place.iter().position(|&i| i == Atom::Var(axis.index)));
    let varies = |axis: &Axis| func.types.poly(axis.extent).vars().iter().any(|v| of.contains_key(v));
    (!free.is_empty() && !axes.iter().any(varies)).then_some((placed, free))
}

/// Whether the place is inside the array even where the free axes have no points, and the program reads nothing: each
/// component is a sum of axes, indices of loops and sizes that stays within its dimension.
fn always_inside(code: &CodeBuilder<'_>, placed: &[Axis], body: &Block, place: &[Atom], dims: &[SizeId]) -> bool {
    let Some((Atom::Const(_), index)) = place.split_first() else { return false };
    let func = &*code.func;
    let mut integers = code.integers.clone();
    body.stmts.iter().for_each(|stmt| integers.note(func, stmt));
    let axes: Vec<Axis> = placed.iter().chain(&code.loops).copied().collect();
    let inside = |i: Atom, dim: SizeId| {
        let Some((low, high)) = integers.poly(func, i).and_then(|poly| range(func, &poly, &axes)) else { return false };
        let room = func.types.poly(dim).sub(&Poly::constant(1)).sub(&high);
        is_natural(func, &low) && is_natural(func, &room)
    };
    index.iter().zip(dims).all(|(&i, &dim)| inside(i, dim))
}

/// The condition that axes have points; `None` if it is known to hold.
fn have_points(code: &mut CodeBuilder<'_>, axes: &[Axis]) -> Option<Atom> {
    let mut all = Atom::bool(true);
    for axis in axes {
        let extent = extent_value(code, axis.extent);
        let some = code.prim(Prim::Gt, &[extent, Atom::int(0)], "points");
        all = code.prim(Prim::And, &[all, some], "points");
    }
    (all != Atom::bool(true)).then_some(all)
}
