//! Splits scalar code with several results by the axes that they depend on.
//!
//! ```text
//! y: f64, dy: f64 = if c {               y: f64, e: f64 = if c { e = exp a; yield e, e } else { yield 0.0, 0.0 }
//!   e: f64 = exp a                   =>  dy: f64 = if c { d = mul e, da; yield d } else { yield 0.0 }
//!   d: f64 = mul e, da
//!   yield e, d
//! } else { yield 0.0, 0.0 }
//! ```
//!
//! where `a` and `c` depend on fewer axes than `da`. An expensive value that the smaller part makes in a branch and the
//! larger one reads becomes a result of the smaller part. In a loop, the parts of its state that depend on fewer axes
//! become a loop of their own, and the loop of the others recomputes them; if they are expensive, the loop is lifted
//! instead, each part stored over its own axes.

use super::depend::Depend;
use super::{AxisSet, Bot, BotError, CHEAP};
use arr_ir::walk::{Subst, for_each_use, free_vars, free_vars_of_block, may_fail_deep, may_run_forever};
use arr_ir::{Atom, Block, Const, Func, Op, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A loop is lifted if what it would compute again costs more than this many times the rest.
const EXPENSIVE_RATIO: u64 = 3;

impl Bot<'_> {
    /// Lifts scalar code with blocks.
    pub(super) fn lift_parts(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        // A loop that might not end is evaluated as a whole, where there are points.
        if self.axes.is_empty() || may_run_forever(&stmt.op) && self.with_uncertain_axes(0) != 0 {
            self.add_scalar(stmt.clone());
            return Ok(());
        }
        if matches!(stmt.op, Op::If { .. }) {
            let mut depend = Depend::new(self);
            let sets = depend.results(&stmt.op, stmt.vars.len());
            let mut known = depend.known();
            known.extend(stmt.vars.iter().copied().zip(sets));
            let floor = self.deps_of_guard();
            let parts = Branches { bot: self, known }.split(stmt, floor);
            parts.into_iter().for_each(|part| self.add_scalar(part));
            return Ok(());
        }
        self.lift_repeat(stmt)
    }

    fn lift_repeat(&mut self, stmt: &Stmt) -> Result<(), BotError> {
        let mut depend = Depend::new(self);
        let sets = depend.results(&stmt.op, stmt.vars.len());
        let all = sets.iter().fold(0, |a, b| a | b);
        if sets.iter().all(|&set| set == all) {
            self.add_scalar(stmt.clone());
            return Ok(());
        }
        let mut known = depend.known();
        known.extend(stmt.vars.iter().copied().zip(sets));
        let weights = stmt.op.blocks().iter().fold((0, 0), |w, b| add(w, weights(&known, b, all)));
        let expensive = weights.0 > weights.1.saturating_mul(EXPENSIVE_RATIO);
        match &stmt.op {
            Op::Loop { axis, reverse, inits, body } if expensive && self.is_even(stmt) => {
                self.lift_loop(stmt, *axis, *reverse, inits, body)
            }
            Op::While { inits, cond, body } if expensive && self.is_even(stmt) => {
                self.lift_while(stmt, inits, cond, body)
            }
            _ => {
                let floor = self.deps_of_guard();
                let parts = Branches { bot: self, known }.loops(stmt, floor);
                parts.into_iter().for_each(|part| self.add_scalar(part));
                Ok(())
            }
        }
    }

    /// Whether the loop has the same length at all points, and runs at all of them.
    fn is_even(&self, stmt: &Stmt) -> bool {
        let even = match &stmt.op {
            Op::Loop { axis, .. } => self.func.types.poly(axis.extent).vars().iter().all(|&v| self.deps_of_var(v) == 0),
            Op::While { inits, cond, body } => Depend::new(self).state(inits, Some(cond), body).1 == 0,
            _ => false,
        };
        even && self.guard.is_none()
    }
}

fn within<T: Copy>(items: &[T], sets: &[AxisSet], set: AxisSet) -> Vec<T> {
    items.iter().zip(sets).filter(|(_, own)| **own & !set == 0).map(|(&item, _)| item).collect()
}

