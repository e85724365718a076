//! Loops whose iterations may run on several threads.
//!
//! Lowering knows which: the outermost loop of a `build` writes each element once; that of a `reduce` carries nothing
//! but its accumulators, which can be computed in parts if the order does not matter; that of a `scatter` writes
//! distinct elements where one of its indices moves with the loop's. The body must be ordinary scalar code: one that
//! makes arrays (core IR) or changes a local from outside stays in order.

use crate::{Expr, For, LocalId, Operand, Parallel, Scan, Stmt};
use std::collections::HashSet;

/// Whether a body manages no memory and changes nothing from outside but its partial results.
pub(crate) fn is_sound(parallel: &Parallel, body: &[Stmt]) -> bool {
    let mut own: HashSet<LocalId> = parallel.partials.iter().map(|p| p.local).collect();
    keeps_apart(body, &mut own)
}

fn keeps_apart(stmts: &[Stmt], own: &mut HashSet<LocalId>) -> bool {
    stmts.iter().all(|stmt| match stmt {
        Stmt::Let { expr, .. } => !matches!(expr, Expr::Literal(_)),
        Stmt::Var { local, .. } => {
            own.insert(*local);
            true
        }
        Stmt::Set { local, .. } => own.contains(local),
        Stmt::Store { .. } | Stmt::Check { .. } => true,
        Stmt::For(l) => keeps_apart(&l.body, own),
        Stmt::While(l) => keeps_apart(&l.head, own) && keeps_apart(&l.body, own),
        Stmt::If { then_body, else_body, .. } => keeps_apart(then_body, own) && keeps_apart(else_body, own),
        Stmt::Alloc { .. }
        | Stmt::MakeUnique { .. }
        | Stmt::Retain(_)
        | Stmt::Release(_)
        | Stmt::CheckShape { .. }
        | Stmt::Argsort { .. }
        | Stmt::Trace { .. }
        | Stmt::MatMul(_) => false,
    })
}

/// The locals from outside that a loop's iterations read, in the order in which they are met. Partial results are not
/// among them: a chunk has its own.
pub fn captures(l: &For) -> Vec<LocalId> {
    let mut walk = Captures::default();
    walk.known.insert(l.index);
    if let Some(parallel) = &l.parallel {
        walk.known.extend(parallel.partials.iter().map(|p| p.local));
    }
    walk.inductions(l);
    walk.block(&l.body);
    walk.found
}

/// The locals from outside that a scan's iterations and its summary read. States and parts are not among them.
pub fn scan_captures(l: &For, scan: &Scan) -> Vec<LocalId> {
    let mut walk = Captures::default();
    walk.known.insert(l.index);
    walk.known.extend(scan.states.iter().flat_map(|s| [s.local, s.entry]));
    walk.known.extend(scan.parts.iter().map(|p| p.local));
    walk.operand(l.extent);
    walk.inductions(l);
    walk.block(&scan.summary);
    walk.block(&scan.body);
    walk.block(&scan.advance);
    walk.found
}

#[derive(Default)]
struct Captures {
    /// Bound inside, or found.
    known: HashSet<LocalId>,
    found: Vec<LocalId>,
}

impl Captures {
    fn local(&mut self, local: LocalId) {
        if self.known.insert(local) {
            self.found.push(local);
        }
    }

    fn operand(&mut self, operand: Operand) {
        if let Operand::Local(local) = operand {
            self.local(local);
        }
    }

    fn operands(&mut self, operands: &[Operand]) {
        operands.iter().for_each(|&o| self.operand(o));
    }

    fn inductions(&mut self, l: &For) {
        for induction in &l.inductions {
            self.operand(induction.step);
            self.known.insert(induction.local);
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Stmt::While(l) = stmt {
            // The head binds the condition.
            self.block(&l.head);
            self.operand(l.cond);
            return self.block(&l.body);
        }
        stmt.sets().into_iter().for_each(|local| self.local(local));
        self.operands(&stmt.reads());
        self.known.extend(stmt.binds());
        match stmt {
            // In a chunk of a loop, all loops are done in order.
            Stmt::For(l) => self.block(&l.body),
            _ => stmt.blocks().into_iter().for_each(|block| self.block(block)),
        }
    }
}
