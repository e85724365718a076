//! The walk over a function that finds the unchecked accesses that cannot be proved in bounds.

use super::facts::Bounds;
use crate::rewrite::for_each_stmt_mut;
use crate::{Atom, Block, Func, Op, Stmt, VarId};
use rustc_hash::FxHashSet;

/// The unchecked reads and scatters that are not known to be in bounds, as the variables they bind, in program order.
pub fn unproved(func: &Func) -> Vec<VarId> {
    let mut walk = Walk { func, bounds: Bounds::new(func), found: Vec::new(), seen: FxHashSet::default() };
    walk.block(&func.body);
    walk.found
}

/// Makes every access that is not known to be in bounds checked.
pub fn check_unproved(func: &mut Func) {
    let found = unproved(func);
    check(func, &found);
}

/// Makes the accesses that bind these variables checked.
pub fn check(func: &mut Func, found: &[VarId]) {
    if found.is_empty() {
        return;
    }
    let found: FxHashSet<VarId> = found.iter().copied().collect();
    for_each_stmt_mut(&mut func.body.stmts, &mut |stmt| {
        let named = stmt.vars.first().is_some_and(|v| found.contains(v));
        if let Op::Read { checked, .. } | Op::Scatter { checked, .. } = &mut stmt.op {
            *checked |= named;
        }
    });
}

struct Walk<'f> {
    func: &'f Func,
    bounds: Bounds,
    found: Vec<VarId>,
    seen: FxHashSet<VarId>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Op::Read { array, index, checked: false } = &stmt.op
            && !self.is_inside(*array, index)
        {
            self.report(stmt);
            // It will be checked, or nothing after it matters.
            self.bounds.were_inside(self.func, *array, index);
        }
        let func = self.func;
        for (which, block) in stmt.op.blocks().into_iter().enumerate() {
            self.bounds.enter();
            self.bounds.axes(func, stmt.op.axes());
            if let Op::If { cond, .. } = &stmt.op {
                self.bounds.assume(func, *cond, which == 0);
            }
            self.block(block);
            if let Op::Scatter { dest, checked: false, .. } = &stmt.op
                && !self.bounds.writes_inside(func, *dest, &block.results)
            {
                self.report(stmt);
            }
            if let Op::Scatter { dest, .. } = &stmt.op {
                // Accesses that are not known to be in bounds will be checked.
                self.bounds.wrote_at_all_points(func, *dest, &block.results);
            }
            if let Op::Build { axes, body } = &stmt.op {
                self.bounds.yielded(func, &stmt.vars, axes, &body.results);
            }
            self.bounds.leave();
        }
        self.bounds.passed(func, stmt);
    }

    fn is_inside(&mut self, array: VarId, index: &[Atom]) -> bool {
        self.bounds.all_inside(self.func, array, index)
    }

    fn report(&mut self, stmt: &Stmt) {
        if let Some(&var) = stmt.vars.first()
            && self.seen.insert(var)
        {
            self.found.push(var);
        }
    }
}
