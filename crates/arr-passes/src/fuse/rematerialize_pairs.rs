//! Rematerialization of pairwise values, such as forces between points: they are recomputed in every sum over the pairs
//! instead of being stored for all of them.
//!
//! ```text
//! r: [n][n][3]f64 = build i<n, j<n, c<3 { x[j, c] - x[i, c] }          s0, s1, s2: [n]f64 = build i<n {
//! w: [n][n]f64 = build i<n, j<n { .. r[i, j, 0] .. m[j] .. }             t0, t1, t2 = reduce sum j<n {
//! a: [n][3]f64 = build i<n, c<3 {                                  =>      .. x[j, 0] - x[i, 0] .. m[j] ..
//!   reduce sum j<n { w[i, j] * r[i, j, c] } }                              yield u0, u1, u2 }
//! b: [n][3]f64 = build j<n, c<3 { reduce sum i<n { .. } }                yield t0, t1, t2 }
//! ```
//!
//! A *pair array* has two long axes, and short ones, and its elements are arithmetic on arrays that are read along only
//! one of the two. Reading it costs as much as recomputing it, while it takes the square of the memory. So where only
//! sums over one of its long axes read it, the sums over either axis are computed together, in one nest for all that
//! are known at one place: element `(i, j)` and element `(j, i)` share common subexpressions, such as a distance. Short
//! axes are written out, so that code which does not depend on them is computed once. A selecting kernel joins the
//! columns of the results again.
//!
//! Assumes:      a verified bulk function, simplified.
//! Guarantees:   the function is bulk except for sums with several results; every sum has the same terms in the same
//!               order, and no array is read later than its storage may be taken over.
//! Leaves alone: arrays that have other readers or escape; elements that are expensive, may fail, or loop longer; sums
//!               of one result, for which ordinary inlining suffices; nests that would grow too long.
//! Cost:         O(statements), times the maximal size of a nest.
//! Paper:        Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning", for recomputation; the exchange of the two
//!               points' roles is the gather form of a scattered sum, as in molecular dynamics with full neighbour lists.
//! Tests:        tests/fuse/pairs*.ir
//!
//! Of the workloads that it was measured on, it is worth something on `nbody` alone (docs/ablation.md).

mod expand;

use crate::analysis::for_each_consumed;
use arr_ir::cost::may_be_repeated;
use arr_ir::rewrite::{Enter, rewrite_blocks};
use arr_ir::walk::for_each_use;
use arr_ir::{Atom, Axis, Block, Func, Op, Reduction, SizeId, Stmt, VarId};
use expand::Sums;
use rustc_hash::{FxHashMap, FxHashSet};

/// Axes known to have at most this many points are written out.
const SHORT: i64 = 4;
/// Axes known to have fewer points are not worth a nest of their own.
const LONG: i64 = 32;
/// The maximal number of sums in one nest.
const MAX_SUMS: usize = 12;

/// Whether anything changed.
pub(super) fn rematerialize_pairs(func: &mut Func) -> bool {
    let mut changed = false;
    rewrite_blocks(func, Enter::ArrayControl, &mut |func, block| changed |= in_block(func, block));
    changed
}

fn in_block(func: &mut Func, block: &mut Block) -> bool {
    let mut changed = false;
    let found = Survey::new(func, block);
    let groups = found.groups(func, block);
    if groups.is_empty() {
        return changed;
    }
    let mut made: FxHashMap<usize, Vec<Stmt>> = FxHashMap::default();
    let mut gone: FxHashSet<usize> = FxHashSet::default();
    for group in groups {
        let Some(&at) = group.last() else { continue };
        let sums = Sums::new(func, block, &found.arrays);
        if let Some(stmts) = sums.of(&group) {
            gone.extend(&group);
            made.insert(at, stmts);
            changed = true;
        }
    }
    for (at, stmt) in std::mem::take(&mut block.stmts).into_iter().enumerate() {
        block.stmts.extend(made.remove(&at).unwrap_or_default());
        if !gone.contains(&at) {
            block.stmts.push(stmt);
        }
    }
    changed
}

/// The classification of an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Length {
    Short,
    Long,
    Neither,
}

fn length(func: &Func, extent: SizeId) -> Length {
    match func.types.poly(extent).as_constant() {
        None => Length::Long,
        Some(n) if (1..=SHORT).contains(&n) => Length::Short,
        Some(n) if n >= LONG => Length::Long,
        Some(_) => Length::Neither,
    }
}

