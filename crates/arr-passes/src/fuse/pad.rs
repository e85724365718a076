//! Turns guarded reads in sums of products into reads of a padded copy, so that the sum is a matrix product.
//!
//! ```text
//!                                                        p: [n + 2]f64 = build x<n + 2 { .. x - 2 .. }
//! s: f64 = reduce sum a<3 {                              s: f64 = reduce sum a<3 {
//!   k: i64 = sub i, a                                      k: i64 = sub i, a
//!   inside: bool = ..  0 <= k and k < n                    l: i64 = add k, 2
//!   t: f64 = if inside { y: f64 = read! x[k]        =>     y: f64 = read! p[l]
//!     w: f64 = read! f[a]                                  w: f64 = read! f[a]
//!     z: f64 = mulz y, w                                   t: f64 = mulz y, w
//!     yield z } else { yield 0.0 }
//!   yield t }                                              yield t }
//! ```
//!
//! Legal when the guard is equivalent to the read being inside its array, as far as it can be outside at all. Then the
//! copy holds zeros where the guard does not hold. A zero times the other factor must be zero, as it is under `mulz`.
//! Under `mul` an infinite factor makes the sum NaN; a sum that is NaN is recomputed with the guard.
//!
//! Applied where the sum is a matrix product with rows and columns afterwards: the copy costs one pass over an array,
//! each of whose elements is read many times.
//!
//! Of the workloads that it was measured on, it is worth something on `conv` alone (docs/ablation.md).

use crate::analysis::size_operand;
use arr_base::Span;
use arr_ir::integers::{Integers, is_natural, range};
use arr_ir::rewrite::{Enter, rewrite_stmts};
use arr_ir::walk::{Subst, bound_in_op};
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Poly, Prim, Reduction, Scalar, Stmt, Type, VarId, contractions};
use rustc_hash::FxHashSet;

/// Whether anything changed.
pub(super) fn pad(func: &mut Func) -> bool {
    let mut changed = false;
    let mut integers = Integers::default();
    rewrite_stmts(func, Enter::ArrayControl, &mut |func, mut stmt, out| {
        if let Op::Build { axes, body } = &mut stmt.op
            && body.stmts.iter().any(|s| matches!(s.op, Op::Reduce { kind: Reduction::Sum, .. }))
            && let Some((made, padded)) = kernel(func, axes, body, integers.clone(), stmt.span)
        {
            out.extend(made);
            *body = padded;
            changed = true;
        }
        integers.note(func, &stmt);
        out.push(stmt);
    });
    changed
}

/// The statements that make the copy, and the body of a kernel that reads it.
fn kernel(
    func: &mut Func,
    axes: &[Axis],
    body: &Block,
    mut integers: Integers,
    span: Option<Span>,
) -> Option<(Vec<Stmt>, Block)> {
    for (at, stmt) in body.stmts.iter().enumerate() {
        if matches!(stmt.op, Op::Reduce { kind: Reduction::Sum, .. }) {
            let mut all = axes.to_vec();
            if let Some(site) = find(func, &stmt.op, &mut all, &mut integers.clone())
                && let Some(found) = site.rewritten(func, (axes, body, at), &all, span)
            {
                return Some(found);
            }
        }
        integers.note(func, stmt);
    }
    None
}

/// A guarded read in the innermost body of a sum.
struct Site {
    /// The `if` statement of that body, and the variable that it binds.
    at: usize,
    var: VarId,
    /// The branch with the reads.
    branch: Block,
    /// The position of the read in the branch, and its array.
    read: usize,
    array: VarId,
    /// For each axis of the array: how far the copy begins before it, and how long it is; `None` if the read is always
    /// inside.
    padding: Vec<Option<(Poly, Poly)>>,
}

