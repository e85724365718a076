//! Merges kernels over the same axes into one nest with several results.
//!
//! Two `build`s, or two `reduce`s of one kind, of one block are merged when they run over equal extents and read an
//! array in common or arrays that one kernel makes, or when the second reads a result of the first at the indices of
//! its own axes and nowhere else. The second moves up to the first, or the first down to the second, if nothing between
//! prevents it: a definition that the second needs, a use of the first one's results, a `check` in front of reads that
//! it allows, another failure if the moved kernel can fail, an array whose storage is taken over. Arithmetic that the
//! second needs moves up with it.

use super::Lanes;
use super::proofs::Relying;
use super::row_sums::stay_apart;
use crate::analysis::for_each_consumed;
use arr_ir::rewrite::{Enter, any_op, for_each_op, rewrite_blocks};
use arr_ir::walk::{Subst, for_each_use, has_trace, may_fail_deep};
use arr_ir::{Atom, Axis, Block, Func, Op, Reduction, SizeId, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximal number of kernels that a kernel is compared with: the latest over the same axes.
const CANDIDATES: usize = 4;
/// The maximal number of results of a merged kernel; each takes a pointer in the machine code.
const MAX_RESULTS: usize = 12;
/// The maximal number of scalar statements that move up with a kernel.
const MAX_LIFTED: usize = 16;

/// Whether any kernels were merged.
pub(super) fn merge(func: &mut Func, lanes: Lanes, relying: &Relying) -> bool {
    let mut changed = false;
    rewrite_blocks(func, Enter::ArrayControl, &mut |func, block| changed |= merge_block(func, block, lanes, relying));
    changed
}

fn merge_block(func: &mut Func, block: &mut Block, lanes: Lanes, relying: &Relying) -> bool {
    let stmts = std::mem::take(&mut block.stmts);
    let mut merger = Merger::new(func, &stmts, lanes, relying);
    let mut slots: Vec<Option<Stmt>> = stmts.into_iter().map(Some).collect();
    for j in 0..slots.len() {
        merger.visit(func, &mut slots, j);
    }
    let Merger { mut lifted, joined, .. } = merger;
    for (i, slot) in slots.into_iter().enumerate() {
        block.stmts.extend(lifted.remove(&i).unwrap_or_default());
        block.stmts.extend(slot);
    }
    joined
}

/// The iteration space of a kernel.
#[derive(Clone, PartialEq, Eq, Hash)]
struct IterationSpace {
    kind: Option<Reduction>,
    extents: Vec<SizeId>,
}

/// How a kernel depends on another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dependence {
    None,
    /// It reads the other's results, at its own indices only.
    Pointwise,
    Other,
}

/// Where two kernels can be merged.
enum Meeting {
    /// At the position of the first; the statements at these positions move in front of it.
    First(Vec<usize>),
    /// At the position of the second.
    Second,
}

struct Merger {
    lanes: Lanes,
    /// By variable of the block: the present position of the statement that binds it.
    bound: FxHashMap<VarId, usize>,
    /// By statement: the arrays it reads.
    reads: Vec<FxHashSet<VarId>>,
    /// By statement: a lower bound for the first statement that uses anything it binds.
    first_use: Vec<usize>,
    /// Statements that hold a check: kernels do not move up across them.
    checks: Vec<usize>,
    /// Statements that can stop the program: none moves across another, so that the first error stays the first.
    failing: Vec<usize>,
    /// Statements with accesses that earlier checks prove: no check moves behind them, and they do not move in front of
    /// one.
    relying: Vec<usize>,
    /// Where the storage of arrays may be taken over.
    consumed: FxHashMap<VarId, Vec<usize>>,
    /// Candidates for further merging.
    open: FxHashMap<IterationSpace, Vec<usize>>,
    /// By statement: scalar code that now stands in front of it.
    lifted: FxHashMap<usize, Vec<Stmt>>,
    joined: bool,
}

