//! Loops that only update arrays: a kernel of what they write, and updates of all points.
//!
//! ```text
//! s: [k]f64 = loop i<n (u: [k]f64 = z) {                 p, t: [n] = build i<n {
//!   p: i64 = while .. do { .. }                            p: i64 = while .. do { .. }
//!   t: f64 = mul p, ..                              =>     t: f64 = mul p, ..
//!   v: [k]f64 = scatter! add u { yield true, p, t }        yield p, t }
//!   yield v                                              s: [k]f64 = scatter! add z, i<n {
//! }                                                        .. read! p[i] .. yield true, p, t }
//! ```
//!
//! The derivative of values that are looked up at many points is such a loop. A tensor compiler runs a loop's iterations one by
//! one, and a kernel's points side by side.
//!
//! Legal when no iteration reads the states, and nothing in an update can fail but its place, which the kernel checks. The points keep the order of the iterations, so
//! that terms are added, and the first of several errors is found, in the same order; several updates of one state are one, with
//! several writes per point.
//!
//! Assumes:      a verified bulk or fused function.
//! Guarantees:   the function is as before; values are unchanged, and terms are added in the same order.
//! Leaves alone: iterations with arrays of their own or with sums, whose lengths may differ; several updates of one state of
//!               which one has points of its own.
//! Cost:         O(statements x nesting depth).
//! Tests:        tests/contract/split*.ir

use super::loop_rows::{fresh_axis, like_row};
use crate::analysis::{Repeats, index_checks, is_scalar_code, size_operand};
use arr_base::Span;
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, for_each_use, for_each_use_in_block, has_traces, may_fail_deep};
use arr_ir::{Atom, Axis, Block, Func, Op, Poly, Prim, Scalar, ScatterKind, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether anything changed.
pub(super) fn split_updates(func: &mut Func) -> bool {
    let mut changed = false;
    rewrite_stmts(func, Enter::Control, &mut |func, stmt, out| match Updates::of(func, &stmt) {
        Some(updates) => {
            updates.split(func, stmt.span, out);
            changed = true;
        }
        None => out.push(stmt),
    });
    changed
}

/// The update of one state in each iteration.
struct Update {
    /// The state after the loop, and before it.
    result: VarId,
    dest: VarId,
    kind: ScatterKind,
    axes: Vec<Axis>,
    body: Block,
}

/// A loop in two parts.
struct Updates {
    axis: Axis,
    reverse: bool,
    code: Vec<Stmt>,
    /// What `code` computes and updates use.
    used: Vec<VarId>,
    updates: Vec<Update>,
}

impl Updates {
    fn of(func: &mut Func, stmt: &Stmt) -> Option<Updates> {
        let Op::Loop { axis, reverse, inits, body } = &stmt.op else { return None };
        if body.params.is_empty() || has_traces(&body.stmts) {
            return None;
        }
        let (mut scatters, mut code) = (Vec::new(), Vec::new());
        for inner in &body.stmts {
            if matches!(inner.op, Op::Scatter { .. }) {
                scatters.push(unfailing(func, inner, &mut code));
            } else {
                code.push(inner.clone());
            }
        }
        if !code.iter().all(|stmt| is_scalar_code(func, stmt, Repeats::Loops)) {
            return None;
        }
        let mut uses: FxHashMap<VarId, u32> = FxHashMap::default();
        for_each_use_in_block(func, body, &mut |v| *uses.entry(v).or_insert(0) += 1);
        let (mut updates, mut seen) = (Vec::new(), 0);
        for (((&param, &init), &after), &result) in body.params.iter().zip(inits).zip(&body.results).zip(&stmt.vars) {
            let chain = chain(&scatters, &uses, param, after)?;
            seen += chain.len();
            updates.push(merged(func, &chain, (result, init.var()?))?);
        }
        let mut used = Vec::new();
        let own: FxHashSet<VarId> = code.iter().flat_map(|stmt| stmt.vars.iter().copied()).collect();
        for scatter in &scatters {
            for_each_use(func, &scatter.op, &mut |v| {
                if own.contains(&v) && !used.contains(&v) {
                    used.push(v);
                }
            });
        }
        // Without values to keep there is no kernel for the checks.
        let fails = code.iter().any(|stmt| may_fail_deep(func, &stmt.op));
        let whole = seen == scatters.len() && !(used.is_empty() && fails);
        whole.then_some(Updates { axis: *axis, reverse: *reverse, code, used, updates })
    }

    fn split(self, func: &mut Func, span: Option<Span>, out: &mut Vec<Stmt>) {
        let last = self.reverse.then(|| {
            let last = func.types.poly(self.axis.extent).sub(&Poly::constant(1));
            let last = func.types.size(last);
            size_operand(func, last, span, out)
        });
        let arrays: Vec<VarId> = self.used.iter().map(|&v| like_row(func, self.axis, v)).collect();
        if !arrays.is_empty() {
            let (axis, mut stmts) = steps(func, self.axis, last, span);
            stmts.extend(self.code);
            let results = self.used.iter().copied().map(Atom::Var).collect();
            let body = Block { params: Vec::new(), stmts, results };
            out.push(Stmt { vars: arrays.clone(), op: Op::Build { axes: vec![axis], body }, span });
        }
        for Update { result, dest, kind, axes, mut body } in self.updates {
            let own = fresh_axis(func, self.axis);
            let (axis, mut stmts) = steps(func, own, last, span);
            let mut subst = Subst::new();
            subst.insert(self.axis.index, own.index);
            for (&v, &array) in self.used.iter().zip(&arrays) {
                let value = func.copy_var(v);
                let op = Op::Read { array, index: vec![axis.index.into()], checked: false };
                stmts.push(Stmt { vars: vec![value], op, span });
                subst.insert(v, value);
            }
            subst.apply_to_block(func, &mut body);
            body.stmts.splice(0..0, stmts);
            let axes = std::iter::once(axis).chain(axes).collect();
            out.push(Stmt { vars: vec![result], op: Op::Scatter { kind, dest, axes, body, checked: false }, span });
        }
    }
}

/// An update without checks: those of an update at one place go to `code`.
fn unfailing(func: &mut Func, stmt: &Stmt, code: &mut Vec<Stmt>) -> Stmt {
    let Op::Scatter { kind, dest, axes, body, checked: true } = &stmt.op else { return stmt.clone() };
    let width = func.ty(*dest).rank() + 2;
    let always = |write: &[Atom]| write.first() == Some(&Atom::bool(true));
    if !axes.is_empty() || !body.results.chunks(width).all(always) {
        return stmt.clone();
    }
    code.extend(body.stmts.iter().cloned());
    for write in body.results.chunks(width) {
        index_checks(func, *dest, write.get(1..).unwrap_or_default(), stmt.span, code);
    }
    let body = Block { params: Vec::new(), stmts: Vec::new(), results: body.results.clone() };
    let op = Op::Scatter { kind: *kind, dest: *dest, axes: Vec::new(), body, checked: false };
    Stmt { vars: stmt.vars.clone(), op, span: stmt.span }
}

/// The updates of a state in an iteration, from its parameter to its result, which nothing else reads.
fn chain<'a>(scatters: &'a [Stmt], uses: &FxHashMap<VarId, u32>, param: VarId, after: Atom) -> Option<Vec<&'a Stmt>> {
    let mut chain: Vec<&Stmt> = Vec::new();
    let mut state = param;
    while after != Atom::Var(state) {
        let reads = |stmt: &&Stmt| matches!(stmt.op, Op::Scatter { dest, .. } if dest == state);
        let next = scatters.iter().find(reads).filter(|_| uses.get(&state) == Some(&1))?;
        chain.push(next);
        state = *next.vars.first()?;
    }
    (uses.get(&state) == Some(&1) && !chain.is_empty()).then_some(chain)
}

