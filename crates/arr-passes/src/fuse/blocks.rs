//! The blocks of a program's control flow, for passes that process one at a time.

use crate::analysis::{Repeats, is_scalar_code};
use arr_ir::{Block, Func, Op, Stmt};

/// Which branches count as control flow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Branches {
    All,
    /// Those that make arrays; others are scalar code.
    OfArrays,
}

/// Rewrites every block of loops and branches around kernels, inner ones first, and that of the function last.
/// `rewrite` says whether it changed its block; returns whether any was changed.
pub(super) fn in_blocks(
    func: &mut Func,
    branches: Branches,
    rewrite: &mut dyn FnMut(&mut Func, &mut Block) -> bool,
) -> bool {
    let mut body = std::mem::take(&mut func.body);
    let changed = visit(func, branches, &mut body, rewrite);
    func.body = body;
    changed
}

fn visit(
    func: &mut Func,
    branches: Branches,
    block: &mut Block,
    rewrite: &mut dyn FnMut(&mut Func, &mut Block) -> bool,
) -> bool {
    let mut changed = false;
    for stmt in &mut block.stmts {
        let control = match stmt.op {
            Op::Loop { .. } | Op::While { .. } => true,
            Op::If { .. } => branches == Branches::All || !is_scalar_code(func, stmt, Repeats::Reductions),
            _ => false,
        };
        if control {
            for inner in stmt.op.blocks_mut() {
                changed |= visit(func, branches, inner, rewrite);
            }
        }
    }
    changed | rewrite(func, block)
}

/// As [`in_blocks`], statement by statement: `rewrite` appends the replacement of a statement to the others.
pub(super) fn in_stmts(func: &mut Func, rewrite: &mut dyn FnMut(&mut Func, Stmt, &mut Vec<Stmt>) -> bool) -> bool {
    in_blocks(func, Branches::All, &mut |func, block| {
        let mut changed = false;
        for stmt in std::mem::take(&mut block.stmts) {
            changed |= rewrite(func, stmt, &mut block.stmts);
        }
        changed
    })
}