impl Merger {
    fn new(func: &Func, stmts: &[Stmt], lanes: Lanes, relying: &Relying) -> Merger {
        let mut merger = Merger {
            lanes,
            bound: FxHashMap::default(),
            reads: Vec::new(),
            first_use: vec![usize::MAX; stmts.len()],
            checks: Vec::new(),
            failing: Vec::new(),
            relying: (0..).zip(stmts).filter(|(_, s)| relying.contains(s)).map(|(j, _)| j).collect(),
            consumed: FxHashMap::default(),
            open: FxHashMap::default(),
            lifted: FxHashMap::default(),
            joined: false,
        };
        for (j, stmt) in stmts.iter().enumerate() {
            merger.survey(func, j, stmt);
        }
        merger
    }

    fn survey(&mut self, func: &Func, j: usize, stmt: &Stmt) {
        let (bound, first_use) = (&self.bound, &mut self.first_use);
        for_each_need(func, stmt, &mut |v| {
            if let Some(first) = bound.get(&v).and_then(|&i| first_use.get_mut(i)) {
                *first = (*first).min(j);
            }
        });
        let mut reads = FxHashSet::default();
        for_each_op(&stmt.op, &mut |op| {
            if let Op::Read { array, .. } = op {
                reads.insert(*array);
            }
        });
        self.reads.push(reads);
        for_each_consumed(func, &stmt.op, &mut |v| self.consumed.entry(v).or_default().push(j));
        if holds_check(&stmt.op) {
            self.checks.push(j);
        }
        if may_fail_deep(func, &stmt.op) {
            self.failing.push(j);
        }
        self.bound.extend(stmt.vars.iter().map(|&v| (v, j)));
    }

    fn visit(&mut self, func: &mut Func, slots: &mut [Option<Stmt>], j: usize) {
        let Some(shape) = slots.get(j).and_then(Option::as_ref).and_then(shape_of) else { return };
        for i in self.open.get(&shape).cloned().unwrap_or_default().into_iter().rev() {
            let Some(meeting) = self.meeting(func, slots, i, j) else { continue };
            let place = match &meeting {
                Meeting::First(lifted) => {
                    self.lift(slots, i, lifted);
                    i
                }
                Meeting::Second => j,
            };
            self.join(func, slots, i, j, place);
            if place == i {
                return;
            }
            self.open.entry(shape.clone()).or_default().retain(|&k| k != i);
            break;
        }
        let open = self.open.entry(shape).or_default();
        open.push(j);
        if open.len() > CANDIDATES {
            open.remove(0);
        }
    }

    /// Where kernels `i < j` can be merged, if they should be.
    fn meeting(&self, func: &Func, slots: &[Option<Stmt>], i: usize, j: usize) -> Option<Meeting> {
        let (first, second) = (slots.get(i)?.as_ref()?, slots.get(j)?.as_ref()?);
        let (reads_first, reads_second) = (self.reads.get(i)?, self.reads.get(j)?);
        let apart = self.lanes == Lanes::Rows && stay_apart(func, &first.op, &second.op);
        if first.vars.len() + second.vars.len() > MAX_RESULTS || apart {
            return None;
        }
        match dependence(func, second, &first.vars) {
            Dependence::Other => return None,
            Dependence::None if !self.share_source(slots, reads_first, reads_second) => return None,
            Dependence::None | Dependence::Pointwise => {}
        }
        let fails = |k: usize| self.failing.binary_search(&k).is_ok();
        let across = |k: usize| fails(k) && any_between(&self.failing, i, j - 1);
        let relies = self.relying.binary_search(&j).is_ok() && (fails(i) || any_between(&self.failing, i, j - 1));
        let stays = any_between(&self.checks, i, j) || across(j) || relies;
        let liftable = if stays { None } else { self.liftable(func, slots, i, second) };
        if liftable.as_ref().is_some_and(Vec::is_empty) {
            return Some(Meeting::First(Vec::new()));
        }
        let taken = reads_first.iter().any(|v| self.consumed.get(v).is_some_and(|at| any_between(at, i, j)));
        let used = *self.first_use.get(i)? < j;
        let relied_on = fails(i) && any_between(&self.relying, i, j);
        if !taken && !used && !across(i) && !relied_on {
            return Some(Meeting::Second);
        }
        liftable.map(Meeting::First)
    }

