//! Array states that a loop updates in place.
//!
//! Such a state is not kept whole for every iteration, which would cost more than the loop itself: what each write
//! overwrites is kept, and going backwards the writes are undone on the last state. Nothing is computed again, so that the
//! states come back bit for bit.

use crate::affine::{Defs, emit_poly};
use crate::code::Code;
use crate::control::store_state;
use crate::reverse::fresh_axes;
use arr_ir::walk::{Subst, bound_in_block};
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Scalar, ScatterKind, SizeId, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// One write to undo: over the loop's axis and the write's own.
pub(crate) struct Write {
    axes: Vec<Axis>,
    loop_index: VarId,
    guard: Kept,
    index: Vec<Kept>,
    old: Kept,
}

/// Where a value of an iteration is found later.
enum Kept {
    /// Computed again from the loop's index and the write's axes.
    Again(Poly),
    Constant(Atom),
    /// In this array, after the loop.
    Stored(VarId),
}

/// The statements that update each state in place, from the first to the last, for the states that are made so: the chain
/// of `scatter`s from the param to the result. The number of places written must be the same in every iteration.
pub(crate) fn chains(func: &Func, axis: Axis, body: &Block) -> Vec<Option<Vec<usize>>> {
    let mut made: FxHashMap<VarId, (usize, VarId)> = FxHashMap::default();
    let bound = bound_inside(axis, body);
    for (at, stmt) in body.stmts.iter().enumerate() {
        if let (Op::Scatter { dest, axes, .. }, [v]) = (&stmt.op, stmt.vars.as_slice()) {
            let fixed = axes.iter().all(|a| func.types.poly(a.extent).vars().iter().all(|v| !bound.contains(v)));
            if fixed {
                made.insert(*v, (at, *dest));
            }
        }
    }
    let chain = |param: VarId, result: Atom| {
        let mut places = Vec::new();
        let mut v = result.var()?;
        while v != param {
            let (at, dest) = made.get(&v)?;
            places.push(*at);
            v = *dest;
        }
        places.reverse();
        (!places.is_empty()).then_some(places)
    };
    body.params.iter().zip(&body.results).map(|(&p, &r)| chain(p, r)).collect()
}

fn bound_inside(axis: Axis, body: &Block) -> FxHashSet<VarId> {
    let mut bound = FxHashSet::default();
    bound_in_block(body, &mut bound);
    bound.insert(axis.index);
    bound
}

/// The state of the saving loop for what it stores: where each array starts, its param, result and final value.
#[derive(Default)]
pub(crate) struct Stores {
    pub inits: Vec<Atom>,
    pub params: Vec<VarId>,
    pub results: Vec<Atom>,
    pub ends: Vec<VarId>,
}

