//! Derives that a polynomial is not negative.
//!
//! A polynomial whose terms are all products of natural variables with positive coefficients is not negative. Any other
//! is reduced: a term that may be negative is cancelled by subtracting a known fact (times a natural factor), and the
//! remainder must in turn be not negative. Quotients are multiplied out, and extremes and choices are split into cases.
//! The search is bounded, so it may miss a proof.

use super::facts::{Bounds, Def, is_tame};
use crate::{Func, Poly, Prim, VarId};
use arr_base::Monomial;
use std::borrow::Cow;

/// The maximum number of facts subtracted in succession.
const MAX_DEPTH: usize = 5;
/// The maximum number of subtractions tried for one query.
const MAX_STEPS: usize = 96;
/// The deepest nesting of cases.
pub(super) const MAX_CASES: usize = 3;
/// The maximum number of facts tried against a constant.
const MAX_CONSTANT: usize = 24;
const MAX_TERMS: usize = 20;

/// A way to cancel a term: multiply by `scale`, then subtract `times` copies of a fact, multiplied by natural factors.
struct Cancellation<'f> {
    scale: i64,
    fact: &'f Poly,
    times: i64,
    factor: Monomial<VarId>,
}

impl Cancellation<'_> {
    /// The remainder of a polynomial.
    fn of(&self, poly: &Poly) -> Poly {
        let times = self.times.wrapping_neg();
        Poly { terms: poly.terms.sum(self.scale, &self.multiplied().terms, times) }
    }

    /// Whether a condition holds for every term of the remainder.
    fn all_of(&self, poly: &Poly, holds: impl FnMut(&Monomial<VarId>, i64) -> bool) -> bool {
        poly.terms.all_of_sum(self.scale, &self.multiplied().terms, self.times.wrapping_neg(), holds)
    }

    /// The fact, multiplied by the natural factors.
    fn multiplied(&self) -> Cow<'_, Poly> {
        if self.factor.is_empty() {
            return Cow::Borrowed(self.fact);
        }
        let mut product = Poly::default();
        for (own, &c) in &self.fact.terms {
            product.add_term(own.iter().chain(&self.factor).copied(), c);
        }
        Cow::Owned(product)
    }
}

impl Bounds {
    /// Whether the value is known not to be negative, from facts alone.
    pub fn non_negative(&self, poly: &Poly) -> bool {
        if self.unreachable || self.open_term(poly).is_none() {
            return true;
        }
        let before = self.answers.borrow().get(self.known, poly);
        before.unwrap_or_else(|| {
            // Short derivations are tried first: most need one or two facts.
            let mut steps = MAX_STEPS;
            let proved = (1..=MAX_DEPTH).any(|depth| self.reduce(poly, depth, &mut steps));
            self.answers.borrow_mut().put(self.known, poly, proved);
            proved
        })
    }

    /// Whether a sum is that of a constant and a nonnegative variable that was capped so that the sum cannot wrap; row
    /// counts of arrays with one more state than there are steps have this form.
    pub(super) fn is_capped(&self, prim: Prim, args: &[Poly]) -> bool {
        let (Prim::Add, [a, b]) = (prim, args) else { return false };
        let capped = |value: &Poly, by: &Poly| {
            let (Some(v), Some(by)) = (value.as_var(), by.as_constant()) else { return false };
            let cap = match self.defs.get(&v) {
                Some(Def::Min(x, y)) => x.as_constant().or(y.as_constant()),
                _ => None,
            };
            by >= 0 && self.natural.contains_key(&v) && cap.is_some_and(|cap| cap.checked_add(by).is_some())
        };
        capped(a, b) || capped(b, a)
    }

    /// Whether the value is known not to be negative, with case splits.
    pub(super) fn holds(&mut self, func: &Func, poly: &Poly) -> bool {
        self.by_cases(func, poly, MAX_CASES)
    }

    fn by_cases(&mut self, func: &Func, poly: &Poly, cases: usize) -> bool {
        if self.non_negative(poly) {
            return true;
        }
        if cases == 0 {
            return false;
        }
        poly.vars().into_iter().any(|v| match &self.defs.get(&v).cloned() {
            Some(Def::Quotient(a, b)) => self.multiplied_out(func, poly, v, (a, b), cases),
            Some(Def::Min(a, b) | Def::Max(a, b)) => [a, b]
                .into_iter()
                .all(|case| replaced(poly, v, case).is_some_and(|p| self.by_cases(func, &p, cases - 1))),
            Some(Def::Choice(cond, a, b)) => [(a, true), (b, false)].into_iter().all(|(case, holds)| {
                self.enter();
                self.assume(func, *cond, holds);
                let holds = replaced(poly, v, case).is_some_and(|p| self.by_cases(func, &p, cases - 1));
                self.leave();
                holds
            }),
            _ => false,
        })
    }

