//! Unrolls short reductions whose index is divided or checked: for each constant index, neither division nor check is
//! left.
//!
//! ```text
//! m: f64 = reduce max k<2 {                       a: f64 = read! x[i]
//!   d: i64 = div k, 2                        =>   j: i64 = add i, 1
//!   r: i64 = rem k, 2  ..                         b: f64 = read! x[j]
//!   y: f64 = read x[..]; yield y }                m: f64 = max a, b
//! ```
//!
//! The order is that of the reduction, which begins with its first element. A reduction inside another one stays: it
//! may be part of a sum that is a matrix product.
//!
//! After a maximum or minimum, reverse mode reads the element at the chosen place once more. Such code gets the value
//! that the comparisons ended with: no address depends on data then, and nothing is checked.

use crate::analysis::{Repeats, is_scalar_code};
use arr_base::Span;
use arr_ir::walk::Subst;
use arr_ir::{Atom, Axis, Block, Const, Func, Op, Prim, Reduction, Scalar, Stmt, VarId};
use std::collections::VecDeque;

/// The maximal number of points of a reduction.
const MAX_POINTS: i64 = 8;
/// The maximal number of statements of its body.
const MAX_STMTS: usize = 16;

/// Whether anything changed.
pub(super) fn unroll(func: &mut Func) -> bool {
    let mut body = std::mem::take(&mut func.body);
    let changed = in_block(func, &mut body, false);
    func.body = body;
    changed
}

/// `inside`: in a kernel. Outside, it stays a kernel of its own.
fn in_block(func: &mut Func, block: &mut Block, inside: bool) -> bool {
    let mut changed = false;
    let mut left: VecDeque<Stmt> = std::mem::take(&mut block.stmts).into();
    while let Some(mut stmt) = left.pop_front() {
        if let Some(points) = points(func, &stmt).filter(|_| inside) {
            let last = apart(func, &stmt, points, &mut block.stmts);
            if let Some((subst, checked)) = chosen_again(&stmt, &last, left.make_contiguous()) {
                let mut redundant = checked.into_iter();
                left.retain(|_| !redundant.next().unwrap_or(false));
                left.iter_mut().for_each(|s| subst.apply_to_stmt(func, s));
                block.results.iter_mut().for_each(|a| *a = subst.atom(*a));
            }
            changed = true;
            continue;
        }
        if !matches!(stmt.op, Op::Reduce { .. } | Op::Vjp { .. } | Op::Jvp { .. } | Op::Custom { .. }) {
            let inside = inside || matches!(stmt.op, Op::Build { .. } | Op::Scatter { .. });
            for inner in stmt.op.blocks_mut() {
                changed |= in_block(func, inner, inside);
            }
        }
        block.stmts.push(stmt);
    }
    changed
}

/// The replacement of the element at the chosen place, which later code computes as the reduction did; and which of the
/// later statements check what the reduction has checked for every place.
fn chosen_again(stmt: &Stmt, last: &[Best], behind: &[Stmt]) -> Option<(Subst, Vec<bool>)> {
    let Op::Reduce { kind: Reduction::ArgMax | Reduction::ArgMin, axes, body } = &stmt.op else { return None };
    let ([axis], [place], [best], [result]) = (axes.as_slice(), stmt.vars.as_slice(), last, body.results.as_slice())
    else {
        return None;
    };
    let mut same = Subst::new();
    same.insert(axis.index, *place);
    for one in &body.stmts {
        let [var] = *one.vars.as_slice() else { continue };
        let other = behind.iter().find(|other| is_same(&one.op, &other.op, &same))?;
        same.insert(var, *other.vars.first()?);
    }
    let again = same.atom(*result).var().filter(|v| behind.iter().any(|s| s.vars == [*v]))?;
    let mut subst = Subst::new();
    subst.insert(again, best.value);
    let is_check = |op: &Op| matches!(op, Op::Check { .. });
    let checked = |s: &Stmt| is_check(&s.op) && body.stmts.iter().any(|one| is_same(&one.op, &s.op, &same));
    Some((subst, behind.iter().map(checked).collect()))
}

/// Whether an operation is another one once its operands are replaced.
fn is_same(one: &Op, other: &Op, subst: &Subst) -> bool {
    let all = |a: &[Atom], b: &[Atom]| a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| subst.atom(a) == b);
    match (one, other) {
        (Op::Prim(p, a), Op::Prim(q, b)) => p == q && all(a, b),
        (Op::Check { kind: p, args: a }, Op::Check { kind: q, args: b }) => p == q && all(a, b),
        (Op::Read { array: x, index: a, .. }, Op::Read { array: y, index: b, .. }) => x == y && all(a, b),
        _ => false,
    }
}