/// Writes, into the body of the saving loop and before the `scatter`, code that stores what the `scatter` overwrites. The
/// zero-filled arrays that the loop starts from go to `outside`.
pub(crate) fn record(
    code: &mut Code<'_>,
    outside: &mut Vec<Stmt>,
    (axis, body): (Axis, &Block),
    scatter: &Stmt,
    stores: &mut Stores,
) -> Option<Write> {
    let Op::Scatter { dest, axes, body: points, checked, .. } = &scatter.op else { return None };
    let rank = code.func.ty(*dest).rank();
    let bound = bound_inside(axis, body);
    let all: Vec<Stmt> = body.stmts.iter().chain(&points.stmts).cloned().collect();
    let defs = Defs::new(code.func, &all);
    let visible = |v: VarId| v == axis.index || axes.iter().any(|a| a.index == v) || !bound.contains(&v);
    let again = |func: &Func, atom: Atom| match atom {
        Atom::Const(_) => Some(Kept::Constant(atom)),
        Atom::Var(_) => defs.of_atom(func, atom).filter(|p| p.vars().into_iter().all(visible)).map(Kept::Again),
    };
    let mut kept: Vec<Option<Kept>> = points.results.iter().take(rank + 1).map(|&a| again(code.func, a)).collect();
    kept.push(None);
    // The values that must be stored, at every point of the write.
    let mut subst = Subst::new();
    let own = fresh_axes(code, &mut subst, axes);
    let block = code.block(|code| {
        let copy = subst.clone_block(code.func, points);
        code.stmts.extend(copy.stmts);
        let index: Vec<Atom> = copy.results.iter().skip(1).take(rank).copied().collect();
        let guard = copy.results.first().copied().filter(|g| *g != Atom::bool(true));
        let old = code.guarded(guard, |code| {
            let value = code.func.scalar_var("old", code.func.ty(*dest).elem);
            code.push(vec![value], Op::Read { array: *dest, index, checked: *checked });
            vec![Atom::Var(value)]
        });
        let values = copy.results.into_iter().take(rank + 1).chain(old);
        values.zip(&kept).filter(|(_, k)| k.is_none()).map(|(value, _)| value).collect()
    });
    let mut values = code.build(own, block, "old").into_iter();
    let mut slots = Vec::new();
    for slot in kept {
        slots.push(match slot {
            Some(known) => known,
            None => match values.next()? {
                Atom::Var(v) => Kept::Stored(store(code, outside, axis, v, stores)),
                constant => Kept::Constant(constant),
            },
        });
    }
    let old = slots.pop()?;
    let mut slots = slots.into_iter();
    let guard = slots.next()?;
    Some(Write { axes: axes.clone(), loop_index: axis.index, guard, index: slots.collect(), old })
}

/// Stores a value of an iteration in an array over all iterations, and gives that array's name after the loop.
pub(crate) fn store(
    code: &mut Code<'_>,
    outside: &mut Vec<Stmt>,
    axis: Axis,
    value: VarId,
    stores: &mut Stores,
) -> VarId {
    let Type { elem, dims } = code.func.ty(value).clone();
    let dims: Vec<SizeId> = std::iter::once(axis.extent).chain(dims).collect();
    let ty = Type { elem, dims };
    let name = format!("{}s", code.func.name(value));
    let (stmts, start) = code.nested(|code| code.zeros(&ty, &name));
    outside.extend(stmts);
    let id = code.func.types.ty(ty);
    let [before, after, end] = [0; 3].map(|_| code.func.var(name.clone(), id));
    store_state(code, value, before, after, Atom::Var(axis.index));
    stores.inits.push(start);
    stores.params.push(before);
    stores.results.push(Atom::Var(after));
    stores.ends.push(end);
    end
}

/// The state before the writes of iteration `t`, from the state after them.
pub(crate) fn undo(code: &mut Code<'_>, writes: &[Write], after: VarId, t: Atom) -> VarId {
    let mut state = after;
    for write in writes.iter().rev() {
        let mut subst = Subst::new();
        subst.insert(write.loop_index, t);
        let axes = fresh_axes(code, &mut subst, &write.axes);
        let point: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
        let body = code.block(|code| {
            let slots = std::iter::once(&write.guard).chain(&write.index).chain([&write.old]);
            slots.map(|slot| load(code, slot, &subst, t, &point)).collect()
        });
        let before = code.func.copy_var(state);
        code.push(vec![before], Op::Scatter { kind: ScatterKind::Set, dest: state, axes, body, checked: false });
        state = before;
    }
    state
}

fn load(code: &mut Code<'_>, slot: &Kept, subst: &Subst, t: Atom, point: &[Atom]) -> Atom {
    match slot {
        Kept::Constant(atom) => *atom,
        Kept::Again(poly) => {
            let here = poly.substitute(&mut |v| match subst.map.get(&v) {
                Some(Atom::Var(w)) => Some(Poly::var(*w)),
                Some(Atom::Const(c)) => c.as_i64().map(Poly::constant),
                None => None,
            });
            emit_poly(code, &here)
        }
        Kept::Stored(array) => {
            let index = std::iter::once(t).chain(point.iter().copied()).collect();
            let name = match code.func.ty(*array).elem {
                Scalar::Bool => "written",
                _ => "old",
            };
            code.read(*array, index, name)
        }
    }
}
