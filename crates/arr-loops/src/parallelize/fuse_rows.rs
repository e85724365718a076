//! Fuses nests into the parallel loop behind them, so that all work on a row happens at once.
//!
//! ```text
//! for i < n parallel {                          for i < n source parallel adding to gx {
//!   let lo = load starts[i]                       let lo = load starts[i]
//!   .. sum over the row                           .. sum over the row
//!   store y.data[i] = sum                         store y.data[i] = sum
//! }                                               for p < k {
//! for i < n source parallel adding to gx {         .. store ge.row[p]
//!   let t = load y.data[i]               ==>        .. store gx.data[c]
//!   for p < k { .. store ge.row[p] }              }
//!   for p < k { .. store gx.data[c] }           }
//! }
//! ```
//!
//! The two sweeps of a derivative go over the same rows, and so do the loops of the reverse sweep: a row that has been read is
//! in the cache.
//!
//! - **Where.** A loop marked by [`super::mark`] that cannot fail, behind a nest of the same extent; inside of it, two
//!   loops of the same extent with nothing but names of values between, of which the first reads at data-dependent
//!   places: code that could be vectorised is left alone.
//! - **Sound** if the second loop reads of the arrays that the first writes only what the same iteration wrote, and
//!   writes none that the first uses; and if it reaches no element that the first does not reach in the same iteration,
//!   as the first may have checked that it exists (see [`reached`](super::reached)). Arrays do not alias unless one is
//!   handed on to the other's name somewhere. Statements between the nests go before both; they cannot fail but for
//!   want of memory.
//! - **Left alone** where iterations of the program are counted: a failure of the nest would come after the count.
//! - **Cost.** A walk over the function, and one over each pair.

use super::places::Places;
use super::reached::covers;
use crate::analysis::alias::AliasInfo;
use crate::analysis::rows::{Rows, disjoint_row};
use crate::fuse_loops::merged;
use crate::{Expr, For, LocalId, LoopFunc, Operand, Stmt, captures, for_each_stmt};
use std::collections::{HashMap, HashSet};

/// Fuses such loops.
pub(super) fn fuse(func: &mut LoopFunc) {
    let mut body = std::mem::take(&mut func.body);
    let mut flow = Flow::default();
    flow.block(&body);
    let facts = AliasInfo::of(func, &body);
    RowFusion { func, facts: &facts, flow: &flow }.block(&mut body);
    func.body = body;
}

/// Names that may refer to one array.
#[derive(Default)]
pub(super) struct Flow {
    links: HashMap<LocalId, LocalId>,
}

impl Flow {
    pub fn find(&self, mut name: LocalId) -> LocalId {
        while let Some(&next) = self.links.get(&name) {
            name = next;
        }
        name
    }

    fn unite(&mut self, a: LocalId, b: LocalId) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.links.insert(a, b);
        }
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for_each_stmt(stmts, &mut |stmt| match stmt {
            Stmt::Let { local, expr: Expr::Copy(Operand::Local(from)) }
            | Stmt::Var { local, init: Some(Operand::Local(from)) }
            | Stmt::Set { local, value: Operand::Local(from) }
            | Stmt::MakeUnique { local, buffer: from, .. } => self.unite(*local, *from),
            _ => {}
        });
    }
}

/// The arrays that a loop reads and those that it writes.
#[derive(Default)]
struct Touched {
    loaded: HashSet<LocalId>,
    stored: HashSet<LocalId>,
}

struct RowFusion<'a> {
    func: &'a LoopFunc,
    facts: &'a AliasInfo,
    flow: &'a Flow,
}

