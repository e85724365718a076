//! Integers: their definitions, and the facts that checks and branches give.

use super::{BranchCheck, Walk};
use crate::{LocalId, Operand, ParamSize, Stmt, Ty};
use arr_ir::bounds::{Elements, limited_by};
use arr_ir::{Atom, Block, Const, Op, Poly, Prim, Scalar, VarId};

/// Positions with more terms, or of higher degree, are symbols.
const MAX_TERMS: usize = 32;
const MAX_DEGREE: usize = 8;
/// The number of checked sums that are tried one by one.
const MAX_SUMS: usize = 4;

impl Walk<'_> {
    /// A new variable of the analysis, for the value that a local is bound to or set to.
    pub(super) fn fresh(&mut self, local: LocalId) -> VarId {
        let name = self.loops.locals[local].name.clone();
        let var = self.func.scalar_var(name, self.loops.ty(local).elem());
        self.bounds.note_variable(var);
        self.names.scalars.insert(local, var);
        var
    }

    pub(super) fn atom(&mut self, operand: Operand) -> Atom {
        match operand {
            Operand::Const(c) => Atom::Const(c),
            Operand::Local(local) => match self.names.scalars.get(&local) {
                Some(&var) => Atom::Var(var),
                None => Atom::Var(self.fresh(local)),
            },
        }
    }

    /// An integer as it is computed: equal to it modulo wrapping.
    pub(super) fn computed(&self, operand: Operand) -> Option<Poly> {
        match operand {
            Operand::Const(c) => c.as_i64().map(Poly::constant),
            Operand::Local(local) => {
                let var = *self.names.scalars.get(&local)?;
                self.wrapping.get(&var).cloned().or_else(|| self.bounds.poly(&self.func, Atom::Var(var)))
            }
        }
    }

    /// Records how a variable is computed. Of several that have equal definitions too large to be written out, the
    /// first stands for all.
    fn computed_as(&mut self, var: VarId, place: Poly) {
        if is_small(&place) {
            self.wrapping.insert(var, place);
        } else if let Some(symbol) = self.symbols.get(&place) {
            self.wrapping.insert(var, symbol.clone());
        } else if let Some(symbol) = self.bounds.poly(&self.func, Atom::Var(var)) {
            self.symbols.insert(place, symbol);
        }
    }

    /// A position as a variable computed in the same way would be.
    pub(super) fn symbol_of(&mut self, place: Poly) -> Poly {
        if is_small(&place) {
            return place;
        }
        let func = &mut self.func;
        let fresh = || Poly::var(func.scalar_var("place", Scalar::I64));
        self.symbols.entry(place).or_insert_with(fresh).clone()
    }

    pub(super) fn prim(&mut self, local: LocalId, prim: Prim, args: &[Operand]) {
        if let Some(same) = self.same_as(prim, args) {
            return self.set(local, same);
        }
        let place = self.wrapped(prim, args);
        let atoms: Vec<Atom> = args.iter().map(|&a| self.atom(a)).collect();
        let var = self.fresh(local);
        if let &[a, b] = atoms.as_slice()
            && let Some(holds) = self.outcome(prim, a, b)
        {
            self.decided.insert(var, holds);
        }
        let limits = self.limits_of(prim, &atoms);
        let sum = if prim == Prim::Add { self.sum(&atoms) } else { None };
        let quotient = match (prim, atoms.as_slice()) {
            (Prim::Div, &[a, Atom::Const(Const::I64(by))]) if by > 0 => Some((a, by)),
            _ => None,
        };
        self.bounds.lies_within(var, &limits);
        self.pass(vec![var], Op::Prim(prim, atoms));
        if self.loops.ty(local) != Ty::Scalar(Scalar::I64) {
            return;
        }
        if let Some((a, by)) = quotient {
            self.bounds.note_quotient(&self.func, var, a, by);
        }
        if let Some(place) = place {
            self.computed_as(var, place);
        }
        if let Some(sum) = sum.filter(|sum| self.sums.contains(sum)) {
            self.bounds.define(var, sum);
        }
        if let Some(value) = self.bounds.poly(&self.func, Atom::Var(var)) {
            self.bounds.recall(&value);
        }
    }

    /// The range of a choice and of an extreme.
    fn limits_of(&mut self, prim: Prim, args: &[Atom]) -> Elements {
        let (&[a, b] | &[_, a, b]) = args else { return Elements::default() };
        if !matches!(prim, Prim::Select | Prim::Min | Prim::Max) {
            return Elements::default();
        }
        // Facts here may mention any known variable.
        self.bounds.enter();
        let [a, b] = [a, b].map(|atom| self.bounds.bounds_of_value(&self.func, atom));
        self.bounds.leave();
        match prim {
            Prim::Select => self.bounds.either(&a, &b),
            _ => self.bounds.bounds_of_extreme(prim == Prim::Max, &a, &b),
        }
    }

    /// Whether a comparison is known to hold, or not to.
    fn outcome(&self, prim: Prim, a: Atom, b: Atom) -> Option<bool> {
        let equal = self.bounds.poly(&self.func, a)? == self.bounds.poly(&self.func, b)?;
        match prim {
            Prim::Eq | Prim::Le | Prim::Ge if equal => Some(true),
            Prim::Ne | Prim::Lt | Prim::Gt if equal => Some(false),
            _ => self.bounds.outcome(&self.func, prim, a, b),
        }
    }

    /// The operand that a primitive returns unchanged: the lesser of two that are known to be in order, the one that is
    /// chosen.
    fn same_as(&mut self, prim: Prim, args: &[Operand]) -> Option<Operand> {
        match (prim, args) {
            (Prim::Select, &[Operand::Local(cond), a, b]) => {
                let holds = *self.decided.get(self.names.scalars.get(&cond)?)?;
                Some(if holds { a } else { b })
            }
            (Prim::Min | Prim::Max, &[a, b]) => {
                let [x, y] = [a, b].map(|o| self.atom(o));
                let up = self.bounds.poly(&self.func, y)?.sub(&self.bounds.poly(&self.func, x)?);
                let (lesser, greater) = if self.bounds.non_negative(&up) {
                    (a, b)
                } else if self.bounds.non_negative(&up.neg()) {
                    (b, a)
                } else {
                    return None;
                };
                Some(if prim == Prim::Min { lesser } else { greater })
            }
            _ => None,
        }
    }

    /// A sum or product as it wraps.
    fn wrapped(&self, prim: Prim, args: &[Operand]) -> Option<Poly> {
        let args: Vec<Poly> = args.iter().map(|&a| self.computed(a)).collect::<Option<_>>()?;
        match (prim, args.as_slice()) {
            (Prim::Neg, [a]) => Some(a.neg()),
            (Prim::Add, [a, b]) => Some(a.add(b)),
            (Prim::Sub, [a, b]) => Some(a.sub(b)),
            (Prim::Mul, [a, b]) => Some(a.mul(b)),
            _ => None,
        }
    }

    /// Records that a sum is an integer.
    pub(super) fn sum_checked(&mut self, args: &[Operand]) {
        let atoms: Vec<Atom> = args.iter().map(|&a| self.atom(a)).collect();
        self.sums.extend(self.sum(&atoms));
    }

    fn sum(&self, terms: &[Atom]) -> Option<Poly> {
        terms.iter().try_fold(Poly::default(), |sum, &term| Some(sum.add(&self.bounds.poly(&self.func, term)?)))
    }

    /// Records a fact about values that wrapped where they were computed: the sum is then a symbol, and a summand that
    /// nothing else is known about is the rest of the symbol.
    pub(super) fn resolve(&mut self, args: &[Operand]) {
        for &arg in args {
            let Operand::Local(local) = arg else { continue };
            let Some(&var) = self.names.scalars.get(&local) else { continue };
            let value = self.bounds.poly(&self.func, Atom::Var(var));
            let (Some(symbol), Some(sum)) = (value.and_then(|v| v.as_var()), self.wrapping.get(&var)) else { continue };
            let alone = |(m, c): (&arr_base::Monomial<VarId>, &i64)| match m.as_slice() {
                [v] if c.unsigned_abs() == 1 => Some((*v, *c)),
                _ => None,
            };
            let occurs = |v: VarId| sum.terms.keys().filter(|m| m.contains(&v)).count();
            let of = sum.terms.iter().filter_map(alone).filter(|&(v, _)| v != symbol && occurs(v) == 1).max();
            if let Some((v, sign)) = of {
                let rest = sum.sub(&Poly::var(v).mul(&Poly::constant(sign)));
                self.resolved.push((v, Poly::var(symbol).sub(&rest).mul(&Poly::constant(sign))));
            }
        }
    }

    /// A position, with checked sums in place of their summands: with all of them, the last first, and with one.
    pub(super) fn with_checked_sums(&self, at: &Poly) -> Vec<Poly> {
        let with = |place: &Poly, (var, by): &(VarId, Poly)| {
            let occurs = place.terms.keys().any(|m| m.contains(var));
            occurs.then(|| place.substitute(&mut |v| (v == *var).then(|| by.clone())))
        };
        let all = self.resolved.iter().rev().fold(at.clone(), |place, sum| with(&place, sum).unwrap_or(place));
        let mut places = vec![all];
        for place in self.resolved.iter().rev().filter_map(|sum| with(at, sum)).take(MAX_SUMS) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places.retain(|place| place != at && place.terms.len() <= MAX_TERMS);
        places
    }

    pub(super) fn set(&mut self, local: LocalId, value: Operand) {
        match (self.loops.ty(local), value) {
            (Ty::Scalar(_), value) => {
                let (computed, atom) = (self.computed(value), self.atom(value));
                match atom {
                    // A variable of the analysis never changes.
                    Atom::Var(var) => drop(self.names.scalars.insert(local, var)),
                    Atom::Const(c) => {
                        let var = self.fresh(local);
                        if let Some(poly) = computed {
                            self.bounds.define(var, poly);
                        } else if let Const::Bool(_) = c {
                            self.pass(vec![var], Op::Prim(Prim::And, vec![atom, atom]));
                        }
                    }
                }
            }
            (Ty::Buffer(_), Operand::Local(from)) => match self.names.buffers.get(&from).copied() {
                Some(array) => drop(self.names.buffers.insert(local, array)),
                None => drop(self.names.buffers.remove(&local)),
            },
            (Ty::Address(_), Operand::Local(from)) => match self.names.addresses.get(&from).cloned() {
                Some(place) => drop(self.names.addresses.insert(local, place)),
                None => drop(self.names.addresses.remove(&local)),
            },
            _ => {}
        }
    }

    /// Drops all facts about a local.
    pub(super) fn forget(&mut self, local: LocalId) {
        match self.loops.ty(local) {
            Ty::Scalar(_) => drop(self.fresh(local)),
            Ty::Buffer(_) => drop(self.names.buffers.remove(&local)),
            Ty::Address(_) => drop(self.names.addresses.remove(&local)),
        }
    }

    pub(super) fn param_size(&mut self, size: &ParamSize) -> Poly {
        let mut sum = Poly::default();
        for (factors, coefficient) in &size.terms {
            let mut term = Poly::constant(*coefficient);
            for &factor in factors {
                let known = self.computed(factor.into());
                term = term.mul(&known.unwrap_or_else(|| {
                    let symbol = self.fresh(factor);
                    self.func.broken(Poly::var(symbol), "a parameter has a size that is no parameter")
                }));
            }
            sum = sum.add(&term);
        }
        sum
    }

    /// The number of elements that axes of these sizes hold; `None` if two of them might be negative.
    pub(super) fn count(&mut self, dims: &[Operand]) -> Option<Poly> {
        let mut doubtful = 0;
        let mut count = Poly::constant(1);
        for &dim in dims {
            let atom = self.atom(dim);
            let size = self.bounds.poly(&self.func, atom)?;
            if !self.bounds.non_negative(&size) {
                doubtful += 1;
            }
            count = count.mul(&size);
        }
        if doubtful > 1 {
            return None;
        }
        self.bounds.note_count(&count);
        Some(count)
    }

    /// Records an array of these sizes.
    pub(super) fn made(&mut self, dims: &[Operand]) {
        let sizes: Option<Vec<Poly>> = dims
            .iter()
            .map(|&d| {
                let atom = self.atom(d);
                self.bounds.poly(&self.func, atom)
            })
            .collect();
        self.allocated.extend(sizes);
        self.limit_allocated();
    }

    /// Sizes of arrays that were made are limited, unless another is empty.
    pub(super) fn limit_allocated(&mut self) {
        for sizes in &self.allocated {
            for (k, size) in sizes.iter().enumerate() {
                let full =
                    |(j, other): (usize, &Poly)| j == k || self.bounds.non_negative(&other.sub(&Poly::constant(1)));
                let open = limited_by(size).is_some_and(|v| !self.bounds.is_limited(v));
                if open && sizes.iter().enumerate().all(full) {
                    self.bounds.limit_to_memory(size);
                }
            }
        }
    }

    /// The checks of branches whose conditions hold here.
    pub(super) fn recall_branches(&mut self) {
        for (conds, kind, args) in self.branches.clone() {
            if conds.iter().all(|&cond| self.bounds.holds_here(&self.func, cond)) {
                self.pass(Vec::new(), Op::Check { kind, args });
            }
        }
    }

    /// The checks under these conditions, in a branch that does nothing else.
    fn checks_of_branch(&mut self, conds: &[Atom], body: &[Stmt]) -> Option<Vec<BranchCheck>> {
        let mut found = Vec::new();
        for stmt in body {
            match stmt {
                Stmt::Check { demand, args, .. } => {
                    let Some(kind) = super::check_of(*demand) else { continue };
                    let args = args.iter().map(|&a| self.atom(a)).collect();
                    found.push((conds.to_vec(), kind, args));
                }
                Stmt::If { cond, then_body, else_body } if else_body.is_empty() => {
                    let conds = [conds, &[self.atom(*cond)]].concat();
                    found.extend(self.checks_of_branch(&conds, then_body)?);
                }
                _ => return None,
            }
        }
        Some(found)
    }

    /// Records that the product of sizes is an integer.
    pub(super) fn product_checked(&mut self, args: &[Operand]) {
        drop(self.count(args));
    }

    pub(super) fn branch(&mut self, cond: Operand, then_body: &[Stmt], else_body: &[Stmt]) {
        let cond = self.atom(cond);
        if else_body.is_empty() {
            let checks = self.checks_of_branch(&[cond], then_body);
            self.branches.extend(checks.unwrap_or_default());
        }
        let before = (self.names.clone(), self.contents());
        let set = super::carried::set_in(&[then_body, else_body]);
        let mut sides = Vec::new();
        for (body, holds) in [(then_body, true), (else_body, false)] {
            self.names = before.0.clone();
            self.restore_contents(&before.1);
            self.enter();
            self.bounds.assume(&self.func, cond, holds);
            self.block(body);
            let limits = set.iter().map(|&local| self.limits(local)).collect::<Vec<Elements>>();
            self.leave();
            sides.push((self.names.clone(), self.contents(), limits));
        }
        self.names = before.0;
        let [(then_names, then_contents, then_limits), (else_names, else_contents, else_limits)] = sides.as_slice()
        else {
            return;
        };
        self.join_contents(then_contents, else_contents);
        for (k, local) in set.into_iter().enumerate() {
            match self.loops.ty(local) {
                Ty::Scalar(_) => {
                    let (a, b) = (then_names.scalars.get(&local), else_names.scalars.get(&local));
                    match (a, b) {
                        (Some(a), Some(b)) if a == b => drop(self.names.scalars.insert(local, *a)),
                        (Some(&a), Some(&b)) => {
                            let var = self.fresh(local);
                            let block = |v: VarId| Block { results: vec![Atom::Var(v)], ..Block::default() };
                            self.pass(vec![var], Op::If { cond, then_block: block(a), else_block: block(b) });
                            if let (Some(a), Some(b)) = (then_limits.get(k), else_limits.get(k)) {
                                let either = self.bounds.either(a, b);
                                self.bounds.lies_within(var, &either);
                            }
                        }
                        _ => drop(self.fresh(local)),
                    }
                }
                Ty::Buffer(_) => {
                    let (a, b) = (then_names.buffers.get(&local), else_names.buffers.get(&local));
                    self.either_array(local, a.copied(), b.copied());
                }
                Ty::Address(_) => drop(self.names.addresses.remove(&local)),
            }
        }
    }

    /// The present range of an integer, in terms that are meaningful outside the innermost scope.
    pub(super) fn limits(&mut self, local: LocalId) -> Elements {
        if self.loops.ty(local) != Ty::Scalar(Scalar::I64) || !self.names.scalars.contains_key(&local) {
            return Elements::default();
        }
        let atom = self.atom(local.into());
        let mut limits = self.bounds.bounds_of_value(&self.func, atom);
        self.bounds.seen_from_outside(&mut limits);
        limits
    }

    /// A polynomial with the names of locals.
    pub(super) fn spelled(&self, poly: &Poly) -> String {
        let term = |(m, c): (&arr_base::Monomial<VarId>, &i64)| {
            let names: Vec<&str> = m.iter().map(|&v| self.func.vars[v].name.as_str()).collect();
            if names.is_empty() {
                c.to_string()
            } else if *c == 1 {
                names.join("*")
            } else {
                format!("{c}*{}", names.join("*"))
            }
        };
        let terms: Vec<String> = poly.terms.iter().map(term).collect();
        if terms.is_empty() { "0".to_string() } else { terms.join(" + ") }
    }
}

/// Whether a position is written out where it is used.
fn is_small(place: &Poly) -> bool {
    place.terms.len() <= MAX_TERMS && place.terms.keys().all(|m| m.len() <= MAX_DEGREE)
}
