//! Scalars and sizes: what is known of the integers that a program computes, as polynomials.

use crate::data::declared_type::size_product;
use crate::elaborate::Elab;
use crate::elaborate::elab::{Computed, SizeOrigin};
use arr_base::Span;
use arr_ir::integers::arithmetic;
use arr_ir::{Atom, Const, Poly, Prim, Scalar, SizeId, VarId};

impl<'a> Elab<'a> {
    /// A primitive on operands whose types were checked.
    pub fn prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        let kept = matches!(prim, Prim::Div | Prim::Rem | Prim::Min | Prim::Max | Prim::Pow);
        if kept && args.iter().all(|a| self.b.func.atom_elem(*a) == Scalar::I64) {
            let key = Computed::Prim(prim, args.iter().map(|a| self.poly(*a)).collect());
            return self.once(key, |e| e.fresh_prim(prim, args));
        }
        self.fresh_prim(prim, args)
    }

    /// The value computed before, if it is in scope here; otherwise computes it now.
    pub fn once(&mut self, key: Computed, compute: impl FnOnce(&mut Self) -> Atom) -> Atom {
        if let Some(&(known, block)) = self.computed.get(&key)
            && self.b.is_open(block)
        {
            return known;
        }
        let value = compute(self);
        self.computed.insert(key, (value, self.b.block_number()));
        value
    }

    fn fresh_prim(&mut self, prim: Prim, args: Vec<Atom>) -> Atom {
        let operands = args.clone();
        let Some(result) = self.b.prim(prim, args) else {
            return self.broken("an operation on operands of types that it does not take");
        };
        if let (Atom::Var(v), Some(&a)) = (result, operands.first())
            && self.b.func.atom_elem(a) == Scalar::I64
        {
            self.remember_poly(prim, v, &operands);
        }
        result
    }

    fn remember_poly(&mut self, prim: Prim, v: VarId, args: &[Atom]) {
        // Sizes are small polynomials; long ones are only arithmetic.
        let is_short = |poly: &Poly| poly.terms.len() <= 12 && poly.terms.keys().all(|m| m.len() <= 6);
        if let Some(poly) = arithmetic(prim, args, |arg| Some(self.poly(arg))).filter(is_short) {
            self.polys.insert(v, poly);
        }
    }

    /// The polynomial that an `i64` atom is.
    pub fn poly(&self, atom: Atom) -> Poly {
        match atom {
            Atom::Const(c) => Poly::constant(c.as_i64().unwrap_or(0)),
            Atom::Var(v) => self.polys.get(&v).cloned().unwrap_or_else(|| Poly::var(v)),
        }
    }

    /// The size that an `i64` atom is.
    pub fn size_of(&mut self, atom: Atom) -> SizeId {
        let poly = self.poly(atom);
        let span = self.span();
        for v in poly.vars() {
            let fact = "is the value of this expression";
            self.origins.entry(v).or_insert_with(|| SizeOrigin { name: String::new(), span: Some(span), fact });
        }
        self.b.func.types.size(poly)
    }

    /// The value of a size.
    pub fn size_value(&mut self, size: SizeId) -> Atom {
        let atom = self.b.size(size);
        if let Atom::Var(v) = atom {
            let poly = self.b.func.types.poly(size).clone();
            if poly.as_var() != Some(v) {
                self.polys.insert(v, poly);
            }
        }
        atom
    }

    pub fn size_const(&mut self, value: i64) -> SizeId {
        self.b.func.types.size_const(value)
    }

    pub fn size_add(&mut self, a: SizeId, b: SizeId) -> SizeId {
        let sum = self.b.func.types.poly(a).add(self.b.func.types.poly(b));
        self.b.func.types.size(sum)
    }

    pub fn size_sub(&mut self, a: SizeId, b: SizeId) -> SizeId {
        let difference = self.b.func.types.poly(a).sub(self.b.func.types.poly(b));
        self.b.func.types.size(difference)
    }

    /// A product that is longer than sizes may be becomes a computed size, of which nothing is known.
    pub fn size_mul(&mut self, a: SizeId, b: SizeId) -> SizeId {
        match size_product(self.b.func.types.poly(a), self.b.func.types.poly(b)) {
            Some(product) => self.b.func.types.size(product),
            None => {
                // Computed once, two products of the same sizes are one size.
                let key = Computed::Prim(Prim::Mul, [a, b].map(|s| self.b.func.types.poly(s).clone()).to_vec());
                let product = self.once(key, |e| {
                    let factors = vec![e.size_value(a), e.size_value(b)];
                    e.fresh_prim(Prim::Mul, factors)
                });
                self.size_of(product)
            }
        }
    }

    pub fn constant_size(&self, size: SizeId) -> Option<i64> {
        self.b.func.types.poly(size).as_constant()
    }

    pub fn int(value: i64) -> Atom {
        Atom::Const(Const::I64(value))
    }

    /// A fresh size variable that nothing is known about.
    pub fn opaque_size(&mut self, name: &str, fact: &'static str, span: Option<Span>) -> SizeId {
        let v = self.b.func.scalar_var(if name.is_empty() { "k" } else { name }, Scalar::I64);
        self.origins.insert(v, SizeOrigin { name: name.to_string(), span, fact });
        self.b.func.types.size_var(v)
    }
}
