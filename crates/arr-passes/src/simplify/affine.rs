//! Integers as polynomials over variables: equal polynomials are one value, extents bound indices.

use super::{Def, Simplifier};
use crate::analysis::Key;
use arr_base::{Id, Span};
use arr_ir::{Atom, Check, Const, Op, Poly, Prim, Scalar, SizeId, Stmt, VarId};

/// Polynomials with more terms, or of higher degree, are treated as unknown, so that long chains of arithmetic cost
/// linear time.
const MAX_TERMS: usize = 6;
const MAX_DEGREE: usize = 3;
/// Bounds that conditions give are looked through as far as this.
const MAX_BOUNDS: usize = 16;

fn small(poly: &Poly) -> bool {
    poly.terms.len() <= MAX_TERMS && poly.terms.keys().all(|m| m.len() <= MAX_DEGREE)
}

/// The variable and the constant of `v + c`.
fn shifted_var(poly: &Poly) -> Option<(VarId, i64)> {
    let c = poly.terms.get(&Vec::new()).copied().unwrap_or(0);
    let v = poly.sub(&Poly::constant(c)).as_var()?;
    (c != 0).then_some((v, c))
}

fn key(poly: &Poly) -> Key {
    // Keys of operations begin with small numbers.
    let mut words = vec![u64::MAX];
    for (monomial, &c) in &poly.terms {
        words.extend([monomial.len() as u64, c as u64]);
        words.extend(monomial.iter().map(|v| v.index() as u64));
    }
    words.into()
}

fn check_key(kind: Check, args: &[Atom]) -> Key {
    let mut words = vec![u64::MAX - 1, kind as u64];
    for a in args {
        match a {
            Atom::Var(v) => words.extend([0, v.index() as u64]),
            Atom::Const(c) => words.extend([1, c.bits()]),
        }
    }
    words.into()
}

