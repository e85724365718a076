//! Uses of variables.

use arr_ir::rewrite::for_each_op;
use arr_ir::walk::for_each_use_in_block;
use arr_ir::{Block, Func, Op, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of uses of each variable as an operand, in a size or as a result, in the whole function.
pub fn count_uses(func: &Func) -> FxHashMap<VarId, u32> {
    let mut uses = FxHashMap::default();
    for_each_use_in_block(func, &func.body, &mut |v| *uses.entry(v).or_insert(0) += 1);
    uses
}

/// Whether a block uses a variable, in its statements, their blocks, a size or as a result.
pub fn uses(func: &Func, block: &Block, var: VarId) -> bool {
    let mut found = false;
    for_each_use_in_block(func, block, &mut |v| found |= v == var);
    found
}

/// The variables that a block of a kernel or branch yields for those results of the statement that are in a set.
pub fn yielded_for(stmt: &Stmt, block: &Block, wanted: &FxHashSet<VarId>) -> Vec<VarId> {
    let results = stmt.vars.iter().zip(&block.results).filter(|(v, _)| wanted.contains(v));
    results.filter_map(|(_, a)| a.var()).collect()
}

/// Calls `f` for every array whose storage the operation, or code in its blocks, may take over: the destination of a
/// `scatter` and the initial state of a `loop` or `while`. Reading such an array later would force a copy.
pub fn for_each_consumed(func: &Func, op: &Op, f: &mut dyn FnMut(VarId)) {
    for_each_op(op, &mut |op| match op {
        Op::Scatter { dest, .. } => f(*dest),
        Op::Loop { inits, .. } | Op::While { inits, .. } => {
            for v in inits.iter().filter_map(|a| a.var()).filter(|&v| !func.ty(v).is_scalar()) {
                f(v);
            }
        }
        _ => {}
    });
}