/// The long axes among short ones.
fn long_axes(func: &Func, axes: &[Axis]) -> Option<Vec<VarId>> {
    if axes.iter().any(|a| length(func, a.extent) == Length::Neither) {
        return None;
    }
    Some(axes.iter().filter(|a| length(func, a.extent) == Length::Long).map(|a| a.index).collect())
}

/// A sum over pairs, at each point and at the points of short axes.
fn as_sum<'s>(func: &Func, stmt: &'s Stmt) -> Option<(&'s [Axis], Axis, &'s Block)> {
    let Op::Build { axes, body } = &stmt.op else { return None };
    let [sum] = body.stmts.as_slice() else { return None };
    let Op::Reduce { kind: Reduction::Sum, axes: terms, body: term } = &sum.op else { return None };
    let [over] = terms.as_slice() else { return None };
    let own = body.results.iter().map(|a| a.var()).eq(sum.vars.iter().map(|&v| Some(v)));
    (own && length(func, over.extent) == Length::Long).then_some((axes.as_slice(), *over, term))
}

/// The contents of a block.
struct Survey {
    /// Pair arrays: the statement that makes each, and the index of the result.
    arrays: FxHashMap<VarId, (usize, usize)>,
    /// Statements that are sums of them.
    sums: Vec<usize>,
    /// Arrays that each statement reads, including those behind the pair arrays it reads.
    sources: FxHashMap<usize, FxHashSet<VarId>>,
}

impl Survey {
    fn new(func: &Func, block: &Block) -> Survey {
        let mut found = Survey { arrays: FxHashMap::default(), sums: Vec::new(), sources: FxHashMap::default() };
        let mut refused: FxHashSet<usize> = FxHashSet::default();
        loop {
            found.arrays.clear();
            found.sums.clear();
            found.sources.clear();
            for (at, stmt) in block.stmts.iter().enumerate() {
                if !refused.contains(&at) {
                    found.note(func, at, stmt);
                }
            }
            let before = refused.len();
            found.refuse(func, block, &mut refused);
            if refused.len() == before {
                return found;
            }
        }
    }

    fn note(&mut self, func: &Func, at: usize, stmt: &Stmt) {
        if let Some((axes, over, term)) = as_sum(func, stmt) {
            if let Some([point]) = long_axes(func, axes).as_deref() {
                let long = [*point, over.index];
                let mut reads = Reads::new(func, self, &long, axes.iter().chain([&over]));
                if reads.block(term, false) && reads.pairs {
                    self.sources.insert(at, reads.sources);
                    self.sums.push(at);
                }
            }
            return;
        }
        let Op::Build { axes, body } = &stmt.op else { return };
        let Some(long) = long_axes(func, axes).filter(|l| l.len() == 2) else { return };
        if !body.results.iter().all(|&r| func.is_float(r)) {
            return;
        }
        let mut reads = Reads::new(func, self, &long, axes.iter());
        if reads.block(body, true) {
            let sources = reads.sources;
            self.sources.insert(at, sources);
            self.arrays.extend(stmt.vars.iter().enumerate().map(|(k, &v)| (v, (at, k))));
        }
    }

    /// Refuses kernels whose arrays have other uses.
    fn refuse(&self, func: &Func, block: &Block, refused: &mut FxHashSet<usize>) {
        let makers: FxHashSet<usize> = self.arrays.values().map(|&(at, _)| at).collect();
        let mut note = |v: VarId| {
            if let Some(&(maker, _)) = self.arrays.get(&v) {
                refused.insert(maker);
            }
        };
        for (at, stmt) in block.stmts.iter().enumerate() {
            if !makers.contains(&at) && !self.sums.contains(&at) {
                for_each_use(func, &stmt.op, &mut note);
            }
        }
        block.results.iter().filter_map(|a| a.var()).for_each(note);
    }

