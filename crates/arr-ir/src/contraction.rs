//! Matrix products in kernels: a sum of products of two elements whose indices are affine in the axes.
//!
//! ```text
//! c: [n][m]f64 = build i<n, j<m {           rows:    i (in `a` alone)
//!   s: f64 = reduce sum l<k {               columns: j (in `b` alone)
//!     x: f64 = read! a[i, l]                inner:   l (summed over)
//!     y: f64 = read! b[l, j]                batch:   none (in both)
//!     p: f64 = mul x, y
//!     yield p }
//!   yield s }
//! ```
//!
//! The code around the sum in the kernel (an added bias, an activation) is left to the caller of this analysis. A sum
//! directly in a sum is one sum over the axes of both. A factor that is the same at every point of the kernel is kept
//! separate.

use crate::walk::bound_in_op;
use crate::{Atom, Axis, Block, Func, Op, Prim, Reduction, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The depth to which index arithmetic is followed.
const MAX_DEPTH: usize = 16;

/// One component of an index: the sum of `terms` and `rest`. It is not a [`Poly`](crate::Poly): each term belongs to an
/// axis, the order is that of the code generated from it, and no number in it has wrapped.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Affine {
    /// By axis, in the order of appearance.
    pub terms: Vec<(VarId, Coefficient)>,
    /// The terms that are the same at every point.
    pub rest: Vec<Coefficient>,
}

/// A constant times an `i64` that is the same at every point, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coefficient {
    pub number: i64,
    pub factor: Option<VarId>,
}

/// An operand of a matrix product: elements of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Factor {
    pub array: VarId,
    /// One per axis of the array.
    pub index: Vec<Affine>,
}

impl Factor {
    /// Whether the index depends on an axis.
    pub fn varies_with(&self, axis: VarId) -> bool {
        self.index.iter().any(|a| a.terms.iter().any(|(v, _)| *v == axis))
    }
}

/// A matrix product in the body of a build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contraction {
    /// The statement of the body, and the scalar it binds.
    pub at: usize,
    pub var: VarId,
    /// The left operand, which the rows read, and the right one, which the columns read.
    pub factors: [Factor; 2],
    /// The axes of the build of each kind, in order. Axes that are in none of these do not matter to the product.
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
    pub batch: Vec<usize>,
    /// The axes summed over.
    pub inner: Vec<Axis>,
    /// Whether a zero factor makes the product zero whatever the other factor is (`mulz`).
    pub zero_wins: bool,
    /// Factors that are the same at every point of the kernel, bound outside it. If one is infinite or NaN, it cannot be taken
    /// out of the sum.
    pub scale: Vec<Atom>,
    pub negated: bool,
}

/// The matrix products among the statements of a build's body, in order.
pub fn contractions(func: &Func, axes: &[Axis], body: &Block) -> Vec<Contraction> {
    let mut finder = Finder { func, axes, bound: FxHashSet::default(), ints: FxHashMap::default() };
    let mut found = Vec::new();
    for (at, stmt) in body.stmts.iter().enumerate() {
        if matches!(stmt.op, Op::Reduce { kind: Reduction::Sum, .. }) {
            found.extend(finder.contraction(at, stmt));
        }
        finder.note(stmt);
    }
    found
}

struct Finder<'f> {
    func: &'f Func,
    /// Of the build.
    axes: &'f [Axis],
    /// Variables bound in the kernel so far, except indices.
    bound: FxHashSet<VarId>,
    /// Integer arithmetic in the kernel.
    ints: FxHashMap<VarId, (Prim, Atom, Atom)>,
}

/// The term of a sum, decomposed.
#[derive(Default)]
struct Term {
    reads: Vec<Factor>,
    scale: Vec<Atom>,
    negated: bool,
    /// The kind of product, if one has been found yet.
    product: Option<Prim>,
}