/// The number of points of a reduction that is to be unrolled.
fn points(func: &Func, stmt: &Stmt) -> Option<i64> {
    let Op::Reduce { axes, body, .. } = &stmt.op else { return None };
    let [Axis { extent, .. }] = axes.as_slice() else { return None };
    let count = func.types.poly(*extent).as_constant()?;
    let folds = |s: &Stmt| match &s.op {
        Op::Prim(Prim::Div | Prim::Rem, args) => args.first().is_some_and(|&a| !func.is_float(a)),
        Op::Read { checked, .. } => *checked,
        Op::Check { .. } => true,
        _ => false,
    };
    let short = (2..=MAX_POINTS).contains(&count) && body.stmts.len() <= MAX_STMTS;
    let plain = body.stmts.iter().all(|s| is_scalar_code(func, s, Repeats::Nothing));
    (short && plain && body.stmts.iter().any(folds)).then_some(count)
}

/// The results, with their places.
fn apart(func: &mut Func, stmt: &Stmt, points: i64, out: &mut Vec<Stmt>) -> Vec<Best> {
    let Op::Reduce { kind, axes, body } = &stmt.op else {
        return func.broken(Vec::new(), "what is written out as a reduction is none");
    };
    let mut so_far: Vec<Best> = Vec::new();
    for k in 0..points {
        let mut subst = Subst::new();
        axes.iter().for_each(|a| subst.insert(a.index, Atom::int(k)));
        let one = subst.clone_block(func, body);
        out.extend(one.stmts);
        if so_far.is_empty() && func.signed_zeros && *kind == Reduction::Sum {
            // A sum begins with a positive zero.
            let mut code = CodeWriter { func: &mut *func, out: &mut *out, span: stmt.span };
            so_far = one.results.iter().map(|&value| code.begun(value)).collect();
            continue;
        }
        if so_far.is_empty() {
            so_far = one.results.iter().map(|&value| Best { value, place: Atom::int(0) }).collect();
            continue;
        }
        for ((best, &value), &var) in so_far.iter_mut().zip(&one.results).zip(&stmt.vars) {
            let last = (k == points - 1).then_some(var);
            let mut code = CodeWriter { func: &mut *func, out: &mut *out, span: stmt.span };
            *best = code.combined(*kind, *best, Best { value, place: Atom::int(k) }, last);
        }
    }
    so_far
}

/// A result so far, and where it was found.
#[derive(Clone, Copy)]
struct Best {
    value: Atom,
    place: Atom,
}

struct CodeWriter<'f> {
    func: &'f mut Func,
    out: &'f mut Vec<Stmt>,
    span: Option<Span>,
}

impl CodeWriter<'_> {
    fn prim(&mut self, prim: Prim, args: Vec<Atom>, elem: Scalar, var: Option<VarId>) -> Atom {
        let var = var.unwrap_or_else(|| self.func.scalar_var("t", elem));
        self.out.push(Stmt { vars: vec![var], op: Op::Prim(prim, args), span: self.span });
        Atom::Var(var)
    }

    /// The sum of a single number.
    fn begun(&mut self, value: Atom) -> Best {
        let elem = self.func.atom_elem(value);
        let value = self.prim(Prim::Add, vec![Atom::Const(Const::zero(elem)), value], elem, None);
        Best { value, place: Atom::int(0) }
    }

    /// The result with one more point; `last` is the variable that the reduction binds, if this is its last point.
    fn combined(&mut self, kind: Reduction, best: Best, next: Best, last: Option<VarId>) -> Best {
        let elem = self.func.atom_elem(next.value);
        let prim = match kind {
            Reduction::Sum => Prim::Add,
            Reduction::Product => Prim::Mul,
            Reduction::Max => Prim::Max,
            Reduction::Min => Prim::Min,
            Reduction::Any => Prim::Or,
            Reduction::All => Prim::And,
            Reduction::ArgMax => return self.farther(Prim::Gt, best, next, last),
            Reduction::ArgMin => return self.farther(Prim::Lt, best, next, last),
        };
        Best { value: self.prim(prim, vec![best.value, next.value], elem, last), ..best }
    }

    /// The better of two, with its place. NaN precedes everything but NaN.
    fn farther(&mut self, compare: Prim, best: Best, next: Best, last: Option<VarId>) -> Best {
        let elem = self.func.atom_elem(next.value);
        let mut better = self.prim(compare, vec![next.value, best.value], Scalar::Bool, None);
        if elem.is_float() {
            let nan = self.prim(Prim::IsNan, vec![next.value], Scalar::Bool, None);
            let best_nan = self.prim(Prim::IsNan, vec![best.value], Scalar::Bool, None);
            let number = self.prim(Prim::Not, vec![best_nan], Scalar::Bool, None);
            let first = self.prim(Prim::And, vec![nan, number], Scalar::Bool, None);
            better = self.prim(Prim::Or, vec![better, first], Scalar::Bool, None);
        }
        let place = self.prim(Prim::Select, vec![better, next.place, best.place], Scalar::I64, last);
        let value = self.prim(Prim::Select, vec![better, next.value, best.value], elem, None);
        Best { value, place }
    }
}
