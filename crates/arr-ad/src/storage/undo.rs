//! Undoing the updates of an array, by the write log.

use crate::code::{CodeBuilder, emit_poly};
use crate::storage::write_log::{LogEntry, Logged};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Op, Poly, Scalar, ScatterKind, VarId};

/// An iteration of the loops around the updates that are undone.
#[derive(Clone)]
pub(crate) struct Iteration {
    /// From the indices of the loops that wrote the log, where they have other names here.
    names: Subst,
    /// The indices here, from the outermost loop to the innermost.
    indices: Vec<Atom>,
}

impl Iteration {
    /// Iteration `t` of a loop.
    pub fn of(axis: Axis, t: Atom) -> Iteration {
        let mut names = Subst::new();
        if t != Atom::Var(axis.index) {
            names.insert(axis.index, t);
        }
        Iteration { names, indices: vec![t] }
    }

    /// An iteration of a loop in this one, over a fresh axis like the given one.
    fn inside(&self, code: &mut CodeBuilder<'_>, axis: Axis) -> (Option<Axis>, Iteration) {
        let mut inner = self.clone();
        let fresh = inner.names.fresh_axes(code.func, &[axis]).pop();
        inner.indices.extend(fresh.map(|axis| Atom::Var(axis.index)));
        (fresh, inner)
    }
}

/// The array before an update, from the array after it.
pub(crate) fn undo(code: &mut CodeBuilder<'_>, update: &LogEntry, after: VarId, here: &Iteration) -> VarId {
    match update {
        LogEntry::Write { axes, guard, index, old } => {
            let mut here = here.clone();
            let axes = here.names.fresh_axes(code.func, axes);
            here.indices.extend(axes.iter().map(|axis| Atom::Var(axis.index)));
            let body = code.block(|code| {
                let slots = std::iter::once(guard).chain(index).chain([old]);
                slots.map(|slot| load(code, slot, &here)).collect()
            });
            let before = code.func.copy_var(after);
            code.push(vec![before], Op::Scatter { kind: ScatterKind::Set, dest: after, axes, body, checked: false });
            before
        }
        LogEntry::Branch { cond, then, other } => {
            let cond = load(code, cond, here);
            let [then_block, else_block] =
                [then, other].map(|updates| code.block(|code| vec![Atom::Var(undo_all(code, updates, after, here))]));
            let name = code.func.name(after).to_string();
            match code.if_(cond, then_block, else_block, &name).as_slice() {
                &[Atom::Var(before)] => before,
                _ => code.func.broken(after, "an undone branch gives no array"),
            }
        }
        LogEntry::Loop { axis, reverse, updates } => {
            let (Some(axis), inner) = here.inside(code, *axis) else {
                return code.func.broken(after, "a copy of one axis is not one axis");
            };
            let [param, before] = [0; 2].map(|_| code.func.copy_var(after));
            let (stmts, result) = code.nested(|code| undo_all(code, updates, param, &inner));
            let body = Block { params: vec![param], stmts, results: vec![Atom::Var(result)] };
            code.push(vec![before], Op::Loop { axis, reverse: !reverse, inits: vec![Atom::Var(after)], body });
            before
        }
    }
}

/// The array before all of the updates, which are given from the first to the last.
fn undo_all(code: &mut CodeBuilder<'_>, updates: &[LogEntry], after: VarId, here: &Iteration) -> VarId {
    updates.iter().rev().fold(after, |array, update| undo(code, update, array, here))
}

fn load(code: &mut CodeBuilder<'_>, slot: &Logged, here: &Iteration) -> Atom {
    match slot {
        Logged::Constant(atom) => *atom,
        Logged::Again(poly) => {
            let here = poly.substitute(&mut |v| match here.names.map.get(&v) {
                Some(Atom::Var(w)) => Some(Poly::var(*w)),
                Some(Atom::Const(c)) => c.as_i64().map(Poly::constant),
                None => None,
            });
            emit_poly(code, &here)
        }
        Logged::Value(value) => Atom::Var(*value),
        Logged::Carried { after, .. } => {
            code.func.broken(Atom::Var(*after), "a value of a loop inside an iteration is not stored")
        }
        Logged::Stored(array) => {
            let name = match code.func.ty(*array).elem {
                Scalar::Bool => "written",
                _ => "old",
            };
            code.read(*array, here.indices.clone(), name)
        }
    }
}
