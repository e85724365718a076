//! The nesting rules of the levels below core.

use super::{Level, Verifier};
use crate::walk::has_derivative;
use crate::{Block, Op, Stmt};

pub(super) fn block_has_derivatives(block: &Block) -> bool {
    block.stmts.iter().any(|s| has_derivative(&s.op))
}

impl Verifier<'_> {
    /// Whether a statement is a kernel of bulk code that holds a derivative, so that its body is still core code.
    pub(super) fn waits(&self, stmt: &Stmt) -> bool {
        self.level == Level::Bulk && stmt.op.is_kernel() && has_derivative(&stmt.op)
    }

    pub(super) fn nesting(&mut self, stmt: &Stmt, what: &str) {
        if self.level == Level::Fused && matches!(stmt.op, Op::Vjp { .. } | Op::Jvp { .. } | Op::Custom { .. }) {
            self.error(format!("{what} in fused code"));
        }
        let body = match &stmt.op {
            Op::Build { body, .. } | Op::Reduce { body, .. } | Op::Scatter { body, .. } => body,
            _ => return,
        };
        if self.waits(stmt) {
            return;
        }
        let one_reduce = matches!(stmt.op, Op::Build { .. }) && self.is_one_reduce(body);
        if !one_reduce && !self.is_scalar_code(body) {
            let of: Vec<String> = stmt.vars.iter().map(|&v| self.name(v)).collect();
            self.error(format!("the body of {what} for {} is not scalar code", of.join(", ")));
        }
    }

    /// One `reduce` over scalar code, whose results the block yields.
    fn is_one_reduce(&self, block: &Block) -> bool {
        match block.stmts.as_slice() {
            [Stmt { vars, op: Op::Reduce { body, .. }, .. }] => {
                block.results.iter().all(|r| r.var().is_some_and(|v| vars.contains(&v))) && self.is_scalar_code(body)
            }
            _ => false,
        }
    }

    fn is_scalar_code(&self, block: &Block) -> bool {
        let scalar = |s: &Stmt| s.vars.iter().all(|&v| self.func.ty(v).is_scalar());
        let stmts = block.stmts.iter().all(|s| match &s.op {
            Op::Prim(..) | Op::Size(_) | Op::Read { .. } | Op::Check { .. } => true,
            Op::Call { args, .. } => scalar(s) && args.iter().all(|&a| self.func.atom_ty(a).is_scalar()),
            Op::Trace { args, .. } => args.iter().all(|a| self.func.atom_ty(*a).is_scalar()),
            Op::StopGradient(_) => scalar(s),
            Op::If { then_block, else_block, .. } => {
                scalar(s) && self.is_scalar_code(then_block) && self.is_scalar_code(else_block)
            }
            Op::Loop { body, .. } => scalar(s) && self.is_scalar_code(body),
            Op::While { cond, body, .. } => scalar(s) && self.is_scalar_code(cond) && self.is_scalar_code(body),
            Op::Reduce { body, .. } => self.level == Level::Fused && self.is_scalar_code(body),
            Op::Literal(_)
            | Op::Build { .. }
            | Op::Scatter { .. }
            | Op::Reshape(_)
            | Op::Argsort(_)
            | Op::Barrier(_)
            | Op::Custom { .. }
            | Op::Vjp { .. }
            | Op::Jvp { .. } => false,
        });
        stmts && block.results.iter().all(|a| self.func.atom_ty(*a).is_scalar())
    }
}
