//! Sizes as operands, and demands that indices are below them.

use arr_base::Span;
use arr_ir::{Atom, Check, Func, Op, Scalar, SizeId, Stmt, VarId};

/// A size as an operand; its computation goes to `out`, if there is any.
pub fn size_operand(func: &mut Func, size: SizeId, span: Option<Span>, out: &mut Vec<Stmt>) -> Atom {
    func.known_size(size).unwrap_or_else(|| {
        let var = func.scalar_var("size", Scalar::I64);
        out.push(Stmt { vars: vec![var], op: Op::Size(size), span });
        Atom::Var(var)
    })
}

/// The demand that an index is inside of an array, axis by axis.
pub fn index_checks(func: &mut Func, array: VarId, index: &[Atom], span: Option<Span>, out: &mut Vec<Stmt>) {
    let dims = func.ty(array).dims.clone();
    for (&index, dim) in index.iter().zip(dims) {
        let args = vec![index, size_operand(func, dim, None, out)];
        out.push(Stmt { vars: Vec::new(), op: Op::Check { kind: Check::Index, args }, span });
    }
}
