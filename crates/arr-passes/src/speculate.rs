//! Speculates that no zero has to win over an infinity or NaN: multiplies plainly where the results would show it, and
//! recomputes those in which it did.
//!
//! ```text
//! s: f64 = reduce sum i<n {                    t: f64 = reduce sum i<n { ..  p: f64 = mul a, b ..  yield p }
//!   .. p: f64 = mulz a, b .. yield p }    =>   nan: bool = is_nan t
//!                                              s: f64 = if nan { reduce sum i<n { .. mulz a, b .. } .. } else { yield t }
//! ```
//!
//! `mulz` takes two comparisons and a selection more than `mul`. They differ where one factor is zero and the other
//! infinite or NaN: there `mul` is NaN. Where every path from the product to the results propagates a NaN, a result
//! that is a number proves that nothing differed.
//!
//! Assumes:      a verified fused function.
//! Guarantees:   values are unchanged, except for the sign of a zero (`0 * -1` is `-0`); errors are unchanged.
//! Leaves alone: products that are compared, tested, converted to integers, or used in branches of the kernel; kernels
//!               with loops, and with few such products, or with little work per result, as the test would cost as much
//!               as it saves; one product in a sum, which may be a matrix product.
//! Cost:         O(statements); changed kernels are duplicated.
//! Tests:        tests/speculate/, and infinities and NaNs in tests/programs

use crate::analysis::yielded_for;
use arr_ir::rewrite::{Enter, any_op, for_each_stmt_mut, rewrite_stmts};
use arr_ir::walk::{Subst, for_each_use};
use arr_ir::{Atom, Axis, Block, Func, Op, Prim, Reduction, Scalar, Stmt, VarId};
use rustc_hash::FxHashSet;

/// Minimal number of products for a kernel to change.
const FEWEST: usize = 3;

/// Minimal number of points of a sum, where it is known, for a test of the result to be cheap.
const SHORTEST: i64 = 32;

/// Multiplies plainly first, in place. Only relaxed code may differ in the sign of a zero.
pub fn speculate(func: &mut Func) {
    rewrite_stmts(func, Enter::Control, &mut |func, stmt, out| match products(func, &stmt) {
        Some(plain) => twice(func, stmt, &plain, out),
        None => out.push(stmt),
    });
}

/// The products of a kernel that are plain at first; `None` if it stays unchanged.
fn products(func: &Func, stmt: &Stmt) -> Option<FxHashSet<VarId>> {
    let (Op::Build { body, .. } | Op::Reduce { kind: Reduction::Sum, body, .. }) = &stmt.op else { return None };
    if stmt.vars.iter().any(|&v| !func.ty(v).elem.is_float()) || has_loop(&stmt.op) {
        return None;
    }
    let mut lost = FxHashSet::default();
    lose_in(func, body, &mut lost);
    let mut found = FxHashSet::default();
    let repeated = matches!(stmt.op, Op::Reduce { .. }) && long(func, stmt.op.axes());
    let count = collect(func, body, &lost, repeated, &mut found);
    (count >= FEWEST).then_some(found)
}

/// Whether there is a loop in the operation, whose iterations may be counted.
fn has_loop(op: &Op) -> bool {
    any_op(op, &mut |op| matches!(op, Op::Loop { .. } | Op::While { .. }))
}

/// Whether a sum has many points, or an unknown number.
fn long(func: &Func, axes: &[Axis]) -> bool {
    axes.iter().any(|a| func.types.poly(a.extent).as_constant().is_none_or(|n| n >= SHORTEST))
}

/// Records the variables from which a NaN does not reach the results, last statement first. `lost` already contains
/// such results.
fn lose_in(func: &Func, body: &Block, lost: &mut FxHashSet<VarId>) {
    for stmt in body.stmts.iter().rev() {
        match &stmt.op {
            Op::Prim(prim, args) => {
                let here = stmt.vars.iter().any(|v| lost.contains(v));
                let lose = args.iter().enumerate().filter(|(k, _)| here || !hands_on(*prim, *k));
                lost.extend(lose.filter_map(|(_, a)| a.var()));
            }
            Op::Reduce { kind: Reduction::Sum | Reduction::Product, body, .. } => {
                lost.extend(yielded_for(stmt, body, lost));
                lose_in(func, body, lost);
            }
            op => for_each_use(func, op, &mut |v| {
                lost.insert(v);
            }),
        }
    }
}