/// The statements that the results need.
fn needed(func: &Func, stmts: &[Stmt], results: &[Atom]) -> Vec<Stmt> {
    let mut wanted: FxHashSet<VarId> = results.iter().filter_map(|a| a.var()).collect();
    let mut kept = Vec::new();
    for stmt in stmts.iter().rev().filter(|s| !s.vars.is_empty()) {
        if stmt.vars.iter().any(|v| wanted.contains(v)) {
            for_each_use(func, &stmt.op, &mut |v| {
                wanted.insert(v);
            });
            kept.push(stmt.clone());
        }
    }
    kept.reverse();
    kept
}

fn add(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
}

/// The approximate cost of a block: the code that depends on fewer than all of the axes, and the rest.
fn weights(known: &FxHashMap<VarId, AxisSet>, block: &Block, all: AxisSet) -> (u64, u64) {
    let mut sum = (0, 0);
    for stmt in &block.stmts {
        let times = if stmt.op.axes().is_empty() && !matches!(stmt.op, Op::While { .. }) { 1 } else { 8 };
        for inner in stmt.op.blocks() {
            let (fixed, varying) = weights(known, inner, all);
            sum = add(sum, (fixed.saturating_mul(times), varying.saturating_mul(times)));
        }
        let own = match &stmt.op {
            Op::Prim(prim, _) => prim.cost().operations().into(),
            _ => 1,
        };
        let varies = stmt.vars.iter().any(|v| known.get(v) == Some(&all));
        sum = add(sum, if varies { (0, own) } else { (own, 0) });
    }
    sum
}

/// Splits `if`s.
struct Branches<'b, 'f> {
    bot: &'b mut Bot<'f>,
    /// The axes that variables bound in the statement depend on, including those of the condition around it.
    known: FxHashMap<VarId, AxisSet>,
}

/// The part of an `if` that depends on one set of axes.
#[derive(Default)]
struct Part {
    set: AxisSet,
    /// The results of the statement that are made here.
    results: Vec<usize>,
    /// The variables that other parts read of each branch.
    exports: [Vec<VarId>; 2],
    /// The statements of each branch that run here.
    stmts: [BTreeSet<usize>; 2],
    done: bool,
}

impl Branches<'_, '_> {
    fn axes_of(&self, atom: Atom) -> AxisSet {
        atom.var().map_or(0, |v| self.known.get(&v).copied().unwrap_or_else(|| self.bot.deps_of_var(v)))
    }

    /// The `if`s that stand for the statement, in order. It runs under a guard that depends on `floor`.
    fn split(&mut self, stmt: &Stmt, floor: AxisSet) -> Vec<Stmt> {
        let Op::If { cond, then_block, else_block } = &stmt.op else { return vec![stmt.clone()] };
        let floor = floor | self.axes_of(*cond);
        let branches = [self.block(then_block, floor), self.block(else_block, floor)];
        let mut parts = self.parts(stmt, &branches, floor);
        let open = |parts: &[Part]| {
            let open = parts.iter().enumerate().filter(|(_, p)| !p.done);
            open.max_by_key(|(_, p)| p.set.count_ones()).map(|(k, _)| k)
        };
        let mut order = Vec::new();
        while let Some(k) = open(&parts) {
            for branch in [0, 1] {
                self.fill(&mut parts, k, branch, &branches, floor);
            }
            order.extend(parts.get_mut(k).map(|p| {
                p.done = true;
                k
            }));
        }
        if let [_] = order.as_slice() {
            let [then_block, else_block] = branches;
            let op = Op::If { cond: *cond, then_block, else_block };
            return vec![Stmt { vars: stmt.vars.clone(), op, span: stmt.span }];
        }
        let mut exported = Subst::new();
        let emit = |k: usize| parts.get(k).map(|part| self.emit(stmt, *cond, part, &branches, &mut exported));
        order.into_iter().rev().filter_map(emit).collect()
    }

    /// The block with its `if`s and loops split.
    fn block(&mut self, block: &Block, floor: AxisSet) -> Block {
        let mut stmts = Vec::new();
        for stmt in &block.stmts {
            if matches!(stmt.op, Op::Loop { .. } | Op::While { .. }) {
                stmts.extend(self.loops(stmt, floor));
            } else {
                stmts.extend(self.split(stmt, floor));
            }
        }
        Block { params: Vec::new(), stmts, results: block.results.clone() }
    }

