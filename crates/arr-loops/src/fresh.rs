//! Names for the locals that passes over finished loops add.

use crate::{Expr, LocalId, LocalInfo, LoopFunc, Stmt, Ty};
use arr_ir::Scalar;
use std::collections::HashSet;

/// The names that a function has.
pub(crate) struct Fresh(HashSet<String>);

impl Fresh {
    pub fn of(func: &LoopFunc) -> Fresh {
        Fresh(func.locals.iter().map(|(_, l)| l.name.clone()).collect())
    }

    /// A new local, with this name or a similar one.
    pub fn local(&mut self, func: &mut LoopFunc, hint: &str, ty: Ty, mutable: bool) -> LocalId {
        let mut name = hint.to_string();
        let mut k = 1;
        while !self.0.insert(name.clone()) {
            k += 1;
            name = format!("{hint}.{k}");
        }
        func.locals.push(LocalInfo { name, ty, mutable })
    }

    /// A new local that is bound to an expression behind these statements.
    pub fn bind(&mut self, func: &mut LoopFunc, hint: &str, elem: Scalar, expr: Expr, out: &mut Vec<Stmt>) -> LocalId {
        let local = self.local(func, hint, Ty::Scalar(elem), false);
        out.push(Stmt::Let { local, expr });
        local
    }
}
