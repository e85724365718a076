//! The rest of a read or a kernel without used results: the code that can stop the program, in a `build` without
//! results.

use super::dead::Sweeper;
use crate::analysis::{index_checks, size_operand};
use arr_base::Span;
use arr_ir::walk::{Subst, has_derivative};
use arr_ir::{Atom, Axis, Block, Check, Const, Op, Reduction, Stmt, VarId};

/// Whether the checks of a kernel can be separated from the rest. Kernels hold no other kernel than the reduction of
/// [`reduction_of`], so that others `inside` one do not change.
pub(super) fn becomes_checks(op: &Op, inside: bool) -> bool {
    let plain = match op {
        Op::Build { .. } => true,
        Op::Scatter { .. } => !inside,
        Op::Reduce { kind, axes, .. } => !inside && tells_emptiness(*kind, axes),
        _ => false,
    };
    plain && !has_derivative(op)
}

/// The reduction that the body of a kernel is.
pub(super) fn reduction_of(body: &Block) -> Option<&Stmt> {
    match body.stmts.as_slice() {
        [stmt @ Stmt { op: Op::Reduce { kind, axes, .. }, .. }] if tells_emptiness(*kind, axes) => Some(stmt),
        _ => None,
    }
}

/// Whether the extents show that there is something to reduce, where there must be.
fn tells_emptiness(kind: Reduction, axes: &[Axis]) -> bool {
    kind.has_identity() || axes.len() == 1
}

impl Sweeper<'_> {
    /// Emits the code of a statement that can stop the program; returns whether there is any.
    pub(super) fn only_checks(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) -> bool {
        let span = stmt.span;
        match stmt.op {
            Op::Read { array, index, .. } => {
                index_checks(self.func, array, &index, span, out);
                true
            }
            Op::Scatter { dest, axes, mut body, checked, .. } => {
                let mut checks = self.block(&mut body);
                if checked {
                    self.place_checks(dest, &mut body, span);
                    checks = true;
                }
                body.results.clear();
                match axes.as_slice() {
                    _ if !checks => {}
                    [] => out.extend(body.stmts),
                    _ => out.push(Stmt { vars: Vec::new(), op: Op::Build { axes, body }, span }),
                }
                checks
            }
            Op::Build { axes, body } => self.points(axes, body, span, out),
            op @ Op::Reduce { .. } => {
                let body = Block { stmts: vec![Stmt { op, ..stmt }], ..Block::default() };
                self.points(Vec::new(), body, span, out)
            }
            op => {
                out.push(Stmt { op, ..stmt });
                true
            }
        }
    }

    /// The checks at the points of a kernel, those of a reduction in it at the points of both.
    fn points(&mut self, mut axes: Vec<Axis>, mut body: Block, span: Option<Span>, out: &mut Vec<Stmt>) -> bool {
        let before = out.len();
        while reduction_of(&body).is_some() {
            let Some(Stmt { op: Op::Reduce { kind, axes: inner, body: terms }, .. }) = body.stmts.pop() else {
                return self.func.broken(false, "a kernel of a reduction does not end with it");
            };
            if !kind.has_identity() {
                self.emptiness(&axes, &inner, span, out);
            }
            axes.extend(inner);
            body = terms;
        }
        body.results.clear();
        if self.block(&mut body) {
            out.push(Stmt { vars: Vec::new(), op: Op::Build { axes, body }, span });
        }
        out.len() > before
    }

    /// The demand that there is something to reduce at each point of the outer axes.
    fn emptiness(&mut self, outer: &[Axis], inner: &[Axis], span: Option<Span>, out: &mut Vec<Stmt>) {
        let mut subst = Subst::new();
        let axes: Vec<Axis> = outer
            .iter()
            .map(|a| {
                let extent = subst.size(self.func, a.extent);
                Axis { index: subst.fresh(self.func, a.index), extent }
            })
            .collect();
        let mut body = Block::default();
        for axis in inner {
            let extent = subst.size(self.func, axis.extent);
            let args = vec![size_operand(self.func, extent, None, &mut body.stmts)];
            body.stmts.push(Stmt { vars: Vec::new(), op: Op::Check { kind: Check::NonEmpty, args }, span });
        }
        match axes.as_slice() {
            [] => out.extend(body.stmts),
            _ => out.push(Stmt { vars: Vec::new(), op: Op::Build { axes, body }, span }),
        }
    }

    /// The checks of a scatter's indices, at the points where it writes.
    fn place_checks(&mut self, dest: VarId, body: &mut Block, span: Option<Span>) {
        let rank = self.func.ty(dest).dims.len();
        for write in std::mem::take(&mut body.results).chunks(rank + 2) {
            let Some(index) = write.get(1..=rank) else {
                return self.func.broken((), "a `scatter` writes at a place of fewer axes");
            };
            match write.first() {
                Some(&guard) if guard != Atom::Const(Const::Bool(true)) => {
                    let mut checks = Block::default();
                    index_checks(self.func, dest, index, span, &mut checks.stmts);
                    let op = Op::If { cond: guard, then_block: checks, else_block: Block::default() };
                    body.stmts.push(Stmt { vars: Vec::new(), op, span });
                }
                _ => index_checks(self.func, dest, index, span, &mut body.stmts),
            }
        }
    }
}