impl RowFusion<'_> {
    fn block(&self, stmts: &mut Vec<Stmt>) {
        let mut at = 0;
        while at < stmts.len() {
            if let Some(Stmt::For(l)) = stmts.get_mut(at)
                && is_marked(l)
            {
                self.inner(&mut l.body);
            }
            if let Some(first) = self.nest_before(stmts, at) {
                let after = stmts.split_off(at + 1);
                let (second, nest) = (stmts.pop(), stmts.remove(first));
                if let (Stmt::For(nest), Some(Stmt::For(second))) = (nest, second) {
                    let joined = merged(self.facts, &nest, &second);
                    let (origin, parallel, span) = (second.origin, second.parallel, second.span);
                    stmts.push(Stmt::For(Box::new(For { origin, parallel, span, ..joined })));
                }
                stmts.extend(after);
                continue;
            }
            if !matches!(stmts.get(at), Some(Stmt::For(l)) if is_marked(l)) {
                stmts.get_mut(at).into_iter().flat_map(Stmt::bodies_mut).for_each(|body| self.block(body));
            }
            at += 1;
        }
    }

    /// The position of the nest that can be fused into the marked loop at a position.
    fn nest_before(&self, stmts: &[Stmt], at: usize) -> Option<usize> {
        let Stmt::For(second) = stmts.get(at)? else { return None };
        let whole = second.parallel.as_ref().is_some_and(|p| !p.allocates && p.partials.is_empty());
        if !is_marked(second) || !whole || !second.body.iter().all(is_plain) {
            return None;
        }
        let is_nest =
            |s: &Stmt| matches!(s, Stmt::For(l) if l.extent == second.extent && l.body.iter().all(reads_again));
        let first = stmts.get(..at)?.iter().rposition(|s| is_nest(s) && self.may_join(s, second))?;
        let Some(Stmt::For(nest)) = stmts.get(first) else { return None };
        let (mut before, mut mine) = (Touched::default(), Touched::default());
        self.touched(std::slice::from_ref(stmts.get(first)?), &mut before)?;
        for stmt in stmts.get(first + 1..at)? {
            self.touched(std::slice::from_ref(stmt), &mut mine)?;
            let moves = match stmt {
                Stmt::Let { expr, .. } => !matches!(expr, Expr::Literal(_) | Expr::Load(..)),
                Stmt::Alloc { .. } | Stmt::MakeUnique { .. } | Stmt::Var { .. } | Stmt::Set { .. } => true,
                Stmt::For(l) => self.fills(l, &mut Vec::new()) || self.tests(l, second),
                _ => false,
            };
            moves.then_some(())?;
        }
        let mut sets = HashSet::new();
        changed(stmts.get(first + 1..at)?, &mut sets);
        if captures(nest).iter().any(|local| sets.contains(local)) {
            return None;
        }
        // It neither reads what the nest writes nor writes what the nest uses.
        let apart = mine.loaded.is_disjoint(&before.stored)
            && mine.stored.is_disjoint(&before.stored)
            && mine.stored.is_disjoint(&before.loaded);
        (apart && nest.parallel.is_some()).then_some(first)
    }

    /// Whether the iterations of a nest and those of a marked loop can be fused.
    fn may_join(&self, first: &Stmt, second: &For) -> bool {
        let Stmt::For(first) = first else { return false };
        let simple = first.parallel.as_ref().is_some_and(|p| p.partials.is_empty() && !is_special(p));
        if !simple || first.reverse || first.is_source() || first.scan.is_some() {
            return false;
        }
        let (mut a, mut b) = (Touched::default(), Touched::default());
        if self.touched(&first.body, &mut a).is_none() || self.touched(&second.body, &mut b).is_none() {
            return false;
        }
        let shared = || a.loaded.union(&a.stored);
        if shared().any(|buffer| b.stored.contains(buffer)) {
            return false;
        }
        let written = a.stored.union(&b.stored).copied().collect();
        if !covers((self.func, self.facts, self.flow), (first, second), &written) {
            return false;
        }
        let common: HashSet<LocalId> = a.stored.intersection(&b.loaded).copied().collect();
        let mut rows = Vec::new();
        let mut keep = |l: &For| self.rows(&l.body, (&common, &Places::bound_by(l)), &mut vec![l], &mut rows).is_some();
        let known = keep(first) && keep(second);
        !common.is_empty() && known && rows.windows(2).all(|pair| pair.first() == pair.last())
    }

    /// Whether a loop stores to places that depend only on its indices, and reads nothing.
    fn fills(&self, l: &For, indices: &mut Vec<LocalId>) -> bool {
        let before = indices.len();
        indices.extend(l.inductions.iter().map(|i| i.local).chain([l.index]));
        let fills = !l.is_source()
            && l.body.iter().all(|stmt| match stmt {
                Stmt::Let { expr, .. } => matches!(expr, Expr::Prim(..) | Expr::Offset(..) | Expr::BaseAddr(_)),
                Stmt::Store { address, offset, .. } => self.facts.place(*address).is_some_and(|(_, offsets)| {
                    let is_index = |o: &Operand| matches!(o, Operand::Local(local) if indices.contains(local));
                    offsets.iter().chain([offset]).all(|o| o.as_int() == Some(0) || is_index(o))
                }),
                Stmt::For(inner) => self.fills(inner, indices),
                _ => false,
            });
        indices.truncate(before);
        fills
    }

    /// Whether a loop tests if the iterations of another are disjoint: it reads what each of these reads first.
    fn tests(&self, l: &For, second: &For) -> bool {
        let result =
            second.parallel.as_ref().and_then(|p| p.disjoint_if).and_then(|apart| self.facts.exprs.get(&apart));
        let partials = l.parallel.iter().flat_map(|p| &p.partials);
        partials.map(|p| p.local).any(|local| result == Some(&Expr::Copy(local.into())))
    }

    /// The rows in which these arrays are reached; `None` if iterations do not keep to their own. Arrays of one shape are the
    /// ones that are made for such loops.
    fn rows<'b>(
        &self,
        stmts: &'b [Stmt],
        (arrays, places): (&HashSet<LocalId>, &Places),
        path: &mut Vec<&'b For>,
        found: &mut Vec<Rows>,
    ) -> Option<()> {
        for stmt in stmts {
            match stmt {
                Stmt::Let { expr: Expr::Load(address, offset), .. } | Stmt::Store { address, offset, .. } => {
                    let (buffer, mut offsets) = self.facts.place(*address)?;
                    if arrays.contains(&self.flow.find(buffer)) {
                        offsets.push(*offset);
                        found.push(disjoint_row(&offsets, path, &places.bound)?);
                    }
                }
                Stmt::For(l) => {
                    path.push(l);
                    self.rows(&l.body, (arrays, places), path, found)?;
                    path.pop();
                }
                _ => stmt.blocks().into_iter().try_for_each(|block| self.rows(block, (arrays, places), path, found))?,
            }
        }
        Some(())
    }

    /// Records the arrays that statements read and write. `None` if that is not known.
    fn touched(&self, stmts: &[Stmt], found: &mut Touched) -> Option<()> {
        for stmt in stmts {
            match stmt {
                Stmt::Let { expr: Expr::Load(address, _), .. } => {
                    found.loaded.insert(self.flow.find(self.facts.place(*address)?.0));
                }
                Stmt::Store { address, .. } => {
                    found.stored.insert(self.flow.find(self.facts.place(*address)?.0));
                }
                // If there are other references, it is read.
                Stmt::MakeUnique { buffer, .. } => {
                    found.loaded.insert(self.flow.find(*buffer));
                }
                _ => stmt.blocks().into_iter().try_for_each(|block| self.touched(block, found))?,
            }
        }
        Some(())
    }

    /// Fuses loops in the body of a marked loop.
    fn inner(&self, stmts: &mut Vec<Stmt>) {
        let mut at = 0;
        while at < stmts.len() {
            match self.inner_pair(stmts, at) {
                Some(next) => {
                    let (second, first) = (stmts.remove(next), stmts.remove(at));
                    if let (Stmt::For(first), Stmt::For(second)) = (first, second) {
                        let joined = For { parallel: None, ..merged(self.facts, &first, &second) };
                        // The statements in between name values for the second.
                        stmts.insert(next - 1, Stmt::For(Box::new(joined)));
                    }
                }
                None => at += 1,
            }
        }
    }

    /// The position of the loop that can be fused with the one at a position.
    fn inner_pair(&self, stmts: &[Stmt], at: usize) -> Option<usize> {
        let Stmt::For(first) = stmts.get(at)? else { return None };
        let next = at + 1 + stmts.get(at + 1..)?.iter().position(|s| matches!(s, Stmt::For(_)))?;
        let Some(Stmt::For(second)) = stmts.get(next) else { return None };
        let pure = |s: &Stmt| match s {
            Stmt::Let { expr, .. } => matches!(expr, Expr::Prim(..) | Expr::BaseAddr(_) | Expr::Offset(..)),
            _ => false,
        };
        let simple = |l: &For| !l.reverse && !l.is_source() && l.scan.is_none() && l.body.iter().all(is_flat);
        let alike = first.extent == second.extent && simple(first) && simple(second);
        if !alike || !stmts.get(at + 1..next)?.iter().all(pure) || !self.gathers(first) {
            return None;
        }
        let (mut a, mut b) = (Touched::default(), Touched::default());
        self.touched(&first.body, &mut a)?;
        self.touched(&second.body, &mut b)?;
        let apart =
            a.stored.is_disjoint(&b.stored) && a.stored.is_disjoint(&b.loaded) && b.stored.is_disjoint(&a.loaded);
        apart.then_some(next)
    }

    /// Whether a loop has indirect reads: at places that it has read.
    fn gathers(&self, l: &For) -> bool {
        let mut read: HashSet<LocalId> = HashSet::new();
        l.body.iter().any(|stmt| match stmt {
            Stmt::Let { local, expr: Expr::Load(_, offset) } => {
                let gathers = matches!(offset, Operand::Local(o) if read.contains(o));
                read.insert(*local);
                gathers
            }
            _ => false,
        })
    }
}