/// Whether the result is NaN where operand `k` is, or the operand does not matter. A `mulz` of zero and a NaN is zero,
/// as it is with the value that the NaN replaces.
fn hands_on(prim: Prim, k: usize) -> bool {
    match prim {
        Prim::Add | Prim::Sub | Prim::Mul | Prim::MulZero | Prim::Div | Prim::Neg | Prim::Abs | Prim::Sqrt => true,
        Prim::Exp | Prim::Expm1 | Prim::Log | Prim::Log1p | Prim::Sin | Prim::Cos | Prim::Tanh => true,
        Prim::Select => k > 0,
        _ => false,
    }
}

/// Finds the products that may be plain, and returns how many of them are in long sums.
fn collect(func: &Func, body: &Block, lost: &FxHashSet<VarId>, repeated: bool, found: &mut FxHashSet<VarId>) -> usize {
    let mut count = 0;
    for stmt in &body.stmts {
        match &stmt.op {
            Op::Prim(Prim::MulZero, _) => {
                if let Some(&v) = stmt.vars.first().filter(|v| !lost.contains(v)) {
                    found.insert(v);
                    count += usize::from(repeated);
                }
            }
            Op::Reduce { kind: Reduction::Sum | Reduction::Product, axes, body } => {
                count += collect(func, body, lost, repeated || long(func, axes), found);
            }
            _ => {}
        }
    }
    count
}

/// The kernel with plain products, a test of its results, and the original kernel if the test finds a NaN.
fn twice(func: &mut Func, stmt: Stmt, plain: &FxHashSet<VarId>, out: &mut Vec<Stmt>) {
    let span = stmt.span;
    let mut first = Subst::new();
    let mut tried = stmt.clone();
    for_each_stmt_mut(std::slice::from_mut(&mut tried), &mut |stmt| {
        if stmt.vars.iter().any(|v| plain.contains(v))
            && let Op::Prim(prim, _) = &mut stmt.op
        {
            *prim = Prim::Mul;
        }
    });
    let tried = first.clone_stmt(func, &tried);
    let results = tried.vars.clone();
    out.push(tried);
    let nan = any_nan(func, &stmt, &results, out);
    let mut subst = Subst::new();
    let again = subst.clone_stmt(func, &stmt);
    let then_results = again.vars.iter().map(|&v| Atom::Var(v)).collect();
    let then_block = Block { params: Vec::new(), stmts: vec![again], results: then_results };
    let else_results = results.into_iter().map(Atom::Var).collect();
    let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: else_results };
    out.push(Stmt { vars: stmt.vars, op: Op::If { cond: Atom::Var(nan), then_block, else_block }, span });
}

/// Whether there is a NaN in the results, which are of a kernel like `stmt`.
fn any_nan(func: &mut Func, stmt: &Stmt, results: &[VarId], out: &mut Vec<Stmt>) -> VarId {
    let Op::Build { axes, .. } = &stmt.op else { return one_nan(func, results, out) };
    let mut subst = Subst::new();
    let axes = subst.fresh_axes(func, axes);
    let index: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
    let mut body = Block::default();
    let mut elements = Vec::new();
    for &array in results {
        let element = func.scalar_var("y", func.ty(array).elem);
        let op = Op::Read { array, index: index.clone(), checked: false };
        body.stmts.push(Stmt { vars: vec![element], op, span: stmt.span });
        elements.push(element);
    }
    body.results = vec![Atom::Var(one_nan(func, &elements, &mut body.stmts))];
    let nan = func.scalar_var("nan", Scalar::Bool);
    out.push(Stmt { vars: vec![nan], op: Op::Reduce { kind: Reduction::Any, axes, body }, span: None });
    nan
}

/// Whether one of some numbers is NaN.
fn one_nan(func: &mut Func, numbers: &[VarId], out: &mut Vec<Stmt>) -> VarId {
    let mut bool_of = |func: &mut Func, prim: Prim, args: Vec<Atom>| {
        let var = func.scalar_var("nan", Scalar::Bool);
        out.push(Stmt { vars: vec![var], op: Op::Prim(prim, args), span: None });
        var
    };
    let tests: Vec<VarId> = numbers.iter().map(|&x| bool_of(func, Prim::IsNan, vec![Atom::Var(x)])).collect();
    let either = tests.into_iter().reduce(|a, b| bool_of(func, Prim::Or, vec![Atom::Var(a), Atom::Var(b)]));
    either.unwrap_or_else(|| bool_of(func, Prim::Not, vec![Atom::bool(true)]))
}
