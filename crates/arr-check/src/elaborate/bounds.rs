//! What can be proved about sizes and indices: signs of polynomials, and bounds of indices over their extents.

use crate::data::declared_type::MAX_TERMS;
use crate::elaborate::Elab;
use arr_base::Span;
use arr_ir::{Atom, Check, Poly, SizeId, VarId};

/// Extents may depend on outer indices, so bounds are taken repeatedly, but never more often than this.
const MAX_STEPS: usize = 8;

impl Elab<'_> {
    /// Whether a polynomial is certainly not negative: no negative coefficient, and only sizes and indices.
    fn not_negative(&self, poly: &Poly) -> bool {
        let fine = |v: &VarId| self.lengths.contains(v) || self.extents.contains_key(v);
        poly.terms.iter().all(|(monomial, &c)| c > 0 && monomial.iter().all(fine))
    }

    /// A polynomial without indices that is nowhere smaller, as long as the indices are inside their extents.
    fn upper_bound(&self, poly: &Poly) -> Option<Poly> {
        let mut poly = poly.clone();
        for _ in 0..MAX_STEPS {
            // Inner indices first: their extents mention outer ones.
            let Some(index) = poly.vars().into_iter().rev().find(|v| self.extents.contains_key(v)) else {
                return Some(poly);
            };
            let bound = self.bound_of(&poly, index)?;
            poly = poly.substitute(&mut |v| (v == index).then(|| bound.clone()));
            if poly.terms.len() > MAX_TERMS {
                return None;
            }
        }
        None
    }

    /// The value of an index at which the polynomial is largest.
    fn bound_of(&self, poly: &Poly, index: VarId) -> Option<Poly> {
        let mut signs = Vec::new();
        for (monomial, &c) in &poly.terms {
            let times = monomial.iter().filter(|v| **v == index).count();
            if times == 0 {
                continue;
            }
            let others = monomial.iter().filter(|v| **v != index);
            if times > 1 || !others.into_iter().all(|v| self.lengths.contains(v) || self.extents.contains_key(v)) {
                return None;
            }
            signs.push(c > 0);
        }
        match (signs.contains(&true), signs.contains(&false)) {
            (true, false) => {
                let extent = self.b.func.types.poly(*self.extents.get(&index)?);
                Some(extent.sub(&Poly::constant(1)))
            }
            (false, true) => Some(Poly::constant(0)),
            _ => None,
        }
    }

    /// Whether `index` is certainly inside an axis of this size.
    pub fn inside(&self, index: Atom, size: SizeId) -> bool {
        let index = self.poly(index);
        let size = self.b.func.types.poly(size);
        let last = size.sub(&Poly::constant(1));
        let below = self.upper_bound(&index.neg()).is_some_and(|bound| self.not_negative(&bound.neg()));
        below && self.upper_bound(&index).is_some_and(|bound| self.not_negative(&last.sub(&bound)))
    }

    /// Whether a size is certainly not negative.
    pub fn is_not_negative(&self, size: SizeId) -> bool {
        let poly = self.b.func.types.poly(size).neg();
        self.upper_bound(&poly).is_some_and(|bound| self.not_negative(&bound.neg()))
    }

    /// Makes a negative size an error, where it cannot be ruled out: at the place that asks for the array, so that the
    /// error is there even if the array is never made.
    pub fn demand_size(&mut self, size: SizeId, span: Span) {
        if self.is_not_negative(size) {
            return;
        }
        let outer = self.b.span.replace(span);
        let value = self.size_value(size);
        self.b.check(Check::SizeNonNeg, vec![value]);
        self.b.span = outer;
    }

    /// Whether `lo:hi` certainly lies inside an axis.
    pub fn slice_inside(&self, lo: SizeId, hi: SizeId, size: SizeId) -> bool {
        let poly = |s: SizeId| self.b.func.types.poly(s);
        let (lo, hi, size) = (poly(lo), poly(hi), poly(size));
        [lo.clone(), hi.sub(lo), size.sub(hi)]
            .iter()
            .all(|p| self.upper_bound(&p.neg()).is_some_and(|bound| self.not_negative(&bound.neg())))
    }
}