/// The innermost body of directly nested sums; their axes are added to `axes`.
fn innermost<'o>(op: &'o Op, axes: &mut Vec<Axis>, visit: &mut dyn FnMut(&Stmt)) -> Option<&'o Block> {
    let Op::Reduce { kind: Reduction::Sum, axes: own, body } = op else { return None };
    axes.extend(own.iter().copied());
    let (last, before) = body.stmts.split_last()?;
    let result = body.results.first().and_then(|a| a.var());
    if matches!(last.op, Op::Reduce { .. }) && result.is_some() && last.vars.first().copied() == result {
        before.iter().for_each(&mut *visit);
        return innermost(&last.op, axes, visit);
    }
    Some(body)
}

fn innermost_mut(op: &mut Op) -> Option<&mut Block> {
    let Op::Reduce { kind: Reduction::Sum, body, .. } = op else { return None };
    if matches!(body.stmts.last(), Some(Stmt { op: Op::Reduce { .. }, .. })) {
        return innermost_mut(&mut body.stmts.last_mut()?.op);
    }
    Some(body)
}

fn find(func: &Func, op: &Op, axes: &mut Vec<Axis>, integers: &mut Integers) -> Option<Site> {
    let body = innermost(op, axes, &mut |s| integers.note(func, s))?;
    for (at, stmt) in body.stmts.iter().enumerate() {
        if let (Op::If { cond, then_block, else_block }, &[var]) = (&stmt.op, stmt.vars.as_slice())
            && func.ty(var).elem.is_float()
        {
            for (holds, branch, other) in [(true, then_block, else_block), (false, else_block, then_block)] {
                let Some(guard) = integers.guard(func, (*cond, holds), axes, &[]).filter(|_| is_zero(other)) else {
                    continue;
                };
                if let Some((read, array, padding)) = guarded_read(func, branch, &guard, axes, &mut integers.clone()) {
                    return Some(Site { at, var, branch: branch.clone(), read, array, padding });
                }
            }
        }
        integers.note(func, stmt);
    }
    None
}

fn is_zero(block: &Block) -> bool {
    matches!(block.results.as_slice(), [Atom::Const(c)] if c.is_zero()) && block.stmts.is_empty()
}

type Padding = Vec<Option<(Poly, Poly)>>;

/// The read that a guard protects, if the rest of the branch can be computed without the guard.
fn guarded_read(
    func: &Func,
    branch: &Block,
    guard: &[Poly],
    axes: &[Axis],
    integers: &mut Integers,
) -> Option<(usize, VarId, Padding)> {
    let mut unguarded = 0;
    let mut found = None;
    let mut reads = 0;
    for (at, stmt) in branch.stmts.iter().enumerate() {
        match &stmt.op {
            Op::Prim(..) if !stmt.op.may_fail(func) => {}
            Op::Read { array, index, checked: false } => {
                reads += 1;
                let index: Vec<Poly> = index.iter().map(|&i| integers.poly(func, i)).collect::<Option<_>>()?;
                let dims: Vec<Poly> = func.ty(*array).dims.iter().map(|&d| func.types.poly(d).clone()).collect();
                let none: &[Poly] = &[];
                if padding(func, &index, &dims, none, axes).is_some() {
                    unguarded += 1;
                } else if found.is_none() {
                    found = Some((at, *array, padding(func, &index, &dims, guard, axes)?));
                }
            }
            _ => return None,
        }
        integers.note(func, stmt);
    }
    (unguarded + 1 == reads).then_some(found).flatten()
}

/// For each axis of an array the padding with which a read is inside even where a guard does not hold.
fn padding(func: &Func, index: &[Poly], dims: &[Poly], guard: &[Poly], axes: &[Axis]) -> Option<Padding> {
    let one = Poly::constant(1);
    let ranges: Vec<(Poly, Poly)> = index.iter().map(|p| range(func, p, axes)).collect::<Option<_>>()?;
    let follows = |part: &Poly, from: &Poly| part.sub(from).as_constant().is_some_and(|c| c >= 0);
    let mut guarded = vec![false; index.len()];
    for part in guard {
        let mut about = false;
        for ((component, dim), guarded) in index.iter().zip(dims).zip(&mut guarded) {
            let is = follows(part, component) || follows(part, &dim.sub(&one).sub(component));
            *guarded |= is;
            about |= is;
        }
        let always = || range(func, part, axes).is_some_and(|(low, _)| is_natural(func, &low));
        if !about && !always() {
            return None;
        }
    }
    let axis = |k: usize, (low, high): &(Poly, Poly)| {
        let dim = dims.get(k)?;
        if is_natural(func, low) && is_natural(func, &dim.sub(&one).sub(high)) {
            return Some(None);
        }
        (*guarded.get(k)?).then_some(())?;
        // With empty axes there is nothing to read, but the copy must not have a negative size.
        let mut extent = high.sub(low).add(&one);
        let constant = extent.terms.get(&[]).copied().unwrap_or(0);
        extent = extent.add(&Poly::constant(constant.saturating_neg().max(0)));
        is_natural(func, &extent).then_some(())?;
        Some(Some((low.neg(), extent)))
    };
    ranges.iter().enumerate().map(|(k, r)| axis(k, r)).collect()
}

