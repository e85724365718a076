//! Accesses that were checked at every point of a nest or in every iteration of a loop, and the same accesses later on.
//!
//! A sparse product checks `x[columns[p]]` for each `p`; its derivative adds to the same places in a nest of its own.
//! The checks of the first hold for all its points, so the second needs none where its index is the same function of a
//! point. The index is compared by its definition (arithmetic and elements of arrays); the variables of the earlier
//! nest are matched with integers of the later one, which must in turn be points of the earlier nest.
//!
//! A branch and the body of a `while` may not have run at all; checks made there are forgotten when it is left.

use super::facts::{Bounds, Term, is_small, is_tame};
use crate::{Atom, Const, Func, Poly, Prim, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The number of checks that are remembered, and compared with one index.
const MAX_REMEMBERED: usize = 256;
/// The number of comparisons for one index and one check.
const MAX_STEPS: usize = 100;

/// At all points of the axes, the index is at least 0 and less than the extent.
#[derive(Clone, Debug)]
pub(super) struct Earlier {
    /// Outermost first, with their extents.
    axes: Vec<(VarId, Poly)>,
    index: Poly,
    extent: Poly,
    /// Variables bound in scopes at least this deep are out of scope: they differ from point to point.
    depth: usize,
}

impl Earlier {
    fn is_axis(&self, v: VarId) -> bool {
        self.axes.iter().any(|(axis, _)| *axis == v)
    }
}

/// Which polynomials were proved not to be negative, and which were not, with the facts of one point: the same are asked
/// for many checks.
type Proofs = FxHashMap<Poly, bool>;

/// The values here of the variables of an earlier nest.
#[derive(Clone, Default)]
struct Match {
    axes: Vec<(VarId, Poly)>,
    /// Variables computed in that nest, each with the variable here that equals it.
    others: Vec<(VarId, VarId)>,
    /// The number of comparisons made.
    steps: usize,
}

impl Match {
    fn get(&self, v: VarId) -> Option<Poly> {
        let axis = self.axes.iter().find(|(axis, _)| *axis == v).map(|(_, poly)| poly.clone());
        axis.or_else(|| self.others.iter().find(|(other, _)| *other == v).map(|&(_, w)| Poly::var(w)))
    }
}

impl Bounds {
    /// Remembers that an index was checked.
    pub(super) fn remember(&mut self, index: &Poly, extent: &Poly) {
        // A repeated check adds nothing, and a constant index is the same everywhere.
        let known = |e: &Rc<Earlier>| e.axes.is_empty() && e.index == *index && e.extent == *extent;
        if index.vars().is_empty() || self.earlier.len() >= MAX_REMEMBERED || self.earlier.iter().any(known) {
            return;
        }
        let depth = self.depth() + 1;
        let earlier = Earlier { axes: Vec::new(), index: index.clone(), extent: extent.clone(), depth };
        self.earlier.push(Rc::new(earlier));
    }

    /// Remembers that the places of a checked `scatter` were in bounds, those that have no guard. The scope of its body
    /// is open.
    pub fn wrote_at_all_points(&mut self, func: &Func, dest: VarId, results: &[Atom]) {
        let rank = func.ty(dest).rank();
        for write in results.chunks(rank + 2) {
            if let [Atom::Const(Const::Bool(true)), index @ .., _] = write {
                for (&i, &dim) in index.iter().zip(&func.ty(dest).dims) {
                    if let Some(i) = self.poly(func, i) {
                        let extent = self.size(func, dim);
                        self.remember(&i, &extent);
                    }
                }
            }
        }
    }

    /// The checks made since the scope was entered hold at all its points. Called when the scope has been left.
    pub(super) fn generalise(&mut self, first: usize, axes: &[(VarId, Poly)]) {
        let depth = self.depth() + 1;
        for earlier in self.earlier.iter_mut().skip(first) {
            let earlier = Rc::make_mut(earlier);
            earlier.axes.splice(0..0, axes.iter().cloned());
            earlier.depth = depth;
        }
    }

    /// Whether the same index was checked before, at the point of an earlier nest that corresponds to this one.
    pub fn was_checked(&self, index: &Poly, extent: &Poly) -> bool {
        let mut proofs = Proofs::default();
        let mut alike = self.earlier.iter().filter(|earlier| earlier.extent == *extent);
        alike.any(|earlier| self.matched(earlier, index, &mut proofs).is_some())
    }

    /// The values here of the variables of an earlier nest, if it checked this index at the corresponding point.
    fn matched(&self, earlier: &Earlier, index: &Poly, proofs: &mut Proofs) -> Option<Match> {
        let mut found = Match::default();
        let same = !earlier.axes.is_empty()
            && self.same(earlier, &earlier.index, index, &mut found)
            && self.is_point_of(earlier, &mut found, proofs);
        same.then_some(found)
    }

    /// Adds what was checked before of the same value at the corresponding point.
    pub fn recall(&mut self, value: &Poly) {
        // An index is known to be inside of its own axis.
        let own = value.as_var().and_then(|v| self.extents.get(&v));
        let mut extents: Vec<Poly> = own.cloned().into_iter().collect();
        let known = extents.len();
        let mut proofs = Proofs::default();
        for earlier in &self.earlier {
            if !extents.contains(&earlier.extent)
                && let Some(found) = self.matched(earlier, value, &mut proofs)
                && let Some(extent) = self.here(earlier, &earlier.extent, &found)
                && !extents.contains(&extent)
            {
                extents.push(extent);
            }
        }
        for extent in extents.drain(known..) {
            self.is_inside_of(value, &extent);
        }
    }

    /// Adds that an index is in bounds of an axis.
    pub(super) fn is_inside_of(&mut self, index: &Poly, extent: &Poly) {
        if let Some(v) = index.as_var() {
            self.limit(v, self.bits_of(extent));
        }
        self.add_checked(index.clone());
        self.add_checked(extent.sub(&Poly::constant(1)).sub(index));
    }

    /// Whether the values matched with the axes are a point of them. An axis that the index does not depend on must not
    /// be empty.
    fn is_point_of(&self, earlier: &Earlier, found: &mut Match, proofs: &mut Proofs) -> bool {
        let mut holds = |poly: Poly| *proofs.entry(poly).or_insert_with_key(|poly| self.non_negative(poly));
        earlier.axes.iter().all(|(axis, extent)| {
            let Some(at) = found.get(*axis) else {
                let Some(extent) = self.here(earlier, extent, found) else { return false };
                found.axes.push((*axis, Poly::default()));
                return holds(extent.sub(&Poly::constant(1)));
            };
            // An axis with an equal extent has the same points.
            let own = at.as_var().and_then(|v| self.extents.get(&v)).cloned();
            let alike = |m: &mut Match| own.is_some_and(|own| self.same(earlier, extent, &own, m));
            if alike(found) {
                return true;
            }
            let Some(extent) = self.here(earlier, extent, found) else { return false };
            let last = extent.sub(&Poly::constant(1)).sub(&at);
            holds(at) && holds(last)
        })
    }

    /// A polynomial of an earlier nest in terms of variables here, if all its variables have been matched.
    fn here(&self, earlier: &Earlier, poly: &Poly, found: &Match) -> Option<Poly> {
        let all = poly.vars().into_iter().all(|v| found.get(v).is_some() || !self.is_left_behind(earlier, v));
        (all && is_tame(poly) && found.axes.iter().all(|(_, p)| is_tame_index(p)))
            .then(|| poly.substitute(&mut |v| found.get(v)))
    }

    fn is_left_behind(&self, earlier: &Earlier, v: VarId) -> bool {
        self.depths.get(&v).is_none_or(|&depth| depth >= earlier.depth)
    }

    /// Whether a polynomial of an earlier nest equals one of this point, for some values of the nest's variables, which
    /// are recorded.
    fn same(&self, earlier: &Earlier, there: &Poly, here: &Poly, found: &mut Match) -> bool {
        let before = found.clone();
        let mut alike = |there: &Poly, here: &Poly| {
            let steps = found.steps;
            *found = Match { steps, ..before.clone() };
            self.same_terms(earlier, there, here, found)
        };
        alike(there, here)
            || self.spelled_out(there).is_some_and(|there| alike(&there, here))
            || self.spelled_out(here).is_some_and(|here| alike(there, &here))
    }

    /// Arithmetic that might wrap is a symbol, though elsewhere it may be known not to wrap.
    fn spelled_out(&self, poly: &Poly) -> Option<Poly> {
        let Term::Prim(prim, args) = self.term(poly.as_var()?)? else { return None };
        let [a, b] = args.as_slice() else { return None };
        let sum = match prim {
            Prim::Add => a.add(b),
            Prim::Sub => a.sub(b),
            Prim::Mul if is_tame_index(a) && is_tame_index(b) => a.mul(b),
            _ => return None,
        };
        (is_small(&sum) && is_tame(&sum)).then_some(sum)
    }

    fn same_terms(&self, earlier: &Earlier, there: &Poly, here: &Poly, found: &mut Match) -> bool {
        if found.steps >= MAX_STEPS || !is_tame(there) || !is_tame(here) {
            return false;
        }
        found.steps += 1;
        if let Some(v) = there.as_var()
            && self.is_left_behind(earlier, v)
            && found.get(v).is_none()
        {
            return self.same_unknown(earlier, v, here, found);
        }
        let unknown = |v: &VarId| self.is_left_behind(earlier, *v) && found.get(*v).is_none();
        let (open, closed): (Vec<_>, Vec<_>) = there.terms.iter().partition(|(m, _)| m.iter().any(unknown));
        let rest = if closed.is_empty() {
            here.clone()
        } else {
            let closed = Poly { terms: closed.into_iter().map(|(m, c)| (m.clone(), *c)).collect() };
            let Some(closed) = self.here(earlier, &closed, found) else { return false };
            here.sub(&closed)
        };
        // Matching computed values determines the values of the axes.
        let is_axis = |v: VarId| earlier.is_axis(v);
        let mut parts = open.iter().filter_map(|(m, c)| {
            let mut unknown = m.iter().copied().filter(|v| unknown(v));
            let (v, None) = (unknown.next()?, unknown.next()) else { return None };
            Some((v, *m, **c))
        });
        let first = parts.clone().find(|(v, ..)| !is_axis(*v)).or_else(|| parts.next());
        let Some((v, monomial, coefficient)) = first else { return open.is_empty() && rest.terms.is_empty() };
        if is_axis(v) && open.len() == 1 && monomial.len() == 1 && coefficient.unsigned_abs() == 1 {
            found.axes.push((v, if coefficient == 1 { rest } else { rest.neg() }));
            return true;
        }
        let Some(others) = self.factors(earlier, monomial, v, found) else { return false };
        let candidates = rest.terms.iter().filter(|(_, c)| **c == coefficient);
        let before = found.clone();
        candidates.filter_map(|(m, _)| without(m, &others)).any(|w| {
            let steps = found.steps;
            *found = Match { steps, ..before.clone() };
            if is_axis(v) {
                found.axes.push((v, Poly::var(w)));
            }
            (is_axis(v) || self.same_variable(earlier, v, w, found)) && self.same_terms(earlier, there, here, found)
        })
    }

    /// Whether a variable of the nest that is not matched yet equals a polynomial of this point.
    fn same_unknown(&self, earlier: &Earlier, there: VarId, here: &Poly, found: &mut Match) -> bool {
        if earlier.is_axis(there) {
            found.axes.push((there, here.clone()));
            return true;
        }
        here.as_var().is_some_and(|here| self.same_variable(earlier, there, here, found))
    }

    /// The factors of a term except one variable, where each of them is a variable here.
    fn factors(&self, earlier: &Earlier, monomial: &[VarId], but: VarId, found: &Match) -> Option<Vec<VarId>> {
        let others = monomial.iter().filter(|v| **v != but);
        others
            .map(|&v| if self.is_left_behind(earlier, v) { found.get(v).and_then(|p| p.as_var()) } else { Some(v) })
            .collect()
    }

    /// Whether two variables are the same function of a point.
    fn same_variable(&self, earlier: &Earlier, there: VarId, here: VarId, found: &mut Match) -> bool {
        let (there_args, here_args) = match (self.term(there), self.term(here)) {
            (Some(Term::Prim(p, a)), Some(Term::Prim(q, b))) if p == q => (a, b),
            (Some(Term::Read(x, a)), Some(Term::Read(y, b))) if x == y && !self.is_left_behind(earlier, *x) => (a, b),
            _ => return false,
        };
        let alike = there_args.len() == here_args.len()
            && there_args.iter().zip(here_args).all(|(a, b)| self.same(earlier, a, b, found));
        if alike {
            found.others.push((there, here));
        }
        alike
    }
}

/// The one factor of a term that remains.
fn without(monomial: &[VarId], others: &[VarId]) -> Option<VarId> {
    let mut left = monomial.to_vec();
    for other in others {
        let at = left.iter().position(|v| v == other)?;
        left.remove(at);
    }
    if let [one] = left.as_slice() { Some(*one) } else { None }
}

/// Whether a polynomial may be substituted for a variable in another.
fn is_tame_index(poly: &Poly) -> bool {
    poly.terms.values().all(|c| c.unsigned_abs() < 1 << 16)
}
