//! Slices: parts of axes, read and replaced.

use crate::data::problem::Problem;
use crate::data::types::Ty;
use crate::data::values::Val;
use crate::elaborate::elab::{Computed, SizeOrigin};
use crate::elaborate::{Elab, Mode};
use arr_ir::{Atom, Check, Const, Poly, Prim, ScatterKind, SizeId};

/// The places `first`, `first + step`, ..: `len` of them.
pub(crate) struct Slice {
    first: Atom,
    step: Atom,
    len: SizeId,
}

/// A subscript, evaluated.
pub(crate) enum EvaluatedSubscript {
    Index(Atom),
    Slice(Slice),
}

/// The sizes of the axes that slices leave.
pub(crate) fn kept(places: &[EvaluatedSubscript]) -> Vec<SizeId> {
    places
        .iter()
        .filter_map(|p| if let EvaluatedSubscript::Slice(slice) = p { Some(slice.len) } else { None })
        .collect()
}

impl<'a> Elab<'a> {
    /// `lo:hi:step` of an axis, with the checks it needs.
    pub fn cut(&mut self, lo: Option<Atom>, hi: Option<Atom>, step: Option<Atom>, size: SizeId) -> Option<Slice> {
        let whole = lo.is_none() && hi.is_none();
        let lo = lo.unwrap_or(Self::int(0));
        let hi = match hi {
            Some(hi) => hi,
            None => self.size_value(size),
        };
        let (first, end) = (self.size_of(lo), self.size_of(hi));
        if !whole && !self.slice_inside(first, end, size) {
            let extent = self.size_value(size);
            self.b.check(Check::Slice, vec![lo, hi, extent]);
        }
        let span = if whole { size } else { self.size_sub(end, first) };
        let step = step.unwrap_or(Self::int(1));
        let len = match step.constant().and_then(Const::as_i64) {
            Some(1) => span,
            // A step that is constant only because an argument is may stand in a branch that is not taken.
            Some(step) if step < 1 && self.mode == Mode::Elaborate => {
                self.b.check(Check::Step, vec![Self::int(step)]);
                self.size_const(0)
            }
            Some(step) if step < 1 => {
                let span = self.span();
                self.fail(Problem::BadStep { span, step });
                return None;
            }
            Some(_) => self.steps(span, step),
            None => {
                self.b.check(Check::Step, vec![step]);
                self.steps(span, step)
            }
        };
        Some(Slice { first: lo, step, len })
    }

    /// How many steps a span of this size holds: the quotient, rounded up.
    fn steps(&mut self, span: SizeId, step: Atom) -> SizeId {
        let poly = self.b.func.types.poly(span).clone();
        if let Some(quotient) = step.constant().and_then(Const::as_i64).and_then(|step| rounded_up(&poly, step)) {
            return self.b.func.types.size(quotient);
        }
        let key = Computed::Steps(poly, self.poly(step));
        let count = self.once(key, |e| {
            // `(span + step - 1) / step` would overflow where the step is very large.
            let span = e.size_value(span);
            let none = e.prim(Prim::Eq, vec![span, Self::int(0)]);
            let last = e.prim(Prim::Sub, vec![span, Self::int(1)]);
            let steps = e.prim(Prim::Div, vec![last, step]);
            let some = e.prim(Prim::Add, vec![steps, Self::int(1)]);
            e.prim(Prim::Select, vec![none, Self::int(0), some])
        });
        let size = self.size_of(count);
        if let Atom::Var(v) = count {
            // It counts places, so it is not negative where an array has this size.
            self.lengths.insert(v);
            let origin = SizeOrigin { name: String::new(), span: self.b.span, fact: "is the size of this slice" };
            self.origins.entry(v).or_insert(origin);
        }
        size
    }

    /// The place in the array of place `i` of the slice.
    fn place_of(&mut self, slice: &Slice, i: Atom) -> Atom {
        let along = if slice.step == Self::int(1) { i } else { self.prim(Prim::Mul, vec![i, slice.step]) };
        self.offset(slice.first, along)
    }

