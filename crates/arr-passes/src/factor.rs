//! Takes a factor out of a sum over matrix products, so that the products need not be made.
//!
//! ```text
//! y: [n][d]f64 = build i<n, c<d {              t: [m]f64 = build r1<m { u = reduce sum i1<n { a = read! x[i1, r1]; yield a } yield u }
//!   s = reduce sum r<m {                       w: [d]f64 = build c1<d {
//!     a = read! x[i, r]; b = read! f[r, c]       s = reduce sum r2<m { a = read! t[r2]; b = read! f[r2, c1]; p = mul a, b; yield p }
//!     p = mul a, b; yield p }             =>     yield s }
//!   yield s }                                  bad: bool = reduce any c2<d { .. is_finite w[c2] .. }
//! z: [d]f64 = build c1<d {                     z: [d]f64 = if bad { y = ..; z0 = ..; yield z0 } else { yield w }
//!   s1 = reduce sum i1<n { .. y[i1, c1] .. }
//!   yield s1 }
//! ```
//!
//! Such sums occur in the derivative by a vector that is subtracted from all points before a matrix multiplies them:
//! they add up the columns of a product as large as the points are. With `n` points and matrices of `m` by `d`
//! elements, `n * m * d` multiplications and an array of `n * d` elements become `m * d` and one of `m`.
//!
//! For real numbers multiplication distributes over the sum, and in floats the result is as good as with another order
//! of the terms: the error is relative to the sum of their magnitudes. An infinite or NaN result is recomputed as
//! written, since an infinity times zero is NaN before the sum, and a sum may overflow where the products do not.
//!
//! Assumes:      a verified fused function, simplified.
//! Guarantees:   results are off by rounding errors of their sums; infinities and NaNs are where they were.
//! Leaves alone: products in which zeros win, that several kernels read, or of which each factor has an axis of the
//!               sum; sums over parts of them; elements of operands that are not known to exist if there are no points.
//! Cost:         O(statements); such kernels are duplicated.
//! Paper:        Chung-Chi Lam, Sadayappan, Wenger, "On Optimizing a Class of Multi-Dimensional Loops with Reductions for Parallel
//!               Execution" (distributivity over sums of products; here for two factors and one step).
//! Tests:        tests/factor/, and infinities and NaNs in tests/factor.rs

use crate::analysis::count_uses;
use arr_base::Span;
use arr_ir::rewrite::{Enter, rewrite_blocks};
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Func, Op, Prim, Reduction, Scalar, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Takes factors out of sums, in place. Valid only for relaxed code, since rounding changes.
pub fn factor(func: &mut Func) {
    let uses = count_uses(func);
    rewrite_blocks(func, Enter::Control, &mut |func, block| factor_block(func, &mut block.stmts, &uses));
}

/// The statements of a block of the function, or of its loops and branches.
fn factor_block(func: &mut Func, stmts: &mut Vec<Stmt>, uses: &FxHashMap<VarId, u32>) {
    let mut at = 0;
    while at < stmts.len() {
        let found = stmts.get(at).and_then(Product::of).filter(|p| uses.get(&p.var) == Some(&1)).and_then(|product| {
            let behind = stmts.get(at + 1..)?;
            let (k, sum) =
                behind.iter().enumerate().find_map(|(k, stmt)| Some((k, Total::of(func, stmt, &product)?)))?;
            Some((at + 1 + k, Factored::new(func, product, sum)?))
        });
        if let Some((reader, factored)) = found {
            let second = stmts.remove(reader);
            let first = stmts.remove(at);
            let made = factored.stmts(func, first, second);
            let count = made.len();
            stmts.splice(at..at, made);
            at += count;
        } else {
            at += 1;
        }
    }
}

/// A read of an array.
#[derive(Clone)]
struct Factor {
    array: VarId,
    index: Vec<Atom>,
}

