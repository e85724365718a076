//! Reshapes inside kernels that depend on a check, read by elements.
//!
//! A `reshape` between sizes whose element counts are not equal for all values has a check in front of it. Lifted, it
//! would run where the enclosing axes have no points, or where no guard holds, and raise an error that the program does
//! not. The readers of the elements run at their points, and check the sizes again there, as kernels of one point may
//! be reordered.

use arr_base::Span;
use arr_ir::{Atom, Axis, Block, Check, Const, Func, Op, Poly, Prim, Scalar, SizeId, Stmt, VarId};

/// The block with such reshapes under axes replaced by kernels; `None` if there are none.
pub(super) fn by_elements(func: &mut Func, block: &Block) -> Option<Block> {
    holds(func, block, false).then(|| {
        let mut block = block.clone();
        rewrite(func, &mut block, false);
        block
    })
}

fn is_kernel_body(op: &Op, in_kernel: bool) -> bool {
    in_kernel || matches!(op, Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. })
}

fn holds(func: &Func, block: &Block, in_kernel: bool) -> bool {
    block.stmts.iter().any(|stmt| {
        in_kernel && is_checked(func, stmt)
            || stmt.op.blocks().into_iter().any(|b| holds(func, b, is_kernel_body(&stmt.op, in_kernel)))
    })
}

/// Whether a statement is a reshape that is possible only for some sizes.
fn is_checked(func: &Func, stmt: &Stmt) -> bool {
    let (Op::Reshape(array), &[var]) = (&stmt.op, stmt.vars.as_slice()) else { return false };
    let count = |v: VarId| {
        let dims = func.ty(v).dims.iter();
        dims.fold(Poly::constant(1), |n, &dim| n.mul(func.types.poly(dim)))
    };
    count(*array) != count(var)
}

fn rewrite(func: &mut Func, block: &mut Block, in_kernel: bool) {
    for stmt in &mut block.stmts {
        if in_kernel && is_checked(func, stmt) {
            read_elements(func, stmt);
            continue;
        }
        let inside = is_kernel_body(&stmt.op, in_kernel);
        stmt.op.blocks_mut().into_iter().for_each(|b| rewrite(func, b, inside));
    }
}

fn read_elements(func: &mut Func, stmt: &mut Stmt) {
    let (Op::Reshape(array), &[var]) = (&stmt.op, stmt.vars.as_slice()) else { return };
    let array = *array;
    let (from, to, elem) = (func.ty(array).dims.clone(), func.ty(var).dims.clone(), func.ty(var).elem);
    let axes: Vec<Axis> = to.iter().map(|&extent| Axis { index: func.scalar_var("i", Scalar::I64), extent }).collect();
    let mut code = CodeWriter { func, stmts: Vec::new() };
    code.check(&from, &to, stmt.span);
    let index = code.places(&from, &to, &axes);
    let element = code.func.scalar_var("element", elem);
    code.stmts.push(Stmt { vars: vec![element], op: Op::Read { array, index, checked: false }, span: stmt.span });
    let body = Block { params: Vec::new(), stmts: code.stmts, results: vec![Atom::Var(element)] };
    stmt.op = Op::Build { axes, body };
}

/// The body of a kernel.
struct CodeWriter<'f> {
    func: &'f mut Func,
    stmts: Vec<Stmt>,
}

impl CodeWriter<'_> {
    /// The check of `:>`, axis by axis.
    fn check(&mut self, from: &[SizeId], to: &[SizeId], span: Option<Span>) {
        if from.len() != to.len() {
            return;
        }
        for (&found, &expected) in from.iter().zip(to).filter(|(found, expected)| found != expected) {
            let args = vec![self.push("found", Op::Size(found)), self.push("expected", Op::Size(expected))];
            self.stmts.push(Stmt { vars: Vec::new(), op: Op::Check { kind: Check::SizeEq, args }, span });
        }
    }

    /// The index in an array with axes `from` of the element at a point of axes `to`, in row-major order of both.
    fn places(&mut self, from: &[SizeId], to: &[SizeId], point: &[Axis]) -> Vec<Atom> {
        let alike = |(a, b): &(&SizeId, &SizeId)| a == b;
        let front = from.iter().zip(to).take_while(alike).count();
        let room = from.len().min(to.len()) - front;
        let back = from.iter().rev().zip(to.iter().rev()).take(room).take_while(alike).count();
        let index = |axis: &Axis| Atom::Var(axis.index);
        let mut places: Vec<Atom> = point.iter().take(front).map(index).collect();
        let own = from.get(front..from.len() - back).unwrap_or_default();
        let inner = point.get(front..point.len() - back).unwrap_or_default();
        places.extend(self.unfolded(inner, own));
        places.extend(point.iter().skip(point.len() - back).map(index));
        places
    }

    /// The index along each axis for a position given along other axes.
    fn unfolded(&mut self, point: &[Axis], dims: &[SizeId]) -> Vec<Atom> {
        let mut place = Atom::Const(Const::I64(0));
        for (k, axis) in point.iter().enumerate() {
            place = if k == 0 {
                Atom::Var(axis.index)
            } else {
                let extent = self.push("extent", Op::Size(axis.extent));
                let row = self.push("row", Op::Prim(Prim::Mul, vec![place, extent]));
                self.push("place", Op::Prim(Prim::Add, vec![row, Atom::Var(axis.index)]))
            };
        }
        let mut index = Vec::new();
        for (k, &dim) in dims.iter().enumerate().rev() {
            if k == 0 {
                index.push(place);
                break;
            }
            let extent = self.push("extent", Op::Size(dim));
            index.push(self.push("rem", Op::Prim(Prim::Rem, vec![place, extent])));
            place = self.push("div", Op::Prim(Prim::Div, vec![place, extent]));
        }
        index.reverse();
        index
    }

    fn push(&mut self, name: &str, op: Op) -> Atom {
        let var = self.func.scalar_var(name, Scalar::I64);
        self.stmts.push(Stmt { vars: vec![var], op, span: None });
        Atom::Var(var)
    }
}
