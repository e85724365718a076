//! The buffers that addresses point into.
//!
//! WGSL has no pointers into buffers that could be passed to a kernel, so an address is a buffer, known at compile
//! time, and a number of elements.

use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt, Ty};
use std::collections::HashMap;

/// What an address points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Root {
    pub buffer: LocalId,
    /// At the first element.
    pub start: bool,
}

/// The buffer of every address that the body binds, and the buffer that an immutable copy of a reference is the same as.
pub(crate) fn find(func: &LoopFunc) -> HashMap<LocalId, Root> {
    let mut roots = HashMap::new();
    block(func, &func.body, &mut roots);
    roots
}

fn block(func: &LoopFunc, stmts: &[Stmt], roots: &mut HashMap<LocalId, Root>) {
    for stmt in stmts {
        match stmt {
            Stmt::Let { local, expr } => {
                let from = match expr {
                    Expr::BaseAddr(buffer) => Some(*buffer),
                    Expr::Offset(address, _) => Some(*address),
                    Expr::Copy(Operand::Local(other)) => {
                        let snapshot = func.locals.get(*other).is_some_and(|info| info.mutable);
                        (!matches!(func.ty(*local), Ty::Scalar(_)) && !snapshot).then_some(*other)
                    }
                    _ => None,
                };
                if let Some(from) = from {
                    let mut root = roots.get(&from).copied().unwrap_or(Root { buffer: from, start: true });
                    root.start &= !matches!(expr, Expr::Offset(..));
                    roots.insert(*local, root);
                }
            }
            Stmt::For(l) => {
                block(func, &l.body, roots);
                if let Some(scan) = &l.scan {
                    for part in [&scan.before, &scan.body, &scan.summary, &scan.advance, &scan.after] {
                        block(func, part, roots);
                    }
                }
                if let Some(parallel) = &l.parallel {
                    block(func, &parallel.combine, roots);
                }
            }
            Stmt::While(l) => {
                block(func, &l.head, roots);
                block(func, &l.body, roots);
            }
            Stmt::If { then_body, else_body, .. } => {
                block(func, then_body, roots);
                block(func, else_body, roots);
            }
            _ => {}
        }
    }
}
