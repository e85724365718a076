//! Integers as polynomials over variables: equal polynomials are one value, extents bound indices.

use super::Simplifier;
use crate::analysis::Key;
use arr_base::{Id, Span};
use arr_ir::integers::{arithmetic, poly_of};
use arr_ir::{Atom, Check, Op, Poly, Prim, Scalar, SizeId, Stmt, VarId};

/// Polynomials with more terms, or of higher degree, are treated as unknown, so that long chains of arithmetic cost
/// linear time.
const MAX_TERMS: usize = 6;
const MAX_DEGREE: usize = 3;

fn small(poly: &Poly) -> bool {
    poly.terms.len() <= MAX_TERMS && poly.terms.keys().all(|m| m.len() <= MAX_DEGREE)
}

/// The variable and the constant of `v + c`.
fn shifted_var(poly: &Poly) -> Option<(VarId, i64)> {
    let c = poly.terms.get(&[]).copied().unwrap_or(0);
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
        poly_of(self.func, |v| self.polys.get(v), atom)
    }

    fn arithmetic(&self, prim: Prim, args: &[Atom]) -> Option<Poly> {
        arithmetic(prim, args, |arg| self.poly_of(arg)).filter(small)
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

    /// Whether a comparison of integers holds, if the bounds of indices and sizes decide it.
    fn compared(&self, prim: Prim, args: &[Atom]) -> Option<bool> {
        let &[a, b] = args else { return None };
        self.known.outcome(self.func, prim, a, b)
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

    /// Records that a variable just bound is this arithmetic of others.
    pub(super) fn note_poly(&mut self, var: VarId, prim: Prim, args: &[Atom]) {
        if let Some(poly) = self.arithmetic(prim, args) {
            self.remember(key(&poly), vec![var]);
            self.polys.insert(var, poly);
        }
    }

    /// The size after replacement, with integers expanded into their definitions.
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
        let Some(var) = self.result_of(&vars) else { return };
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

    /// An operand with this value: a known one, one operation, or a `size`.
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

    /// The size as an operand, if it is one already; otherwise an operand that no check has.
    fn size_atom(&self, size: SizeId) -> Atom {
        self.known_poly(self.func.types.poly(size)).unwrap_or(Atom::bool(false))
    }

    /// Whether `0 <= index < extent` is known.
    pub(super) fn inside(&mut self, index: Atom, extent: SizeId) -> bool {
        if self.table.contains_key(&check_key(Check::Index, &[index, self.size_atom(extent)])) {
            return true;
        }
        self.known.inside(self.func, index, extent)
    }

    pub(super) fn check(&mut self, kind: Check, args: Vec<Atom>, span: Option<Span>) {
        let polys: Option<Vec<Poly>> = args.iter().map(|&a| self.poly_of(a)).collect();
        let equal = kind == Check::SizeEq && matches!(polys.as_deref(), Some([found, expected]) if found == expected);
        let holds = equal || self.known.passes(self.func, kind, &args);
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
