//! Merges scatters that write one array, each at the places of its own points.
//!
//! ```text
//! b: [n][2]f64 = scatter! set a, i<n { .. yield true, i, 0, x }
//! c: [n][2]f64 = scatter! set b, j<n { .. yield true, j, 1, y }
//!   =>
//! c: [n][2]f64 = scatter! set a, i<n { .. .. yield true, i, 0, x, true, i, 1, y }
//! ```
//!
//! An array of a few elements at every point, as in `for i => [x, y]`, is written that way. All writes of a point have
//! the point's indices at the same axes, or in disjoint parts of the array, so that the order of points is free.
//! Scatters that add are merged as well: each point adds to a place in the same order as before.
//!
//! Rows that are stacked, as in `for i => [[x, y], u(i)]`, are written to their destination:
//!
//! ```text
//! c: [n][2][2]f64 = build i<n, r<2, k<2 { t = eq r, 0; e = if t { read! a[i, k] } else { read! b[i, k] }; yield e }
//!   =>
//! z: [n][2][2]f64 = build i<n, r<2, k<2 { yield 0.0 }
//! c: [n][2][2]f64 = scatter! set z, i<n { .. yield true, i, 0, 0, x, .. true, i, 1, 0, u, .. }
//! ```

use crate::analysis::{count_uses, for_each_consumed};
use arr_ir::integers::{Integers, is_natural, range};
use arr_ir::rewrite::{Enter, rewrite_blocks};
use arr_ir::walk::{Subst, for_each_use_in_block};
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

mod stack;

/// The maximal number of writes per point: the machine code holds their values.
const MAX_WRITES: usize = 64;

/// Whether any scatters were merged.
pub(super) fn join(func: &mut Func) -> bool {
    let uses = count_uses(func);
    let mut changed = false;
    rewrite_blocks(func, Enter::Control, &mut |func, block| changed |= join_block(func, &uses, block));
    changed
}

fn join_block(func: &mut Func, uses: &FxHashMap<VarId, u32>, block: &mut Block) -> bool {
    let mut changed = false;
    let mut slots: Vec<Option<Stmt>> = Vec::with_capacity(block.stmts.len());
    // Scatters, by their results.
    let mut open: FxHashMap<VarId, usize> = FxHashMap::default();
    for mut stmt in std::mem::take(&mut block.stmts) {
        if let Some(stack) = stack::find(func, uses, &open, &slots, &stmt) {
            let (zeros, rows) = stack.build(func, &mut slots, stmt);
            slots.push(Some(zeros));
            stmt = rows;
            changed = true;
        } else if let Some(i) = partner(func, uses, &open, &slots, &stmt)
            && let Some(first) = slots.get_mut(i).and_then(Option::take)
        {
            stmt = joined(func, first, stmt);
            changed = true;
        }
        if let (Op::Scatter { .. }, &[var]) = (&stmt.op, stmt.vars.as_slice()) {
            open.insert(var, slots.len());
        }
        slots.push(Some(stmt));
    }
    block.stmts = slots.into_iter().flatten().collect();
    changed
}

/// The position of the scatter whose result only this one takes over, if the two can be merged here.
fn partner(
    func: &Func,
    uses: &FxHashMap<VarId, u32>,
    open: &FxHashMap<VarId, usize>,
    slots: &[Option<Stmt>],
    second: &Stmt,
) -> Option<usize> {
    let Op::Scatter { kind, dest, axes, body, checked: false } = &second.op else { return None };
    let &i = open.get(dest)?;
    let first = slots.get(i)?.as_ref()?;
    let Op::Scatter { kind: before, dest: from, axes: own, body: earlier, checked: false } = &first.op else {
        return None;
    };
    let alike = kind == before && !axes.is_empty() && axes.iter().map(|a| a.extent).eq(own.iter().map(|a| a.extent));
    if uses.get(dest) != Some(&1) || !alike {
        return None;
    }
    let rank = func.ty(*dest).dims.len();
    let few = (body.results.len() + earlier.results.len()) / (rank + 2) <= MAX_WRITES;
    let by_column = || columns(rank, own, earlier).is_some_and(|c| Some(c) == columns(rank, axes, body));
    (few && (by_column() || apart(func, slots, rank, (own, earlier), (axes, body)))).then_some(())?;
    can_move_down(func, slots, i, &[*from]).then_some(i)
}

