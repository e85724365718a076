//! Store-to-load forwarding: reads of elements that a `scatter` has just set.
//!
//! ```text
//! c: [n][m]f64 = scatter! set a, j<m { e: f64 = read! x[j]; yield true, i, j, e }
//! f: f64 = read! c[i, k]          =>          f: f64 = read! x[k]
//! ```
//!
//! Reverse mode leaves such code: it undoes the writes of an iteration on an array of which it then reads only these
//! elements. The array is dead once they come from the source of the writes.

use super::view::{View, reads_of};
use super::{Def, Simplifier};
use arr_ir::{Atom, Axis, Block, Const, ScatterKind, VarId};
use std::rc::Rc;

/// The rows of an array that a scatter has set, and the values of their elements.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// By axis of the array: the operand that is the index, or nothing for a whole axis.
    places: Vec<Option<Atom>>,
    /// Over the whole axes, in the order of the array.
    view: Rc<View>,
}

impl Simplifier<'_> {
    /// Records the rows that a scatter with this finished body has set, if it sets whole rows.
    pub(super) fn note_written(&mut self, var: VarId, kind: ScatterKind, axes: &[Axis], body: &Block) {
        let dims = self.func.ty(var).dims.clone();
        let [Atom::Const(Const::Bool(true)), index @ .., value] = body.results.as_slice() else { return };
        if kind != ScatterKind::Set || index.len() != dims.len() {
            return;
        }
        let (mut places, mut whole) = (Vec::new(), Vec::new());
        for (&atom, &dim) in index.iter().zip(&dims) {
            match axes.iter().find(|axis| atom == Atom::Var(axis.index)) {
                Some(axis) if axis.extent == dim && !whole.contains(axis) => {
                    whole.push(*axis);
                    places.push(None);
                }
                None if self.depth(atom) <= self.scopes.len() => places.push(Some(atom)),
                _ => return,
            }
        }
        if whole.len() != axes.len() {
            return;
        }
        if let Some(view) = self.view_of_result(&whole, *value, &reads_of(body)) {
            self.defs.insert(var, Def::Written(Rc::new(Written { places, view: Rc::new(view) })));
        }
    }

    /// The view in which a read of an array finds its element, and the index there, if a scatter has set it.
    pub(super) fn written(&self, array: VarId, index: &[Atom]) -> Option<(Rc<View>, Vec<Atom>)> {
        let Some(Def::Written(written)) = self.defs.get(&array) else { return None };
        let mut own = Vec::new();
        for (place, &atom) in written.places.iter().zip(index) {
            match place {
                None => own.push(atom),
                Some(place) if self.resolve(*place) == atom => {}
                Some(_) => return None,
            }
        }
        Some((Rc::clone(&written.view), own))
    }
}