/// The updates of a state in an iteration as one.
fn merged(func: &Func, chain: &[&Stmt], (result, dest): (VarId, VarId)) -> Option<Update> {
    let mut whole: Option<Update> = None;
    for stmt in chain {
        let Op::Scatter { kind, axes, body, checked: false, .. } = &stmt.op else { return None };
        let scalar = body.stmts.iter().all(|s| is_scalar_code(func, s, Repeats::Loops) && !may_fail_deep(func, &s.op));
        match &mut whole {
            _ if !scalar => return None,
            None => whole = Some(Update { result, dest, kind: *kind, axes: axes.clone(), body: body.clone() }),
            Some(before) if before.kind == *kind && before.axes.is_empty() && axes.is_empty() => {
                before.body.stmts.extend(body.stmts.iter().cloned());
                before.body.results.extend(&body.results);
            }
            Some(_) => return None,
        }
    }
    whole
}

/// The axis of a kernel with the iterations as points, in their order, and code for the index of an iteration.
fn steps(func: &mut Func, axis: Axis, last: Option<Atom>, span: Option<Span>) -> (Axis, Vec<Stmt>) {
    let Some(last) = last else { return (axis, Vec::new()) };
    let step = func.scalar_var("step", Scalar::I64);
    let op = Op::Prim(Prim::Sub, vec![last, step.into()]);
    (Axis { index: step, extent: axis.extent }, vec![Stmt { vars: vec![axis.index], op, span }])
}
