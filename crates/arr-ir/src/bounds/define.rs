//! The facts about integers that follow from statements, axes, conditions and checks.

use super::facts::{Bounds, Def, Elements, Term, is_small, is_tame};
use crate::{
    Atom, Axis, Block, Check, Const, Func, Op, Poly, Prim, Reduction, Scalar, ScatterKind, SizeId, Stmt, VarId,
};

/// The maximum number of elements of a literal whose least and greatest are determined.
const MAX_LITERAL: usize = 1 << 16;
/// The number of bounds kept for the elements of an array.
const MAX_BOUNDS: usize = 4;

impl Bounds {
    /// Adds the axes of an operation, outermost first. The caller has opened a scope.
    pub fn axes(&mut self, func: &Func, axes: &[Axis]) {
        for axis in axes {
            let extent = self.size(func, axis.extent);
            self.limit(axis.index, self.bits_of(&extent));
            self.set_natural(axis.index);
            self.add_fact(extent.sub(&Poly::constant(1)).sub(&Poly::var(axis.index)));
            self.add_axis(axis.index, extent);
        }
    }

    /// Adds the facts of a statement that has run. Its blocks have been walked before, each in a scope of its own.
    pub fn passed(&mut self, func: &Func, stmt: &Stmt) {
        for &v in &stmt.vars {
            self.note_array(func, &func.ty(v).dims);
            self.depths.insert(v, self.depth());
        }
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::Prim(prim, args), &[var]) => self.prim(func, var, *prim, args),
            (Op::Size(size), &[var]) => {
                let poly = self.size(func, *size);
                if is_small(&poly) && (self.dims.contains(size) || self.is_exact(&poly)) {
                    self.polys.insert(var, poly);
                }
            }
            (Op::Read { array, index, checked }, vars) => {
                if *checked {
                    self.were_inside(func, *array, index);
                }
                if let &[var] = vars
                    && !self.is_read_again(func, var, *array, index)
                {
                    self.element(func, var, *array);
                    self.condition_at(func, var, *array, index);
                }
            }
            (Op::Scatter { kind, dest, axes, body, checked }, _) => {
                if *checked && axes.is_empty() {
                    self.wrote(func, *dest, body);
                }
                if *kind == ScatterKind::Set {
                    self.rewritten(func, stmt, *dest, body);
                }
            }
            (Op::Reduce { kind, axes, .. }, vars) => self.reduced(func, *kind, axes, vars),
            (Op::Literal(literal), &[var]) => self.literal(var, &literal.data),
            (Op::Argsort(array), &[var]) => {
                if let Some(&last) = func.ty(*array).dims.last() {
                    let high = self.size(func, last).sub(&Poly::constant(1));
                    self.elements.insert(var, Elements { low: vec![Poly::default()], high: vec![high] });
                }
            }
            // The axes differ: facts about points are lost.
            (Op::Reshape(array), &[var]) => {
                if let Some(known) = self.elements.get(array) {
                    self.elements.insert(var, known.clone());
                }
            }
            (Op::StopGradient(from), &[var]) => self.equal(func, var, *from),
            (Op::Barrier(from), vars) => {
                for (&var, &atom) in vars.iter().zip(from) {
                    self.equal(func, var, atom);
                }
            }
            (Op::If { cond, then_block, else_block }, vars) => {
                for ((&var, &a), &b) in vars.iter().zip(&then_block.results).zip(&else_block.results) {
                    self.choice(func, var, *cond, a, b);
                }
            }
            (Op::Check { kind, args }, _) => self.checked(func, *kind, args),
            _ => {}
        }
    }

    /// Adds what the results of a kernel imply about the arrays it makes, while the scope of its body is still open.
    pub fn yielded(&mut self, func: &Func, arrays: &[VarId], axes: &[Axis], results: &[Atom]) {
        for (&array, &result) in arrays.iter().zip(results) {
            self.built(func, array, axes, result);
        }
    }

    fn equal(&mut self, func: &Func, var: VarId, from: Atom) {
        if let Some(poly) = self.poly(func, from) {
            self.polys.insert(var, poly);
        } else if let Atom::Var(array) = from {
            self.same_elements(array, var);
        }
    }

    fn same_elements(&mut self, from: VarId, to: VarId) {
        if let Some(known) = self.elements.get(&from) {
            self.elements.insert(to, known.clone());
        }
        if let Some(known) = self.conditions.get(&from) {
            self.conditions.insert(to, known.clone());
        }
    }

    fn choice(&mut self, func: &Func, var: VarId, cond: Atom, a: Atom, b: Atom) {
        if let (Some(x), Some(y)) = (self.poly(func, a), self.poly(func, b)) {
            self.limit(var, self.bits_of(&x).max(self.bits_of(&y)).filter(|_| self.is_exact(&x) && self.is_exact(&y)));
            if self.is_natural(&x) && self.is_natural(&y) {
                self.set_natural(var);
            }
            // The chosen value lies between the two.
            for (high, low) in [(&x, &y), (&y, &x)] {
                if self.non_negative(&high.sub(low)) {
                    self.add_fact(high.sub(&Poly::var(var)));
                    self.add_fact(Poly::var(var).sub(low));
                    break;
                }
            }
            self.defs.insert(var, Def::Choice(cond, x, y));
        } else if func.ty(var).elem == Scalar::Bool && func.ty(var).is_scalar() {
            // `a and b`, `a or b` whose second condition is evaluated only where it is needed.
            match (a, b) {
                (a, Atom::Const(Const::Bool(false))) => self.defs.insert(var, Def::Condition(Prim::And, vec![cond, a])),
                (Atom::Const(Const::Bool(true)), b) => self.defs.insert(var, Def::Condition(Prim::Or, vec![cond, b])),
                // Of a negated condition only one part remains.
                (Atom::Const(Const::Bool(false)), b) => self.defs.insert(var, Def::Condition(Prim::And, vec![b])),
                (a, Atom::Const(Const::Bool(true))) => self.defs.insert(var, Def::Condition(Prim::Or, vec![a])),
                _ => None,
            };
        }
    }

    fn prim(&mut self, func: &Func, var: VarId, prim: Prim, args: &[Atom]) {
        let ty = func.ty(var);
        if ty.elem == Scalar::Bool {
            self.defs.insert(var, Def::Condition(prim, args.to_vec()));
            return;
        }
        if ty.elem != Scalar::I64 {
            return;
        }
        if let (Prim::Select, &[cond, a, b]) = (prim, args) {
            return self.choice(func, var, cond, a, b);
        }
        let polys: Option<Vec<Poly>> = args.iter().map(|&a| self.poly(func, a)).collect();
        let Some(polys) = polys else { return };
        if let Some(poly) = self.arithmetic(prim, &polys) {
            self.polys.insert(var, poly);
            return;
        }
        // Equal arithmetic is one symbol, whatever else is known about it.
        if let Some(&known) = self.symbols.get(&Term::Prim(prim, polys.clone())) {
            self.polys.insert(var, Poly::var(known));
            return;
        }
        self.add_symbol(Term::Prim(prim, polys.clone()), var);
        if polys.iter().all(|p| self.is_exact(p)) && matches!(prim, Prim::Div | Prim::Rem | Prim::Min | Prim::Max) {
            let most = polys.iter().filter_map(|p| self.bits_of(p)).max();
            self.limit(var, self.quotient_bits(prim, &polys).or(most));
        }
        match (prim, polys.as_slice()) {
            (Prim::Div, [a, b]) => self.quotient(var, a, b),
            (Prim::Rem, [a, b]) => self.remainder(var, a, b),
            (Prim::Min, [a, b]) => {
                self.defs.insert(var, Def::Min(a.clone(), b.clone()));
                self.add_fact(a.sub(&Poly::var(var)));
                self.add_fact(b.sub(&Poly::var(var)));
                if self.is_natural(a) && self.is_natural(b) {
                    self.set_natural(var);
                }
            }
            (Prim::Max, [a, b]) => {
                self.defs.insert(var, Def::Max(a.clone(), b.clone()));
                self.add_fact(Poly::var(var).sub(a));
                self.add_fact(Poly::var(var).sub(b));
                if self.is_natural(a) || self.is_natural(b) {
                    self.set_natural(var);
                }
            }
            _ => {}
        }
    }

    /// A sum or product that does not wrap.
    fn arithmetic(&self, prim: Prim, args: &[Poly]) -> Option<Poly> {
        let poly = match (prim, args) {
            (Prim::Add, [a, b]) => a.add(b),
            (Prim::Sub, [a, b]) => a.sub(b),
            (Prim::Mul, [a, b]) => a.mul(b),
            (Prim::Neg, [a]) => a.neg(),
            _ => return None,
        };
        // A result of zero, or equal to an operand, has not wrapped.
        let trivial = args.contains(&poly) || poly.as_constant() == Some(0);
        let exact = trivial || self.is_exact(&poly) || self.is_covered(&poly) || self.is_capped(prim, args);
        (is_small(&poly) && exact).then_some(poly)
    }

    /// Whether a product is at most the element count of an existing array, as offsets in a row-major matrix are.
    fn is_covered(&self, poly: &Poly) -> bool {
        if !is_tame(poly) || poly.terms.keys().all(|m| m.len() < 2) || !self.non_negative(poly) {
            return false;
        }
        self.counts.iter().any(|count| self.non_negative(&count.sub(poly)))
    }

    /// The bits of a quotient by a positive number `c`: its magnitude is at most that of the dividend over `c`, rounded up, so that
    /// it can be 1 whatever `c` is.
    fn quotient_bits(&self, prim: Prim, args: &[Poly]) -> Option<u32> {
        let (Prim::Div, [a, b]) = (prim, args) else { return None };
        let divisor = b.as_constant().filter(|&c| c > 1)?;
        Some((self.bits_of(a)? + 1).saturating_sub(divisor.ilog2()).max(1))
    }

    fn quotient(&mut self, var: VarId, a: &Poly, b: &Poly) {
        // Nothing is known about division by a negative number or by zero.
        let positive = b.as_constant().is_some_and(|c| c > 0) || self.is_natural(b);
        if !positive {
            return;
        }
        if self.non_negative(a) {
            self.set_natural(var);
        }
        self.defs.insert(var, Def::Quotient(a.clone(), b.clone()));
        let product = Poly::var(var).mul(b);
        if is_small(&product) {
            let rest = a.sub(&product);
            match self.symbols.get(&Term::Prim(Prim::Rem, vec![a.clone(), b.clone()])) {
                Some(&rem) => self.equation(&rest.sub(&Poly::var(rem))),
                None => {
                    self.add_fact(b.sub(&Poly::constant(1)).sub(&rest));
                    self.add_fact(rest);
                }
            }
        }
    }

    fn remainder(&mut self, var: VarId, a: &Poly, b: &Poly) {
        let positive = b.as_constant().is_some_and(|c| c > 0) || self.is_natural(b);
        if !positive {
            return;
        }
        self.set_natural(var);
        self.limit(var, self.bits_of(b));
        self.add_fact(b.sub(&Poly::constant(1)).sub(&Poly::var(var)));
        if self.non_negative(a) {
            self.add_fact(a.sub(&Poly::var(var)));
        }
        if let Some(&quotient) = self.symbols.get(&Term::Prim(Prim::Div, vec![a.clone(), b.clone()])) {
            let product = Poly::var(quotient).mul(b);
            if is_small(&product) {
                self.equation(&a.sub(&product).sub(&Poly::var(var)));
            }
        }
    }

    fn equation(&mut self, zero: &Poly) {
        self.add_fact(zero.clone());
        self.add_fact(zero.neg());
    }

    /// Whether an integer is an element that has been read before; it then gets the symbol of that read.
    fn is_read_again(&mut self, func: &Func, var: VarId, array: VarId, index: &[Atom]) -> bool {
        if func.ty(var).elem != Scalar::I64 || !func.ty(var).is_scalar() {
            return false;
        }
        let index: Option<Vec<Poly>> = index.iter().map(|&a| self.poly(func, a)).collect();
        let Some(index) = index else { return false };
        let term = Term::Read(array, index);
        if let Some(&known) = self.symbols.get(&term) {
            self.polys.insert(var, Poly::var(known));
            return true;
        }
        self.add_symbol(term, var);
        false
    }

    fn element(&mut self, func: &Func, var: VarId, array: VarId) {
        if func.ty(var).elem != Scalar::I64 {
            return;
        }
        let Some(known) = self.elements.get(&array).cloned() else { return };
        self.bounded(var, &known.low, &known.high);
    }

    /// A truth value read from an array implies what the array's element at that point implies.
    fn condition_at(&mut self, func: &Func, var: VarId, array: VarId, index: &[Atom]) {
        let Some(of) = self.conditions.get(&array).cloned() else { return };
        let index: Option<Vec<Poly>> = index.iter().map(|&a| self.poly(func, a)).collect();
        let Some(index) = index.filter(|i| i.len() == of.point.len() && i.iter().all(|p| self.is_exact(p))) else {
            return;
        };
        let at = |facts: &[Poly]| -> Vec<Poly> {
            let place = |v: VarId| of.point.iter().zip(&index).find(|(axis, _)| **axis == v).map(|(_, p)| p.clone());
            let tame =
                |p: &&Poly| is_tame(p) && index.iter().all(|i| i.terms.values().all(|c| c.unsigned_abs() < 1 << 16));
            facts.iter().filter(tame).map(|fact| fact.substitute(&mut |v| place(v))).collect()
        };
        self.defs.insert(var, Def::Known { yes: at(&of.yes), no: at(&of.no) });
    }

    pub(super) fn bounded(&mut self, var: VarId, low: &[Poly], high: &[Poly]) {
        for bound in low {
            self.add_fact(Poly::var(var).sub(bound));
        }
        for bound in high {
            self.add_fact(bound.sub(&Poly::var(var)));
        }
        let most = |bounds: &[Poly]| bounds.iter().filter_map(|p| self.bits_of(p)).min();
        if let (Some(a), Some(b)) = (most(low), most(high)) {
            self.limit(var, Some(a.max(b)));
        }
    }

    /// The elements of a built array satisfy the facts about the body's result.
    fn built(&mut self, func: &Func, array: VarId, axes: &[Axis], result: Atom) {
        if func.ty(array).elem == Scalar::Bool {
            return self.built_of_conditions(func, array, axes, result);
        }
        if func.ty(array).elem != Scalar::I64 {
            return;
        }
        let known = match result {
            Atom::Var(v) if !func.ty(v).is_scalar() => self.elements.get(&v).cloned(),
            atom => self.poly(func, atom).map(|poly| self.bounds_of(&poly)),
        };
        if let Some(known) = known {
            self.elements.insert(array, known);
        }
    }

    /// Bounds of a value that follow from facts, from the scope that is still open.
    pub(super) fn bounds_of(&self, poly: &Poly) -> Elements {
        let mut found = Elements::default();
        if self.non_negative(poly) {
            found.low.push(Poly::default());
        }
        let Some(&v) = poly.vars().first() else {
            return Elements { low: vec![poly.clone()], high: vec![poly.clone()] };
        };
        for fact in self.facts_about(v).rev() {
            // fact = bound - value
            let bound = fact.add(poly);
            // At other points, variables bound in the body have other values.
            let outside = bound.vars().into_iter().all(|w| w != v && self.is_from_outside(w));
            if outside && found.high.len() < MAX_BOUNDS {
                found.high.push(bound);
            }
        }
        found
    }

    fn literal(&mut self, var: VarId, data: &[Const]) {
        if data.len() > MAX_LITERAL {
            return;
        }
        let values: Option<Vec<i64>> =
            data.iter().map(|c| if let Const::I64(i) = c { Some(*i) } else { None }).collect();
        let Some(values) = values else { return };
        if let (Some(&low), Some(&high)) = (values.iter().min(), values.iter().max()) {
            let bounds = Elements { low: vec![Poly::constant(low)], high: vec![Poly::constant(high)] };
            self.elements.insert(var, bounds);
        }
    }

    fn reduced(&mut self, func: &Func, kind: Reduction, axes: &[Axis], vars: &[VarId]) {
        if let (Reduction::ArgMax | Reduction::ArgMin, [axis]) = (kind, axes) {
            let last = self.size(func, axis.extent).sub(&Poly::constant(1));
            for &var in vars {
                self.limit(var, self.bits_of(&last));
                self.set_natural(var);
                self.add_fact(last.sub(&Poly::var(var)));
            }
        }
    }

    /// An array of integers with elements replaced holds old elements or written values.
    fn rewritten(&mut self, func: &Func, stmt: &Stmt, dest: VarId, body: &Block) {
        let (&[var], Some(known)) = (stmt.vars.as_slice(), self.elements.get(&dest).cloned()) else { return };
        if func.ty(var).elem != Scalar::I64 {
            return;
        }
        let rank = func.ty(dest).rank();
        let values: Option<Vec<Poly>> =
            body.results.chunks(rank + 2).map(|w| w.last().and_then(|&a| self.poly(func, a))).collect();
        let Some(values) = values else { return };
        let within = |p: &Poly| values.iter().all(|v| self.non_negative(&p.sub(v)));
        let above = |p: &Poly| values.iter().all(|v| self.non_negative(&v.sub(p)));
        let kept = Elements {
            low: known.low.into_iter().filter(above).collect(),
            high: known.high.into_iter().filter(within).collect(),
        };
        self.elements.insert(var, kept);
    }

    /// The places that a checked write without axes wrote, if it has no guard.
    fn wrote(&mut self, func: &Func, dest: VarId, body: &Block) {
        let rank = func.ty(dest).rank();
        for write in body.results.chunks(rank + 2) {
            if let [Atom::Const(Const::Bool(true)), index @ .., _] = write {
                self.were_inside(func, dest, index);
            }
        }
    }

    pub(super) fn were_inside(&mut self, func: &Func, array: VarId, index: &[Atom]) {
        let dims = func.ty(array).dims.clone();
        for (&i, dim) in index.iter().zip(dims) {
            let extent = self.size(func, dim);
            if let Some(i) = self.poly(func, i) {
                self.was_inside(&i, &extent);
            }
        }
    }

    fn was_inside(&mut self, index: &Poly, extent: &Poly) {
        self.remember(index, extent);
        self.is_inside_of(index, extent);
    }

    /// The facts that follow from a check that has passed.
    fn checked(&mut self, func: &Func, kind: Check, args: &[Atom]) {
        let polys: Option<Vec<Poly>> = args.iter().map(|&a| self.poly(func, a)).collect();
        let Some(polys) = polys else { return };
        match (kind, polys.as_slice()) {
            (Check::Index, [index, extent]) => self.was_inside(index, extent),
            (Check::SizeEq, [found, expected]) => self.equation(&found.sub(expected)),
            (Check::SizeNonNeg, [size]) => self.add_checked(size.clone()),
            (Check::NonEmpty | Check::Step, [size]) => self.add_checked(size.sub(&Poly::constant(1))),
            (Check::Slice, [low, high, extent]) => {
                for v in [low, high].into_iter().filter_map(|p| p.as_var()) {
                    self.limit(v, self.bits_of(extent));
                }
                self.add_checked(low.clone());
                self.add_checked(high.sub(low));
                self.add_checked(extent.sub(high));
            }
            _ => {}
        }
    }

    /// Adds the fact of a check that has passed. A check that always fails adds nothing: if everything after it counted
    /// as proved, guards would be removed there, and a kernel that is then moved before the check would raise an error
    /// of its own.
    pub(super) fn add_checked(&mut self, fact: Poly) {
        if fact.as_constant().is_none_or(|constant| constant >= 0) {
            self.add_fact(fact);
        }
    }

    /// Whether a check is known to pass.
    pub fn passes(&mut self, func: &Func, kind: Check, args: &[Atom]) -> bool {
        let polys: Option<Vec<Poly>> = args.iter().map(|&a| self.poly(func, a)).collect();
        let Some(polys) = polys else { return false };
        let one = Poly::constant(1);
        match (kind, polys.as_slice()) {
            (Check::Index, [index, extent]) => self.is_index(func, index, extent),
            (Check::SizeEq, [found, expected]) => found == expected,
            (Check::SizeNonNeg, [size]) => self.non_negative(size),
            (Check::NonEmpty | Check::Step, [size]) => self.non_negative(&size.sub(&one)),
            (Check::Slice, [low, high, extent]) => {
                self.non_negative(low) && self.non_negative(&high.sub(low)) && self.non_negative(&extent.sub(high))
            }
            _ => false,
        }
    }

    /// Whether the places that a `scatter` writes to are known to be in bounds, each where its guard holds. Called in
    /// the scope of the body, with its results.
    pub fn writes_inside(&mut self, func: &Func, dest: VarId, results: &[Atom]) -> bool {
        results.chunks(func.ty(dest).rank() + 2).all(|write| match write {
            [Atom::Const(Const::Bool(false)), ..] => true,
            [guard, index @ .., _] => {
                self.enter();
                self.assume(func, *guard, true);
                let inside = self.all_inside(func, dest, index);
                self.leave();
                inside
            }
            _ => true,
        })
    }

    /// Whether a place of an array is known to be in bounds.
    pub fn all_inside(&mut self, func: &Func, array: VarId, index: &[Atom]) -> bool {
        index.iter().zip(&func.ty(array).dims).all(|(&i, &dim)| self.inside(func, i, dim))
    }

    /// Whether an index is known to be in bounds of an axis.
    pub fn inside(&mut self, func: &Func, index: Atom, extent: SizeId) -> bool {
        let Some(index) = self.poly(func, index) else { return false };
        self.is_index(func, &index, &self.size(func, extent))
    }

    fn is_index(&mut self, func: &Func, index: &Poly, extent: &Poly) -> bool {
        let last = extent.sub(&Poly::constant(1));
        self.holds(func, index) && self.holds(func, &last.sub(index)) || self.was_checked(index, extent)
    }
}
