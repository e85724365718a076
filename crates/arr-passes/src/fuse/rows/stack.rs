//! Arrays stacked along an axis of constant length, each written by a scatter.

use super::{MAX_WRITES, can_move_down, columns};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Prim, ScatterKind, Stmt, VarId};
use rustc_hash::FxHashMap;

/// A build that stacks arrays.
pub(super) struct Stack {
    array: VarId,
    axes: Vec<Axis>,
    /// The axis along which they are stacked.
    axis: usize,
    /// The scatters that write them, in the order of that axis.
    rows: Vec<usize>,
    /// The value of an element that no scatter writes.
    fill: Const,
}

/// The stack that a statement is, if its arrays can be written to their destination.
pub(super) fn find(
    func: &Func,
    uses: &FxHashMap<VarId, u32>,
    open: &FxHashMap<VarId, usize>,
    slots: &[Option<Stmt>],
    stmt: &Stmt,
) -> Option<Stack> {
    let (Op::Build { axes: all, body }, &[array]) = (&stmt.op, stmt.vars.as_slice()) else { return None };
    let (axis, arrays) = parts(func, all, body)?;
    let mut rows = Vec::new();
    let mut writes = 0;
    let mut shape: Option<(Vec<usize>, Vec<_>, Const)> = None;
    for part in arrays {
        let &i = open.get(&part)?;
        let row = slots.get(i)?.as_ref()?;
        let Op::Scatter { kind: ScatterKind::Set, dest, axes, body, checked: false } = &row.op else { return None };
        let rank = func.ty(*dest).dims.len();
        let own = (columns(rank, axes, body)?, axes.iter().map(|a| a.extent).collect(), fill_of(slots, *dest)?);
        let alike = shape.get_or_insert_with(|| own.clone()) == &own && !axes.is_empty();
        writes += body.results.len() / (rank + 2);
        let single = uses.get(&part) == Some(&1) && !rows.contains(&i);
        (alike && single && writes <= MAX_WRITES && can_move_down(func, slots, i, &[])).then_some(())?;
        rows.push(i);
    }
    let (_, _, fill) = shape?;
    Some(Stack { array, axes: all.clone(), axis, rows, fill })
}

/// The axis and the arrays of a body that is `read! a[..]` where that axis is 0, `read! b[..]` where it is 1, and so on,
/// each read at the other axes in order.
fn parts(func: &Func, axes: &[Axis], body: &Block) -> Option<(usize, Vec<VarId>)> {
    let mut parts: Vec<(i64, VarId)> = Vec::new();
    let mut axis = None;
    let mut block = body;
    let last = loop {
        match (block.stmts.as_slice(), block.results.as_slice()) {
            ([Stmt { vars, op: Op::Read { array, index, checked: false }, .. }], [result]) => {
                (*vars == [result.var()?]).then_some(())?;
                break (*array, index);
            }
            ([test, branch], [result]) => {
                let (Op::Prim(Prim::Eq, args), Op::If { cond, then_block, else_block }) = (&test.op, &branch.op) else {
                    return None;
                };
                let (&[Atom::Var(of), Atom::Const(Const::I64(at))] | &[Atom::Const(Const::I64(at)), Atom::Var(of)]) =
                    args.as_slice()
                else {
                    return None;
                };
                let of = axes.iter().position(|a| a.index == of)?;
                let chosen =
                    *axis.get_or_insert(of) == of && test.vars == [cond.var()?] && branch.vars == [result.var()?];
                let ([Stmt { vars, op: Op::Read { array, index, checked: false }, .. }], [read]) =
                    (then_block.stmts.as_slice(), then_block.results.as_slice())
                else {
                    return None;
                };
                (chosen && *vars == [read.var()?] && others(axes, of).eq(index.iter().copied())).then_some(())?;
                parts.push((at, *array));
                block = else_block;
            }
            _ => return None,
        }
    };
    let axis = axis?;
    others(axes, axis).eq(last.1.iter().copied()).then_some(())?;
    let length = func.types.poly(axes.get(axis)?.extent).as_constant()?;
    let taken = |at: &i64| parts.iter().any(|(other, _)| other == at);
    let rest: Vec<i64> = (0..length.min(MAX_WRITES as i64 + 1)).filter(|at| !taken(at)).collect();
    let &[at] = rest.as_slice() else { return None };
    parts.push((at, last.0));
    parts.sort_unstable();
    let proper = parts.iter().map(|(at, _)| *at).eq(0..length);
    proper.then(|| (axis, parts.into_iter().map(|(_, array)| array).collect()))
}

/// The indices of the axes but one.
fn others(axes: &[Axis], but: usize) -> impl Iterator<Item = Atom> {
    axes.iter().enumerate().filter(move |(k, _)| *k != but).map(|(_, a)| Atom::Var(a.index))
}

/// The constant that all elements of an array equal.
fn fill_of(slots: &[Option<Stmt>], array: VarId) -> Option<Const> {
    let maker = slots.iter().rev().flatten().find(|s| s.vars == [array])?;
    match &maker.op {
        Op::Build { body, .. } if body.stmts.is_empty() => body.results.first()?.constant(),
        _ => None,
    }
}

impl Stack {
    /// The array of the fill, and the scatter that writes all rows into it.
    pub fn build(self, func: &mut Func, slots: &mut [Option<Stmt>], stmt: Stmt) -> (Stmt, Stmt) {
        let filled = func.copy_var(self.array);
        let fill = Block { results: vec![Atom::Const(self.fill)], ..Block::default() };
        let zeros = Stmt { vars: vec![filled], op: Op::Build { axes: self.axes, body: fill }, span: stmt.span };
        let mut points: Vec<Axis> = Vec::new();
        let mut whole = Block::default();
        for (place, &i) in self.rows.iter().enumerate() {
            let Some(Op::Scatter { dest, axes, mut body, .. }) = slots.get_mut(i).and_then(Option::take).map(|s| s.op)
            else {
                continue;
            };
            let length = func.ty(dest).dims.len() + 2;
            if points.is_empty() {
                points = axes;
            } else {
                let mut subst = Subst::new();
                subst.insert_axes(&axes, &points);
                subst.apply_to_block(func, &mut body);
            }
            whole.stmts.extend(body.stmts);
            for write in body.results.chunks(length) {
                let mut write = write.to_vec();
                write.insert((1 + self.axis).min(write.len()), Atom::int(place as i64));
                whole.results.extend(write);
            }
        }
        let op = Op::Scatter { kind: ScatterKind::Set, dest: filled, axes: points, body: whole, checked: false };
        (zeros, Stmt { vars: stmt.vars, op, span: stmt.span })
    }
}
