//! What the loops of a sweep have to know about each other where an array is updated in place by loops inside loops.

use crate::analysis::update_chains::{Link, Update};
use crate::code::{CodeBuilder, emit_poly};
use arr_ir::integers::is_natural;
use arr_ir::{Atom, Axis, Poly, Prim, SizeId, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(crate) struct Nested {
    /// By the array after an inner loop that updates it: how many rows the arrays have in which that loop stores values
    /// of its iterations. The loop around keeps them, so that the number must be the same in all of its iterations.
    rows: FxHashMap<VarId, SizeId>,
    /// States and results of inner loops that hold the write log of a loop around them. Nothing is differentiated
    /// that reads them.
    logs: FxHashSet<VarId>,
    /// By the state that a reverse loop ends with, which is that before the loop: the state after the loop, with which
    /// the reverse loop has started.
    pub restored: FxHashMap<VarId, VarId>,
}

impl Nested {
    /// Decides how many rows the loops inside an iteration have that update its state in these ways. Code for the
    /// number stands before the loop.
    pub fn reserve(&mut self, code: &mut CodeBuilder<'_>, links: &[Link]) {
        for link in links {
            match &link.update {
                Update::Write => {}
                Update::Branch(branches) => branches.iter().for_each(|links| self.reserve(code, links)),
                Update::Loop(most, links) => {
                    self.rows.entry(link.result).or_insert_with(|| extent_for(code, most));
                    self.reserve(code, links);
                }
            }
        }
    }

    /// The axis over which values of a loop's iterations are stored. `vars` are the results of the loop.
    pub fn stored_over(&self, axis: Axis, vars: &[VarId]) -> Axis {
        let extent = vars.iter().find_map(|v| self.rows.get(v)).copied();
        Axis { extent: extent.unwrap_or(axis.extent), ..axis }
    }

    pub fn add_log(&mut self, vars: impl IntoIterator<Item = VarId>) {
        self.logs.extend(vars);
    }

    /// Whether the variable holds the write log of a loop around.
    pub fn is_log(&self, v: VarId) -> bool {
        self.logs.contains(&v)
    }

    pub fn logs(&self) -> impl Iterator<Item = VarId> + '_ {
        self.logs.iter().copied()
    }
}

/// A number of iterations as the extent of an array. The loop that has them may not run at all, and the number that the
/// program computes for it then may be negative.
fn extent_for(code: &mut CodeBuilder<'_>, most: &Poly) -> SizeId {
    if most.as_constant().is_some_and(|n| n >= 0) || is_natural(code.func, most) {
        return code.func.types.size(most.clone());
    }
    let most = emit_poly(code, most);
    let rows = code.prim(Prim::Max, &[most, Atom::int(0)], "rows");
    code.func.size_of_atom(rows)
}

/// The statement of a block that binds a variable.
pub(crate) fn binding(stmts: &[Stmt], v: VarId) -> Option<&Stmt> {
    stmts.iter().find(|stmt| stmt.vars.contains(&v))
}
