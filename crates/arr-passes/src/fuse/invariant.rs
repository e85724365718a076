//! Sums that are the same in every iteration of a loop leave a kernel that computes others beside them.
//!
//! ```text
//! loop t<k (p: [m]f64 = q) {                          a: [n]f64 = build i<n {
//!   a, b: [n]f64 = build i<n {                          s: f64 = reduce sum j<m { .. read! x[i, j] .. }
//!     s, u: f64 = reduce sum j<m {                      yield s }
//!       e: f64 = read! x[i, j]                   =>   loop t<k (p: [m]f64 = q) {
//!       .. read! w[j] .. read! p[j] .. }                b: [n]f64 = build i<n {
//!     yield s, u }                                        u: f64 = reduce sum j<m { .. read! p[j] .. }
//!   .. }                                                  yield u }
//!                                                       .. }
//! ```
//!
//! The derivative along a direction has such kernels: the value does not depend on the direction, which a solver changes
//! in every step. Before other parts look at kernels: once it is inlined, a sum has no array to leave the loop with.
//!
//! Applies to results with a reduction, since others cost no more than keeping them. A kernel all of whose results are
//! the same moves as it is.

use super::split::{those, with_results};
use crate::hoist::reads_inside;
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, bound_in_block, for_each_use, free_vars, may_fail_deep, may_run_forever};
use arr_ir::{Block, Func, Op, Stmt, VarId};
use rustc_hash::FxHashSet;

/// Whether anything moved.
pub(super) fn invariant(func: &mut Func) -> bool {
    let mut changed = false;
    rewrite_stmts(func, Enter::Control, &mut |func, mut stmt, out| {
        let mut bound: FxHashSet<VarId> = stmt.op.axes().iter().map(|a| a.index).collect();
        if let Op::Loop { body, .. } | Op::While { body, .. } = &mut stmt.op {
            bound_in_block(body, &mut bound);
            for inner in std::mem::take(&mut body.stmts) {
                match fixed_results(func, &inner, &bound) {
                    Some(fixed) => {
                        out.extend(part(func, &inner, &fixed, true));
                        body.stmts.extend(part(func, &inner, &fixed, false));
                        inner.vars.iter().zip(&fixed).filter(|(_, fixed)| **fixed).for_each(|(v, _)| {
                            bound.remove(v);
                        });
                        changed = true;
                    }
                    None => body.stmts.push(inner),
                }
            }
        }
        out.push(stmt);
    });
    changed
}

/// Which results of a kernel need nothing that is bound in the loop around it, and have a reduction; `None` if none.
fn fixed_results(func: &Func, stmt: &Stmt, bound: &FxHashSet<VarId>) -> Option<Vec<bool>> {
    if !matches!(stmt.op, Op::Build { .. }) || may_fail_deep(func, &stmt.op) || may_run_forever(&stmt.op) {
        return None;
    }
    let fixed = |k: usize| {
        let this: Vec<bool> = (0..stmt.vars.len()).map(|other| other == k).collect();
        let op = only(func, &stmt.op, &this, true);
        let reduces = op.blocks().iter().any(|b| b.stmts.iter().any(|s| matches!(s.op, Op::Reduce { .. })));
        reduces && free_vars(func, &op).iter().all(|v| !bound.contains(v)) && reads_inside(func, &op)
    };
    let fixed: Vec<bool> = (0..stmt.vars.len()).map(fixed).collect();
    fixed.contains(&true).then_some(fixed)
}

/// The kernel with those of its results that are fixed, or with the others; `None` if there are no such results.
fn part(func: &mut Func, stmt: &Stmt, fixed: &[bool], which: bool) -> Option<Stmt> {
    let vars = those(&stmt.vars, fixed, which);
    let op = only(func, &stmt.op, fixed, which);
    let op = Subst::new().clone_op(func, &op);
    (!vars.is_empty()).then_some(Stmt { vars, op, span: stmt.span })
}

/// A kernel with some of its results, and what these need.
fn only(func: &Func, op: &Op, flags: &[bool], of: bool) -> Op {
    let mut op = with_results(op, flags, of);
    op.blocks_mut().into_iter().for_each(|body| prune(func, body));
    op
}

/// Removes what the results of a block do not need.
fn prune(func: &Func, block: &mut Block) {
    let mut wanted: FxHashSet<VarId> = block.results.iter().filter_map(|a| a.var()).collect();
    for mut stmt in std::mem::take(&mut block.stmts).into_iter().rev() {
        let kept: Vec<bool> = stmt.vars.iter().map(|v| wanted.contains(v)).collect();
        if !kept.contains(&true) {
            continue;
        }
        if let Op::Reduce { body, .. } = &mut stmt.op {
            body.results = those(&body.results, &kept, true);
            stmt.vars = those(&stmt.vars, &kept, true);
            prune(func, body);
        }
        for_each_use(func, &stmt.op, &mut |v| {
            wanted.insert(v);
        });
        block.stmts.push(stmt);
    }
    block.stmts.reverse();
}
