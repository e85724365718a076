//! The buffers that addresses point into.
//!
//! WGSL has no pointers into buffers that could be passed to a kernel, so an address is a buffer, known at compile
//! time, and a number of elements.

use arr_loops::{Expr, LocalId, LoopFunc, Operand, Stmt, Ty, for_each_stmt};
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
    let mut roots: HashMap<LocalId, Root> = HashMap::new();
    for_each_stmt(&func.body, &mut |stmt| {
        let Stmt::Let { local, expr } = stmt else { return };
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
    });
    roots
}
