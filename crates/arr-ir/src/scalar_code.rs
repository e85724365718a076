//! Scalar code: statements that make no array.

use crate::{Func, Op, Stmt};

/// The repetition allowed in scalar code. Each kind includes those before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Repeats {
    /// None: straight-line code and branches.
    Nothing,
    /// `loop`s and `while`s with scalar state: bulk code.
    Loops,
    /// The above, and `reduce`s: fused code.
    Reductions,
}

/// Whether the statement makes no array, and its repetition is allowed in code of the given kind.
pub fn is_scalar_code(func: &Func, stmt: &Stmt, repeats: Repeats) -> bool {
    let scalar_results = stmt.vars.iter().all(|&v| func.ty(v).is_scalar());
    let blocks = || stmt.op.blocks().iter().all(|b| b.stmts.iter().all(|s| is_scalar_code(func, s, repeats)));
    match &stmt.op {
        Op::Prim(..) | Op::Size(_) | Op::Read { .. } | Op::Check { .. } => true,
        Op::Call { args, .. } => scalar_results && args.iter().all(|&a| func.atom_ty(a).is_scalar()),
        Op::Trace { args, .. } => args.iter().all(|&a| func.atom_ty(a).is_scalar()),
        Op::StopGradient(_) => scalar_results,
        Op::If { .. } => scalar_results && blocks(),
        Op::Loop { .. } | Op::While { .. } => repeats >= Repeats::Loops && scalar_results && blocks(),
        Op::Reduce { .. } => repeats >= Repeats::Reductions && blocks(),
        Op::Barrier(_)
        | Op::Literal(_)
        | Op::Build { .. }
        | Op::Scatter { .. }
        | Op::Argsort(_)
        | Op::Custom { .. } => false,
        Op::Reshape(_) | Op::Vjp { .. } | Op::Jvp { .. } => false,
    }
}
