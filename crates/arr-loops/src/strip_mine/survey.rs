//! Dependence test: whether the points of a loop's arrays are independent of each other.

use super::reductions::Sums;
use crate::analysis::accesses::Accesses;
use crate::analysis::alias::AliasInfo;
use crate::analysis::rows::Rows;
use crate::dead_fills::factors;
use crate::{Expr, For, LocalId, LoopFunc, Operand, SpanId, Stmt, Ty, has_trace};
use arr_ir::Cost;
use std::collections::{HashMap, HashSet};

/// Loops known to have fewer iterations are left alone: the initial states are copied.
const FEWEST: i64 = 4;

/// Points of a block that adds to elements which all points share: a block's sum takes about as long as a few vectors
/// of points, and a few arrays of this length fit in the nearest cache.
pub(super) const SUMMED: i64 = 1024;

/// The maximal number of scalar statements of the body, which run once per block.
const MOST_REPEATED: usize = 16;

/// A loop whose points can run in blocks.
pub(super) struct BlockedLoop<'a> {
    pub l: &'a For,
    /// The number of points.
    pub extent: Operand,
    pub carried: Vec<Carried>,
    pub updated: Vec<Updated>,
    /// States that do not change, with their names in the body.
    pub constant: Vec<(LocalId, LocalId)>,
    /// Arrays that the body makes.
    pub made: Vec<(LocalId, SpanId)>,
    /// Those of them that die in the iteration.
    pub passing: Vec<LocalId>,
    pub sums: Sums,
}

/// A state with one element per point: its names at the beginning and at the end of an iteration.
#[derive(Clone, Copy)]
pub(super) struct Carried {
    pub state: LocalId,
    pub old: LocalId,
    pub new: LocalId,
}

/// A state that is updated in place: its name at the beginning of an iteration, and the only reference to it.
#[derive(Clone, Copy)]
pub(super) struct Updated {
    pub state: LocalId,
    pub old: LocalId,
    pub unique: LocalId,
    pub span: SpanId,
}

/// How the body uses a state.
#[derive(Clone, Copy)]
struct State {
    old: LocalId,
    unique: Option<(LocalId, SpanId)>,
    next: Option<LocalId>,
}

/// The findings about the body.
struct Survey<'f, 'a> {
    func: &'f LoopFunc,
    facts: &'f AliasInfo,
    l: &'a For,
    /// By the mutable local, in the order of the text.
    states: Vec<(LocalId, State)>,
    made: Vec<(LocalId, SpanId)>,
    dims: Vec<Operand>,
    released: HashSet<LocalId>,
    nests: Vec<&'a For>,
    /// Bound in the body itself.
    bound: HashSet<LocalId>,
    /// Buffers of which the body reads one element for all points.
    common: HashSet<LocalId>,
    repeated: usize,
    sums: Sums,
}

impl<'a> BlockedLoop<'a> {
    /// `None` if the loop stays as it is.
    pub fn of(func: &LoopFunc, facts: &AliasInfo, l: &'a For) -> Option<BlockedLoop<'a>> {
        let short = l.extent.as_int().is_some_and(|n| n < FEWEST);
        if !l.is_source() || l.parallel.is_some() || l.scan.is_some() || short || has_trace(&l.body) {
            return None;
        }
        let mut survey = Survey {
            func,
            facts,
            l,
            states: Vec::new(),
            made: Vec::new(),
            dims: Vec::new(),
            released: HashSet::new(),
            nests: Vec::new(),
            bound: HashSet::new(),
            common: HashSet::new(),
            repeated: 0,
            sums: Sums::of(func, facts, l),
        };
        l.body.iter().try_for_each(|stmt| survey.stmt(stmt))?;
        survey.shape()
    }
}

impl<'a> Survey<'_, 'a> {
    fn state(&mut self, is: impl Fn(&(LocalId, State)) -> bool) -> Option<&mut State> {
        self.states.iter_mut().find(|s| is(s)).map(|(_, state)| state)
    }

