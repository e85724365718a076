//! Splits builds with several results where some are read at several places and the others only at the reader's own
//! point.
//!
//! ```text
//! a, b: [n]f64 = build i<n {                     b: [n]f64 = build i<n { y: f64 = read! d[i]; yield y }
//!   x: f64 = read! c[i]                          r: [n]f64 = build k<n {
//!   u: f64 = sin x                                 c_k: f64 = read! c[k]
//!   y: f64 = read! d[i]                 =>         a_k: f64 = sin c_k
//!   yield u, y }                                   j: i64 = sub k, 1
//! r: [n]f64 = build k<n {                          b_j: f64 = read! b[j]
//!   a_k: f64 = read! a[k]                          ..
//!   j: i64 = sub k, 1                            }
//!   b_j: f64 = read! b[j]
//!   .. }
//! ```
//!
//! This occurs in the reverse sweep of a stencil: an iteration gives cotangents of the point itself, which the next
//! kernel adds up at that point, and one that the neighbours read. Together they would all be stored, since their
//! reader accesses several places.
//!
//! Applies to a build whose one reader is a build over the same axes, where the results that neighbours read are cheap
//! by themselves: their code is duplicated. `plan` inlines the rest into the reader.
//!
//! Of the workloads that it was measured on, it is worth something on `heat` alone (docs/ablation.md).

use super::cost::{APART_OPS, APART_READS};
use super::plan::{Decision, Plan};
use crate::analysis::{Repeats, is_scalar_code, yielded_for};
use arr_ir::rewrite::{Enter, rewrite_blocks};
use arr_ir::walk::{Subst, for_each_use_in_block, may_fail_deep};
use arr_ir::{Atom, Axis, Block, Cost, Func, Op, Stmt, VarId};
use rustc_hash::FxHashSet;

/// Whether anything changed.
pub(super) fn split(func: &mut Func, plan: &Plan) -> bool {
    if !plan.decisions().any(|(_, d)| *d == Decision::SeveralPlaces) {
        return false;
    }
    let mut changed = false;
    rewrite_blocks(func, Enter::ArrayControl, &mut |func, block| {
        let mut at = 0;
        while at < block.stmts.len() {
            if let Some(shared) = wanted_elsewhere(func, plan, block, at) {
                let apart = taken_apart(func, block.stmts.remove(at), &shared);
                block.stmts.splice(at..at, apart);
                at += 1;
                changed = true;
            }
            at += 1;
        }
    });
    changed
}

/// The results of a build that are read at other places than its reader's own, if the build is to be split.
fn wanted_elsewhere(func: &Func, plan: &Plan, block: &Block, at: usize) -> Option<Vec<bool>> {
    let stmt = block.stmts.get(at)?;
    let Op::Build { axes, body } = &stmt.op else { return None };
    (plan.decision(*stmt.vars.first()?) == Some(Decision::SeveralPlaces)).then_some(())?;
    let scalar = body.results.iter().all(|&a| func.atom_ty(a).is_scalar());
    let plain = body.stmts.iter().all(|s| is_scalar_code(func, s, Repeats::Reductions));
    if stmt.vars.len() < 2 || !scalar || !plain || may_fail_deep(func, &stmt.op) {
        return None;
    }
    let reader = only_reader(func, block, at, &stmt.vars)?;
    let Op::Build { axes: points, body: code } = &reader.op else { return None };
    points.iter().map(|a| a.extent).eq(axes.iter().map(|a| a.extent)).then_some(())?;
    let mut reads =
        Reads { vars: &stmt.vars, axes: points, own: vec![0; stmt.vars.len()], others: vec![0; stmt.vars.len()] };
    reads.block(code, false)?;
    let mut uses = 0;
    for_each_use_in_block(func, code, &mut |v| uses += u32::from(stmt.vars.contains(&v)));
    // Nothing is known of the results except that they are read.
    let all = reads.own.iter().chain(&reads.others).sum::<u32>() == uses;
    let shared: Vec<bool> = reads.others.iter().map(|&n| n > 0).collect();
    if !all || !shared.contains(&true) || !shared.contains(&false) {
        return None;
    }
    let results = body.results.iter().zip(&shared).filter(|(_, shared)| **shared).filter_map(|(a, _)| a.var());
    let mut slice = Slice { wanted: results.collect(), ops: 0, reads: 0, expensive: false };
    slice.block(body);
    (!slice.expensive && slice.ops <= APART_OPS && slice.reads <= APART_READS).then_some(shared)
}