impl Factor {
    fn of(stmt: &Stmt) -> Option<(VarId, Factor)> {
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::Read { array, index, checked: false }, &[var]) => {
                Some((var, Factor { array: *array, index: index.clone() }))
            }
            _ => None,
        }
    }

    fn has(&self, axis: &Axis) -> bool {
        self.index.contains(&Atom::Var(axis.index))
    }

    /// Whether every index is inside because it runs over an axis of the array, so that the element exists even if no
    /// product is ever computed.
    fn is_inside(&self, func: &Func, product: &Product) -> bool {
        let all = || product.axes.iter().chain(&product.inner);
        self.index
            .iter()
            .zip(&func.ty(self.array).dims)
            .all(|(atom, &extent)| all().any(|axis| *atom == Atom::Var(axis.index) && axis.extent == extent))
    }
}

/// An array of sums of products of two elements, and of nothing else.
struct Product {
    var: VarId,
    axes: Vec<Axis>,
    inner: Vec<Axis>,
    factors: [Factor; 2],
}

impl Product {
    fn of(stmt: &Stmt) -> Option<Product> {
        let (var, axes, inner, body) = sums(stmt)?;
        let ([first, second, product], [result]) = (body.stmts.as_slice(), body.results.as_slice()) else {
            return None;
        };
        let ((a, left), (b, right)) = (Factor::of(first)?, Factor::of(second)?);
        let Op::Prim(Prim::Mul, args) = &product.op else { return None };
        let both = args.as_slice() == [a.into(), b.into()] || args.as_slice() == [b.into(), a.into()];
        let whole = product.vars.first().map(|&p| Atom::Var(p)) == Some(*result);
        (both && whole).then(|| Product { var, axes: axes.to_vec(), inner: inner.to_vec(), factors: [left, right] })
    }
}

/// The result, the axes, the axes summed over and the body of the sum, of a kernel that yields one sum.
fn sums(stmt: &Stmt) -> Option<(VarId, &[Axis], &[Axis], &Block)> {
    let (Op::Build { axes, body }, &[var]) = (&stmt.op, stmt.vars.as_slice()) else { return None };
    let ([sum], [result]) = (body.stmts.as_slice(), body.results.as_slice()) else { return None };
    let Op::Reduce { kind: Reduction::Sum, axes: inner, body } = &sum.op else { return None };
    (sum.vars.first().map(|&s| Atom::Var(s)) == Some(*result)).then_some((var, axes, inner, body))
}

/// Sums over some axes of a product's array.
struct Total {
    var: VarId,
    axes: Vec<Axis>,
    /// For every axis of the array: its axis here, and whether it is summed over.
    at: Vec<(Axis, bool)>,
    negated: bool,
}

impl Total {
    fn of(func: &Func, stmt: &Stmt, product: &Product) -> Option<Total> {
        let (var, axes, inner, body) = sums(stmt)?;
        let (read, rest) = body.stmts.split_first()?;
        let (element, read) = Factor::of(read)?;
        let last = |v: VarId| body.results.as_slice() == [Atom::Var(v)];
        let negated = match rest {
            [] if last(element) => false,
            [Stmt { vars, op: Op::Prim(Prim::Neg, args), .. }] => {
                (args.as_slice() == [element.into()] && last(*vars.first()?)).then_some(true)?
            }
            _ => return None,
        };
        (read.array == product.var && read.index.len() == axes.len() + inner.len()).then_some(())?;
        let find = |atom: &Atom, among: &[Axis]| among.iter().find(|a| *atom == Atom::Var(a.index)).copied();
        let place = |atom: &Atom| match find(atom, axes) {
            Some(axis) => Some((axis, false)),
            None => Some((find(atom, inner)?, true)),
        };
        let at: Vec<(Axis, bool)> = read.index.iter().map(place).collect::<Option<_>>()?;
        // Every axis once, over its whole extent.
        let distinct = at.iter().enumerate().all(|(k, (a, _))| at.iter().take(k).all(|(b, _)| a.index != b.index));
        let whole = at.iter().zip(&func.ty(product.var).dims).all(|((axis, _), &extent)| axis.extent == extent);
        (distinct && whole).then(|| Total { var, axes: axes.to_vec(), at, negated })
    }
}

