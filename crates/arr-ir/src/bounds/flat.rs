//! Queries of the walk over the loop IR, where arrays are flat, places are polynomials, and arrays are changed in
//! place.

use super::facts::{Bounds, Def, Elements, Term, is_small, is_tame};
use super::prove::{MAX_CASES, largest, may_multiply, quotient};
use crate::{Atom, Func, Poly, Prim, VarId};
use rustc_hash::FxHashSet;

/// The base-2 logarithm of an upper limit on the number of elements of an array.
const MEMORY_BITS: u32 = 50;
/// The number of axis ends tried for one query, and of facts tried for each.
const MAX_ENDS: usize = 24;
const MAX_FACTS: usize = 4;
/// The number of sides of case splits examined for one query.
const MAX_SIDES: usize = 16;

/// One of two values that a variable may have.
struct Side {
    is: Poly,
    /// Not negative in this case.
    order: Poly,
    cond: Option<(Atom, bool)>,
}

impl Elements {
    fn vars(&self) -> impl Iterator<Item = VarId> {
        self.low.iter().chain(&self.high).flat_map(Poly::vars)
    }

    /// Whether a bound depends on one of these variables.
    pub fn mention(&self, vars: &FxHashSet<VarId>) -> bool {
        self.vars().any(|v| vars.contains(&v))
    }

    /// Drops the bounds that mention these variables.
    pub fn forget(&mut self, vars: &FxHashSet<VarId>) {
        for list in [&mut self.low, &mut self.high] {
            list.retain(|bound| bound.vars().iter().all(|v| !vars.contains(v)));
        }
    }
}

impl Bounds {
    /// Gives a variable a polynomial.
    pub fn define(&mut self, var: VarId, poly: Poly) {
        self.polys.insert(var, poly);
    }

    /// Gives a variable a polynomial if computing it cannot wrap.
    pub fn define_exact(&mut self, var: VarId, poly: &Poly) {
        if self.is_exact(poly) && is_small(poly) {
            self.define(var, poly.clone());
        }
    }

    /// Records that a variable is bound here.
    pub fn note_variable(&mut self, var: VarId) {
        self.depths.insert(var, self.depth());
    }

    /// Adds that an array with this many elements exists: computing their number did not wrap.
    pub fn note_count(&mut self, count: &Poly) {
        let product = count.terms.keys().any(|m| m.len() > 1);
        if product && is_small(count) && is_tame(count) && !self.counts.contains(count) {
            self.counts.push(count.clone());
        }
    }

    /// Whether a place is in bounds of an array of `count` elements, derived from the polynomials alone.
    pub fn is_place(&mut self, func: &Func, at: &Poly, count: &Poly) -> bool {
        if !is_tame(at) || !is_tame(count) {
            return false;
        }
        let last = count.sub(&Poly::constant(1));
        self.holds_by_extents(func, at) && self.holds_by_extents(func, &last.sub(at)) || self.was_checked(at, count)
    }

    /// Whether a value is not negative, from the ends of its axes, with case splits on the extremes and choices in the
    /// extents of the axes.
    fn holds_by_extents(&mut self, func: &Func, poly: &Poly) -> bool {
        self.holds_at_ends(func, poly) || self.holds_by_cases(func, poly, MAX_CASES, &mut { MAX_SIDES })
    }

    fn holds_at_ends(&mut self, func: &Func, poly: &Poly) -> bool {
        let bounded = |v: &VarId| self.extents.contains_key(v) || self.is_quotient(*v);
        let mut axes: Vec<VarId> = poly.vars().into_iter().filter(bounded).collect();
        axes.sort_unstable();
        self.holds_at_end(poly, &axes, &mut { MAX_ENDS }) || self.holds(func, poly)
    }

