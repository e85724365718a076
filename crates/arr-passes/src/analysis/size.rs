//! Sizes as operands.

use arr_base::Span;
use arr_ir::{Atom, Func, Op, Scalar, SizeId, Stmt};

/// A size as an operand; its computation goes to `out`, if there is any.
pub fn size_operand(func: &mut Func, size: SizeId, span: Option<Span>, out: &mut Vec<Stmt>) -> Atom {
    func.known_size(size).unwrap_or_else(|| {
        let var = func.scalar_var("size", Scalar::I64);
        out.push(Stmt { vars: vec![var], op: Op::Size(size), span });
        Atom::Var(var)
    })
}
