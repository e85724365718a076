//! Loops over numbers, which XLA on processors compiles as one function with everything in them where an iteration touches
//! little memory: a kilobyte, by its estimate (`SmallWhileLoopHoistingPass`). Elsewhere it executes one operation after the
//! other, and each takes as long as a hundred additions.

use arr_ir::{Block, Func, Op, Stmt, VarId};
use rustc_hash::FxHashMap;

/// The least size in bytes of arrays that such a loop changes in place. A copy counts as memory that the iteration touches.
pub(crate) const LEAST_IN_PLACE: i64 = 64;

/// Whether an iteration works on one number after the other, in loops inside of it as well.
pub(crate) fn is_of_numbers(block: &Block) -> bool {
    block.stmts.iter().all(|stmt| match &stmt.op {
        Op::Prim(..) | Op::Size(_) | Op::Read { .. } | Op::Check { .. } => true,
        Op::Scatter { axes, body, .. } => axes.is_empty() && is_of_numbers(body),
        op @ (Op::If { .. } | Op::Loop { .. } | Op::While { .. }) => op.blocks().into_iter().all(is_of_numbers),
        _ => false,
    })
}

/// The statements with reads that cannot fail in front, and with what these need: one operation then keeps them all before
/// the first update.
pub(crate) fn reads_first(func: &Func, block: &Block) -> Vec<Stmt> {
    let mut maker: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut movable = Vec::new();
    for (at, stmt) in block.stmts.iter().enumerate() {
        let plain = match &stmt.op {
            Op::Prim(..) => !stmt.op.may_fail(func),
            Op::Read { checked, .. } => !checked,
            _ => false,
        };
        let from_movable = |var: VarId| maker.get(&var).is_none_or(|&from| movable[from]);
        let moves = plain && stmt.op.operands().iter().filter_map(|atom| atom.var()).all(from_movable);
        movable.push(moves);
        maker.extend(stmt.vars.iter().map(|&var| (var, at)));
    }
    let mut first = vec![false; block.stmts.len()];
    for (at, stmt) in block.stmts.iter().enumerate().rev() {
        if movable[at] && (first[at] || matches!(stmt.op, Op::Read { .. })) {
            first[at] = true;
            for var in stmt.op.operands().iter().filter_map(|atom| atom.var()) {
                if let Some(&from) = maker.get(&var) {
                    first[from] = true;
                }
            }
        }
    }
    let part = |wanted: bool| {
        block.stmts.iter().zip(&first).filter(move |(_, first)| **first == wanted).map(|(stmt, _)| stmt.clone())
    };
    part(true).chain(part(false)).collect()
}
