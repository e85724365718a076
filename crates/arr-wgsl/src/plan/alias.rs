//! Alias analysis of references, and the effects of statements on memory.

use crate::builder::Builder;
use arr_loops::{Expr, LocalId, Operand, Stmt, Ty, for_each_chunked_stmt};
use std::collections::HashMap;

/// Classes of references: two of different classes never refer to one buffer that either of them changes.
#[derive(Debug, Default)]
pub(crate) struct Aliases {
    parent: HashMap<LocalId, LocalId>,
}

impl Aliases {
    pub fn find(b: &Builder<'_>, body: &[Stmt]) -> Aliases {
        let mut aliases = Aliases::default();
        for_each_chunked_stmt(body, &mut |stmt| match stmt {
            Stmt::Let { local, expr: Expr::Copy(Operand::Local(from)) }
            | Stmt::Var { local, init: Some(Operand::Local(from)) }
            | Stmt::Set { local, value: Operand::Local(from) }
            | Stmt::MakeUnique { local, buffer: from, .. }
                if matches!(b.func.ty(*local), Ty::Buffer(_)) =>
            {
                aliases.join(b.root(*local), b.root(*from));
            }
            _ => {}
        });
        aliases
    }

    pub fn class(&self, buffer: LocalId) -> LocalId {
        let mut at = buffer;
        while let Some(&next) = self.parent.get(&at) {
            at = next;
        }
        at
    }

    fn join(&mut self, one: LocalId, other: LocalId) {
        let (one, other) = (self.class(one), self.class(other));
        if one != other {
            self.parent.insert(one, other);
        }
    }
}

/// Visits the buffers whose elements a statement reads (`false`) or changes (`true`); those that lose or gain a reference
/// count as changed.
pub(crate) fn memory(b: &Builder<'_>, stmt: &Stmt, visit: &mut dyn FnMut(LocalId, bool)) {
    for_each_chunked_stmt(std::slice::from_ref(stmt), &mut |inner| match inner {
        Stmt::Let { expr: Expr::Load(address, _), .. } => visit(b.root(*address), false),
        Stmt::Store { address, .. } => visit(b.root(*address), true),
        Stmt::MakeUnique { local, buffer, .. } => {
            visit(b.root(*local), true);
            visit(b.root(*buffer), true);
        }
        Stmt::Retain(buffer) | Stmt::Release(buffer) => visit(b.root(*buffer), true),
        Stmt::Argsort { into, keys, .. } => {
            visit(b.root(*into), true);
            visit(b.root(*keys), false);
        }
        Stmt::MatMul(product) => {
            visit(b.root(product.into), true);
            visit(b.root(product.left), false);
            visit(b.root(product.right), false);
        }
        _ => {}
    });
}