    fn stmt(&mut self, stmt: &'a Stmt) -> Option<()> {
        match stmt {
            Stmt::Let { local, expr } => {
                self.bound.insert(*local);
                self.bind(*local, expr)
            }
            Stmt::MakeUnique { local, buffer, span } => {
                self.bound.insert(*local);
                let state = self.state(|(_, s)| s.old == *buffer)?;
                state.unique.replace((*local, *span)).is_none().then_some(())
            }
            Stmt::Alloc { local, dims, span } => {
                self.bound.insert(*local);
                self.made.push((*local, *span));
                self.dims.extend(dims);
                (dims.len() == 1).then_some(())
            }
            Stmt::Release(buffer) => self.released.insert(*buffer).then_some(()),
            Stmt::Set { local, value: Operand::Local(value) } => {
                let state = self.state(|(s, _)| s == local)?;
                state.next.replace(*value).is_none().then_some(())
            }
            Stmt::Var { local, .. } if self.sums.locals.contains(local) => {
                self.bound.insert(*local);
                Some(())
            }
            Stmt::Store { value: Operand::Local(total), .. } if self.sums.totals.contains(total) => Some(()),
            Stmt::For(nest) => {
                // Known sums are accumulated by blocks, too.
                let summed = !self.sums.locals.is_empty();
                let free =
                    nest.parallel.as_ref().is_some_and(|p| summed || p.partials.is_empty() && p.combine.is_empty());
                let plain = !nest.reverse && !nest.is_source() && nest.scan.is_none();
                self.nests.push(nest);
                (free && plain).then_some(())
            }
            _ => None,
        }
    }

    fn bind(&mut self, local: LocalId, expr: &Expr) -> Option<()> {
        if matches!(expr, Expr::Copy(Operand::Local(sum)) if self.sums.locals.contains(sum)) {
            return Some(());
        }
        let mutable = |o: &Operand| matches!(o, Operand::Local(l) if self.func.locals[*l].mutable);
        if let Expr::Copy(Operand::Local(state)) = expr
            && mutable(&(*state).into())
        {
            let first = self.states.iter().all(|(s, _)| s != state);
            self.states.push((*state, State { old: local, unique: None, next: None }));
            return (first && matches!(self.func.ty(local), Ty::Buffer(_))).then_some(());
        }
        if expr.operands().iter().any(mutable) || matches!(self.func.ty(local), Ty::Buffer(_)) {
            return None;
        }
        match expr {
            Expr::BaseAddr(_) | Expr::Offset(..) => return Some(()),
            Expr::Load(..) if self.sums.olds.contains(&local) => {}
            Expr::Load(address, _) => drop(self.common.insert(self.facts.place(*address)?.0)),
            Expr::Prim(prim, _) if prim.cost() >= Cost::Function => return None,
            _ => {}
        }
        self.repeated += 1;
        (self.repeated <= MOST_REPEATED).then_some(())
    }