    /// Whether a value is not negative, from values that are not above it at any point of these axes, innermost last:
    /// an axis that increases the value is replaced by its beginning, one that decreases it by its end. Conditions may
    /// bound both.
    fn holds_at_end(&self, poly: &Poly, axes: &[VarId], tries: &mut usize) -> bool {
        if self.non_negative(poly) {
            return true;
        }
        let Some((&v, outer)) = axes.split_last() else { return false };
        if *tries == 0 {
            return false;
        }
        *tries -= 1;
        let (with, without): (Vec<_>, Vec<_>) = poly.terms.iter().partition(|(m, _)| m.contains(&v));
        if with.is_empty() {
            return self.holds_at_end(poly, outer, tries);
        }
        let once = |m: &[VarId]| quotient(m, &[v]).filter(|rest| !rest.contains(&v));
        let factor = with.into_iter().map(|(m, &c)| once(m).map(|m| (m, c))).collect::<Option<_>>();
        let Some(factor) = factor.map(|terms| Poly { terms }) else { return false };
        let rest = Poly { terms: without.into_iter().map(|(m, &c)| (m.clone(), c)).collect() };
        let rises = self.non_negative(&factor);
        if !rises && !self.non_negative(&factor.neg()) {
            return false;
        }
        self.ends_of(v, rises)
            .into_iter()
            .filter_map(|end| product(&factor, &end))
            .any(|term| self.holds_at_end(&rest.add(&term), outer, tries))
    }

    /// Whether a variable is a quotient or a remainder, which is bounded by facts.
    fn is_quotient(&self, v: VarId) -> bool {
        self.natural.contains_key(&v) && matches!(self.term(v), Some(Term::Prim(Prim::Div | Prim::Rem, _)))
    }

    /// Lower or upper bounds of an axis in terms of axes around it.
    fn ends_of(&self, v: VarId, least: bool) -> Vec<Poly> {
        let sign = if least { 1 } else { -1 };
        let mut ends = Vec::new();
        for fact in self.facts_about(v).rev() {
            let alone = fact.terms.keys().filter(|m| m.contains(&v)).count() == 1;
            if alone && fact.terms.get(&[v]) == Some(&sign) {
                let mut end = fact.clone();
                end.terms.remove(&[v]);
                let end = end.mul(&Poly::constant(-sign));
                if end.vars().into_iter().all(|w| w < v) {
                    ends.push(end);
                }
            }
        }
        ends.truncate(MAX_FACTS);
        if least {
            ends.push(Poly::default());
        } else if let Some(extent) = self.extents.get(&v) {
            ends.push(extent.sub(&Poly::constant(1)));
        }
        ends
    }

    fn holds_by_cases(&mut self, func: &Func, poly: &Poly, cases: usize, left: &mut usize) -> bool {
        let extents: Vec<Poly> = poly.vars().into_iter().filter_map(|v| self.extents.get(&v)).cloned().collect();
        let near = extents.iter().flat_map(Poly::vars).chain(poly.vars()).collect();
        self.made_of(near).into_iter().rev().any(|v| {
            let sides = self.cases_of(v);
            if *left == 0 || sides.is_empty() {
                return false;
            }
            *left = left.saturating_sub(sides.len());
            // Each is split once.
            let Some(def) = self.defs.remove(&v) else { return false };
            let holds = sides.iter().all(|side| {
                self.enter();
                self.assume_side(func, v, side);
                let holds = self.unreachable
                    || extents.iter().any(|extent| self.non_negative(&extent.neg()))
                    || self.holds_at_ends(func, poly)
                    || cases > 1 && self.holds_by_cases(func, poly, cases - 1, left);
                self.leave();
                holds
            });
            self.defs.insert(v, def);
            holds
        })
    }

    /// Variables, and those in their definitions, to a limited depth.
    fn made_of(&self, mut vars: Vec<VarId>) -> Vec<VarId> {
        for _ in 0..MAX_CASES {
            let parts = vars.iter().flat_map(|v| {
                let defined = match self.defs.get(v) {
                    Some(Def::Max(a, b) | Def::Min(a, b) | Def::Choice(_, a, b)) => [a.vars(), b.vars()].concat(),
                    _ => Vec::new(),
                };
                let computed = match self.term(*v) {
                    Some(Term::Prim(_, args)) => args.iter().flat_map(Poly::vars).collect(),
                    _ => Vec::new(),
                };
                [defined, computed].concat()
            });
            let parts: Vec<VarId> = parts.collect();
            vars.extend(parts);
            vars.sort_unstable();
            vars.dedup();
        }
        vars
    }

