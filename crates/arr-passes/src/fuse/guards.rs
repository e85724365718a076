//! Gives conditions on indices that are made together with other arrays a build of their own, so that they can be
//! inlined into their readers.
//!
//! Of the workloads that it was measured on, it is worth something on `heat` and `conv` alone (docs/ablation.md).

use super::cost::GUARD_OPS;
use crate::analysis::count_uses;
use arr_ir::rewrite::{Enter, for_each_stmt, rewrite_stmts};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Block, Func, Op, Scalar, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether anything changed.
pub(super) fn split(func: &mut Func) -> bool {
    let mut reads: FxHashMap<VarId, u32> = FxHashMap::default();
    for_each_stmt(&func.body.stmts, &mut |stmt| {
        if let Op::Read { array, .. } = &stmt.op {
            *reads.entry(*array).or_insert(0) += 1;
        }
    });
    if !reads.keys().any(|&v| func.ty(v).elem == Scalar::Bool) {
        return false;
    }
    let uses = count_uses(func);
    let read_only: FxHashSet<VarId> =
        reads.into_iter().filter(|(v, n)| uses.get(v) == Some(n)).map(|(v, _)| v).collect();
    let mut changed = false;
    rewrite_stmts(func, Enter::ArrayControl, &mut |func, mut stmt, out| {
        let found: Vec<usize> = (0..stmt.vars.len()).filter(|&k| is_guard(func, &stmt, k, &read_only)).collect();
        if found.len() < stmt.vars.len() {
            for &k in found.iter().rev() {
                out.extend(alone(func, &mut stmt, k));
                changed = true;
            }
        }
        out.push(stmt);
    });
    changed
}

fn is_guard(func: &Func, stmt: &Stmt, k: usize, read_only: &FxHashSet<VarId>) -> bool {
    let (Op::Build { body, .. }, Some(&var)) = (&stmt.op, stmt.vars.get(k)) else { return false };
    let result = body.results.get(k).copied();
    func.ty(var).elem == Scalar::Bool
        && read_only.contains(&var)
        && result.is_some_and(|r| slice(func, body, r).is_some_and(|s| s.len() <= GUARD_OPS as usize))
}

/// The statements that a result needs, if they are arithmetic.
fn slice(func: &Func, body: &Block, result: Atom) -> Option<Vec<usize>> {
    let mut needed: FxHashSet<VarId> = result.var().into_iter().collect();
    let mut found = Vec::new();
    for (at, stmt) in body.stmts.iter().enumerate().rev() {
        if !stmt.vars.iter().any(|v| needed.contains(v)) {
            continue;
        }
        (matches!(stmt.op, Op::Prim(..)) && !stmt.op.may_fail(func)).then_some(())?;
        needed.extend(stmt.op.operands().iter().filter_map(|a| a.var()));
        found.push(at);
    }
    found.reverse();
    Some(found)
}

/// Moves a result out of a build.
fn alone(func: &mut Func, stmt: &mut Stmt, k: usize) -> Option<Stmt> {
    let Op::Build { axes, body } = &mut stmt.op else { return None };
    let result = *body.results.get(k)?;
    let needed = slice(func, body, result)?;
    let stmts = needed.iter().filter_map(|&at| body.stmts.get(at).cloned()).collect();
    let own = Block { params: Vec::new(), stmts, results: vec![result] };
    let op = Subst::new().clone_op(func, &Op::Build { axes: axes.clone(), body: own });
    body.results.remove(k);
    let var = stmt.vars.remove(k);
    Some(Stmt { vars: vec![var], op, span: stmt.span })
}