    /// Whether an operand is known before the loop and invariant in it.
    fn is_fixed(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(_) => true,
            Operand::Local(l) => {
                let moves = l == self.l.index || self.l.inductions.iter().any(|i| i.local == l);
                !moves && !self.bound.contains(&l) && !self.func.locals[l].mutable
            }
        }
    }

    fn shape(self) -> Option<BlockedLoop<'a>> {
        let extent = self.nests.first()?.extent;
        let steps = |l: &&For| l.inductions.iter().all(|i| self.is_fixed(i.step));
        let alike = self.nests.iter().all(|l| l.extent == extent && steps(l));
        if !alike || !self.is_fixed(extent) || !self.dims.iter().all(|d| *d == extent) {
            return None;
        }
        let (mut carried, mut updated, mut constant) = (Vec::new(), Vec::new(), Vec::new());
        for &(state, State { old, unique, next }) in &self.states {
            match (unique, next, self.released.contains(&old)) {
                (Some((unique, span)), Some(next), false) if next == unique => {
                    updated.push(Updated { state, old, unique, span });
                }
                (None, Some(new), true) if self.made.iter().any(|m| m.0 == new) => {
                    carried.push(Carried { state, old, new });
                }
                (None, None, false) => constant.push((state, old)),
                (None, Some(next), false) if next == old => constant.push((state, old)),
                _ => return None,
            }
        }
        let kept: HashSet<LocalId> = carried.iter().map(|c| c.new).collect();
        let passing: Vec<LocalId> = self.made.iter().map(|m| m.0).filter(|m| !kept.contains(m)).collect();
        // Every new buffer is carried on or dies, and only those and old states.
        let ends = passing.iter().chain(carried.iter().map(|c| &c.old));
        let all = ends.filter(|b| self.released.contains(b)).count();
        if kept.len() != carried.len() || all != passing.len() + carried.len() || all != self.released.len() {
            return None;
        }
        self.keeps_apart(extent, &carried, &updated)?;
        in_order(self.facts, &self.nests, &carried)?;
        self.sums_fit(extent, &updated)?;
        let Survey { l, made, sums, .. } = self;
        Some(BlockedLoop { l, extent, carried, updated, constant, made, passing, sums })
    }

    /// Fails unless arrays that sums are added to are states, and there are points for several blocks.
    fn sums_fit(&self, extent: Operand, updated: &[Updated]) -> Option<()> {
        let short = extent.as_int().is_some_and(|n| n <= SUMMED);
        let states = self.sums.added.iter().all(|a| updated.iter().any(|u| u.unique == a.buffer));
        (self.sums.added.is_empty() || states && !short).then_some(())
    }

    /// Fails unless every point keeps to its own places of modified arrays, in all iterations.
    fn keeps_apart(&self, extent: Operand, carried: &[Carried], updated: &[Updated]) -> Option<()> {
        let own: HashSet<LocalId> = self.made.iter().map(|m| m.0).chain(carried.iter().map(|c| c.old)).collect();
        let mut rows: HashMap<LocalId, Rows> = HashMap::new();
        let mut stored: HashSet<LocalId> = HashSet::new();
        let all =
            self.nests.iter().map(|l| Accesses::of(self.func, self.facts, l)).collect::<Option<Vec<Accesses>>>()?;
        for uses in &all {
            if !uses.changes_only(&self.sums.locals) || uses.has_loops {
                return None;
            }
            stored.extend(uses.stored());
        }
        for buffer in all.iter().flat_map(Accesses::buffers) {
            let is_own = own.contains(&buffer);
            let is_updated = updated.iter().any(|u| u.unique == buffer);
            if updated.iter().any(|u| u.old == buffer) || stored.contains(&buffer) && !is_own && !is_updated {
                return None;
            }
            if !is_own && !stored.contains(&buffer) {
                continue;
            }
            for uses in all.iter().filter(|uses| uses.buffers().any(|b| b == buffer)) {
                let found = uses.own(buffer)?;
                let fits = if is_own { found.from().is_empty() } else { self.is_row(found.from(), extent) };
                let same = *rows.entry(buffer).or_insert_with(|| found.clone()) == found;
                (fits && same && found.length().as_int() == Some(1)).then_some(())?;
            }
        }
        let shared = self.common.iter().any(|b| own.contains(b) || stored.contains(b));
        let old = self.common.iter().any(|b| updated.iter().any(|u| u.old == *b));
        (!shared && !old).then_some(())
    }

    /// Whether the summands beside a point's index select its row, and rows are at least as long as there are points.
    fn is_row(&self, from: &[Operand], extent: Operand) -> bool {
        let mut moving = 0;
        from.iter().all(|&o| {
            let Some(induction) = self.l.inductions.iter().find(|i| Operand::Local(i.local) == o) else {
                return self.is_fixed(o);
            };
            moving += 1;
            moving == 1 && is_multiple(self.facts, induction.step, extent)
        })
    }
}

/// Whether a distance is a multiple of a size, and not zero.
fn is_multiple(facts: &AliasInfo, step: Operand, extent: Operand) -> bool {
    if let (Some(step), Some(extent)) = (step.as_int(), extent.as_int()) {
        return extent > 0 && step != 0 && step % extent == 0;
    }
    let (constant, all) = factors(facts, step);
    constant != 0 && all.contains(&extent) && all.len() == 1
}

/// Fails if an old state is read after the new one is written: they share memory.
fn in_order(facts: &AliasInfo, nests: &[&For], carried: &[Carried]) -> Option<()> {
    let mut written: HashSet<LocalId> = HashSet::new();
    for stmt in nests.iter().flat_map(|l| &l.body) {
        match stmt {
            Stmt::Let { expr: Expr::Load(address, _), .. } => {
                let (buffer, _) = facts.place(*address)?;
                (!written.contains(&buffer)).then_some(())?;
            }
            Stmt::Store { address, .. } => {
                let (buffer, _) = facts.place(*address)?;
                written.extend(carried.iter().filter(|c| c.new == buffer).map(|c| c.old));
            }
            _ => {}
        }
    }
    Some(())
}
