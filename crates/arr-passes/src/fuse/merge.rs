//! Merges kernels over the same axes into one nest with several results.
//!
//! Two `build`s, or two `reduce`s of one kind, of one block are merged when they run over equal extents and read an
//! array in common, or when the second reads a result of the first at the indices of its own axes and nowhere else. The
//! second moves up to the first, or the first down to the second, if nothing between stands in the way: a definition that
//! the second needs, a use of what the first makes, a `check` in front of reads it allows, an array that is taken over.

use crate::analysis::{Repeats, for_each_consumed, is_scalar_code};
use arr_ir::walk::{Subst, for_each_use};
use arr_ir::{Atom, Axis, Block, Func, Op, Reduction, SizeId, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Candidates that a kernel is compared with: the latest over the same axes.
const CANDIDATES: usize = 4;
/// Results that a merged kernel has at most; each is a pointer that the machine code holds.
const MAX_RESULTS: usize = 12;

pub(super) fn merge(func: &mut Func) {
    let mut body = std::mem::take(&mut func.body);
    merge_block(func, &mut body);
    func.body = body;
}

fn merge_block(func: &mut Func, block: &mut Block) {
    for stmt in &mut block.stmts {
        let control = match stmt.op {
            Op::Loop { .. } | Op::While { .. } => true,
            Op::If { .. } => !is_scalar_code(func, stmt, Repeats::Reductions),
            _ => false,
        };
        if control {
            for inner in stmt.op.blocks_mut() {
                merge_block(func, inner);
            }
        }
    }
    let stmts = std::mem::take(&mut block.stmts);
    let mut merger = Merger::new(func, &stmts);
    let mut slots: Vec<Option<Stmt>> = stmts.into_iter().map(Some).collect();
    for j in 0..slots.len() {
        merger.visit(func, &mut slots, j);
    }
    block.stmts = slots.into_iter().flatten().collect();
}

/// What a kernel loops over.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Shape {
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

struct Merger {
    /// By variable of the block: the statement that binds it, where it stands now.
    bound: FxHashMap<VarId, usize>,
    /// By statement: the arrays it reads.
    reads: Vec<FxHashSet<VarId>>,
    /// By statement: a lower bound for the first statement that uses anything it binds.
    first_use: Vec<usize>,
    /// Statements that hold a check: kernels do not move up across them.
    checks: Vec<usize>,
    /// Where arrays may be taken over.
    consumed: FxHashMap<VarId, Vec<usize>>,
    /// Kernels that more may be merged with.
    open: FxHashMap<Shape, Vec<usize>>,
}

impl Merger {
    fn new(func: &Func, stmts: &[Stmt]) -> Merger {
        let mut merger = Merger {
            bound: FxHashMap::default(),
            reads: Vec::new(),
            first_use: vec![usize::MAX; stmts.len()],
            checks: Vec::new(),
            consumed: FxHashMap::default(),
            open: FxHashMap::default(),
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
        collect_reads(&stmt.op, &mut reads);
        self.reads.push(reads);
        for_each_consumed(func, &stmt.op, &mut |v| self.consumed.entry(v).or_default().push(j));
        if holds_check(&stmt.op) {
            self.checks.push(j);
        }
        self.bound.extend(stmt.vars.iter().map(|&v| (v, j)));
    }

    fn visit(&mut self, func: &mut Func, slots: &mut [Option<Stmt>], j: usize) {
        let Some(shape) = slots.get(j).and_then(Option::as_ref).and_then(shape_of) else { return };
        for i in self.open.get(&shape).cloned().unwrap_or_default().into_iter().rev() {
            let Some(place) = self.meeting_place(func, slots, i, j) else { continue };
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

    /// Where kernels `i < j` can be one: at `i` or at `j`.
    fn meeting_place(&self, func: &Func, slots: &[Option<Stmt>], i: usize, j: usize) -> Option<usize> {
        let (first, second) = (slots.get(i)?.as_ref()?, slots.get(j)?.as_ref()?);
        let (reads_first, reads_second) = (self.reads.get(i)?, self.reads.get(j)?);
        if first.vars.len() + second.vars.len() > MAX_RESULTS {
            return None;
        }
        match dependence(func, second, &first.vars) {
            Dependence::Other => return None,
            Dependence::None if reads_first.is_disjoint(reads_second) => return None,
            Dependence::None | Dependence::Pointwise => {}
        }
        let mut last = 0;
        for_each_need(func, second, &mut |v| last = last.max(self.bound.get(&v).copied().unwrap_or(0)));
        let checked = any_between(&self.checks, i, j);
        if last <= i && !checked {
            return Some(i);
        }
        let taken = reads_first.iter().any(|v| self.consumed.get(v).is_some_and(|at| any_between(at, i, j)));
        let used = *self.first_use.get(i)? < j;
        (!taken && !used).then_some(j)
    }

    fn join(&mut self, func: &mut Func, slots: &mut [Option<Stmt>], i: usize, j: usize, place: usize) {
        let mut take = |k: usize| slots.get_mut(k).and_then(Option::take);
        let (Some(first), Some(second)) = (take(i), take(j)) else { return };
        self.bound.extend(first.vars.iter().chain(&second.vars).map(|&v| (v, place)));
        let mut reads: FxHashSet<VarId> = FxHashSet::default();
        reads.extend([i, j].into_iter().filter_map(|k| self.reads.get(k)).flatten());
        let uses = [i, j].into_iter().filter_map(|k| self.first_use.get(k));
        let next = uses.map(|&u| u.max(j + 1)).min().unwrap_or(j + 1);
        let merged = joined(func, first, second);
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

fn shape_of(stmt: &Stmt) -> Option<Shape> {
    let extents = |axes: &[Axis]| axes.iter().map(|a| a.extent).collect();
    match &stmt.op {
        Op::Build { axes, .. } => Some(Shape { kind: None, extents: extents(axes) }),
        Op::Reduce { kind, axes, .. } => Some(Shape { kind: Some(*kind), extents: extents(axes) }),
        _ => None,
    }
}

fn collect_reads(op: &Op, out: &mut FxHashSet<VarId>) {
    if let Op::Read { array, .. } = op {
        out.insert(*array);
    }
    for block in op.blocks() {
        for stmt in &block.stmts {
            collect_reads(&stmt.op, out);
        }
    }
}

fn holds_check(op: &Op) -> bool {
    matches!(op, Op::Check { .. }) || op.blocks().iter().any(|b| b.stmts.iter().any(|s| holds_check(&s.op)))
}

/// How a kernel depends on variables that another binds.
fn dependence(func: &Func, stmt: &Stmt, vars: &[VarId]) -> Dependence {
    fn pointwise(op: &Op, own: &[Atom], vars: &[VarId]) -> usize {
        match op {
            Op::Read { array, index, .. } => usize::from(vars.contains(array) && index == own),
            _ => op.blocks().iter().flat_map(|b| &b.stmts).map(|s| pointwise(&s.op, own, vars)).sum(),
        }
    }
    let mut uses = 0;
    for_each_need(func, stmt, &mut |v| uses += usize::from(vars.contains(&v)));
    let own: Vec<Atom> = stmt.op.axes().iter().map(|a| Atom::Var(a.index)).collect();
    match uses {
        0 => Dependence::None,
        n if matches!(stmt.op, Op::Build { .. }) && pointwise(&stmt.op, &own, vars) == n => Dependence::Pointwise,
        _ => Dependence::Other,
    }
}

/// One kernel that does both. The indices of the second become those of the first, and its reads of what the first makes
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
    for (a, b) in own.iter().zip(&axes) {
        subst.insert(a.index, b.index);
    }
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
