//! Short reductions as plain loops.
//!
//! A sum of a few elements, of constant number, is scalar code: one invocation computes it in order, or every
//! invocation of a kernel that needs it. A tree of invocations would take longer, with its barriers. And its order
//! would depend on the kernel around the sum, so that a loop and its copy in the derivative could decide differently by
//! the last digits.

use crate::kernel::cluster::is_repeatable;
use arr_loops::{Expr, For, Stmt, for_each_chunked_stmt};

/// The maximal number of points of reductions that are computed in order.
const FEW: i64 = 32;

/// Turns short reductions outside nests of elements into plain loops. (Inside such nests every invocation runs them as
/// loops anyway.)
pub(super) fn in_order(stmts: &mut [Stmt]) {
    for stmt in stmts {
        match stmt {
            // Without reads of elements it would be the host's as a plain loop.
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
