//! An inspector for segments of elements whose starts depend on data, such as the rows of a sparse matrix: a loop that
//! tests at run time whether the segments of iterations are disjoint.
//!
//! ```text
//! var apart = true
//! for k < n - 1 parallel {
//!   .. the segment of iteration k ends at `end`, that of iteration k + 1 begins at `next`
//!   let ok = le end next
//!   let t = and apart ok
//!   set apart = t
//! } combine ..
//! ```
//!
//! If every segment ends before the next one begins, they are disjoint. The loop's iterations compute them from arrays
//! that the loop does not write, before anything can fail.

use super::Scope;
use super::arrays::ArrayKind;
use super::places::{Known, Places};
use crate::{Expr, For, LocalId, Operand, Origin, Parallel, Partial, Stmt, Ty, any_stmt};
use arr_ir::{Const, Prim, Scalar};
use std::collections::HashMap;

/// The `extent` elements that start at the sum of `base`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Segment {
    base: Vec<Operand>,
    extent: Operand,
}

impl Segment {
    /// The segment that a loop directly inside the first traverses, if an offset is in it.
    pub fn of(offsets: &[Operand], path: &[&For]) -> Option<Segment> {
        let inner = path.get(1)?;
        let mut base = offsets.to_vec();
        let at = base.iter().position(|o| *o == Operand::Local(inner.index))?;
        base.remove(at);
        Some(Segment { base, extent: inner.extent })
    }

    /// Whether it can be computed at the beginning of an iteration.
    pub fn is_known(&self, given: Known<'_>, places: &Places, l: &For) -> bool {
        let fails = any_stmt(&l.body, &|stmt| matches!(stmt, Stmt::Check { .. } | Stmt::CheckShape { .. }));
        !fails && self.base.iter().chain([&self.extent]).all(|&o| known(given, places, l, o))
    }
}

/// What an immutable local of the loop's own block is bound to.
fn bound_to(l: &For, local: LocalId) -> Option<&Expr> {
    l.body.iter().find_map(|stmt| match stmt {
        Stmt::Let { local: bound, expr } if *bound == local => Some(expr),
        _ => None,
    })
}

fn known(given: Known<'_>, places: &Places, l: &For, operand: Operand) -> bool {
    let Operand::Local(local) = operand else { return true };
    if !places.varies(operand) || local == l.index || l.inductions.iter().any(|i| i.local == local) {
        return true;
    }
    let all = |operands: &[Operand]| operands.iter().all(|&o| known(given, places, l, o));
    match bound_to(l, local) {
        Some(Expr::Prim(prim, args)) => {
            matches!(prim, Prim::Add | Prim::Sub | Prim::Mul | Prim::Max | Prim::Min) && all(args)
        }
        Some(Expr::Copy(of)) => all(&[*of]),
        Some(Expr::Offset(address, offset)) => all(&[(*address).into(), *offset]),
        // A buffer that is not written keeps its address.
        Some(Expr::Load(address, offset)) => {
            let outside = |class: LocalId| given.arrays.kind(class) == ArrayKind::Outside && !places.is_stored(class);
            given.class_at(*address).is_some_and(outside) && all(&[(*address).into(), *offset])
        }
        Some(Expr::BaseAddr(_) | Expr::Len(_) | Expr::Literal(_)) | None => false,
    }
}

/// A walk that computes operands of the loop for another iteration.
struct Again<'a, 'b> {
    scope: &'a mut Scope<'b>,
    l: &'a For,
    at: Operand,
    names: HashMap<LocalId, Operand>,
    out: Vec<Stmt>,
}

impl Again<'_, '_> {
    fn value(&mut self, operand: Operand) -> Operand {
        let Operand::Local(local) = operand else { return operand };
        if local == self.l.index {
            return self.at;
        }
        if let Some(&known) = self.names.get(&local) {
            return known;
        }
        let step = self.l.inductions.iter().find(|i| i.local == local).map(|i| i.step);
        let expr = match (step, bound_to(self.l, local)) {
            (Some(step), _) => Expr::Prim(Prim::Mul, vec![self.at, step]),
            (None, Some(Expr::Prim(prim, args))) => Expr::Prim(*prim, args.iter().map(|&a| self.value(a)).collect()),
            (None, Some(Expr::Copy(of))) => Expr::Copy(self.value(*of)),
            (None, Some(Expr::Offset(a, n))) => Expr::Offset(self.address(*a), self.value(*n)),
            (None, Some(Expr::Load(a, n))) => Expr::Load(self.address(*a), self.value(*n)),
            _ => return operand,
        };
        let ty = self.scope.func.ty(local);
        let name = self.scope.func.locals[local].name.clone();
        let again = self.bind(&name, ty, expr);
        self.names.insert(local, again);
        again
    }

