//! Dead-code elimination: address arithmetic takes index expressions apart and leaves the whole behind. Loops that do
//! nothing go too.

use crate::{Expr, For, LocalId, LoopFunc, Operand, Stmt};
use std::collections::HashSet;

/// Removes `let`s and inductions whose locals nothing reads, and loops that do nothing, in one walk from the end.
pub(crate) fn remove(func: &mut LoopFunc) {
    let mut body = std::mem::take(&mut func.body);
    let mut used = Used::default();
    for output in &func.outputs {
        used.all(&output.dims);
        used.operand(output.value);
    }
    used.block(&mut body);
    func.body = body;
}

#[derive(Default)]
struct Used {
    locals: HashSet<LocalId>,
}

impl Used {
    fn operand(&mut self, operand: Operand) {
        if let Operand::Local(local) = operand {
            self.locals.insert(local);
        }
    }

    fn all(&mut self, operands: &[Operand]) {
        operands.iter().for_each(|&o| self.operand(o));
    }

    fn block(&mut self, stmts: &mut Vec<Stmt>) {
        let mut kept: Vec<Stmt> = Vec::with_capacity(stmts.len());
        for mut stmt in std::mem::take(stmts).into_iter().rev() {
            if self.keep(&mut stmt) {
                kept.push(stmt);
            }
        }
        kept.reverse();
        *stmts = kept;
    }

    /// Whether the statement has an effect or binds a local that is used later; if so, everything that it reads is
    /// used.
    fn keep(&mut self, stmt: &mut Stmt) -> bool {
        match stmt {
            Stmt::Let { local, expr } => {
                // A constant array is a counted reference: it is acquired where it is released.
                if !self.locals.contains(local) && !matches!(expr, Expr::Literal(_)) {
                    return false;
                }
                self.all(&expr.operands());
            }
            Stmt::Var { init, .. } => self.all(init.as_slice()),
            Stmt::Set { value, .. } => self.operand(*value),
            Stmt::Store { address, offset, value } => {
                self.all(&[(*address).into(), *offset, *value]);
            }
            Stmt::Alloc { dims, .. } => self.all(dims),
            Stmt::MakeUnique { buffer, .. } | Stmt::Retain(buffer) | Stmt::Release(buffer) => {
                self.operand((*buffer).into());
            }
            Stmt::Check { args, .. } => self.all(args),
            Stmt::CheckShape { buffer, dims, .. } => {
                self.operand((*buffer).into());
                self.all(dims);
            }
            Stmt::For(l) if l.extent.as_int().is_some_and(|n| n <= 0) && !joins(l) => return false,
            Stmt::For(l) => {
                if let Some(parallel) = &mut l.parallel {
                    self.block(&mut parallel.combine);
                    self.locals.extend(parallel.added.iter().flat_map(|a| [a.buffer, a.data]));
                    self.locals.extend(parallel.disjoint_if);
                }
                // Mutable locals may be read in the next iteration, but `set` and `var` are always kept.
                self.block(&mut l.body);
                if l.body.is_empty() && !l.is_source() && !joins(l) {
                    return false;
                }
                l.inductions.retain(|i| self.locals.contains(&i.local));
                let steps: Vec<Operand> = l.inductions.iter().map(|i| i.step).collect();
                self.all(&steps);
                self.operand(l.extent);
            }
            Stmt::While(l) => {
                self.block(&mut l.body);
                self.operand(l.cond);
                self.block(&mut l.head);
            }
            Stmt::Argsort { into, keys, length, .. } => {
                self.all(&[(*into).into(), (*keys).into(), *length]);
            }
            Stmt::Trace { value, dims, .. } => {
                self.operand(*value);
                self.all(dims);
            }
            Stmt::MatMul(product) => self.all(&product.operands()),
            Stmt::If { cond, then_body, else_body } => {
                self.block(then_body);
                self.block(else_body);
                self.operand(*cond);
            }
        }
        true
    }
}

/// Whether a loop combines anything outside its iterations.
fn joins(l: &For) -> bool {
    let parts = l.parallel.as_ref().is_some_and(|p| !(p.combine.is_empty() && p.added.is_empty()));
    parts || l.scan.is_some()
}
