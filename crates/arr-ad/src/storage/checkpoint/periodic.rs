//! Periodic checkpointing: a long loop over large states is divided into segments. One state per segment is kept, and
//! the iterations of a segment are run again when the reverse sweep reaches it.
//!
//! ```text
//! y = loop t<T (u = x) { .. }   =>   n = if T >= 129 then T / 8 else 0
//!                                    m = loop s<n (v = x) { w = loop j<8 (u = v) { t = 8 * s + j .. } yield w }
//!                                    y = loop r<T - 8 * n (u = m) { t = 8 * n + r .. }
//! ```
//!
//! The tape of the outer loop does not hold what the inner loop keeps (`tape`), so that `T / 8` states are kept and not
//! `T`, and 8 more at a time, those of the segment that is swept. These 8 stay in a processor's caches, whereas all `T`
//! would be written to memory and read back: running a cheap body once more costs less than that. A loop with few
//! states keeps them all: for it `n` is zero. (Chen and others, "Training deep nets with sublinear memory cost", with
//! segments that fit into a cache.)
//!
//! Assumes:      a loop that depends on the inputs, and is not in a segment itself.
//! Guarantees:   the same iterations in the same order: the same errors, and the same bits. (Derivatives of derivatives
//!               may add the contributions to a state in another order.) Leaves alone: loops whose states have an
//!               unknown size. Loops whose iterations are expensive to run again: with sums, inner loops, functions
//!               like `exp`. Loops that update an array in place, which keep the overwritten elements alone
//!               (`write_log`). Loops whose points do not read each other, which back ends run one block of points at a
//!               time.
//! Cost:         the code has the body and its sweep twice.
//! Tests:        tests/segments.rs

use crate::analysis::update_chains::chains;
use crate::code::CodeBuilder;
use crate::storage::states::{LoopParts, extent_value, index_of};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Cost, Func, Op, Prim, Scalar, Stmt, VarId};
use rustc_hash::FxHashSet;

/// When loops are divided, and how. Code follows from these numbers, which are the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segments {
    /// Bytes of states that a segment may have to stay in a cache while it is swept.
    pub cache: i64,
    /// Loops whose states have fewer bytes than this in all keep them: they stay in a processor's last-level cache.
    pub kept: i64,
    /// Like `kept`, for states of which few fit into the cache: these loops become slower, and are divided to save
    /// memory.
    pub kept_of_large: i64,
}

impl Default for Segments {
    fn default() -> Self {
        Segments { cache: 2 << 20, kept: 16 << 20, kept_of_large: 1 << 30 }
    }
}

/// The fewest iterations of a segment, except for large states.
const SHORTEST: i64 = 4;
/// The most iterations of a segment: longer ones would hardly save memory.
const LONGEST: i64 = 64;
/// The iterations of a segment of large states.
const OF_LARGE: i64 = 16;
/// States are large if fewer than this fit into the cache.
const FEW: i64 = 2;
/// The most operations per element of the state for which an iteration is run again.
const MOST_OPERATIONS: i64 = 64;

/// How a loop is divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Plan {
    /// Iterations of a segment.
    length: i64,
    /// A loop with fewer iterations than this is not divided.
    least: i64,
}

/// A loop as one over segments and one over the iterations that are left, with code for their bounds; `None` if the
/// loop is not divided. `copied` is called with the copies of variables.
pub(crate) fn divided(
    code: &mut CodeBuilder<'_>,
    stmt: &Stmt,
    options: Segments,
    copied: &mut dyn FnMut(&Subst),
) -> Option<[Stmt; 2]> {
    let parts = LoopParts::of(&stmt.op)?;
    let LoopParts { axis, inits, body, .. } = parts;
    let plan = plan(code.func, &parts, options)?;
    let known = code.func.types.poly(axis.extent).as_constant();
    if known.is_some_and(|n| n < plan.least) {
        return None;
    }
    let count = extent_value(code, axis.extent);
    let segments = number_of(code, count, plan);
    let length = Atom::int(plan.length);
    let covered = code.prim(Prim::Mul, &[segments, length], "covered");
    let rest = code.prim(Prim::Sub, &[count, covered], "rest");

    // The iterations of segments bind fresh variables.
    let mut names = Subst::new();
    let between: Vec<VarId> = stmt.vars.iter().map(|&v| names.fresh(code.func, v)).collect();
    let mut inner_names = Subst::new();
    let ends: Vec<VarId> = stmt.vars.iter().map(|&v| inner_names.fresh(code.func, v)).collect();
    let starts: Vec<VarId> = body.params.iter().map(|&p| inner_names.fresh(code.func, p)).collect();
    let mut body_names = Subst::new();
    let index = body_names.fresh(code.func, axis.index);
    let again = body_names.clone_block(code.func, body);
    [&names, &inner_names, &body_names].into_iter().for_each(copied);

    let segment = code.func.scalar_var("segment", Scalar::I64);
    let outer = code.block(|code| {
        let start = code.prim(Prim::Mul, &[Atom::Var(segment), length], "start");
        let inits = starts.iter().copied().map(Atom::Var).collect();
        let op = iterations(code, &parts, (index, again), (length, start), inits);
        code.stmts.push(Stmt { vars: ends.clone(), op, span: stmt.span });
        ends.iter().copied().map(Atom::Var).collect()
    });
    let axis = Axis { index: segment, extent: code.func.size_of_atom(segments) };
    let outer = Op::Loop { axis, reverse: false, inits: inits.to_vec(), body: Block { params: starts, ..outer } };
    let first = Stmt { vars: between.clone(), op: outer, span: stmt.span };
    let inits = between.into_iter().map(Atom::Var).collect();
    let op = iterations(code, &parts, (parts.axis.index, body.clone()), (rest, covered), inits);
    Some([first, Stmt { vars: stmt.vars.clone(), op, span: stmt.span }])
}

