//! The smallest functions that show the effect of a step.
//!
//! Passes keep the names of variables whose values they keep. So of the variables that statements of the function
//! itself bind both before and after the step, the first whose value differs leads to the fault. Its computation is cut
//! off at the variables that agree: they become parameters.

use super::compare::{Allowed, difference};
use arr_ir::interp::Limits;
use arr_ir::walk::for_each_use;
use arr_ir::{Atom, Edge, Func, Stmt, Value, VarId};
use std::collections::BTreeSet;

/// The reduced form of a difference.
pub(super) struct Reduced {
    /// The variable and how its value differs.
    pub variable: String,
    pub before: String,
    pub after: String,
}

/// The first variable of both functions that differs, and its computation from those that do not.
pub(super) fn first_variable(
    before: &Func,
    after: &Func,
    sizes: &[i64],
    leaves: &[Value],
    limits: &Limits,
    exact: bool,
) -> Option<Reduced> {
    let common = common(before, after);
    let (old_func, new_func) = (traced(before, &common), traced(after, &common));
    let old = arr_ir::interp::run(&old_func, sizes, leaves, limits).map(|outcome| outcome.results);
    let new = arr_ir::interp::run(&new_func, sizes, leaves, limits).map(|outcome| outcome.results).ok()?;
    let allowed = if exact { Allowed::nothing() } else { Allowed::of(&old_func, sizes, leaves, limits, &old) };
    let old = old.ok()?;
    let mut agreed: BTreeSet<VarId> = before.params.iter().chain(&before.sizes).copied().collect();
    let mut differs = None;
    for (at, &var) in common.iter().enumerate() {
        let (x, y) = (old.get(at)?, new.get(at)?);
        // If a step makes another part of an array, it is another array.
        if x.dims() != y.dims() {
            continue;
        }
        match difference(&Ok(vec![x.clone()]), &Ok(vec![y.clone()]), &allowed.of_leaf(at)) {
            None => agreed.extend([var]),
            Some(found) if differs.is_none() => differs = Some((var, found)),
            Some(_) => {}
        }
    }
    let (var, found) = differs?;
    let name = arr_ir::Names::new(after).var(var);
    Some(Reduced {
        variable: format!("`{name}`\n{}", found.text().trim_end()),
        before: arr_ir::print_func(&cut(before, var, &agreed)),
        after: arr_ir::print_func(&cut(after, var, &agreed)),
    })
}

/// The variables that statements of both functions themselves bind, in the order of the second.
fn common(before: &Func, after: &Func) -> Vec<VarId> {
    let bound: BTreeSet<VarId> = before.body.stmts.iter().flat_map(|stmt| stmt.vars.iter().copied()).collect();
    after.body.stmts.iter().flat_map(|stmt| stmt.vars.iter().copied()).filter(|var| bound.contains(var)).collect()
}

/// The function with these variables for its results.
fn traced(func: &Func, vars: &[VarId]) -> Func {
    let mut traced = func.clone();
    traced.body.results = vars.iter().map(|&var| Atom::Var(var)).collect();
    traced
}

/// The computation of a variable from those that agree, as a function of them.
fn cut(func: &Func, var: VarId, agreed: &BTreeSet<VarId>) -> Func {
    let mut small = func.clone();
    let mut needed = BTreeSet::from([var]);
    let mut kept: Vec<Stmt> = Vec::new();
    for stmt in std::mem::take(&mut small.body.stmts).into_iter().rev() {
        let makes = stmt.vars.iter().any(|v| needed.contains(v) && (*v == var || !agreed.contains(v)));
        if makes {
            for_each_use(func, &stmt.op, &mut |v| needed.extend([v]));
            let dims = stmt.vars.iter().flat_map(|&v| &func.ty(v).dims);
            dims.flat_map(|&dim| func.types.poly(dim).vars()).for_each(|v| needed.extend([v]));
            kept.push(stmt);
        }
    }
    kept.reverse();
    let bound: BTreeSet<VarId> = kept.iter().flat_map(|stmt| stmt.vars.iter().copied()).collect();
    let sizes: BTreeSet<VarId> = func.sizes.iter().copied().collect();
    small.params =
        needed.into_iter().filter(|v| agreed.contains(v) && !bound.contains(v) && !sizes.contains(v)).collect();
    small.body.stmts = kept;
    small.body.results = vec![Atom::Var(var)];
    small.edge_params = Vec::new();
    small.edge_result = Edge::Tuple(Vec::new());
    small
}