impl Simplifier<'_> {
    /// The atom as a polynomial; `None` unless it is an `i64`.
    pub(super) fn poly_of(&self, atom: Atom) -> Option<Poly> {
        match atom {
            Atom::Const(Const::I64(c)) => Some(Poly::constant(c)),
            Atom::Const(_) => None,
            Atom::Var(v) => match self.polys.get(&v) {
                Some(poly) => Some(poly.clone()),
                None => {
                    let ty = self.func.ty(v);
                    (ty.is_scalar() && ty.elem == Scalar::I64).then(|| Poly::var(v))
                }
            },
        }
    }

    fn arithmetic(&self, prim: Prim, args: &[Atom]) -> Option<Poly> {
        let arg = |i: usize| args.get(i).and_then(|&a| self.poly_of(a));
        let poly = match prim {
            Prim::Add => arg(0)?.add(&arg(1)?),
            Prim::Sub => arg(0)?.sub(&arg(1)?),
            Prim::Mul => arg(0)?.mul(&arg(1)?),
            Prim::Neg => arg(0)?.neg(),
            _ => return None,
        };
        small(&poly).then_some(poly)
    }

    /// The value if its polynomial is known already, or its simplest form.
    pub(super) fn affine_step(&mut self, prim: Prim, args: &[Atom], _span: Option<Span>) -> super::scalar::Step {
        use super::scalar::Step;
        if let Some(holds) = self.compared(prim, args) {
            return Step::Known(Atom::bool(holds));
        }
        let Some(poly) = self.arithmetic(prim, args) else { return Step::Stuck };
        if let Some(atom) = self.known_poly(&poly) {
            return Step::Known(atom);
        }
        if let Some((v, c)) = shifted_var(&poly) {
            let simplest = vec![Atom::Var(v), Atom::int(c)];
            let as_sub = prim == Prim::Sub && args == [Atom::Var(v), Atom::int(c.wrapping_neg())];
            let as_add = prim == Prim::Add && (args == simplest || args == [Atom::int(c), Atom::Var(v)]);
            if !as_sub && !as_add {
                return Step::Prim(Prim::Add, simplest);
            }
        }
        Step::Stuck
    }

    /// Whether a comparison of integers holds, where the bounds of indices and sizes tell.
    fn compared(&self, prim: Prim, args: &[Atom]) -> Option<bool> {
        let &[a, b] = args else { return None };
        let (low, high, strict) = match prim {
            Prim::Le => (a, b, 0),
            Prim::Lt => (a, b, 1),
            Prim::Ge => (b, a, 0),
            Prim::Gt => (b, a, 1),
            Prim::Eq | Prim::Ne => {
                let gap = self.poly_of(a)?.sub(&self.poly_of(b)?);
                let one = Poly::constant(1);
                let differ = self.non_negative(&gap.sub(&one)) || self.non_negative(&gap.neg().sub(&one));
                return differ.then_some(prim == Prim::Ne);
            }
            _ => return None,
        };
        let gap = self.poly_of(high)?.sub(&self.poly_of(low)?);
        if self.non_negative(&gap.sub(&Poly::constant(strict))) {
            return Some(true);
        }
        // The opposite: `high < low`, or `high <= low`.
        self.non_negative(&Poly::constant(strict - 1).sub(&gap)).then_some(false)
    }

    /// A constant or a variable that has this value.
    fn known_poly(&self, poly: &Poly) -> Option<Atom> {
        if let Some(c) = poly.as_constant() {
            return Some(Atom::int(c));
        }
        if let Some(v) = poly.as_var() {
            return Some(Atom::Var(v));
        }
        match self.table.get(&key(poly)).map(Vec::as_slice) {
            Some([v]) => Some(Atom::Var(*v)),
            _ => None,
        }
    }

    /// Remembers that a variable just bound is this arithmetic of others.
    pub(super) fn note_poly(&mut self, var: VarId, prim: Prim, args: &[Atom]) {
        if let Some(poly) = self.arithmetic(prim, args) {
            self.remember(key(&poly), vec![var]);
            self.polys.insert(var, poly);
        }
    }

    /// The size after replacement, and with integers taken apart into what they are made of.
    pub(super) fn size(&mut self, size: SizeId) -> SizeId {
        let poly = self.func.types.poly(size);
        let known = |v: VarId| self.subst.contains_key(&v) || self.polys.contains_key(&v);
        if !poly.vars().into_iter().any(known) {
            return size;
        }
        let poly = poly.clone().substitute(&mut |v| self.poly_of(self.resolve(Atom::Var(v))));
        self.func.types.size(poly)
    }

    pub(super) fn size_stmt(&mut self, vars: Vec<VarId>, size: SizeId, span: Option<Span>) {
        let Some(&var) = vars.first() else { return };
        let size = self.size(size);
        let poly = self.func.types.poly(size).clone();
        if let Some(atom) = self.known_poly(&poly) {
            return self.alias(var, atom);
        }
        self.push_size(var, size, poly, span);
    }

    fn push_size(&mut self, var: VarId, size: SizeId, poly: Poly, span: Option<Span>) {
        self.push(Stmt { vars: vec![var], op: Op::Size(size), span });
        self.remember(key(&poly), vec![var]);
        if small(&poly) {
            self.polys.insert(var, poly);
        }
    }

    /// An operand with this value: known, one operation, or a `size`.
    pub(super) fn materialize(&mut self, poly: Poly, span: Option<Span>) -> Atom {
        if let Some(atom) = self.known_poly(&poly) {
            return atom;
        }
        let (mut plus, mut minus) = (Vec::new(), Vec::new());
        let mut simple = poly.terms.len() == 2;
        for (monomial, &c) in &poly.terms {
            match (monomial.as_slice(), c) {
                ([], c) if c < 0 => minus.push(Atom::int(c.wrapping_neg())),
                ([], c) => plus.push(Atom::int(c)),
                ([v], 1) => plus.push(Atom::Var(*v)),
                ([v], -1) => minus.push(Atom::Var(*v)),
                _ => simple = false,
            }
        }
        if simple {
            // The constant term comes first in a polynomial and last in a sum.
            plus.reverse();
            match (plus.as_slice(), minus.as_slice()) {
                ([a, b], []) => return self.prim(Prim::Add, vec![*a, *b], span),
                ([a], [b]) => return self.prim(Prim::Sub, vec![*a, *b], span),
                _ => {}
            }
        }
        let var = self.func.scalar_var("size", Scalar::I64);
        let size = self.func.types.size(poly.clone());
        self.push_size(var, size, poly, span);
        Atom::Var(var)
    }

    /// What follows for integers from a comparison, until the innermost block closes.
    pub(super) fn assume_bounds(&mut self, prim: Prim, a: Atom, b: Atom, holds: bool) {
        let (Some(a), Some(b)) = (self.poly_of(a), self.poly_of(b)) else { return };
        let (more, less) = (a.sub(&b), b.sub(&a));
        let one = Poly::constant(1);
        let found = match (prim, holds) {
            (Prim::Lt, true) | (Prim::Ge, false) => vec![less.sub(&one)],
            (Prim::Le, true) | (Prim::Gt, false) => vec![less],
            (Prim::Gt, true) | (Prim::Le, false) => vec![more.sub(&one)],
            (Prim::Ge, true) | (Prim::Lt, false) => vec![more],
            (Prim::Eq, true) | (Prim::Ne, false) => vec![more, less],
            (Prim::Ne, true) | (Prim::Eq, false) if self.non_negative(&more) => vec![more.sub(&one)],
            (Prim::Ne, true) | (Prim::Eq, false) if self.non_negative(&less) => vec![less.sub(&one)],
            _ => return,
        };
        self.bounds.extend(found.into_iter().filter(small));
    }

    /// Whether the value is known not to be negative: from itself, or as no less than what conditions around say is not.
    pub(super) fn non_negative(&self, poly: &Poly) -> bool {
        let known = self.bounds.iter().rev().take(MAX_BOUNDS);
        self.is_natural(poly) || known.into_iter().any(|bound| self.is_natural(&poly.sub(bound)))
    }

    /// Whether the value is not negative whatever conditions hold: sizes of arguments and indices are not, and an index is
    /// below its extent.
    fn is_natural(&self, poly: &Poly) -> bool {
        let mut bound = poly.clone();
        for (monomial, &c) in &poly.terms {
            if let [v] = monomial.as_slice()
                && c < 0
                && let Some(Def::Axis(extent)) = self.defs.get(v)
            {
                // v is at most extent - 1, so c * v is at least c * (extent - 1).
                let slack = self.func.types.poly(*extent).sub(&Poly::constant(1)).sub(&Poly::var(*v));
                bound = bound.add(&slack.mul(&Poly::constant(c)));
            }
        }
        let natural = |v: &VarId| self.func.sizes.contains(v) || matches!(self.defs.get(v), Some(Def::Axis(_)));
        bound.terms.iter().all(|(m, &c)| c >= 0 && m.iter().all(natural))
    }

    /// The size as an operand, if it is one already; otherwise an operand that no check has.
    fn size_atom(&self, size: SizeId) -> Atom {
        self.known_poly(self.func.types.poly(size)).unwrap_or(Atom::bool(false))
    }

    /// Whether `0 <= index < extent` is known.
    pub(super) fn inside(&self, index: Atom, extent: SizeId) -> bool {
        if self.table.contains_key(&check_key(Check::Index, &[index, self.size_atom(extent)])) {
            return true;
        }
        let Some(index) = self.poly_of(index) else { return false };
        let room = self.func.types.poly(extent).sub(&Poly::constant(1)).sub(&index);
        self.non_negative(&index) && self.non_negative(&room)
    }

    pub(super) fn check(&mut self, kind: Check, args: Vec<Atom>, span: Option<Span>) {
        let polys: Option<Vec<Poly>> = args.iter().map(|&a| self.poly_of(a)).collect();
        let holds = match (kind, polys.as_deref()) {
            (Check::Index, Some([index, extent])) => {
                self.non_negative(index) && self.non_negative(&extent.sub(index).sub(&Poly::constant(1)))
            }
            (Check::SizeEq, Some([found, expected])) => found == expected,
            (Check::SizeNonNeg, Some([size])) => self.non_negative(size),
            (Check::Slice, Some([lo, hi, extent])) => {
                self.non_negative(lo) && self.non_negative(&hi.sub(lo)) && self.non_negative(&extent.sub(hi))
            }
            _ => false,
        };
        if holds {
            self.changed = true;
            return;
        }
        let stmt = Stmt { vars: Vec::new(), op: Op::Check { kind, args: args.clone() }, span };
        let key = check_key(kind, &args);
        if self.table.contains_key(&key) {
            self.changed = true;
            return;
        }
        self.remember(key, Vec::new());
        self.push(stmt);
    }
}