    /// Whether two kernels read an array in common, or arrays that one build makes: it has one reader if they are
    /// merged.
    fn share_source(&self, slots: &[Option<Stmt>], first: &FxHashSet<VarId>, second: &FxHashSet<VarId>) -> bool {
        if !first.is_disjoint(second) {
            return true;
        }
        let build = |&at: &usize| slots.get(at).and_then(Option::as_ref).is_some_and(|s| is_build(&s.op));
        let maker = |v: &VarId| self.bound.get(v).copied().filter(build);
        let makers: FxHashSet<usize> = first.iter().filter_map(maker).collect();
        second.iter().filter_map(maker).any(|at| makers.contains(&at))
    }

    /// Statements behind `i` that a kernel needs, ascending, if each can move in front of `i`: arithmetic that needs no
    /// result of `i`.
    fn liftable(&self, func: &Func, slots: &[Option<Stmt>], i: usize, kernel: &Stmt) -> Option<Vec<usize>> {
        let made = &slots.get(i)?.as_ref()?.vars;
        let mut work: Vec<&Stmt> = vec![kernel];
        let mut found: Vec<usize> = Vec::new();
        while let Some(stmt) = work.pop() {
            let (mut behind, mut stuck) = (Vec::new(), false);
            for_each_need(func, stmt, &mut |v| {
                behind.extend(self.bound.get(&v).copied().filter(|&k| k > i));
                stuck |= !std::ptr::eq(stmt, kernel) && made.contains(&v);
            });
            if stuck {
                return None;
            }
            for k in behind {
                let stmt = slots.get(k)?.as_ref()?;
                let arithmetic = matches!(stmt.op, Op::Prim(..) | Op::Size(_)) && !may_fail_deep(func, &stmt.op);
                if !arithmetic || found.len() >= MAX_LIFTED {
                    return None;
                }
                if !found.contains(&k) {
                    found.push(k);
                    work.push(stmt);
                }
            }
        }
        found.sort_unstable();
        Some(found)
    }

    /// Moves statements in front of `i`.
    fn lift(&mut self, slots: &mut [Option<Stmt>], i: usize, places: &[usize]) {
        for &k in places {
            let Some(stmt) = slots.get_mut(k).and_then(Option::take) else { continue };
            for v in stmt.op.operands().iter().filter_map(|a| a.var()) {
                if let Some(first) = self.bound.get(&v).and_then(|&m| self.first_use.get_mut(m)) {
                    *first = (*first).min(i);
                }
            }
            self.bound.extend(stmt.vars.iter().map(|&v| (v, i)));
            self.lifted.entry(i).or_default().push(stmt);
        }
    }

    fn join(&mut self, func: &mut Func, slots: &mut [Option<Stmt>], i: usize, j: usize, place: usize) {
        let mut take = |k: usize| slots.get_mut(k).and_then(Option::take);
        let (Some(first), Some(second)) = (take(i), take(j)) else {
            return func.broken((), "a kernel that is merged is not in its place");
        };
        self.bound.extend(first.vars.iter().chain(&second.vars).map(|&v| (v, place)));
        let mut reads: FxHashSet<VarId> = FxHashSet::default();
        reads.extend([i, j].into_iter().filter_map(|k| self.reads.get(k)).flatten());
        let uses = [i, j].into_iter().filter_map(|k| self.first_use.get(k));
        let next = uses.map(|&u| u.max(j + 1)).min().unwrap_or(j + 1);
        let merged = joined(func, first, second);
        self.joined = true;
        for positions in [&mut self.failing, &mut self.relying] {
            if [i, j].iter().any(|k| positions.binary_search(k).is_ok()) {
                let at = positions.partition_point(|&k| k < place);
                positions.insert(at, place);
            }
        }
        if let (Some(slot), Some(r), Some(u)) =
            (slots.get_mut(place), self.reads.get_mut(place), self.first_use.get_mut(place))
        {
            *slot = Some(merged);
            *r = reads;
            *u = if place == i { (*u).min(next) } else { next };
        }
    }
}

/// Everything that must be bound before a statement.
fn for_each_need(func: &Func, stmt: &Stmt, f: &mut dyn FnMut(VarId)) {
    for_each_use(func, &stmt.op, f);
    for &v in &stmt.vars {
        for &dim in &func.ty(v).dims {
            func.types.poly(dim).vars().into_iter().for_each(&mut *f);
        }
    }
}

