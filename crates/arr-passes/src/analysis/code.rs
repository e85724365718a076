//! What kind of code a statement is.

use arr_ir::{Func, Op, Stmt};

/// Whether the statement makes no array and loops over nothing but, where `reduces`, nested scalar reductions.
pub fn is_scalar_code(func: &Func, stmt: &Stmt, reduces: bool) -> bool {
    let scalar_results = stmt.vars.iter().all(|&v| func.ty(v).is_scalar());
    let blocks = || stmt.op.blocks().iter().all(|b| b.stmts.iter().all(|s| is_scalar_code(func, s, reduces)));
    match &stmt.op {
        Op::Prim(..) | Op::Size(_) | Op::Read { .. } | Op::Check { .. } => true,
        Op::StopGradient(_) => scalar_results,
        Op::If { .. } => scalar_results && blocks(),
        Op::Reduce { .. } => reduces && blocks(),
        Op::Literal(_) | Op::Build { .. } | Op::Scatter { .. } | Op::Loop { .. } => false,
        Op::While { .. } | Op::Argsort(_) | Op::Custom { .. } => false,
        Op::Reshape(_) | Op::Vjp { .. } | Op::Jvp { .. } => false,
    }
}