    /// Sums that share one nest, each group in order; it will replace the last one.
    fn groups(&self, func: &Func, block: &Block) -> Vec<Vec<usize>> {
        let mut consumed: FxHashMap<VarId, usize> = FxHashMap::default();
        for (at, stmt) in block.stmts.iter().enumerate() {
            for_each_consumed(func, &stmt.op, &mut |v| {
                consumed.entry(v).or_insert(at);
            });
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &at in &self.sums {
            let kept = |v: &VarId| consumed.get(v).is_none_or(|&taken| taken > at);
            let fits = |group: &&mut Vec<usize>| {
                let shares = group
                    .iter()
                    .any(|k| self.sources.get(k).zip(self.sources.get(&at)).is_some_and(|(a, b)| !a.is_disjoint(b)));
                let all = group.iter().chain([&at]);
                shares
                    && shape(func, block, group.first().copied()) == shape(func, block, Some(at))
                    && all.clone().map(|&k| results(func, block, k)).sum::<usize>() <= MAX_SUMS
                    && !used_between(func, block, group, at)
                    && all.filter_map(|k| self.sources.get(k)).flatten().all(kept)
            };
            if !self.sources.get(&at).is_some_and(|s| s.iter().all(kept)) {
                continue;
            }
            match groups.iter_mut().rev().find(fits) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        groups.retain(|group| group.iter().map(|&k| results(func, block, k)).sum::<usize>() > 1);
        groups
    }
}

/// The extents of a sum's two long axes.
fn shape(func: &Func, block: &Block, at: Option<usize>) -> Option<(SizeId, SizeId)> {
    let (axes, over, _) = as_sum(func, block.stmts.get(at?)?)?;
    let point = axes.iter().find(|a| length(func, a.extent) == Length::Long)?;
    Some((point.extent, over.extent))
}

/// The number of sums that a statement becomes when its short axes are written out.
fn results(func: &Func, block: &Block, at: usize) -> usize {
    let Some((stmt, (axes, ..))) = block.stmts.get(at).and_then(|s| Some((s, as_sum(func, s)?))) else { return 0 };
    let points = axes.iter().filter_map(|a| func.types.poly(a.extent).as_constant().filter(|&n| n <= SHORT));
    points.product::<i64>().max(1) as usize * stmt.vars.len()
}

/// Whether the results of a group are used before a statement, or by it.
fn used_between(func: &Func, block: &Block, group: &[usize], at: usize) -> bool {
    let made: FxHashSet<VarId> =
        group.iter().filter_map(|&k| block.stmts.get(k)).flat_map(|s| s.vars.iter().copied()).collect();
    let first = group.first().copied().unwrap_or(at);
    let mut used = false;
    for stmt in block.stmts.iter().take(at + 1).skip(first + 1) {
        for_each_use(func, &stmt.op, &mut |v| used |= made.contains(&v));
    }
    used
}

/// Examines the code of an element or a term.
struct Reads<'a> {
    func: &'a Func,
    survey: &'a Survey,
    long: &'a [VarId],
    /// The surrounding axes.
    axes: FxHashSet<VarId>,
    /// Bound inside.
    inner: FxHashSet<VarId>,
    sources: FxHashSet<VarId>,
    /// Whether a pair array is read.
    pairs: bool,
}

impl<'a> Reads<'a> {
    fn new(func: &'a Func, survey: &'a Survey, long: &'a [VarId], axes: impl Iterator<Item = &'a Axis>) -> Reads<'a> {
        Reads {
            func,
            survey,
            long,
            axes: axes.map(|a| a.index).collect(),
            inner: FxHashSet::default(),
            sources: FxHashSet::default(),
            pairs: false,
        }
    }

    /// Whether it is arithmetic on elements that each depend on one long axis, or are a pair array's.
    fn block(&mut self, block: &Block, sums: bool) -> bool {
        block.stmts.iter().all(|stmt| {
            self.inner.extend(&stmt.vars);
            match &stmt.op {
                op @ Op::Prim(..) => may_be_repeated(self.func, op),
                Op::Read { array, index, checked: false } => self.read(*array, index),
                Op::Reduce { kind: Reduction::Sum, axes, body } if sums => {
                    let short = matches!(axes.as_slice(), [a] if length(self.func, a.extent) == Length::Short);
                    self.axes.extend(axes.iter().map(|a| a.index));
                    short && self.block(body, false)
                }
                _ => false,
            }
        })
    }

    fn read(&mut self, array: VarId, index: &[Atom]) -> bool {
        let plain = |a: &Atom| a.var().is_none_or(|v| self.axes.contains(&v) || !self.inner.contains(&v));
        if !index.iter().all(plain) {
            return false;
        }
        if let Some((maker, _)) = self.survey.arrays.get(&array) {
            self.pairs = true;
            self.sources.extend(self.survey.sources.get(maker).into_iter().flatten());
            return true;
        }
        self.sources.insert(array);
        let along = |axis: &&VarId| index.contains(&Atom::Var(**axis));
        self.long.iter().filter(along).count() <= 1
    }
}