/// The mutable locals that statements set.
fn changed(stmts: &[Stmt], sets: &mut HashSet<LocalId>) {
    for_each_stmt(stmts, &mut |stmt| sets.extend(stmt.sets()));
}

fn is_special(parallel: &crate::Parallel) -> bool {
    !parallel.added.is_empty() || parallel.allocates || parallel.disjoint_if.is_some()
}

/// Whether a loop was marked here and depends on chunks or data.
fn is_marked(l: &For) -> bool {
    l.parallel.as_ref().is_some_and(is_special)
}

/// Whether a statement of a loop cannot fail, and only its names change under renaming.
fn is_plain(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For(l) => !l.is_source() && l.scan.is_none() && l.body.iter().all(is_plain),
        _ => is_flat(stmt),
    }
}

/// The same for one without loops.
fn is_flat(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Let { expr, .. } => !matches!(expr, Expr::Literal(_)),
        Stmt::Var { .. } | Stmt::Set { .. } | Stmt::Store { .. } => true,
        _ => false,
    }
}

/// Whether more statements of the same iteration may follow a statement of a nest: it may fail.
fn reads_again(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Check { .. } => true,
        Stmt::For(l) => !l.is_source() && l.scan.is_none() && l.body.iter().all(reads_again),
        _ => is_flat(stmt),
    }
}