    /// A loop for every set of axes that a part of the state depends on, which recomputes what it needs of the others.
    fn loops(&mut self, stmt: &Stmt, floor: AxisSet) -> Vec<Stmt> {
        let sets: Vec<AxisSet> = stmt.vars.iter().map(|&v| self.axes_of(Atom::Var(v))).collect();
        let all = sets.iter().fold(0, |a, b| a | b);
        let mut stmt = stmt.clone();
        if sets.iter().all(|&set| set == all) {
            return vec![stmt];
        }
        // One statement may become one per part.
        if let Op::Loop { body, .. } | Op::While { body, .. } = &mut stmt.op {
            body.stmts = self.block(body, floor).stmts;
        }
        let mut distinct = sets.clone();
        distinct.push(all);
        distinct.sort_unstable_by_key(|set| (set.count_ones(), *set));
        distinct.dedup();
        let parts: Option<Vec<Stmt>> = distinct.into_iter().map(|set| self.loop_of_parts(&stmt, &sets, set)).collect();
        parts.unwrap_or_else(|| vec![stmt])
    }

    /// The loop with the state that depends on no other axes than `set`; all of it, if that is all axes. Of its results
    /// only those that depend on exactly these have their names. `None` if its code needs more of the state.
    fn loop_of_parts(&mut self, stmt: &Stmt, sets: &[AxisSet], set: AxisSet) -> Option<Stmt> {
        let whole = sets.iter().all(|s| s & !set == 0);
        let mut op = stmt.op.clone();
        if let Op::Loop { inits, .. } | Op::While { inits, .. } = &mut op {
            *inits = within(inits, sets, set);
        }
        if let Op::Loop { body, .. } | Op::While { body, .. } = &mut op {
            body.results = within(&body.results, sets, set);
        }
        for block in op.blocks_mut() {
            let params = std::mem::take(&mut block.params);
            block.params = within(&params, sets, set);
            if !whole {
                block.stmts = needed(self.bot.func, &block.stmts, &block.results);
                let free = free_vars_of_block(self.bot.func, block);
                if params.iter().any(|p| !block.params.contains(p) && free.contains(p)) {
                    return None;
                }
            }
        }
        let op = Subst::new().clone_op(self.bot.func, &op);
        super::indices_of(&op, &mut self.bot.indices);
        let mut vars = Vec::new();
        for (&v, &own) in stmt.vars.iter().zip(sets).filter(|(_, own)| **own & !set == 0) {
            vars.push(if own == set { v } else { self.bot.func.copy_var(v) });
        }
        Some(Stmt { vars, op, span: stmt.span })
    }