/// The statement behind a build that reads its results, if it is the only one, and they are no results of the block.
fn only_reader<'b>(func: &Func, block: &'b Block, at: usize, vars: &[VarId]) -> Option<&'b Stmt> {
    if block.results.iter().any(|a| a.var().is_some_and(|v| vars.contains(&v))) {
        return None;
    }
    let mut readers = block.stmts.iter().skip(at + 1).filter(|stmt| {
        let mut found = false;
        arr_ir::walk::for_each_use(func, &stmt.op, &mut |v| found |= vars.contains(&v));
        found
    });
    readers.next().filter(|_| readers.next().is_none())
}

/// The numbers of reads of the results at the reader's own point, and elsewhere.
struct Reads<'a> {
    vars: &'a [VarId],
    axes: &'a [Axis],
    own: Vec<u32>,
    others: Vec<u32>,
}

impl Reads<'_> {
    /// `None` if a result is read in a loop or sum of the reader.
    fn block(&mut self, block: &Block, repeated: bool) -> Option<()> {
        for stmt in &block.stmts {
            if let Op::Read { array, index, .. } = &stmt.op
                && let Some(k) = self.vars.iter().position(|v| v == array)
            {
                if repeated {
                    return None;
                }
                let own = index.iter().copied().eq(self.axes.iter().map(|a| Atom::Var(a.index)));
                let counts = if own { &mut self.own } else { &mut self.others };
                counts.get_mut(k).into_iter().for_each(|n| *n += 1);
            }
            let repeats = !matches!(stmt.op, Op::If { .. });
            stmt.op.blocks().into_iter().try_for_each(|b| self.block(b, repeated || repeats))?;
        }
        Some(())
    }
}

/// The code that computes some of a block's results.
struct Slice {
    wanted: FxHashSet<VarId>,
    ops: u32,
    reads: u32,
    expensive: bool,
}

impl Slice {
    fn block(&mut self, block: &Block) {
        for stmt in block.stmts.iter().rev() {
            if !stmt.vars.iter().any(|v| self.wanted.contains(v)) {
                continue;
            }
            self.ops += 1;
            self.wanted.extend(stmt.op.operands().iter().filter_map(|a| a.var()));
            match &stmt.op {
                Op::Read { .. } => self.reads += 1,
                Op::Prim(prim, _) => self.expensive |= prim.cost() >= Cost::Function,
                Op::If { then_block, else_block, .. } => {
                    for side in [then_block, else_block] {
                        self.wanted.extend(yielded_for(stmt, side, &self.wanted));
                        self.block(side);
                    }
                }
                op => self.expensive |= !op.blocks().is_empty(),
            }
        }
    }
}

/// Two builds: of the results that are read elsewhere, and of the others.
fn taken_apart(func: &mut Func, stmt: Stmt, shared: &[bool]) -> [Stmt; 2] {
    [true, false].map(|of| {
        let op = with_results(&stmt.op, shared, of);
        let op = Subst::new().clone_op(func, &op);
        Stmt { vars: those(&stmt.vars, shared, of), op, span: stmt.span }
    })
}

/// A build with those of its results for which the flag is `of`.
pub(super) fn with_results(op: &Op, flags: &[bool], of: bool) -> Op {
    let mut op = op.clone();
    if let Op::Build { body, .. } = &mut op {
        body.results = those(&body.results, flags, of);
    }
    op
}

/// The items for which the flag is `of`.
pub(super) fn those<T: Copy>(items: &[T], flags: &[bool], of: bool) -> Vec<T> {
    items.iter().zip(flags).filter(|(_, flag)| **flag == of).map(|(&item, _)| item).collect()
}