    /// `rest - q >= 0` for `q = a div b`, `b > 0`: `b * (rest - q) > -b` suffices, as both sides of the first are integers.
    fn multiplied_out(&mut self, func: &Func, poly: &Poly, q: VarId, (a, b): (&Poly, &Poly), cases: usize) -> bool {
        if poly.terms.get(&[q]) != Some(&-1) {
            return false;
        }
        let rest = poly.add(&Poly::var(q));
        if rest.vars().contains(&q) {
            return false;
        }
        // b * rest - a + b - 1 >= 0 gives b * q <= a < b * (rest + 1).
        if !may_multiply(largest(&rest), largest(b)) || !is_tame(a) {
            return false;
        }
        let product = rest.add(&Poly::constant(1)).mul(b).sub(a).sub(&Poly::constant(1));
        product.terms.len() <= MAX_TERMS && self.by_cases(func, &product, cases - 1)
    }

    fn reduce(&self, poly: &Poly, depth: usize, steps: &mut usize) -> bool {
        let Some((monomial, coefficient)) = self.open_term(poly) else { return true };
        if depth == 0 || poly.terms.len() > MAX_TERMS || !is_tame(poly) {
            return false;
        }
        // Facts themselves come before products of facts.
        let mut ways: Vec<Cancellation<'_>> =
            self.candidates(monomial).into_iter().flat_map(|f| self.cancellations(f, monomial, coefficient)).collect();
        ways.sort_by_key(|way| way.factor.len());
        ways.into_iter().any(|way| {
            if *steps == 0 {
                return false;
            }
            *steps -= 1;
            // Most ways lead nowhere, and their remainders need not be written down to see it.
            if depth == 1 {
                way.all_of(poly, |m, c| !self.is_open(m, c))
            } else {
                self.reduce(&way.of(poly), depth - 1, steps)
            }
        })
    }

    /// A term that may be negative, of the highest degree first.
    fn open_term<'p>(&self, poly: &'p Poly) -> Option<(&'p [VarId], i64)> {
        let worst = poly.terms.iter().filter(|(m, c)| self.is_open(m, **c)).max_by_key(|(m, _)| m.len());
        worst.map(|(m, &c)| (m.as_slice(), c))
    }

    fn is_open(&self, monomial: &[VarId], coefficient: i64) -> bool {
        coefficient < 0 || !monomial.iter().all(|v| self.natural.contains_key(v))
    }

    fn candidates(&self, monomial: &[VarId]) -> Vec<&Poly> {
        let numbers: Vec<usize> = if monomial.is_empty() {
            self.negative.iter().rev().take(MAX_CONSTANT).copied().collect()
        } else {
            let mut all: Vec<usize> = monomial.iter().filter_map(|v| self.mentions.get(v)).flatten().copied().collect();
            all.sort_unstable();
            all.dedup();
            all.reverse();
            all
        };
        numbers.into_iter().filter_map(|k| self.facts.get(k).map(|fact| &**fact)).collect()
    }

    fn cancellations<'f>(&self, fact: &'f Poly, monomial: &[VarId], coefficient: i64) -> Vec<Cancellation<'f>> {
        let mut found = Vec::new();
        for (own, &c) in &fact.terms {
            if (c < 0) != (coefficient < 0) {
                continue;
            }
            let Some(factor) = quotient(monomial, own) else { continue };
            if !factor.iter().all(|v| self.natural.contains_key(v)) {
                continue;
            }
            let common = gcd(c.unsigned_abs(), coefficient.unsigned_abs());
            let (Ok(scale), Ok(times)) =
                (i64::try_from(c.unsigned_abs() / common), i64::try_from(coefficient.unsigned_abs() / common))
            else {
                continue;
            };
            // Coefficients that keep growing do not come from indices.
            if scale > 1 << 16 || times > 1 << 16 {
                continue;
            }
            found.push(Cancellation { scale, fact, times, factor });
        }
        found
    }
}

/// The polynomial with another substituted for a variable, unless coefficients get too large for it.
fn replaced(poly: &Poly, var: VarId, by: &Poly) -> Option<Poly> {
    let most = poly.terms.keys().map(|m| m.iter().filter(|v| **v == var).count()).max().unwrap_or(0);
    let factor = largest(by).checked_pow(u32::try_from(most).ok()?)?;
    may_multiply(largest(poly), factor).then(|| poly.substitute(&mut |v| (v == var).then(|| by.clone())))
}

pub(super) fn largest(poly: &Poly) -> u64 {
    poly.terms.values().map(|c| c.unsigned_abs()).max().unwrap_or(0)
}

/// Whether products of coefficients up to these, and sums of a few such products, do not wrap.
pub(super) fn may_multiply(a: u64, b: u64) -> bool {
    a.checked_mul(b).is_some_and(|product| product <= 1 << 56)
}

/// The monomial by which the second must be multiplied to give the first.
pub(super) fn quotient(monomial: &[VarId], by: &[VarId]) -> Option<Monomial<VarId>> {
    if by.len() > monomial.len() || !by.iter().all(|v| monomial.contains(v)) {
        return None;
    }
    let mut rest = Monomial::from_slice(monomial);
    for v in by {
        let at = rest.iter().position(|w| w == v)?;
        rest.remove(at);
    }
    Some(rest)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