impl Site {
    /// The copy, and the kernel that reads it, if that makes its sum a matrix product.
    fn rewritten(
        &self,
        func: &mut Func,
        (axes, body, at): (&[Axis], &Block, usize),
        all: &[Axis],
        span: Option<Span>,
    ) -> Option<(Vec<Stmt>, Block)> {
        let mut own: FxHashSet<VarId> = all.iter().map(|a| a.index).collect();
        body.stmts.iter().for_each(|s| {
            own.extend(&s.vars);
            bound_in_op(&s.op, &mut own);
        });
        let outside = |p: &Poly| p.vars().iter().all(|v| !own.contains(v));
        if !self.padding.iter().flatten().all(|(before, extent)| outside(before) && outside(extent)) {
            return None;
        }
        let mut made = Vec::new();
        let shifts: Vec<Atom> = self.padding.iter().map(|p| shift(func, p.as_ref(), &mut made, span)).collect();
        let copy = self.copy(func, &shifts, span);
        let padded = *copy.vars.first()?;
        made.push(copy);

        let original = body.stmts.get(at)?;
        let mut stmt = original.clone();
        self.unguard(func, innermost_mut(&mut stmt.op)?, padded, &shifts, span);
        let mut new = body.clone();
        *new.stmts.get_mut(at)? = stmt;
        let found = contractions(func, axes, &new);
        let product = found.iter().find(|p| p.at == at && !p.rows.is_empty() && !p.columns.is_empty())?;
        product.factors.iter().any(|f| f.array == padded).then_some(())?;
        let alone = self.branch.results.first().and_then(|a| a.var()) == self.read_var();
        if !product.zero_wins && !alone {
            again_if_nan(func, &mut new, at, original)?;
        }
        Some((made, new))
    }

    fn read_var(&self) -> Option<VarId> {
        self.branch.stmts.get(self.read).and_then(|s| s.vars.first().copied())
    }

