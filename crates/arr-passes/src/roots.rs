//! Collects the powers of a root, signs and constants in products.
//!
//! ```text
//! s: f64 = sqrt x                        r3: f64 = mul (mul r, r), r
//! r: f64 = div 1.0, s                    p: f64 = mul s, 1.5
//! r3: f64 = mul (mul r, r), r            t: f64 = mul p, r3
//! a: f64 = mul m, r3                     e: f64 = mul m, t
//! b: f64 = mul a, d                      q: f64 = mul e, d
//! c: f64 = mul b, s              =>
//! e: f64 = mul b, x
//! f: f64 = mul e, (mul r, 0.5)
//! q: f64 = add c, f
//! ```
//!
//! The derivative of `1 / (x * sqrt(x))` is a sum of products that differ by a constant, as `x` is the square of the
//! root and `r` is the reciprocal. They become one product; a multiple or the negation of another is carried to the
//! multiplication by the power, or behind the sum over the points.
//!
//! Assumes:      a verified fused function, after `reciprocals`.
//! Guarantees:   values are off by a few rounding errors and are NaN where they were, as a power of both signs stays a
//!               product of both; powers keep their place among the factors, and their exponents between those that
//!               were reached there, so that nothing new overflows or vanishes, up to a constant of at most 16.
//! Leaves alone: code without the reciprocal of a root, or that would not get fewer operations; values on which
//!               integers, rounding or comparisons of the same code depend.
//! Cost:         O(statements).
//! Tests:        tests/roots/, and the sizes of errors in tests/programs
//!
//! Of the workloads that it was measured on, it is worth something on `nbody` alone (docs/ablation.md).

mod term;

use crate::reciprocals::{Around, rounded};
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, for_each_use};
use arr_ir::{Atom, Block, Const, Func, Op, Prim, Reduction, Scalar, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};
use term::{Power, Slot, Term};

/// Collects powers of roots in kernels, in place. Valid only for relaxed code, since rounding changes.
pub fn roots(func: &mut Func) {
    rewrite_stmts(func, Enter::OutsideKernels, &mut |func, stmt, out| match stmt.op.is_kernel() {
        true => nested(func, stmt, out),
        false => out.push(stmt),
    });
}

/// A statement of a kernel with its blocks; sums that are the negation of their terms are negated behind it.
fn nested(func: &mut Func, mut stmt: Stmt, out: &mut Vec<Stmt>) {
    let around = match &stmt.op {
        Op::Loop { body, .. } => {
            Around::Loop(body.params.iter().copied().filter(|&v| func.ty(v).is_scalar()).collect())
        }
        Op::While { .. } => return out.push(stmt),
        _ => Around::Kernel,
    };
    let sum = matches!(stmt.op, Op::Reduce { kind: Reduction::Sum, .. });
    let mut opposite = Vec::new();
    for inner in stmt.op.blocks_mut() {
        opposite = kernel(func, inner, &around, sum);
    }
    let mut negated = Vec::new();
    for (var, _) in stmt.vars.iter_mut().zip(&opposite).filter(|(_, opposite)| **opposite) {
        let sum = func.copy_var(*var);
        let op = Op::Prim(Prim::Neg, vec![Atom::Var(sum)]);
        negated.push(Stmt { vars: vec![std::mem::replace(var, sum)], op, span: stmt.span });
    }
    out.push(stmt);
    out.extend(negated);
}

/// Rewrites a block of a kernel, and returns which of its results are now negated; none unless they may be.
fn kernel(func: &mut Func, block: &mut Block, around: &Around, may_negate: bool) -> Vec<bool> {
    let mut stmts = Vec::new();
    for stmt in std::mem::take(&mut block.stmts) {
        if stmt.op.blocks().is_empty() { stmts.push(stmt) } else { nested(func, stmt, &mut stmts) }
    }
    block.stmts = stmts;
    let roots = reciprocals(block);
    if roots.is_empty() {
        return Vec::new();
    }
    let rounded = rounded(func, block, around);
    let pass = Pass {
        func,
        roots,
        rounded,
        terms: FxHashMap::default(),
        made: FxHashMap::default(),
        same: Subst::new(),
        out: Vec::new(),
    };
    let (collected, opposite) = pass.block(block, may_negate);
    if operations(func, &collected) >= operations(func, block) {
        return Vec::new();
    }
    *block = collected;
    opposite
}