/// A sum of products as a product of a sum.
struct Factored {
    total: Total,
    product: Product,
    /// Which factor is summed first.
    summed: usize,
}

impl Factored {
    fn new(func: &Func, product: Product, total: Total) -> Option<Factored> {
        let own = || product.axes.iter().zip(&total.at).filter(|(_, (_, summed))| *summed).map(|(axis, _)| axis);
        let has = |k: usize, axis: &Axis| product.factors.get(k).is_some_and(|f| f.has(axis));
        let summed = (0..2).find(|&k| own().all(|axis| has(k, axis) && !has(1 - k, axis)))?;
        // Each axis once, so that the summed elements are known.
        let first = product.factors.get(summed)?;
        let distinct = first.index.iter().enumerate().all(|(k, a)| first.index.iter().take(k).all(|b| a != b));
        let inside = product.factors.iter().all(|factor| factor.is_inside(func, &product));
        (own().next().is_some() && distinct && inside).then_some(Factored { total, product, summed })
    }

    /// The statements that replace the product and its sum.
    fn stmts(&self, func: &mut Func, first: Stmt, second: Stmt) -> Vec<Stmt> {
        let span = second.span;
        let sum = self.sum(func, span);
        let Some((partial, axes)) = sum.vars.first().copied().zip(self.kept()) else { return vec![first, second] };
        let product = self.product(func, (partial, &axes), span);
        let Some(&fast) = product.vars.first() else { return vec![first, second] };
        let bad = not_finite(func, fast, &self.total.axes, span);
        let Some(&cond) = bad.vars.first() else { return vec![first, second] };
        let mut again = Subst::new();
        let (first, second) = (again.clone_stmt(func, &first), again.clone_stmt(func, &second));
        let slow =
            Block { params: Vec::new(), results: vec![again.atom(self.total.var.into())], stmts: vec![first, second] };
        let fast = Block { params: Vec::new(), stmts: Vec::new(), results: vec![fast.into()] };
        let op = Op::If { cond: cond.into(), then_block: slow, else_block: fast };
        vec![sum, product, bad, Stmt { vars: vec![self.total.var], op, span }]
    }

    /// The remaining axes of the summed factor, in its order.
    fn kept(&self) -> Option<Vec<Axis>> {
        let factor = self.product.factors.get(self.summed)?;
        let all = || self.product.axes.iter().chain(&self.product.inner);
        let axes = factor.index.iter().filter_map(|atom| all().find(|a| *atom == Atom::Var(a.index)).copied());
        Some(axes.filter(|axis| !self.is_summed(axis)).collect())
    }

    fn is_summed(&self, axis: &Axis) -> bool {
        self.product.axes.iter().zip(&self.total.at).any(|(own, (_, summed))| own.index == axis.index && *summed)
    }

    /// The factor, summed over the axes that only it has.
    fn sum(&self, func: &mut Func, span: Option<Span>) -> Stmt {
        let kept = self.kept().unwrap_or_default();
        let summed: Vec<Axis> = self.product.axes.iter().filter(|axis| self.is_summed(axis)).copied().collect();
        let mut own = Subst::new();
        let (axes, inner) = (own.fresh_axes(func, &kept), own.fresh_axes(func, &summed));
        let read = self.element(func, self.summed, &own, span);
        let results = read.vars.iter().map(|&v| v.into()).collect();
        kernel(func, "sum", (axes, inner), Block { params: Vec::new(), stmts: vec![read], results }, false, span)
    }