    /// The cases of an extreme or a choice, and what holds in each.
    fn cases_of(&self, v: VarId) -> Vec<Side> {
        let side = |is: &Poly, order: Poly, cond: Option<(Atom, bool)>| Side { is: is.clone(), order, cond };
        match self.defs.get(&v) {
            Some(Def::Max(a, b)) => vec![side(a, a.sub(b), None), side(b, b.sub(a), None)],
            Some(Def::Min(a, b)) => vec![side(a, b.sub(a), None), side(b, a.sub(b), None)],
            Some(Def::Choice(cond, a, b)) => {
                let chosen = |is: &Poly, holds: bool| side(is, Poly::default(), Some((*cond, holds)));
                vec![chosen(a, true), chosen(b, false)]
            }
            _ => Vec::new(),
        }
    }

    fn assume_side(&mut self, func: &Func, v: VarId, side: &Side) {
        // A variable with limited bits cannot equal a constant that needs more.
        let bits = |n: i64| u64::BITS - n.unsigned_abs().leading_zeros();
        let too_large = |n: i64| self.bits.get(&v).is_some_and(|&most| bits(n) > most);
        self.unreachable |= side.is.as_constant().is_some_and(too_large);
        let difference = Poly::var(v).sub(&side.is);
        self.add_fact(difference.neg());
        self.add_fact(difference);
        self.add_fact(side.order.clone());
        if let Some((cond, holds)) = side.cond {
            self.assume(func, cond, holds);
        }
    }

    /// Bounds of the minimum or the maximum of two values.
    pub fn bounds_of_extreme(&self, greatest: bool, a: &Elements, b: &Elements) -> Elements {
        let Elements { low, high } = self.either(a, b);
        let both = |x: &[Poly], y: &[Poly]| x.iter().chain(y).cloned().collect();
        match greatest {
            true => Elements { low: both(&a.low, &b.low), high },
            false => Elements { low, high: both(&a.high, &b.high) },
        }
    }

    /// Bounds of a value that is stored, from the scope that is still open.
    pub fn bounds_of_value(&self, func: &Func, atom: Atom) -> Elements {
        let Some(poly) = self.poly(func, atom) else { return Elements::default() };
        let mut found = self.bounds_of(&poly);
        // The value itself, where it is meaningful outside.
        if poly.vars().into_iter().all(|v| self.is_from_outside(v)) && is_tame(&poly) {
            found.low.push(poly.clone());
            found.high.push(poly);
        }
        found
    }

    /// Whether a condition is known to hold.
    pub fn holds_here(&self, func: &Func, cond: Atom) -> bool {
        let Some(Def::Condition(prim, args)) = cond.var().and_then(|v| self.defs.get(&v)) else { return false };
        matches!(args.as_slice(), &[a, b] if self.outcome(func, *prim, a, b) == Some(true))
    }

    /// Whether the magnitude of an integer has a known limit.
    pub fn is_limited(&self, v: VarId) -> bool {
        self.bits.contains_key(&v)
    }

    /// Adds an upper bound of a quotient by a constant, from the greatest value of the dividend.
    pub fn note_quotient(&mut self, func: &Func, quotient: VarId, dividend: Atom, divisor: i64) {
        let Some(mut most) = self.poly(func, dividend) else { return };
        let mut axes = most.vars();
        axes.sort_unstable();
        for v in axes.into_iter().rev() {
            let alone = most.terms.keys().filter(|m| m.contains(&v)).count() == 1;
            let (Some(extent), Some(&c)) = (self.extents.get(&v), most.terms.get(&[v])) else { continue };
            let end = extent.sub(&Poly::constant(1)).sub(&Poly::var(v));
            if let Some(rise) = product(&end, &Poly::constant(c)).filter(|_| c > 0 && alone) {
                most = most.add(&rise);
            }
        }
        if !is_tame(&most) {
            return;
        }
        let parts = most.terms.iter().map(|(m, &c)| match m.is_empty() {
            true => Some((m.clone(), c.div_euclid(divisor))),
            false => (c % divisor == 0).then(|| (m.clone(), c / divisor)),
        });
        if let Some(terms) = parts.collect::<Option<_>>() {
            let most = Poly { terms };
            self.add_fact(most.sub(&Poly::var(quotient)));
        }
    }

    /// Adds that an array with this many elements exists: a nonnegative size is less than the limit of memory, and so
    /// is a variable that does not exceed it.
    pub fn limit_to_memory(&mut self, size: &Poly) {
        if let Some(v) = limited_by(size)
            && self.non_negative(&Poly::var(v))
        {
            self.limit(v, Some(MEMORY_BITS));
            self.is_below_cap(v);
        }
    }