    /// The index in the array of an index in its slices, which run over the axes kept.
    fn full_index(&mut self, places: &[EvaluatedSubscript], index: &[Atom]) -> Vec<Atom> {
        let mut rest = index.iter().copied();
        let mut full = Vec::new();
        for place in places {
            full.push(match place {
                EvaluatedSubscript::Index(atom) => *atom,
                EvaluatedSubscript::Slice(slice) => {
                    let i = rest.next().unwrap_or(Self::int(0));
                    self.place_of(slice, i)
                }
            });
        }
        full.extend(rest);
        full
    }

    /// Checks the indices that stand beside slices, each once.
    pub fn check_indices(&mut self, places: &[EvaluatedSubscript], sizes: &[SizeId]) {
        for (place, size) in places.iter().zip(sizes) {
            if let EvaluatedSubscript::Index(atom) = place
                && !self.inside(*atom, *size)
            {
                let extent = self.size_value(*size);
                self.b.check(Check::Index, vec![*atom, extent]);
            }
        }
    }

    /// An array with some axes indexed and others cut.
    pub fn slice(&mut self, val: &Val, places: &[EvaluatedSubscript], sizes: &[SizeId]) -> Val {
        self.check_indices(places, sizes);
        let mut below = &val.ty;
        for _ in places {
            let Ty::Array(_, inner) = below else { return Val::error() };
            below = inner;
        }
        let ty = below.clone().under(&kept(places));
        let mut leaves = Vec::new();
        for (atom, (_, leaf)) in val.leaves.iter().zip(ty.leaves()) {
            let name = atom.var().map_or(String::new(), |v| self.b.func.name(v).to_string());
            leaves.push(self.tabulate1(&leaf.dims, &name, |e, index| {
                let full = e.full_index(places, index);
                e.read_inside(*atom, full)
            }));
        }
        Val::new(ty, leaves)
    }

    /// A copy of an array in which the part at these places is replaced. The places are inside the array.
    pub fn replace_slices(&mut self, array: &Val, places: &[EvaluatedSubscript], part: &Val) -> Val {
        let mut leaves = Vec::new();
        for ((dest, new), (_, leaf)) in array.leaves.iter().zip(&part.leaves).zip(part.ty.leaves()) {
            let Some(dest) = dest.var() else { continue };
            let (index, axes) = self.axes(&leaf.dims);
            self.b.open();
            let value = self.read_inside(*new, index.clone());
            let mut results = vec![Atom::bool(true)];
            results.extend(self.full_index(places, &index));
            results.push(value);
            let body = self.b.close(results);
            leaves.push(Atom::Var(self.b.scatter(ScatterKind::Set, dest, axes, body, false)));
        }
        Val::new(array.ty.clone(), leaves)
    }
}

/// The polynomial divided by `step` and rounded up, where that is a polynomial: all but the constant are multiples.
fn rounded_up(poly: &Poly, step: i64) -> Option<Poly> {
    let mut quotient = Poly::constant(0);
    for (monomial, &c) in &poly.terms {
        if monomial.is_empty() {
            // `-((-c) / step)`, rounded toward negative infinity inside, without overflow for sizes.
            quotient = quotient.add(&Poly::constant(-(c.checked_neg()?).div_euclid(step)));
        } else if c % step != 0 {
            return None;
        } else {
            quotient.add_term(monomial.clone(), c / step);
        }
    }
    Some(quotient)
}

#[cfg(test)]
mod tests {
    use super::rounded_up;
    use arr_ir::Poly;

    #[test]
    fn sizes_of_steps() {
        let n = Poly::var(arr_base::Id::from_index(0));
        let c = Poly::constant;
        for (span, size) in [(-1, 0), (0, 0), (1, 1), (2, 1), (3, 1), (4, 2), (7, 3)] {
            assert_eq!(rounded_up(&c(span), 3), Some(c(size)), "{span}");
        }
        let odd = n.mul(&c(2)).sub(&c(1));
        assert_eq!(rounded_up(&odd, 2), Some(n.clone()));
        assert_eq!(rounded_up(&n, 2), None);
    }
}