    fn address(&mut self, address: LocalId) -> LocalId {
        match self.value(address.into()) {
            Operand::Local(local) => local,
            Operand::Const(_) => address,
        }
    }

    fn bind(&mut self, name: &str, ty: Ty, expr: Expr) -> Operand {
        let local = self.scope.local(name, ty, false);
        self.out.push(Stmt::Let { local, expr });
        local.into()
    }

    fn int(&mut self, prim: Prim, a: Operand, b: Operand) -> Operand {
        self.bind("t", INT, Expr::Prim(prim, vec![a, b]))
    }

    /// The start of a segment.
    fn start(&mut self, segment: &Segment) -> Operand {
        let mut sum: Option<Operand> = None;
        for &part in &segment.base {
            let value = self.value(part);
            sum = Some(sum.map_or(value, |sum| self.int(Prim::Add, sum, value)));
        }
        sum.unwrap_or(Operand::int(0))
    }

    /// The end of a segment.
    fn end(&mut self, segment: &Segment) -> Operand {
        let start = self.start(segment);
        let extent = self.value(segment.extent);
        let length = self.int(Prim::Max, extent, Operand::int(0));
        self.int(Prim::Add, start, length)
    }
}

const INT: Ty = Ty::Scalar(Scalar::I64);
const BOOL: Ty = Ty::Scalar(Scalar::Bool);

/// Adds the loop that tests whether the segments of iterations are disjoint. Returns the flag that it sets; `None` if
/// there are no segments.
pub(super) fn test(scope: &mut Scope<'_>, l: &For, segments: &[Segment], before: &mut Vec<Stmt>) -> Option<LocalId> {
    if segments.is_empty() {
        return None;
    }
    let apart = scope.local("apart", BOOL, true);
    before.push(Stmt::Var { local: apart, init: Some(Const::Bool(true).into()) });
    let index = scope.local("k", INT, false);
    let extent = match l.extent.as_int() {
        Some(n) => Operand::int(n.saturating_sub(1)),
        None => {
            let fewer = scope.local("fewer", INT, false);
            before.push(Stmt::Let { local: fewer, expr: Expr::Prim(Prim::Sub, vec![l.extent, Operand::int(1)]) });
            fewer.into()
        }
    };
    let mut this = Again { scope, l, at: index.into(), names: HashMap::new(), out: Vec::new() };
    let ends: Vec<Operand> = segments.iter().map(|s| this.end(s)).collect();
    this.at = this.int(Prim::Add, index.into(), Operand::int(1));
    this.names.clear();
    for (segment, end) in segments.iter().zip(ends) {
        let next = this.start(segment);
        let ok = this.bind("ok", BOOL, Expr::Prim(Prim::Le, vec![end, next]));
        let both = this.bind("t", BOOL, Expr::Prim(Prim::And, vec![apart.into(), ok]));
        this.out.push(Stmt::Set { local: apart, value: both });
    }
    let body = this.out;
    let other = scope.local("apart.part", BOOL, false);
    let both = scope.local("t", BOOL, false);
    let combine = vec![
        Stmt::Let { local: both, expr: Expr::Prim(Prim::And, vec![apart.into(), other.into()]) },
        Stmt::Set { local: apart, value: both.into() },
    ];
    let partials = vec![Partial { local: apart, init: Const::Bool(true), other }];
    let parallel = Some(Parallel { partials, combine, ..Parallel::default() });
    let span = l.span;
    let (reverse, origin, inductions, scan) = (false, Origin::Kernel, Vec::new(), None);
    before.push(Stmt::For(Box::new(For { index, extent, reverse, inductions, origin, parallel, scan, span, body })));
    let known = scope.local("apart", BOOL, false);
    before.push(Stmt::Let { local: known, expr: Expr::Copy(apart.into()) });
    Some(known)
}