    /// A part for every set of axes that a result depends on, and one for code that can stop the program.
    fn parts(&self, stmt: &Stmt, branches: &[Block; 2], floor: AxisSet) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for (k, &var) in stmt.vars.iter().enumerate() {
            part_of(&mut parts, self.axes_of(Atom::Var(var)) | floor).results.push(k);
        }
        let fails = |s: &&Stmt| s.vars.is_empty() || may_fail_deep(self.bot.func, &s.op);
        let failing: Vec<&Stmt> = branches.iter().flat_map(|b| b.stmts.iter().filter(fails)).collect();
        if !failing.is_empty() || parts.is_empty() {
            let sets = failing.iter().map(|s| self.axes_of_stmt(s, floor));
            let all = sets.chain(parts.iter().map(|p| p.set)).fold(floor, |a, b| a | b);
            part_of(&mut parts, all);
        }
        parts
    }

    fn axes_of_stmt(&self, stmt: &Stmt, floor: AxisSet) -> AxisSet {
        if stmt.vars.is_empty() {
            return free_vars(self.bot.func, &stmt.op)
                .into_iter()
                .fold(floor, |set, v| set | self.axes_of(Atom::Var(v)));
        }
        stmt.vars.iter().fold(floor, |set, &v| set | self.axes_of(Atom::Var(v)))
    }

    /// Finds the statements of a branch that part number `k` runs, and the variables it reads of smaller parts.
    fn fill(&self, parts: &mut Vec<Part>, k: usize, branch: usize, branches: &[Block; 2], floor: AxisSet) {
        let (Some(block), Some(part)) = (branches.get(branch), parts.get(k)) else { return };
        let set = part.set;
        let largest = parts.iter().all(|p| p.set & !set == 0);
        let weights = self.accumulated(block);
        let made: FxHashMap<VarId, usize> =
            block.stmts.iter().enumerate().flat_map(|(n, s)| s.vars.iter().map(move |&v| (v, n))).collect();
        let exports = part.exports.get(branch).cloned().unwrap_or_default();
        let results = part.results.iter().filter_map(|&r| block.results.get(r)?.var());
        let mut work: Vec<VarId> = results.chain(exports).collect();
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        // Code that can stop the program runs in the largest part at the latest.
        for (n, stmt) in block.stmts.iter().enumerate() {
            if largest && (stmt.vars.is_empty() || may_fail_deep(self.bot.func, &stmt.op)) {
                kept.insert(n);
                work.extend(free_vars(self.bot.func, &stmt.op));
            }
        }
        while let Some(v) = work.pop() {
            let Some((n, stmt)) = made.get(&v).and_then(|&n| Some((n, block.stmts.get(n)?))) else { continue };
            let own = self.axes_of_stmt(stmt, floor);
            let expensive = weights.get(n).is_some_and(|&w| w > CHEAP);
            if own != set && own & !set == 0 && expensive && !kept.contains(&n) {
                let exports = part_of(parts, own).exports.get_mut(branch);
                if let Some(exports) = exports.filter(|e| !e.contains(&v)) {
                    exports.push(v);
                }
            } else if kept.insert(n) {
                work.extend(free_vars(self.bot.func, &stmt.op));
            }
        }
        if let Some(stmts) = parts.get_mut(k).and_then(|p| p.stmts.get_mut(branch)) {
            *stmts = kept;
        }
    }

    /// For each statement of a block, its cost including everything that it needs in the block.
    fn accumulated(&self, block: &Block) -> Vec<u32> {
        let mut known: FxHashMap<VarId, u32> = FxHashMap::default();
        let mut weights = Vec::new();
        for stmt in &block.stmts {
            let mut weight = super::kernel::own_weight(&stmt.op);
            for v in free_vars(self.bot.func, &stmt.op) {
                weight = weight.saturating_add(known.get(&v).copied().unwrap_or(0));
            }
            known.extend(stmt.vars.iter().map(|&v| (v, weight)));
            weights.push(weight);
        }
        weights
    }

    /// The `if` of one part. Variables that it passes to larger parts are added to `exported`.
    fn emit(&mut self, stmt: &Stmt, cond: Atom, part: &Part, branches: &[Block; 2], exported: &mut Subst) -> Stmt {
        let mut vars: Vec<VarId> = part.results.iter().filter_map(|&k| stmt.vars.get(k).copied()).collect();
        let mut blocks = Vec::new();
        for ((block, stmts), own) in branches.iter().zip(&part.stmts).zip([0, 1]) {
            let mut subst = exported.clone();
            let kept = stmts.iter().filter_map(|&n| block.stmts.get(n));
            let stmts: Vec<Stmt> = kept.map(|s| subst.clone_stmt(self.bot.func, s)).collect();
            stmts.iter().for_each(|s| super::indices_of(&s.op, &mut self.bot.indices));
            let mut results: Vec<Atom> =
                part.results.iter().filter_map(|&k| block.results.get(k)).map(|&a| subst.atom(a)).collect();
            for (branch, exports) in part.exports.iter().enumerate() {
                let zero = |v: VarId| Atom::Const(Const::zero(self.bot.func.ty(v).elem));
                results.extend(exports.iter().map(|&v| if branch == own { subst.atom(Atom::Var(v)) } else { zero(v) }));
            }
            blocks.push(Block { params: Vec::new(), stmts, results });
        }
        for &v in part.exports.iter().flatten() {
            let result = self.bot.func.copy_var(v);
            exported.insert(v, result);
            self.known.insert(result, part.set);
            self.bot.uses.insert(result, 1);
            self.bot.exports.insert(result);
            vars.push(result);
        }
        let (then_block, else_block) = match (blocks.pop(), blocks.pop()) {
            (Some(other), Some(then)) => (then, other),
            _ => self.bot.func.broken(Default::default(), "an `if` has not two branches"),
        };
        Stmt { vars, op: Op::If { cond, then_block, else_block }, span: stmt.span }
    }
}

/// The part that depends on these axes; a new one if there is none.
fn part_of(parts: &mut Vec<Part>, set: AxisSet) -> &mut Part {
    let k = parts.iter().position(|p| p.set == set).unwrap_or_else(|| {
        parts.push(Part { set, ..Part::default() });
        parts.len() - 1
    });
    // The index is one of the two just found.
    #[allow(clippy::indexing_slicing)]
    &mut parts[k]
}
