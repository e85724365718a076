//! Sums and updates of lengths that data decide, inside of loops: loops, of as many iterations.
//!
//! ```text
//! loop i<n (..) {                                   loop i<n (..) {
//!   k: i64 = read! lengths[i]                         k: i64 = read! lengths[i]
//!   s: f64 = reduce sum p<k { .. yield t }     =>     s: f64 = loop p<k (a: f64 = 0.0) { .. b: f64 = add a, t  yield b }
//! ```
//!
//! A tensor has a length that is known when it is compiled: such a sum is one over all points for which there is room, of
//! which few may be wanted, and it fails where there are more. XLA compiles a loop over numbers, and those around it, as
//! one function.
//!
//! Assumes:      a verified bulk or fused function.
//! Guarantees:   the function is as before; values are unchanged, and terms are added in the same order.
//! Leaves alone: lengths that follow from sizes and the indices of loops; kernels that make arrays; several axes; kernels
//!               outside of loops, which run once.
//! Cost:         O(statements x nesting depth).
//! Tests:        tests/contract/ragged*.ir

use crate::analysis::{count_uses, uses};
use arr_ir::walk::{Subst, has_trace};
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Prim, Reduction, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether anything changed.
pub(super) fn ragged_loops(func: &mut Func) -> bool {
    let counts = count_uses(func);
    let mut body = std::mem::take(&mut func.body);
    let mut bounded: FxHashSet<VarId> = func.sizes.iter().copied().collect();
    let changed = block(func, &mut body, (&mut bounded, &counts), false);
    func.body = body;
    changed
}

/// How often each variable is used.
type Uses = FxHashMap<VarId, u32>;

/// `bounded` are sizes, and the indices of the loops around.
fn block(func: &mut Func, code: &mut Block, (bounded, counts): (&mut FxHashSet<VarId>, &Uses), in_loop: bool) -> bool {
    let mut changed = false;
    for mut stmt in std::mem::take(&mut code.stmts) {
        let is_loop = matches!(stmt.op, Op::Loop { .. } | Op::While { .. });
        if is_loop || matches!(stmt.op, Op::If { .. }) {
            bounded.extend(stmt.op.axes().iter().map(|axis| axis.index));
            for inner in stmt.op.blocks_mut() {
                changed |= block(func, inner, (&mut *bounded, counts), in_loop || is_loop);
            }
        } else if in_loop && is_ragged(func, stmt.op.axes(), bounded) {
            if let Some(terms) = code.stmts.pop_if(|last| reads_only(last, &stmt, counts)) {
                with_terms(func, terms, &mut stmt);
            }
            changed |= in_turn(func, &mut stmt);
        }
        code.stmts.push(stmt);
    }
    changed
}

/// Whether the statement `terms` makes arrays as long as a sum, which nothing but that sum reads, each at its own index.
fn reads_only(terms: &Stmt, sum: &Stmt, counts: &Uses) -> bool {
    let (Op::Build { axes: from, .. }, Op::Reduce { kind, axes, body }) = (&terms.op, &sum.op) else { return false };
    let ([from], [axis]) = (from.as_slice(), axes.as_slice()) else { return false };
    let mut reads = 0;
    for stmt in &body.stmts {
        if let Op::Read { array, index, .. } = &stmt.op
            && terms.vars.contains(array)
            && index.as_slice() == [Atom::Var(axis.index)]
        {
            reads += 1;
        }
    }
    let all: u32 = terms.vars.iter().map(|v| counts.get(v).copied().unwrap_or(0)).sum();
    from.extent == axis.extent && reads == all && !has_trace(&terms.op) && monoid(*kind).is_some()
}

/// Computes terms where a sum reads them.
fn with_terms(func: &mut Func, terms: Stmt, sum: &mut Stmt) {
    let (Op::Build { axes: from, body: made }, Op::Reduce { axes, body, .. }) = (terms.op, &mut sum.op) else { return };
    let mut subst = Subst::new();
    for (from, axis) in from.iter().zip(axes) {
        subst.insert(from.index, Atom::Var(axis.index));
    }
    let elements: FxHashMap<VarId, Atom> = terms.vars.iter().copied().zip(made.results).collect();
    for mut stmt in made.stmts.into_iter().chain(std::mem::take(&mut body.stmts)) {
        let known = match &stmt.op {
            Op::Read { array, .. } => elements.get(array).copied(),
            _ => None,
        };
        match (known, stmt.vars.as_slice()) {
            (Some(element), &[var]) => subst.insert(var, subst.atom(element)),
            _ => {
                subst.apply_to_stmt(func, &mut stmt);
                body.stmts.push(stmt);
            }
        }
    }
    body.results.iter_mut().for_each(|result| *result = subst.atom(*result));
}

/// Whether a kernel has one axis, of a length that data decide.
fn is_ragged(func: &Func, axes: &[Axis], bounded: &FxHashSet<VarId>) -> bool {
    let [axis] = axes else { return false };
    func.types.poly(axis.extent).vars().iter().any(|v| !bounded.contains(v))
}

/// Makes a kernel a loop, if it makes no array of its own. Whether it is one now.
fn in_turn(func: &mut Func, stmt: &mut Stmt) -> bool {
    let op = match &stmt.op {
        Op::Reduce { kind, axes, body } => summed(func, *kind, axes, body.clone()),
        Op::Scatter { .. } => updated(func, stmt),
        _ => None,
    };
    let Some(op) = op else { return false };
    stmt.op = op;
    true
}

fn summed(func: &mut Func, kind: Reduction, axes: &[Axis], mut body: Block) -> Option<Op> {
    let (&[axis], (prim, first)) = (axes, monoid(kind)?) else { return None };
    let (mut inits, mut next) = (Vec::new(), Vec::new());
    for term in body.results {
        let elem = func.atom_elem(term);
        let name = term.var().map_or("term".to_string(), |v| func.name(v).to_string());
        let [before, after] = [0; 2].map(|_| func.scalar_var(name.clone(), elem));
        inits.push(Atom::Const(Const::of_int(elem, first)));
        body.params.push(before);
        body.stmts.push(Stmt { vars: vec![after], op: Op::Prim(prim, vec![Atom::Var(before), term]), span: None });
        next.push(Atom::Var(after));
    }
    body.results = next;
    Some(Op::Loop { axis, reverse: false, inits, body })
}

/// The operation of a reduction that has a value where there is nothing to reduce, and that value.
fn monoid(kind: Reduction) -> Option<(Prim, i64)> {
    match kind {
        Reduction::Sum => Some((Prim::Add, 0)),
        Reduction::Product => Some((Prim::Mul, 1)),
        _ => None,
    }
}

fn updated(func: &mut Func, stmt: &Stmt) -> Option<Op> {
    let Op::Scatter { kind, dest, axes, body, checked } = &stmt.op else { return None };
    let &[axis] = axes.as_slice() else { return None };
    // In the loop it would have to be the array before the first iteration.
    if uses(func, body, *dest) {
        return None;
    }
    let [before, after] = [0; 2].map(|_| func.copy_var(*dest));
    let write = Op::Scatter { kind: *kind, dest: before, axes: Vec::new(), body: body.clone(), checked: *checked };
    let stmts = vec![Stmt { vars: vec![after], op: write, span: stmt.span }];
    let body = Block { params: vec![before], stmts, results: vec![Atom::Var(after)] };
    Some(Op::Loop { axis, reverse: false, inits: vec![Atom::Var(*dest)], body })
}