impl Finder<'_> {
    fn note(&mut self, stmt: &Stmt) {
        self.bound.extend(&stmt.vars);
        bound_in_op(&stmt.op, &mut self.bound);
        if let (Op::Prim(prim, args), [v]) = (&stmt.op, stmt.vars.as_slice())
            && let [a, b] = args.as_slice()
        {
            self.ints.insert(*v, (*prim, *a, *b));
        }
    }

    fn contraction(&mut self, at: usize, stmt: &Stmt) -> Option<Contraction> {
        let [var] = *stmt.vars.as_slice() else { return None };
        self.func.ty(var).elem.is_float().then_some(())?;
        let outside = self.bound.clone();
        let mut inner: Vec<Axis> = Vec::new();
        let (body, result) = self.sum(&stmt.op, &mut inner)?;
        for axis in &inner {
            let own = |v: &VarId| self.bound.contains(v) || self.is_axis(*v, &inner);
            if self.func.types.poly(axis.extent).vars().iter().any(own) {
                return None;
            }
        }
        let mut statements: FxHashMap<VarId, &Stmt> = FxHashMap::default();
        for s in &body.stmts {
            let [v] = *s.vars.as_slice() else { return None };
            matches!(s.op, Op::Read { checked: false, .. } | Op::Prim(..)).then_some(())?;
            if let Op::Prim(prim, args) = &s.op
                && args.iter().any(|&a| prim.may_fail(self.func.atom_elem(a)))
            {
                return None;
            }
            self.note(s);
            statements.insert(v, s);
        }
        let mut term = Term::default();
        let found = self.term(result, &statements, &inner, &mut term, MAX_DEPTH);
        // Variables bound in the sum are not visible after it.
        self.bound = outside;
        found?;
        self.classify(at, var, inner, term)
    }

    /// The innermost body of sums directly in each other, and its result.
    fn sum<'s>(&mut self, op: &'s Op, inner: &mut Vec<Axis>) -> Option<(&'s Block, VarId)> {
        let Op::Reduce { kind: Reduction::Sum, axes, body } = op else { return None };
        inner.extend(axes.iter().cloned());
        let [result] = body.results.as_slice() else { return None };
        let result = result.var()?;
        let (last, before) = body.stmts.split_last()?;
        if last.vars == [result] && matches!(last.op, Op::Reduce { .. }) {
            for stmt in before {
                matches!(stmt.op, Op::Prim(..)).then_some(())?;
                self.note(stmt);
            }
            return self.sum(&last.op, inner);
        }
        Some((body, result))
    }

    fn is_axis(&self, v: VarId, inner: &[Axis]) -> bool {
        self.axes.iter().chain(inner).any(|a| a.index == v)
    }

    fn term(
        &self,
        v: VarId,
        statements: &FxHashMap<VarId, &Stmt>,
        inner: &[Axis],
        term: &mut Term,
        fuel: usize,
    ) -> Option<()> {
        let Some(stmt) = statements.get(&v).filter(|_| fuel > 0) else {
            // A user that moves it out of the sum must check that it is finite, which is worthwhile once per kernel.
            (!self.bound.contains(&v) && !self.is_axis(v, inner)).then_some(())?;
            term.scale.push(v.into());
            return Some(());
        };
        match &stmt.op {
            Op::Read { array, index, checked: false } => {
                let index: Option<Vec<Affine>> = index.iter().map(|&i| self.affine(i, inner)).collect();
                term.reads.push(Factor { array: *array, index: index? });
                Some(())
            }
            Op::Prim(prim @ (Prim::Mul | Prim::MulZero), args) => {
                let kind = *term.product.get_or_insert(*prim);
                (kind == *prim).then_some(())?;
                for &a in args {
                    match a {
                        Atom::Var(v) => self.term(v, statements, inner, term, fuel - 1)?,
                        Atom::Const(_) => term.scale.push(a),
                    }
                }
                Some(())
            }
            Op::Prim(Prim::Neg, args) => {
                term.negated = !term.negated;
                self.term(args.first()?.var()?, statements, inner, term, fuel - 1)
            }
            _ => None,
        }
    }

    /// An index component, if it is affine in the axes.
    fn affine(&self, atom: Atom, inner: &[Axis]) -> Option<Affine> {
        let mut affine = Affine::default();
        self.add_affine(atom, Coefficient { number: 1, factor: None }, inner, &mut affine, MAX_DEPTH)?;
        affine.terms.retain(|(_, c)| c.number != 0);
        Some(affine)
    }

    fn add_affine(&self, atom: Atom, times: Coefficient, inner: &[Axis], sum: &mut Affine, fuel: usize) -> Option<()> {
        let v = match atom {
            Atom::Const(c) => {
                sum.rest.push(Coefficient { number: times.number.checked_mul(c.as_i64()?)?, ..times });
                return Some(());
            }
            Atom::Var(v) => v,
        };
        if self.is_axis(v, inner) {
            match sum.terms.iter_mut().find(|(w, c)| *w == v && c.factor == times.factor) {
                Some((_, c)) => c.number = c.number.checked_add(times.number)?,
                None => sum.terms.push((v, times)),
            }
            return Some(());
        }
        if !self.bound.contains(&v) {
            times.factor.is_none().then_some(())?;
            sum.rest.push(Coefficient { factor: Some(v), ..times });
            return Some(());
        }
        let &(prim, a, b) = self.ints.get(&v).filter(|_| fuel > 0)?;
        let minus = Coefficient { number: times.number.checked_neg()?, ..times };
        match prim {
            Prim::Add | Prim::Sub => {
                self.add_affine(a, times, inner, sum, fuel - 1)?;
                self.add_affine(b, if prim == Prim::Sub { minus } else { times }, inner, sum, fuel - 1)
            }
            Prim::Mul => {
                let fixed = |a: Atom| a.var().is_none_or(|v| !self.bound.contains(&v) && !self.is_axis(v, inner));
                let (varying, fixed) = if fixed(b) { (a, b) } else { (fixed(a).then_some(b)?, a) };
                let times = match (fixed, times.factor) {
                    (Atom::Const(c), _) => Coefficient { number: times.number.checked_mul(c.as_i64()?)?, ..times },
                    (Atom::Var(v), None) => Coefficient { factor: Some(v), ..times },
                    (Atom::Var(_), Some(_)) => return None,
                };
                self.add_affine(varying, times, inner, sum, fuel - 1)
            }
            _ => None,
        }
    }

    fn classify(&self, at: usize, var: VarId, inner: Vec<Axis>, term: Term) -> Option<Contraction> {
        let Ok([left, right]) = <[Factor; 2]>::try_from(term.reads) else { return None };
        if !inner.iter().all(|a| left.varies_with(a.index) && right.varies_with(a.index)) {
            return None;
        }
        let (mut rows, mut columns, mut batch) = (Vec::new(), Vec::new(), Vec::new());
        for (k, axis) in self.axes.iter().enumerate() {
            match (left.varies_with(axis.index), right.varies_with(axis.index)) {
                (true, true) => batch.push(k),
                (true, false) => rows.push(k),
                (false, true) => columns.push(k),
                (false, false) => {}
            }
        }
        if rows.is_empty() && columns.is_empty() {
            return None;
        }
        let zero_wins = term.product == Some(Prim::MulZero);
        let (scale, negated) = (term.scale, term.negated);
        Some(Contraction { at, var, factors: [left, right], rows, columns, batch, inner, zero_wins, scale, negated })
    }
}