/// Whether the points of a scatter can also run at the end: their operands, and `more`, are still available.
fn can_move_down(func: &Func, slots: &[Option<Stmt>], i: usize, more: &[VarId]) -> bool {
    let mut needs: FxHashSet<VarId> = more.iter().copied().collect();
    let (Some(Some(stmt)), Some(behind)) = (slots.get(i), slots.get(i + 1..)) else { return false };
    for block in stmt.op.blocks() {
        for_each_use_in_block(func, block, &mut |v| {
            needs.insert(v);
        });
    }
    let mut taken = false;
    for between in behind.iter().flatten() {
        for_each_consumed(func, &between.op, &mut |v| taken |= needs.contains(&v));
    }
    !taken
}

/// For each axis of the points, the axis of the array that all writes index with it.
fn columns(rank: usize, axes: &[Axis], body: &Block) -> Option<Vec<usize>> {
    let all = |column: usize, index: VarId| {
        body.results.chunks(rank + 2).all(|write| write.get(1 + column) == Some(&Atom::Var(index)))
    };
    axes.iter().map(|axis| (0..rank).find(|&column| all(column, axis.index))).collect()
}

/// Whether no point of one scatter writes where another point of the second does: each pair of their writes has a
/// column that distinguishes them, or columns that only one and the same point has in common.
fn apart(
    func: &Func,
    slots: &[Option<Stmt>],
    rank: usize,
    (own, earlier): (&[Axis], &Block),
    (axes, body): (&[Axis], &Block),
) -> bool {
    let mut integers = Integers::default();
    slots.iter().flatten().chain(&earlier.stmts).chain(&body.stmts).for_each(|stmt| integers.note(func, stmt));
    let places = |write: &[Atom]| -> Option<Vec<Poly>> {
        write.iter().skip(1).take(rank).map(|&a| integers.poly(func, a)).collect()
    };
    let renamed = |place: &Poly| {
        let name = |v| axes.iter().zip(own).find(|(a, _)| a.index == v).map(|(_, a)| Poly::var(a.index));
        place.substitute(&mut |v| name(v))
    };
    let all: Vec<Axis> = own.iter().chain(axes).copied().collect();
    let positive =
        |p: Poly| range(func, &p, &all).is_some_and(|(low, _)| is_natural(func, &low.sub(&Poly::constant(1))));
    let pair = |first: &[Poly], second: &[Poly]| {
        let columns = || first.iter().zip(second);
        columns().any(|(a, b)| positive(a.sub(b)) || positive(b.sub(a)))
            || own.iter().all(|axis| {
                let alone =
                    |p: &Poly| p.sub(&Poly::var(axis.index)).vars().iter().all(|v| all.iter().all(|a| a.index != *v));
                columns().any(|(a, b)| alone(a) && *a == renamed(b))
            })
    };
    let second: Option<Vec<Vec<Poly>>> = body.results.chunks(rank + 2).map(places).collect();
    let Some(second) = second else { return false };
    earlier.results.chunks(rank + 2).all(|w| places(w).is_some_and(|first| second.iter().all(|s| pair(&first, s))))
}

/// One scatter for both, in order. The indices of the second become those of the first.
fn joined(func: &mut Func, first: Stmt, second: Stmt) -> Stmt {
    let Op::Scatter { kind, dest, axes, body: Block { params, mut stmts, mut results }, checked } = first.op else {
        return func.broken(second, "a row that is joined is no `scatter`");
    };
    let Op::Scatter { axes: own, body: mut tail, .. } = second.op else {
        return func.broken(second, "a row that is joined is no `scatter`");
    };
    let mut subst = Subst::new();
    subst.insert_axes(&own, &axes);
    subst.apply_to_block(func, &mut tail);
    stmts.extend(tail.stmts);
    results.extend(tail.results);
    let body = Block { params, stmts, results };
    Stmt { vars: second.vars, op: Op::Scatter { kind, dest, axes, body, checked }, span: first.span.or(second.span) }
}
