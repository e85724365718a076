//! Reverse mode of `scatter`: which points still have a cotangent at the place they wrote, and what is left for the
//! array that was updated.

use crate::analysis::affine::solve;
use crate::analysis::index::Defs;
use crate::code::{CodeBuilder, copy_block};
use crate::error::AdError;
use crate::reverse::cotangents::{Cotangents, Ct};
use crate::reverse::kernel::Kernel;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Func, Op, Prim, Scalar, ScatterKind, VarId};
use rustc_hash::FxHashMap;

/// Adds the contributions of `y = scatter(dest, index, value)`. If it adds, `dest` gets `dy`, and each value the
/// element of `dy` that it was added to. If it sets, `dest` gets `dy` with the written places cleared, and a value that
/// was overwritten later gets nothing. Fails with [`AdError::NoRule`] where something in the body has no derivative
/// rule.
pub(crate) fn reverse_scatter(
    code: &mut CodeBuilder<'_>,
    (kind, dest): (ScatterKind, VarId),
    (axes, body): (&[Axis], &Block),
    ct: Ct,
    cots: &mut Cotangents,
    active: &dyn Fn(VarId) -> bool,
) -> Result<(), AdError> {
    let Atom::Var(d) = ct.atom else { return code.broken("the cotangent of an array is none") };
    let rank = code.func.ty(dest).rank();
    let overwrites = kind == ScatterKind::Set && !is_injective(code.func, dest, rank, axes, body);
    let winner = overwrites.then(|| winners(code, dest, axes, body));
    let always = body.results.first() == Some(&Atom::bool(true));
    let selective = ct.selective || winner.is_some() || !always;
    let seed = |code: &mut CodeBuilder<'_>, g: &[Atom], _: &[Atom], results: &[Atom]| {
        let (Some(&guard), Some(&value)) = (results.first(), results.last()) else {
            return code.func.broken(Vec::new(), "a `scatter` writes no value");
        };
        let index: Vec<Atom> = results.iter().skip(1).take(rank).copied().collect();
        let taken = code.guarded((!always).then_some(guard), |code| {
            let element = code.read(d, index.clone(), "d");
            let Some(winner) = winner else { return vec![element] };
            let last = code.read(winner, index.clone(), "last");
            let own = point_number(code, axes, g);
            let wins = code.prim(Prim::Eq, &[last, own], "wins");
            let zero = code.zero(code.func.atom_elem(element));
            vec![code.prim(Prim::Select, &[wins, element, zero], "d")]
        });
        match taken.as_slice() {
            &[atom] => vec![(value, Ct { atom, selective })],
            _ => code.func.broken(Vec::new(), "a `scatter` takes not one cotangent"),
        }
    };
    let saved = FxHashMap::default();
    let kernel = Kernel { outer: axes, inner: &[], body, saved: &saved, place: None, seed: &seed, store: true };
    kernel.reverse(code, cots, active)?;
    if !active(dest) {
        return Ok(());
    }
    let kept = match kind {
        ScatterKind::Add => d,
        ScatterKind::Set => {
            let mut subst = Subst::new();
            let axes = subst.fresh_axes(code.func, axes);
            let mut cleared = copy_block(code.func, &mut subst, body);
            match cleared.results.last_mut() {
                Some(value) => *value = code.zero(code.func.ty(dest).elem),
                None => return code.broken("a `scatter` writes no value"),
            }
            let kept = code.func.copy_var(d);
            let op = Op::Scatter { kind: ScatterKind::Set, dest: d, axes, body: cleared, checked: false };
            code.push(vec![kept], op);
            kept
        }
    };
    let selective = ct.selective || kind == ScatterKind::Set;
    cots.add_dense(dest, Ct { atom: Atom::Var(kept), selective });
    Ok(())
}

/// Whether no place is written twice: at most one point has a given index.
fn is_injective(func: &mut Func, dest: VarId, rank: usize, axes: &[Axis], body: &Block) -> bool {
    let defs = Defs::new(func, &body.stmts);
    let index: Vec<Atom> = body.results.iter().skip(1).take(rank).copied().collect();
    let solution = solve(func, dest, &index, &defs, axes);
    axes.is_empty() || solution.is_some_and(|s| s.free.is_empty())
}

/// For each place, the number of the point that wrote it last; -1 where none did.
fn winners(code: &mut CodeBuilder<'_>, dest: VarId, axes: &[Axis], body: &Block) -> VarId {
    let dims = code.func.ty(dest).dims.clone();
    let (none_axes, _) = code.axes(&dims);
    let none = Block { params: Vec::new(), stmts: Vec::new(), results: vec![Atom::int(-1)] };
    let none = match code.build_one(none_axes, none, "last") {
        Atom::Var(none) => none,
        Atom::Const(_) => code.func.broken(dest, "what was written last is no array"),
    };
    let mut subst = Subst::new();
    let fresh = subst.fresh_axes(code.func, axes);
    let index: Vec<Atom> = fresh.iter().map(|a| Atom::Var(a.index)).collect();
    let mut block = copy_block(code.func, &mut subst, body);
    let (stmts, number) = code.nested(|code| point_number(code, &fresh, &index));
    block.stmts.extend(stmts);
    if let Some(value) = block.results.last_mut() {
        *value = number;
    }
    let last = code.func.var("last", code.func.type_id(none));
    let op = Op::Scatter { kind: ScatterKind::Set, dest: none, axes: fresh, body: block, checked: false };
    code.push(vec![last], op);
    last
}

/// The row-major number of a point of the axes.
fn point_number(code: &mut CodeBuilder<'_>, axes: &[Axis], point: &[Atom]) -> Atom {
    let mut number = Atom::int(0);
    for (axis, &index) in axes.iter().zip(point) {
        let extent = code.func.scalar_var("extent", Scalar::I64);
        code.push(vec![extent], Op::Size(axis.extent));
        number = code.prim(Prim::Mul, &[number, Atom::Var(extent)], "n");
        number = code.prim(Prim::Add, &[number, index], "n");
    }
    number
}
