//! Arrays that no loop nest computes: constants, views of the same buffer, sorted orders.

use super::{Lowerer, Result, ill_formed, one};
use crate::{Expr, LocalId, Operand, TraceSite, Ty};
use arr_base::TracePlace;
use arr_ir::{Atom, Literal, Poly, SizeId, Stmt, VarId};
use std::sync::Arc;

impl Lowerer<'_> {
    pub(super) fn literal(&mut self, stmt: &Stmt, literal: &Arc<Literal>) -> Result<()> {
        let var = one(stmt)?;
        let count = literal.dims.iter().try_fold(1i64, |count, &d| count.checked_mul(d).filter(|_| d >= 0));
        let fits = count == i64::try_from(literal.data.len()).ok();
        if !fits || literal.data.iter().any(|c| c.scalar() != literal.elem) {
            return Err(ill_formed("the elements of a literal do not fit its type"));
        }
        let declared = self.func.ty(var).dims.iter().map(|&d| self.func.types.poly(d).as_constant());
        if !declared.eq(literal.dims.iter().map(|&d| Some(d))) {
            return Err(ill_formed("a literal has another shape than its variable"));
        }
        if literal.dims.is_empty() {
            let value = literal.data.first().copied().ok_or_else(|| ill_formed("an empty scalar literal"))?;
            self.bind(var, Operand::Const(value));
            return Ok(());
        }
        let id = self.emit.func.literals.push(literal.clone());
        let local = self.emit.let_here(self.func.name(var), Ty::Buffer(literal.elem), Expr::Literal(id));
        self.bind_owned(var, local.into());
        Ok(())
    }

    /// The same buffer under other axes.
    pub(super) fn reshape(&mut self, stmt: &Stmt, array: VarId) -> Result<()> {
        let var = one(stmt)?;
        let from = self.func.ty(array).dims.clone();
        let buffer = self.buffer(array)?;
        self.check_shape(buffer, &from, var)?;
        let value = self.consume(Atom::Var(array), false)?;
        self.bind_owned(var, value);
        Ok(())
    }

    /// Positions within rows, written by the runtime.
    pub(super) fn argsort(&mut self, stmt: &Stmt, array: VarId) -> Result<()> {
        let var = one(stmt)?;
        let sizes = self.func.ty(array).dims.clone();
        let dims = self.dims(&sizes)?;
        let Some(&length) = dims.last() else { return Err(ill_formed("a scalar is sorted")) };
        let keys = self.buffer(array)?;
        let into = self.emit.local(self.func.name(var), Ty::Buffer(arr_ir::Scalar::I64));
        let span = self.place();
        self.emit.push(crate::Stmt::Alloc { local: into, dims, span });
        let span = self.section_place();
        self.emit.push(crate::Stmt::Argsort { into, keys, length, span });
        self.bind_owned(var, into.into());
        Ok(())
    }

    /// A value that is shown, where it stands.
    pub(super) fn trace(&mut self, label: &Arc<str>, args: &[Atom]) -> Result<()> {
        let [shown] = args else { return Err(ill_formed("a trace has not one operand")) };
        let ty = self.func.atom_ty(*shown);
        let value = self.atom(*shown)?;
        let dims = self.dims(&ty.dims)?;
        let place = TracePlace { label: label.clone(), span: self.span };
        let site = self.emit.func.trace_site(TraceSite { place, elem: ty.elem });
        self.emit.push(crate::Stmt::Trace { site, value, dims });
        Ok(())
    }

    /// Checks that a buffer made under axes `from` has the elements of a variable's type, unless that is known. The
    /// verifier cannot decide this, and an element outside must never be read.
    pub(super) fn check_shape(&mut self, buffer: LocalId, from: &[SizeId], var: VarId) -> Result<()> {
        let to = self.func.ty(var).dims.clone();
        if self.same_count(from, &to) {
            return Ok(());
        }
        let dims = self.dims(&to)?;
        let span = self.place();
        self.emit.push(crate::Stmt::CheckShape { buffer, dims, span });
        Ok(())
    }

    /// Whether axes `to` hold as many elements as axes `from`, under which an array exists, for every value of the
    /// sizes. Equal polynomials are not enough: a product of several sizes may be equal only because it wraps.
    fn same_count(&self, from: &[SizeId], to: &[SizeId]) -> bool {
        let one = Poly::constant(1);
        let proper = |dims: &[SizeId]| -> Vec<Poly> {
            let mut polys: Vec<Poly> = dims.iter().map(|&d| self.func.types.poly(d).clone()).collect();
            polys.retain(|p| *p != one);
            polys.sort();
            polys
        };
        let (own, wanted) = (proper(from), proper(to));
        own == wanted || (wanted.len() <= 1 && self.count(from) == self.count(to))
    }

    fn count(&self, dims: &[SizeId]) -> Poly {
        dims.iter().fold(Poly::constant(1), |count, &d| count.mul(self.func.types.poly(d)))
    }
}