    /// The sums of the products of these sums and the other factor.
    fn product(&self, func: &mut Func, (partial, kept): (VarId, &[Axis]), span: Option<Span>) -> Stmt {
        let mut own = Subst::new();
        let axes = own.fresh_axes(func, &self.total.axes);
        for (from, (to, summed)) in self.product.axes.iter().zip(&self.total.at) {
            if !summed {
                own.insert(from.index, own.atom(to.index.into()));
            }
        }
        let inner = own.fresh_axes(func, &self.product.inner);
        let elem = func.ty(partial).elem;
        let mut elements: Vec<Stmt> = Vec::new();
        for k in 0..2 {
            elements.push(if k == self.summed {
                let index = kept.iter().map(|a| own.atom(a.index.into())).collect();
                let var = func.scalar_var("sum", elem);
                Stmt { vars: vec![var], op: Op::Read { array: partial, index, checked: false }, span }
            } else {
                self.element(func, k, &own, span)
            });
        }
        let args: Vec<Atom> = elements.iter().flat_map(|s| &s.vars).map(|&v| v.into()).collect();
        let var = func.scalar_var("mul", elem);
        elements.push(Stmt { vars: vec![var], op: Op::Prim(Prim::Mul, args), span });
        let body = Block { params: Vec::new(), stmts: elements, results: vec![var.into()] };
        let name = func.name(self.total.var).to_string();
        kernel(func, &name, (axes, inner), body, self.total.negated, span)
    }

    /// An element of a factor.
    fn element(&self, func: &mut Func, k: usize, own: &Subst, span: Option<Span>) -> Stmt {
        let factor = match self.product.factors.get(k) {
            Some(factor) => factor.clone(),
            None => func.broken(Factor { array: self.product.var, index: Vec::new() }, "a product has fewer factors"),
        };
        let elem = func.ty(factor.array).elem;
        let var = func.scalar_var("x", elem);
        let index = factor.index.iter().map(|&a| own.atom(a)).collect();
        Stmt { vars: vec![var], op: Op::Read { array: factor.array, index, checked: false }, span }
    }
}

/// A kernel that yields a sum over the second axes, or its negative.
fn kernel(
    func: &mut Func,
    name: &str,
    (axes, inner): (Vec<Axis>, Vec<Axis>),
    body: Block,
    negated: bool,
    span: Option<Span>,
) -> Stmt {
    let elem = match body.results.first() {
        Some(&result) => func.atom_elem(result),
        None => func.broken(Scalar::F64, "a factor is read without a result"),
    };
    let sum = func.scalar_var(name, elem);
    let op = Op::Reduce { kind: Reduction::Sum, axes: inner, body };
    let mut stmts = vec![Stmt { vars: vec![sum], op, span }];
    let mut result = sum;
    if negated {
        result = func.scalar_var(name, elem);
        stmts.push(Stmt { vars: vec![result], op: Op::Prim(Prim::Neg, vec![sum.into()]), span });
    }
    let ty = func.types.array(axes.iter().map(|a| a.extent).collect(), elem);
    let var = func.var(name, ty);
    let body = Block { params: Vec::new(), stmts, results: vec![result.into()] };
    Stmt { vars: vec![var], op: Op::Build { axes, body }, span }
}

/// Whether an array with these axes has an infinite or NaN element.
fn not_finite(func: &mut Func, array: VarId, axes: &[Axis], span: Option<Span>) -> Stmt {
    let mut own = Subst::new();
    let axes = own.fresh_axes(func, axes);
    let elem = func.ty(array).elem;
    let [finite, other, any] = ["finite", "bad", "bad"].map(|name| func.scalar_var(name, Scalar::Bool));
    let x = func.scalar_var("x", elem);
    let index = axes.iter().map(|a| a.index.into()).collect();
    let stmts = vec![
        Stmt { vars: vec![x], op: Op::Read { array, index, checked: false }, span },
        Stmt { vars: vec![finite], op: Op::Prim(Prim::IsFinite, vec![x.into()]), span },
        Stmt { vars: vec![other], op: Op::Prim(Prim::Not, vec![finite.into()]), span },
    ];
    let body = Block { params: Vec::new(), stmts, results: vec![other.into()] };
    Stmt { vars: vec![any], op: Op::Reduce { kind: Reduction::Any, axes, body }, span }
}