/// The values around a root that is a divisor.
struct Root {
    square: VarId,
    reciprocal: VarId,
}

/// The roots of a block that have a reciprocal in it.
fn reciprocals(block: &Block) -> FxHashMap<VarId, Root> {
    let mut squares = FxHashMap::default();
    let mut roots = FxHashMap::default();
    for stmt in &block.stmts {
        let (Op::Prim(prim, args), &[var]) = (&stmt.op, stmt.vars.as_slice()) else { continue };
        match (prim, args.as_slice()) {
            (Prim::Sqrt, &[Atom::Var(square)]) => drop(squares.insert(var, square)),
            (Prim::Div, &[Atom::Const(one), Atom::Var(root)]) if one.as_f64() == Some(1.0) => {
                if let Some(&square) = squares.get(&root) {
                    roots.insert(root, Root { square, reciprocal: var });
                }
            }
            _ => {}
        }
    }
    roots
}

/// The number of operations on floats, without those in inner blocks.
fn operations(func: &Func, block: &Block) -> usize {
    block.stmts.iter().filter(|s| is_arithmetic(func, s)).count()
}

fn is_arithmetic(func: &Func, stmt: &Stmt) -> bool {
    matches!(stmt.op, Op::Prim(..)) && stmt.vars.iter().all(|&v| func.ty(v).elem.is_float())
}

struct Pass<'f> {
    func: &'f mut Func,
    roots: FxHashMap<VarId, Root>,
    /// Values to be computed as the program says.
    rounded: FxHashSet<VarId>,
    /// Values not computed yet, as products.
    terms: FxHashMap<VarId, Term>,
    /// Values computed for terms.
    made: FxHashMap<(Prim, Vec<Atom>), VarId>,
    /// Replacements of variables that are no longer computed.
    same: Subst,
    out: Vec<Stmt>,
}