/// A loop over `count` iterations of another, starting with number `from`. `index` is the variable of the index in
/// `body`.
fn iterations(
    code: &mut CodeBuilder<'_>,
    parts: &LoopParts<'_>,
    (index, body): (VarId, Block),
    (count, from): (Atom, Atom),
    inits: Vec<Atom>,
) -> Op {
    let step = code.func.scalar_var("step", Scalar::I64);
    let mut subst = Subst::new();
    let (mut stmts, ()) = code.nested(|code| {
        let step = code.prim(Prim::Add, &[from, Atom::Var(step)], "step");
        let at = index_of(code, parts, step);
        subst.insert(index, at);
    });
    let mut body = body;
    subst.apply_to_block(code.func, &mut body);
    stmts.append(&mut body.stmts);
    let axis = Axis { index: step, extent: code.func.size_of_atom(count) };
    Op::Loop { axis, reverse: false, inits, body: Block { stmts, ..body } }
}

/// The number of segments, zero for a loop that is not divided.
fn number_of(code: &mut CodeBuilder<'_>, count: Atom, plan: Plan) -> Atom {
    let long = code.prim(Prim::Ge, &[count, Atom::int(plan.least)], "long");
    let all = code.prim(Prim::Div, &[count, Atom::int(plan.length)], "segments");
    match long.constant().and_then(|c| c.as_bool()) {
        Some(true) => all,
        Some(false) => Atom::int(0),
        None => code.prim(Prim::Select, &[long, all, Atom::int(0)], "segments"),
    }
}

/// How a loop is divided, if that pays.
fn plan(func: &Func, parts: &LoopParts<'_>, options: Segments) -> Option<Plan> {
    let body = parts.body;
    let (mut elements, mut bytes) = (0_i64, 0_i64);
    for &param in &body.params {
        let own = elements_of(func, &func.ty(param).dims)?;
        elements = elements.checked_add(own)?;
        bytes = bytes.checked_add(own.checked_mul(func.ty(param).elem.bytes() as i64)?)?;
    }
    let fitting = options.cache.checked_div(bytes)?;
    let (length, kept) = match fitting < FEW {
        true => (OF_LARGE, options.kept_of_large),
        false => (fitting.clamp(SHORTEST, LONGEST), options.kept),
    };
    let least = kept.checked_div(bytes)?.max(length.saturating_mul(2));
    let in_place = chains(func, parts.axis, body).iter().any(Option::is_some);
    let operations = operations(func, body)?;
    let cheap = operations <= elements.saturating_mul(MOST_OPERATIONS);
    (cheap && !in_place && looks_around(func, body)).then_some(Plan { length, least })
}

/// The number of elements of an array, if it is known and does not overflow.
fn elements_of(func: &Func, dims: &[arr_ir::SizeId]) -> Option<i64> {
    dims.iter().try_fold(1_i64, |n, &d| n.checked_mul(func.types.poly(d).as_constant().filter(|&d| d >= 0)?))
}

/// The number of operations of an iteration, if all its kernels are cheap code.
fn operations(func: &Func, body: &Block) -> Option<i64> {
    body.stmts.iter().try_fold(0_i64, |sum, stmt| {
        let own = match &stmt.op {
            Op::Build { axes, body } => {
                let extents: Vec<_> = axes.iter().map(|a| a.extent).collect();
                elements_of(func, &extents)?.checked_mul(scalar_operations(body)?)?
            }
            Op::Prim(prim, _) if prim.cost() < Cost::Function => 1,
            Op::Read { .. } | Op::Size(_) | Op::Check { .. } | Op::Trace { .. } => 1,
            _ => return None,
        };
        sum.checked_add(own)
    })
}

/// The number of operations of scalar code, if it has no loops, sums or expensive primitives.
fn scalar_operations(body: &Block) -> Option<i64> {
    body.stmts.iter().try_fold(0_i64, |sum, stmt| {
        let own = match &stmt.op {
            Op::Prim(prim, _) if prim.cost() < Cost::Function => 1,
            Op::Read { .. } | Op::Size(_) | Op::Check { .. } | Op::Trace { .. } => 1,
            Op::If { then_block, else_block, .. } => scalar_operations(then_block)?.max(scalar_operations(else_block)?),
            _ => return None,
        };
        sum.checked_add(own)
    })
}

/// Whether a kernel of an iteration reads an array that the loop makes at another index than its own point.
fn looks_around(func: &Func, body: &Block) -> bool {
    let mut made: FxHashSet<VarId> = body.params.iter().copied().collect();
    body.stmts.iter().any(|stmt| {
        let found = match &stmt.op {
            Op::Build { axes, body } => {
                let own: Vec<Atom> = axes.iter().map(|a| Atom::Var(a.index)).collect();
                reads_elsewhere(&made, &own, body)
            }
            _ => false,
        };
        made.extend(stmt.vars.iter().copied().filter(|&v| !func.ty(v).dims.is_empty()));
        found
    })
}

fn reads_elsewhere(made: &FxHashSet<VarId>, own: &[Atom], body: &Block) -> bool {
    body.stmts.iter().any(|stmt| match &stmt.op {
        Op::Read { array, index, .. } => made.contains(array) && index != own,
        op => op.blocks().iter().any(|b| reads_elsewhere(made, own, b)),
    })
}
