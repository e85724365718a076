//! Short reductions as plain loops.
//!
//! A sum of a few elements, so many whatever the sizes are, is scalar code: one invocation takes it in order, or every invocation
//! of a kernel that needs it. A tree of invocations would take longer, with its barriers. And it would add in an order that depends on
//! the kernel which the sum is in, so that a loop and the same loop made for its derivative could decide differently by the last digits.

use crate::kernel::cluster::is_repeatable;
use arr_loops::{Expr, For, Stmt, for_each_chunked_stmt};

/// Points of reductions that are taken in order.
const FEW: i64 = 32;

/// Makes plain loops of the short reductions that are not in the nests of elements. (In these, every invocation takes them.)
pub(super) fn in_order(stmts: &mut [Stmt]) {
    for stmt in stmts {
        match stmt {
            // What reads no elements would be the host's as a plain loop.
            Stmt::For(l) if is_short(l) && reads(&l.body) => l.parallel = None,
            Stmt::For(l) if l.parallel.is_none() && l.scan.is_none() => in_order(&mut l.body),
            Stmt::While(l) => {
                in_order(&mut l.head);
                in_order(&mut l.body);
            }
            Stmt::If { then_body, else_body, .. } => {
                in_order(then_body);
                in_order(else_body);
            }
            _ => {}
        }
    }
}

/// Whether a loop is a short reduction to scalars.
pub(crate) fn is_short(l: &For) -> bool {
    let reduces = l.parallel.as_ref().is_some_and(|p| !p.partials.is_empty());
    let few = l.extent.as_int().is_some_and(|n| n <= FEW);
    reduces && few && is_repeatable(&[Stmt::For(Box::new(l.clone()))])
}

fn reads(stmts: &[Stmt]) -> bool {
    let mut found = false;
    for_each_chunked_stmt(stmts, &mut |stmt| found |= matches!(stmt, Stmt::Let { expr: Expr::Load(..), .. }));
    found
}
