//! Scalar code: primitives, reads, checks.

use super::{Lowerer, Result, ill_formed, one, same_length};
use crate::address::place;
use crate::emit::Motion;
use crate::{Demand, Expr, Operand, SpanId, Ty};
use arr_ir::{Atom, Check, Const, Prim, Scalar, SizeId, Stmt, VarId};

/// Powers with a constant exponent of at most this magnitude are products.
const LARGEST_POWER: u64 = 64;

impl Lowerer<'_> {
    pub(super) fn prim(&mut self, stmt: &Stmt, prim: Prim, args: &[Atom]) -> Result<()> {
        let var = one(stmt)?;
        let args = self.atoms(args)?;
        if let [_, divisor] = args.as_slice()
            && prim.may_fail(self.emit.func.elem(*divisor))
        {
            let nonzero = matches!(divisor, Operand::Const(c) if !c.is_zero());
            if !nonzero {
                let span = self.place();
                self.emit.check(Demand::NonZero, vec![*divisor], span);
            }
        }
        let value = match prim.result(&args.iter().map(|&a| self.emit.func.elem(a)).collect::<Vec<_>>()) {
            // The division by a constant zero is never reached: its check fails.
            Some(elem) if divides_by_zero(prim, &args) => Operand::Const(Const::zero(elem)),
            Some(_) => self.prim_value(var, prim, args)?,
            None => return Err(ill_formed(format!("`{}` is not defined on these operands", prim.name()))),
        };
        self.bind(var, value);
        Ok(())
    }

    fn prim_value(&mut self, var: VarId, prim: Prim, args: Vec<Operand>) -> Result<Operand> {
        let int = self.func.ty(var).elem == arr_ir::Scalar::I64;
        match (prim, args.as_slice()) {
            (Prim::Add | Prim::Sub | Prim::Mul, [a, b]) if int => {
                // Sizes and offsets share their arithmetic with the program's.
                let (a, b) = (*a, *b);
                Ok(self.emit.int(prim, a, b))
            }
            (Prim::PowInt, &[x, Operand::Const(Const::I64(n))])
                if !self.options.nested && n.unsigned_abs() <= LARGEST_POWER =>
            {
                self.power(x, n)
            }
            _ => {
                let name = self.func.name(var).to_string();
                self.emit
                    .prim(&name, prim, args)
                    .ok_or_else(|| ill_formed(format!("`{}` has bad operands", prim.name())))
            }
        }
    }

    /// A power as products: the same ones, in the same order, as `arr_math::powi`, and of an `f32` also in `f64`.
    fn power(&mut self, x: Operand, n: i64) -> Result<Operand> {
        let narrow = self.emit.func.elem(x) == Scalar::F32;
        let base = if narrow { self.prim_of(Prim::ToF64, vec![x])? } else { x };
        let times = |a, b| self.prim_of(Prim::Mul, vec![a, b]);
        let product = arr_math::product_of_squares(base, n.unsigned_abs(), times)?;
        let one = Operand::Const(Const::F64(1.0));
        let mut power = product.unwrap_or(one);
        if n < 0 {
            power = self.prim_of(Prim::Div, vec![one, power])?;
        }
        if narrow { self.prim_of(Prim::ToF32, vec![power]) } else { Ok(power) }
    }

    pub(super) fn read(&mut self, stmt: &Stmt, array: VarId, index: &[Atom], checked: bool) -> Result<()> {
        let var = one(stmt)?;
        let sizes = self.func.ty(array).dims.clone();
        same_length("indices and axes of a read", index.len(), sizes.len())?;
        if sizes.is_empty() {
            let value = self.value(array)?;
            self.bind(var, value);
            return Ok(());
        }
        let buffer = self.buffer(array)?;
        let dims = self.dims(&sizes)?;
        let operands = self.atoms(index)?;
        if checked || self.options.check_all {
            let span = self.place();
            self.check_inside(index, &operands, &sizes, &dims, span);
        }
        let place = place(&mut self.emit, buffer, &dims, &operands);
        // A read that is inside its array whenever the loops around it run may be made before an inner loop or branch.
        let motion = if self.is_inside(index, &sizes) { Motion::Anywhere } else { Motion::Stay };
        let ty = Ty::Scalar(self.func.ty(array).elem);
        let name = self.func.name(var).to_string();
        let value = self.emit.pure(&name, ty, Expr::Load(place.address, place.offset), motion);
        self.bind(var, value.into());
        Ok(())
    }

    /// Checks the indices that are not known to be inside.
    pub(super) fn check_inside(
        &mut self,
        index: &[Atom],
        operands: &[Operand],
        sizes: &[SizeId],
        dims: &[Operand],
        span: SpanId,
    ) {
        for (((&atom, &operand), &size), &dim) in index.iter().zip(operands).zip(sizes).zip(dims) {
            if !self.is_inside(&[atom], &[size]) {
                self.emit.check(Demand::Element, vec![operand, dim], span);
            }
        }
    }

    /// Whether every index is inside its axis whenever the loops around it run.
    pub(super) fn is_inside(&self, index: &[Atom], sizes: &[SizeId]) -> bool {
        index.iter().zip(sizes).all(|(&atom, &size)| match atom {
            Atom::Var(v) => self.extents.get(&v) == Some(&size),
            Atom::Const(c) => {
                let extent = self.func.types.poly(size).as_constant();
                matches!((c.as_i64(), extent), (Some(i), Some(n)) if 0 <= i && i < n)
            }
        })
    }

    pub(super) fn check(&mut self, kind: Check, args: &[Atom]) -> Result<()> {
        same_length("operands of a check", args.len(), kind.arity())?;
        let args = self.atoms(args)?;
        let demand = match kind {
            Check::Index => Demand::Index,
            Check::SizeEq => Demand::SizeEq,
            Check::SizeNonNeg => Demand::SizeNonNeg,
            Check::NonEmpty => Demand::NonEmpty,
            Check::Slice => Demand::Slice,
            Check::Step => Demand::Step,
        };
        let span = self.place();
        self.emit.check(demand, args, span);
        Ok(())
    }
}

fn divides_by_zero(prim: Prim, args: &[Operand]) -> bool {
    match args {
        [a, Operand::Const(c)] => {
            let elem = match a {
                Operand::Const(a) => a.scalar(),
                Operand::Local(_) => c.scalar(),
            };
            prim.may_fail(elem) && c.is_zero()
        }
        _ => false,
    }
}
