//! References that are certainly the only one to their buffer: making them unique is a move.
//!
//! That leaves no decision to the host, so that kernels before and after can be fused.

use crate::walk::{Use, own_uses};
use arr_loops::{Expr, LocalId, Operand, Output, Stmt, for_each_chunked_stmt};
use std::collections::HashSet;

/// Replaces `unique` of buffers that were allocated in the same block and have no other reference.
pub(crate) fn make(stmts: &mut [Stmt], outputs: &[Output]) {
    let mut shared: HashSet<LocalId> = outputs.iter().filter_map(|o| super::local_of(o.value)).collect();
    for_each_chunked_stmt(stmts, &mut |stmt| match stmt {
        Stmt::Retain(buffer) => {
            shared.insert(*buffer);
        }
        Stmt::Let { expr: Expr::Copy(Operand::Local(from)), .. }
        | Stmt::Var { init: Some(Operand::Local(from)), .. }
        | Stmt::Set { value: Operand::Local(from), .. } => {
            shared.insert(*from);
        }
        Stmt::Let { .. }
        | Stmt::Var { .. }
        | Stmt::Set { .. }
        | Stmt::Store { .. }
        | Stmt::Alloc { .. }
        | Stmt::MakeUnique { .. }
        | Stmt::Release(_)
        | Stmt::Check { .. }
        | Stmt::CheckShape { .. }
        | Stmt::For(_)
        | Stmt::While(_)
        | Stmt::Argsort { .. }
        | Stmt::Trace { .. }
        | Stmt::MatMul(_)
        | Stmt::If { .. } => {}
    });
    block(stmts, &shared);
}

fn block(stmts: &mut [Stmt], shared: &HashSet<LocalId>) {
    let mut own: HashSet<LocalId> = HashSet::new();
    for stmt in stmts {
        match stmt {
            Stmt::Alloc { local, .. } => {
                own.insert(*local);
            }
            Stmt::MakeUnique { local, buffer, .. } => {
                let (local, buffer) = (*local, *buffer);
                if own.contains(&buffer) && !shared.contains(&buffer) {
                    *stmt = Stmt::Let { local, expr: Expr::Copy(buffer.into()) };
                }
                own.insert(local);
            }
            // A scan has its parts twice.
            Stmt::For(l) if l.scan.is_none() => block(&mut l.body, shared),
            Stmt::While(l) => {
                block(&mut l.head, shared);
                block(&mut l.body, shared);
            }
            Stmt::If { then_body, else_body, .. } => {
                block(then_body, shared);
                block(else_body, shared);
            }
            _ => {
                own_uses(stmt, &mut |used| {
                    if let Use::Set(local) = used {
                        own.remove(&local);
                    }
                });
            }
        }
    }
}