    /// A minimum with a cap above its possible values equals the capped value: adds that, and that upper bounds of the
    /// one are upper bounds of the other.
    fn is_below_cap(&mut self, v: VarId) {
        let Some(Def::Min(a, b)) = self.defs.get(&v) else { return };
        let (value, cap) = match (a.as_constant(), b.as_constant()) {
            (None, Some(cap)) => (a.clone(), cap),
            (Some(cap), None) => (b.clone(), cap),
            _ => return,
        };
        if cap >> MEMORY_BITS == 0 {
            return;
        }
        self.add_fact(Poly::var(v).sub(&value));
        let Some(value) = value.as_var() else { return };
        let facts = self.facts_about(value);
        let of_axis = |fact: &&Poly| {
            fact.terms
                .iter()
                .any(|(m, &c)| c == -1 && matches!(m.as_slice(), [axis] if self.extents.contains_key(axis)))
        };
        let above = facts.filter(of_axis).filter(|fact| is_alone(fact, value, 1));
        let above: Vec<Poly> = above.take(MAX_FACTS).map(|f| f.sub(&Poly::var(value)).add(&Poly::var(v))).collect();
        above.into_iter().for_each(|fact| self.add_fact(fact));
    }

    /// Adds that an axis ends below each known upper bound of its extent.
    pub fn note_axis(&mut self, index: VarId) {
        let Some(extent) = self.extents.get(&index).and_then(Poly::as_var) else { return };
        let facts = self.facts_about(extent);
        let above = facts.filter(|fact| is_alone(fact, extent, -1) && fact.vars().into_iter().all(|v| v < index));
        let last = Poly::constant(1).add(&Poly::var(index));
        let above: Vec<Poly> = above.take(MAX_FACTS).map(|f| f.add(&Poly::var(extent)).sub(&last)).collect();
        above.into_iter().for_each(|fact| self.add_fact(fact));
    }

    /// The bounds that hold for both.
    pub fn either(&self, a: &Elements, b: &Elements) -> Elements {
        let implied = |p: &Poly, among: &[Poly], sign: i64| {
            among.iter().any(|q| p == q || self.non_negative(&q.sub(p).mul(&Poly::constant(sign))))
        };
        let mut found = Elements::default();
        for (own, other) in [(a, b), (b, a)] {
            found.low.extend(own.low.iter().filter(|p| implied(p, &other.low, 1)).cloned());
            found.high.extend(own.high.iter().filter(|p| implied(p, &other.high, -1)).cloned());
        }
        for list in [&mut found.low, &mut found.high] {
            list.sort();
            list.dedup();
        }
        found
    }

    /// Whether all bounds are meaningful outside of the innermost scope.
    pub fn is_seen_from_outside(&self, elements: &Elements) -> bool {
        elements.vars().all(|v| self.is_from_outside(v))
    }

    /// Drops the bounds that are meaningful only in the innermost scope.
    pub fn seen_from_outside(&self, elements: &mut Elements) {
        for list in [&mut elements.low, &mut elements.high] {
            list.retain(|bound| bound.vars().into_iter().all(|v| self.is_from_outside(v)));
        }
    }

    /// Adds the bounds of an integer.
    pub fn lies_within(&mut self, var: VarId, limits: &Elements) {
        if limits.low.iter().any(|low| self.is_natural(low)) {
            self.set_natural(var);
        }
        self.bounded(var, &limits.low, &limits.high);
    }

    /// Adds the bounds of the elements of an array.
    pub fn set_elements(&mut self, array: VarId, elements: Elements) {
        self.elements.insert(array, elements);
    }
}

/// The variable that a size equals, or exceeds by a constant.
pub fn limited_by(size: &Poly) -> Option<VarId> {
    let mut rest = size.clone();
    let more = rest.terms.remove(&[]).unwrap_or(0);
    rest.as_var().filter(|_| more >= 0)
}

/// Whether a variable occurs in one term of a polynomial only, alone, with this coefficient.
fn is_alone(poly: &Poly, v: VarId, coefficient: i64) -> bool {
    poly.terms.get(&[v]) == Some(&coefficient) && poly.terms.keys().filter(|m| m.contains(&v)).count() == 1
}

/// The product, if no coefficient wraps.
fn product(a: &Poly, b: &Poly) -> Option<Poly> {
    may_multiply(largest(a), largest(b)).then(|| a.mul(b))
}