    /// The array with zeros around it.
    fn copy(&self, func: &mut Func, shifts: &[Atom], span: Option<Span>) -> Stmt {
        let Type { elem, dims } = func.ty(self.array).clone();
        let mut axes = Vec::new();
        let (mut stmts, mut inside, mut index) = (Vec::new(), None, Vec::new());
        for ((&dim, padding), &shift) in dims.iter().zip(&self.padding).zip(shifts) {
            let i = func.scalar_var("i", Scalar::I64);
            let Some((_, extent)) = padding else {
                axes.push(Axis { index: i, extent: dim });
                index.push(Atom::Var(i));
                continue;
            };
            axes.push(Axis { index: i, extent: func.types.size(extent.clone()) });
            let k = prim(func, &mut stmts, "i", Prim::Sub, vec![i.into(), shift], span);
            let dim = size_operand(func, dim, span, &mut stmts);
            let low = prim(func, &mut stmts, "low", Prim::Ge, vec![k, Atom::int(0)], span);
            let high = prim(func, &mut stmts, "high", Prim::Lt, vec![k, dim], span);
            let both = prim(func, &mut stmts, "inside", Prim::And, vec![low, high], span);
            inside = Some(match inside {
                None => both,
                Some(before) => prim(func, &mut stmts, "inside", Prim::And, vec![before, both], span),
            });
            index.push(k);
        }
        let element = func.scalar_var("x", elem);
        let read = Stmt { vars: vec![element], op: Op::Read { array: self.array, index, checked: false }, span };
        let then_block = Block { params: Vec::new(), stmts: vec![read], results: vec![element.into()] };
        let zero = Atom::Const(Const::zero(elem));
        let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: vec![zero] };
        let value = func.scalar_var("x", elem);
        let cond = inside.unwrap_or(Atom::bool(true));
        stmts.push(Stmt { vars: vec![value], op: Op::If { cond, then_block, else_block }, span });
        let ty = func.types.array(axes.iter().map(|a| a.extent).collect(), elem);
        let padded = func.var("padded", ty);
        let body = Block { params: Vec::new(), stmts, results: vec![value.into()] };
        Stmt { vars: vec![padded], op: Op::Build { axes, body }, span }
    }

    /// Puts the branch in place of the `if`, reading the copy.
    fn unguard(&self, func: &mut Func, block: &mut Block, padded: VarId, shifts: &[Atom], span: Option<Span>) {
        let mut stmts = Vec::new();
        let mut subst = Subst::new();
        for (at, mut stmt) in std::mem::take(&mut block.stmts).into_iter().enumerate() {
            if at != self.at {
                subst.apply_to_stmt(func, &mut stmt);
                stmts.push(stmt);
                continue;
            }
            for (k, mut stmt) in self.branch.stmts.iter().cloned().enumerate() {
                if let Op::Read { array, index, .. } = &mut stmt.op
                    && k == self.read
                {
                    *array = padded;
                    for (i, &shift) in index.iter_mut().zip(shifts) {
                        if shift != Atom::int(0) {
                            *i = prim(func, &mut stmts, "i", Prim::Add, vec![*i, shift], span);
                        }
                    }
                }
                stmts.push(stmt);
            }
            if let Some(&result) = self.branch.results.first() {
                subst.insert(self.var, result);
            }
        }
        block.stmts = stmts;
        block.results.iter_mut().for_each(|a| *a = subst.atom(*a));
    }
}

/// The difference between an index of the copy and the index of the array.
fn shift(func: &mut Func, padding: Option<&(Poly, Poly)>, made: &mut Vec<Stmt>, span: Option<Span>) -> Atom {
    let Some((before, _)) = padding else { return Atom::int(0) };
    let size = func.types.size(before.clone());
    size_operand(func, size, span, made)
}

fn prim(func: &mut Func, stmts: &mut Vec<Stmt>, name: &str, prim: Prim, args: Vec<Atom>, span: Option<Span>) -> Atom {
    let elem = if matches!(prim, Prim::Add | Prim::Sub) { Scalar::I64 } else { Scalar::Bool };
    let var = func.scalar_var(name, elem);
    stmts.push(Stmt { vars: vec![var], op: Op::Prim(prim, args), span });
    Atom::Var(var)
}

/// Behind the sum at `at`: the original sum, where the one without guards is NaN.
fn again_if_nan(func: &mut Func, body: &mut Block, at: usize, original: &Stmt) -> Option<()> {
    let sum = *original.vars.first()?;
    let span = original.span;
    let (first, nan) = (func.copy_var(sum), func.scalar_var("nan", Scalar::Bool));
    body.stmts.get_mut(at)?.vars = vec![first];
    let again = func.copy_var(sum);
    let op = Subst::new().clone_op(func, &original.op);
    let then_block =
        Block { params: Vec::new(), stmts: vec![Stmt { vars: vec![again], op, span }], results: vec![again.into()] };
    let else_block = Block { params: Vec::new(), stmts: Vec::new(), results: vec![first.into()] };
    let test = Stmt { vars: vec![nan], op: Op::Prim(Prim::IsNan, vec![first.into()]), span };
    let chosen = Stmt { vars: vec![sum], op: Op::If { cond: nan.into(), then_block, else_block }, span };
    body.stmts.splice(at + 1..at + 1, [test, chosen]);
    Some(())
}