impl Pass<'_> {
    fn block(mut self, block: &Block, may_negate: bool) -> (Block, Vec<bool>) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        let mut opposite = Vec::new();
        let mut results = block.results.clone();
        for result in &mut results {
            let term = result.var().and_then(|v| self.terms.get(&v).cloned());
            let negate = may_negate && term.as_ref().is_some_and(|t| t.scale < 0.0);
            opposite.push(negate);
            let Some(mut term) = term else { continue };
            if negate {
                term.scale = -term.scale;
            }
            *result = match self.value(&term) {
                Some(value) => Atom::Var(value),
                None => self.func.broken(*result, "a product of roots has no factors"),
            };
        }
        let mut block = Block { params: block.params.clone(), stmts: self.out, results };
        remove_unused(self.func, &mut block);
        (block, opposite)
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let (Op::Prim(prim, args), &[var]) = (&stmt.op, stmt.vars.as_slice())
            && self.func.ty(var).elem.is_float()
            && !self.rounded.contains(&var)
            && let Some(term) = self.term(*prim, args)
        {
            self.terms.insert(var, term);
            return;
        }
        let mut used = Vec::new();
        for_each_use(self.func, &stmt.op, &mut |v| used.push(v));
        for v in used {
            if let Some(term) = self.terms.get(&v).cloned()
                && let Some(value) = self.value(&term)
            {
                self.same.insert(v, value);
            }
        }
        let mut stmt = stmt.clone();
        self.same.apply_to_stmt(self.func, &mut stmt);
        self.note_root(&stmt);
        self.out.push(stmt);
    }

    /// A root, its radicand and its reciprocal are powers of the root from here on. The radicand may have been a
    /// product that is computed under another name: the program's name is a power, and the other is the factor.
    fn note_root(&mut self, stmt: &Stmt) {
        let Some(&var) = stmt.vars.first() else { return };
        let mut power = |v: VarId, root, up, down| self.terms.insert(v, Term::power(Power { root, up, down }));
        if let Some(root) = self.roots.get_mut(&var) {
            power(var, var, 1, 0);
            power(root.square, var, 2, 0);
            if let Op::Prim(Prim::Sqrt, args) = &stmt.op
                && let &[Atom::Var(square)] = args.as_slice()
            {
                root.square = square;
            }
        }
        if let Some((&root, _)) = self.roots.iter().find(|(_, root)| root.reciprocal == var) {
            power(var, root, 0, 1);
        }
    }

    fn of(&self, v: VarId) -> Term {
        self.terms.get(&v).cloned().unwrap_or_else(|| Term::var(v))
    }

    /// The result of an operation as a product, if it is to be treated as one. Terms without a power have no constant
    /// but a sign: there would be nothing to multiply by it.
    fn term(&mut self, prim: Prim, args: &[Atom]) -> Option<Term> {
        match (prim, args) {
            (Prim::Neg, &[Atom::Var(a)]) => self.of(a).scaled(-1.0),
            (Prim::Mul, &[Atom::Var(a), Atom::Const(c)] | &[Atom::Const(c), Atom::Var(a)]) => {
                let term = self.of(a);
                term.slot?;
                term.scaled(c.as_f64()?)
            }
            (Prim::Mul, &[Atom::Var(a), Atom::Var(b)]) => self.product(&self.of(a), &self.of(b)),
            (Prim::Add, &[Atom::Var(a), Atom::Var(b)]) => self.sum(&self.of(a), &self.of(b)),
            (Prim::Sub, &[Atom::Var(a), Atom::Var(b)]) => self.sum(&self.of(a), &self.of(b).scaled(-1.0)?),
            _ => None,
        }
    }

    fn product(&mut self, a: &Term, b: &Term) -> Option<Term> {
        if let Some(product) = a.times(b) {
            return Some(product);
        }
        if b.is_pure() {
            return self.single(a)?.times(b);
        }
        let b = self.single(b)?;
        if let Some(product) = a.times(&b) {
            return Some(product);
        }
        self.single(a)?.times(&b)
    }

    fn sum(&mut self, a: &Term, b: &Term) -> Option<Term> {
        if let Some(alike) = a.plus(b).filter(|t| t.slot.is_some()) {
            return Some(alike);
        }
        let products = !a.is_factor() && !b.is_factor();
        let ((x, first), (y, second)) = (self.addend(a, products)?, self.addend(b, products)?);
        let (prim, x, y, sign) = match (first < 0.0, second < 0.0) {
            (false, false) => (Prim::Add, x, y, 1.0),
            (true, true) => (Prim::Add, x, y, -1.0),
            (false, true) => (Prim::Sub, x, y, 1.0),
            (true, false) => (Prim::Sub, y, x, 1.0),
        };
        if let Some(&opposite) = self.made.get(&(prim, vec![Atom::Var(y), Atom::Var(x)]))
            && prim == Prim::Sub
        {
            return Term::var(opposite).scaled(-1.0);
        }
        Term::var(self.emit(prim, Atom::Var(x), Atom::Var(y))).scaled(sign)
    }

    /// A term of a sum, with its sign. Beside another product the sign goes to a place where a constant is multiplied
    /// anyway: a product is added without being rounded, but a difference of two is left alone.
    fn addend(&mut self, term: &Term, products: bool) -> Option<(VarId, f64)> {
        if products && term.slot.is_some() && term.scale.abs() != 1.0 {
            return Some((self.value(term)?, 1.0));
        }
        self.signed(term)
    }

    /// A term as one factor, with its sign.
    fn single(&mut self, term: &Term) -> Option<Term> {
        let (v, sign) = self.signed(term)?;
        Some(Term { scale: sign, ..Term::var(v) })
    }

    /// The value of a term up to its sign.
    fn signed(&mut self, term: &Term) -> Option<(VarId, f64)> {
        let size = self.multiply(&term.factors, term.slot.map(|slot| (slot, term.scale.abs())))?;
        Some((size, term.scale.signum()))
    }

    /// The value of a term.
    fn value(&mut self, term: &Term) -> Option<VarId> {
        match term.slot {
            Some(slot) => self.multiply(&term.factors, Some((slot, term.scale))),
            None => {
                let (v, sign) = self.signed(term)?;
                Some(if sign < 0.0 { self.made_of(Prim::Neg, vec![Atom::Var(v)]) } else { v })
            }
        }
    }

    /// A product of factors with a power and its constant behind the first `at` of them; `None` for an empty product.
    fn multiply(&mut self, factors: &[VarId], slot: Option<(Slot, f64)>) -> Option<VarId> {
        let mut product = None;
        for k in 0..=factors.len() {
            let power = slot.filter(|(slot, _)| slot.at == k).map(|(slot, scale)| self.power(slot.power, scale));
            for factor in power.into_iter().chain(factors.get(k).copied()) {
                product = Some(match product {
                    Some(before) => self.emit(Prim::Mul, Atom::Var(before), Atom::Var(factor)),
                    None => factor,
                });
            }
        }
        product
    }

    /// A power times a constant.
    fn power(&mut self, power: Power, scale: f64) -> VarId {
        let Power { root, up, down } = power;
        let Some(&Root { square, reciprocal }) = self.roots.get(&root) else {
            return self.func.broken(root, "a power is of no root");
        };
        let raised = match up {
            0 => None,
            1 => Some(root),
            _ => Some((2..up).fold(square, |x, _| self.emit(Prim::Mul, Atom::Var(x), Atom::Var(root)))),
        };
        let lowered = (down > 0)
            .then(|| (1..down).fold(reciprocal, |x, _| self.emit(Prim::Mul, Atom::Var(x), Atom::Var(reciprocal))));
        let Some(first) = raised.or(lowered) else { return self.func.broken(root, "a power has no exponent") };
        let scaled = self.times(first, scale);
        match (raised, lowered) {
            (Some(_), Some(lowered)) => self.emit(Prim::Mul, Atom::Var(scaled), Atom::Var(lowered)),
            _ => scaled,
        }
    }

    fn times(&mut self, v: VarId, scale: f64) -> VarId {
        let number = match self.func.ty(v).elem {
            Scalar::F32 => Const::F32(scale as f32),
            _ => Const::F64(scale),
        };
        match scale {
            1.0 => v,
            -1.0 => self.made_of(Prim::Neg, vec![Atom::Var(v)]),
            _ => self.emit(Prim::Mul, Atom::Var(v), Atom::Const(number)),
        }
    }

    fn emit(&mut self, prim: Prim, a: Atom, b: Atom) -> VarId {
        self.made_of(prim, vec![a, b])
    }

    /// The result of an operation on existing values, computed once.
    fn made_of(&mut self, prim: Prim, args: Vec<Atom>) -> VarId {
        let key = (prim, args);
        if let Some(&known) = self.made.get(&key) {
            return known;
        }
        let elem = key.1.first().map_or(Scalar::F64, |&a| self.func.atom_elem(a));
        let name = match prim {
            Prim::Mul => "p",
            Prim::Neg => "neg",
            _ => "t",
        };
        let var = self.func.scalar_var(name, elem);
        self.out.push(Stmt { vars: vec![var], op: Op::Prim(prim, key.1.clone()), span: None });
        self.made.insert(key, var);
        var
    }
}

/// Removes unused arithmetic.
fn remove_unused(func: &Func, block: &mut Block) {
    let mut used: FxHashSet<VarId> = block.results.iter().filter_map(|a| a.var()).collect();
    let mut kept = Vec::new();
    for stmt in std::mem::take(&mut block.stmts).into_iter().rev() {
        if is_arithmetic(func, &stmt) && !stmt.vars.iter().any(|v| used.contains(v)) {
            continue;
        }
        for_each_use(func, &stmt.op, &mut |v| {
            used.insert(v);
        });
        kept.push(stmt);
    }
    kept.reverse();
    block.stmts = kept;
}
