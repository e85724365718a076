//! Which kernels sum rows, and which apply functions: together they run at the speed of neither.
//!
//! ```text
//! dot: [n]f64 = build i<n { d = reduce sum s<k { .. read! x[i, s] .. }; yield d }
//! y: [n]f64 = build i<n { d = read! dot[i]; e = exp d; yield e }
//! ```
//!
//! A sum along a row runs through vectors of the row and ends in one number. A function of that number takes as long as
//! of a whole vector, which the second kernel has if the sums are in memory. Where the elements of several sums lie side
//! by side (`x[s, i]`), the points of one kernel are the lanes of a vector, and both belong into it.

use super::cost::SHORT_SUM;
use arr_ir::cost::is_function;
use arr_ir::{Atom, Block, Func, Op, Reduction, Stmt};

/// Whether a kernel's body has a sum, not known to be short, of elements some of which lie side by side in memory.
pub(super) fn sums_rows(func: &Func, body: &Block) -> bool {
    body.stmts.iter().any(|stmt| {
        let Op::Reduce { kind: Reduction::Sum, axes, body } = &stmt.op else { return false };
        let Some(last) = axes.last() else { return false };
        let side_by_side = |s: &Stmt| match &s.op {
            Op::Read { index, .. } => index.len() > 1 && index.last() == Some(&Atom::Var(last.index)),
            _ => false,
        };
        let short = func.types.poly(last.extent).as_constant().is_some_and(|n| n < SHORT_SUM);
        !short && body.stmts.iter().any(side_by_side)
    })
}

/// Whether a kernel applies a function ([`arr_ir::Cost::Function`]) at its points, outside of sums and loops there.
pub(super) fn applies_function(kernel: &Op) -> bool {
    !kernel.axes().is_empty() && kernel.blocks().iter().any(|b| b.stmts.iter().any(|s| is_function(&s.op)))
}

/// Whether one of two kernels sums rows and the other, which does not, applies functions.
pub(super) fn stay_apart(func: &Func, first: &Op, second: &Op) -> bool {
    let sums = |op: &Op| op.blocks().iter().any(|b| sums_rows(func, b));
    match (sums(first), sums(second)) {
        (true, false) => applies_function(second),
        (false, true) => applies_function(first),
        _ => false,
    }
}
