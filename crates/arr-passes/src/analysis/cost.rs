//! What is dear to compute.

use arr_ir::{Block, Func, Op, Stmt};

/// The weight of a block's code at one point: one an operation, [`DEAR`] for an expensive primitive or a loop.
pub fn weight(block: &Block) -> u32 {
    block.stmts.iter().fold(0, |sum: u32, s| sum.saturating_add(weight_of(&s.op)))
}

/// More than any cheap body.
const DEAR: u32 = 1_000;

fn weight_of(op: &Op) -> u32 {
    match op {
        Op::Prim(p, _) if p.is_expensive() => DEAR,
        Op::Prim(..) | Op::Size(_) | Op::Read { .. } | Op::Literal(_) | Op::Reshape(_) | Op::StopGradient(_) => 1,
        Op::Check { .. } => 1,
        Op::If { .. } => op.blocks().iter().fold(1, |sum: u32, b| sum.saturating_add(weight(b))),
        Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. } | Op::Loop { .. } => DEAR,
        Op::Vjp { .. } | Op::Jvp { .. } => DEAR,
    }
}

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
        Op::Reshape(_) | Op::Vjp { .. } | Op::Jvp { .. } => false,
    }
}
