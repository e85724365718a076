//! Loop-to-scatter conversion: a loop that changes an array in place, each point in a column of its own, becomes a kernel.
//!
//! ```text
//! s: [n][m]f64 = loop j<m (u: [n][m]f64 = z) {         s: [n][m]f64 = scatter! set z, j<m {
//!   x: f64 = read! u[a, j]                               x: f64 = read! z[a, j]
//!   y: f64 = mul x, c                                    y: f64 = mul x, c
//!   w: [n][m]f64 = scatter! set u {                =>    yield true, b, j, y
//!     yield true, b, j, y                              }
//!   }
//!   yield w
//! }
//! ```
//!
//! So are rows of a matrix added to each other, exchanged and rotated, in eliminations and factorisations. A kernel runs in
//! vectors, and on a graphics device.
//!
//! Legal when the array is the loop's only state, all its reads and writes have the loop's index, or a fixed distance from
//! it, at one axis, a point reads before it writes, and the rest is scalar code. The order of the points does not matter
//! then, except for which of several errors comes first, and that is kept.
//!
//! Assumes:      a verified bulk or fused function.
//! Guarantees:   the function is fused; values and work are unchanged.
//! Cost:         O(statements x nesting depth).
//! Tests:        tests/fuse/in_place_columns*.ir

use crate::analysis::{Repeats, is_scalar_code};
use arr_base::Span;
use arr_ir::columns::stays_in_columns;
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, for_each_use_in_block, has_traces, may_fail_deep};
use arr_ir::{Atom, Block, Func, Op, ScatterKind, Stmt, VarId};

/// Whether anything changed.
pub(super) fn loop_to_scatter(func: &mut Func) -> bool {
    let mut changed = false;
    rewrite_stmts(func, Enter::Control, &mut |func, stmt, out| match kernel(func, &stmt) {
        Some(scatter) => {
            changed = true;
            out.push(scatter);
        }
        None => out.push(stmt),
    });
    changed
}

fn kernel(func: &mut Func, stmt: &Stmt) -> Option<Stmt> {
    let Op::Loop { axis, reverse, inits, body } = &stmt.op else { return None };
    let (&[param], &[Atom::Var(init)]) = (body.params.as_slice(), inits.as_slice()) else { return None };
    if func.ty(param).is_scalar() || has_traces(&body.stmts) {
        return None;
    }
    let Writes { kind, checked, span, mut body, .. } = Writes::of(func, body, param)?;
    let axes = vec![*axis];
    if *reverse && (checked || fails(func, &body.stmts)) || !stays_in_columns(func, param, &axes, &body) {
        return None;
    }
    let mut subst = Subst::new();
    subst.insert(param, Atom::Var(init));
    subst.apply_to_block(func, &mut body);
    let op = Op::Scatter { kind, dest: init, axes, body, checked };
    Some(Stmt { vars: stmt.vars.clone(), op, span })
}

/// An iteration as the body of a scatter.
struct Writes {
    kind: ScatterKind,
    checked: bool,
    /// Where a checked write fails.
    span: Option<Span>,
    body: Block,
    /// The array with all writes so far.
    last: VarId,
}

impl Writes {
    fn of(func: &Func, body: &Block, param: VarId) -> Option<Writes> {
        let mut all: Option<Writes> = None;
        let mut before = Vec::new();
        for stmt in &body.stmts {
            let last = all.as_ref().map_or(param, |all| all.last);
            if let Op::Scatter { kind, dest, axes, body: write, checked } = &stmt.op {
                let &[var] = stmt.vars.as_slice() else { return None };
                let scalar = write.stmts.iter().all(|s| is_scalar_code(func, s, Repeats::Reductions));
                (*dest == last && axes.is_empty() && scalar).then_some(())?;
                let all = all.get_or_insert_with(|| Writes {
                    kind: *kind,
                    checked: *checked,
                    span: stmt.span,
                    body: Block { params: Vec::new(), stmts: std::mem::take(&mut before), results: Vec::new() },
                    last,
                });
                // What fails behind a write would fail before it, and a scatter fails in one place of the program.
                let alike = all.kind == *kind && all.checked == *checked && (!checked || all.span == stmt.span);
                (alike && (all.body.results.is_empty() || !fails(func, &write.stmts))).then_some(())?;
                all.body.stmts.extend(write.stmts.iter().cloned());
                all.body.results.extend(write.results.iter().copied());
                all.last = var;
                continue;
            }
            is_scalar_code(func, stmt, Repeats::Reductions).then_some(())?;
            match &mut all {
                None => before.push(stmt.clone()),
                Some(_) if fails(func, std::slice::from_ref(stmt)) => return None,
                Some(all) => all.body.stmts.push(stmt.clone()),
            }
        }
        let all = all?;
        let versions = |v: VarId| body.stmts.iter().any(|s| matches!(s.op, Op::Scatter { .. }) && s.vars.contains(&v));
        let mut reads = false;
        for_each_use_in_block(func, &all.body, &mut |v| reads |= versions(v));
        (body.results.as_slice() == [Atom::Var(all.last)] && !reads).then_some(all)
    }
}

fn fails(func: &Func, stmts: &[Stmt]) -> bool {
    stmts.iter().any(|s| may_fail_deep(func, &s.op))
}