/// Whether one of the ascending positions lies behind `i` and not behind `j`.
fn any_between(positions: &[usize], i: usize, j: usize) -> bool {
    positions.get(positions.partition_point(|&p| p <= i)).is_some_and(|&p| p <= j)
}

fn shape_of(stmt: &Stmt) -> Option<IterationSpace> {
    let extents = |axes: &[Axis]| axes.iter().map(|a| a.extent).collect();
    match &stmt.op {
        // Traces are shown in their order.
        op if has_trace(op) => None,
        Op::Build { axes, .. } => Some(IterationSpace { kind: None, extents: extents(axes) }),
        Op::Reduce { kind, axes, .. } => Some(IterationSpace { kind: Some(*kind), extents: extents(axes) }),
        _ => None,
    }
}

fn is_build(op: &Op) -> bool {
    matches!(op, Op::Build { .. })
}

fn holds_check(op: &Op) -> bool {
    any_op(op, &mut |op| matches!(op, Op::Check { .. }))
}

/// How a kernel depends on variables that another binds.
fn dependence(func: &Func, stmt: &Stmt, vars: &[VarId]) -> Dependence {
    let mut uses = 0;
    for_each_need(func, stmt, &mut |v| uses += usize::from(vars.contains(&v)));
    let own: Vec<Atom> = stmt.op.axes().iter().map(|a| Atom::Var(a.index)).collect();
    let pointwise = || {
        let mut reads = 0;
        for_each_op(&stmt.op, &mut |op| {
            let here = matches!(op, Op::Read { array, index, .. } if vars.contains(array) && *index == own);
            reads += usize::from(here);
        });
        reads
    };
    match uses {
        0 => Dependence::None,
        n if matches!(stmt.op, Op::Build { .. }) && pointwise() == n => Dependence::Pointwise,
        _ => Dependence::Other,
    }
}

/// One kernel for both. The indices of the second become those of the first, and its reads of the first one's results
/// become the values.
fn joined(func: &mut Func, first: Stmt, second: Stmt) -> Stmt {
    let (axes, kind, body) = match first.op {
        Op::Build { axes, body } => (axes, None, body),
        Op::Reduce { kind, axes, body } => (axes, Some(kind), body),
        op => return Stmt { op, ..first },
    };
    let (Op::Build { axes: own, body: second_body } | Op::Reduce { axes: own, body: second_body, .. }) = second.op
    else {
        return Stmt { vars: first.vars, op: kernel(kind, axes, body), span: first.span };
    };
    let mut subst = Subst::new();
    subst.insert_axes(&own, &axes);
    let made: FxHashMap<VarId, Atom> = first.vars.iter().copied().zip(body.results.iter().copied()).collect();
    let Block { params, mut stmts, mut results } = body;
    let mut added = second_body.stmts;
    take_values(&mut added, &made, &mut subst);
    let mut tail = Block { params: Vec::new(), stmts: added, results: second_body.results };
    subst.apply_to_block(func, &mut tail);
    stmts.extend(tail.stmts);
    results.extend(tail.results);
    let vars = first.vars.into_iter().chain(second.vars).collect();
    Stmt { vars, op: kernel(kind, axes, Block { params, stmts, results }), span: first.span.or(second.span) }
}

/// Removes reads of arrays whose element at this point is known.
pub(super) fn take_values(stmts: &mut Vec<Stmt>, made: &FxHashMap<VarId, Atom>, subst: &mut Subst) {
    stmts.retain_mut(|stmt| {
        if let (Op::Read { array, .. }, [v]) = (&stmt.op, stmt.vars.as_slice())
            && let Some(&value) = made.get(array)
        {
            subst.insert(*v, value);
            return false;
        }
        for block in stmt.op.blocks_mut() {
            take_values(&mut block.stmts, made, subst);
            for a in &mut block.results {
                *a = subst.atom(*a);
            }
        }
        true
    });
}

fn kernel(kind: Option<Reduction>, axes: Vec<Axis>, body: Block) -> Op {
    match kind {
        Some(kind) => Op::Reduce { kind, axes, body },
        None => Op::Build { axes, body },
    }
}
