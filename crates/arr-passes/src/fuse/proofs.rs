//! Where the accesses of a function stand that a rewrite has taken from the check that proves them.
//!
//! An unchecked access may be proved by what earlier code has checked. If that code moves behind it, the access needs a
//! check of its own, and a program that fails does so in another place than before. A rewrite that moves code which can
//! stop the program is therefore carried out, then the range analysis is asked again; if it misses a proof, the rewrite
//! starts over, and moves no check across the statements with these accesses.

use arr_ir::rewrite::{Enter, for_each_stmt};
use arr_ir::{Func, Op, Stmt, VarId, bounds};
use rustc_hash::FxHashSet;

/// Statements that make arrays, by what they bind, with accesses that earlier checks prove.
#[derive(Default)]
pub(super) struct Relying {
    found: FxHashSet<VarId>,
}

impl Relying {
    pub fn contains(&self, stmt: &Stmt) -> bool {
        stmt.vars.iter().any(|v| self.found.contains(v))
    }

    /// The statements of `func` that hold these accesses. Whether there are new ones.
    fn extend(&mut self, func: &Func, unproved: &[VarId]) -> bool {
        let before = self.found.len();
        self.add(func, &func.body.stmts, &unproved.iter().copied().collect());
        self.found.len() > before
    }

    fn add(&mut self, func: &Func, stmts: &[Stmt], unproved: &FxHashSet<VarId>) {
        for stmt in stmts {
            if Enter::ArrayControl.enters(func, stmt) {
                stmt.op.blocks().into_iter().for_each(|block| self.add(func, &block.stmts, unproved));
                continue;
            }
            let mut holds = false;
            for_each_stmt(std::slice::from_ref(stmt), &mut |s| holds |= s.vars.iter().any(|v| unproved.contains(v)));
            if holds {
                self.found.extend(&stmt.vars);
            }
        }
    }
}

fn is_check(op: &Op) -> bool {
    matches!(op, Op::Check { .. } | Op::Read { checked: true, .. } | Op::Scatter { checked: true, .. })
}

/// Carries out a rewrite so that no check moves away from an access that it proves. Returns whether it changed the
/// function, in which every access is then proved or checked.
pub(super) fn keeping_proofs(func: &mut Func, rewrite: &mut dyn FnMut(&mut Func, &Relying) -> bool) -> bool {
    let mut relying = Relying::default();
    let mut checks = false;
    for_each_stmt(&func.body.stmts, &mut |stmt| checks |= is_check(&stmt.op));
    let before = checks.then(|| func.clone());
    loop {
        if !rewrite(func, &relying) {
            return false;
        }
        let unproved = bounds::unproved(func);
        match &before {
            Some(before) if !unproved.is_empty() && relying.extend(func, &unproved) => func.clone_from(before),
            _ => {
                bounds::check(func, &unproved);
                return true;
            }
        }
    }
}
