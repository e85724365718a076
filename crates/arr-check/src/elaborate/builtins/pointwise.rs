//! Elementwise built-ins that are more than one primitive.

use crate::data::problem::{Problem, Role};
use crate::data::types::Ty;
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use arr_ir::{Atom, Op, Prim, Scalar};
use arr_syntax::ast::Expr;

impl<'a> Elab<'a> {
    /// The arguments of `pow`, read as those of `**`.
    pub(super) fn pow_args(&mut self, a: &'a Expr, b: &'a Expr, hint: &Hint) -> Vec<Arg> {
        let (x, p) = self.power_operands(a, b, hint);
        vec![Arg { val: x, span: a.span }, Arg { val: p, span: b.span }]
    }

    /// `select(c, a, b)`, elementwise. Elements may be tuples and records: then `c` is one boolean, or has the axes in
    /// front.
    pub(super) fn select(&mut self, c: &Arg, a: &Arg, b: &Arg) -> Val {
        if [a, b].iter().all(|x| x.val.ty.as_numeric().is_some() || x.val.ty.has_fn()) {
            return self.pointwise(Prim::Select, "select", &[c.clone(), a.clone(), b.clone()]);
        }
        let facts = vec![(a.span, format!("this has type `{}`", self.show(&a.val.ty)))];
        let role = Role::Operand("select".to_string());
        let b = self.conform_with(b.val.clone(), &a.val.ty, role, b.span, facts);
        let (dims, _) = a.val.ty.peel();
        let rank = c.val.ty.as_numeric().map_or(0, |(axes, _)| axes.len());
        let want = Ty::array(dims.get(..rank).unwrap_or_default(), Scalar::Bool);
        let facts = vec![(a.span, format!("this has type `{}`", self.show(&a.val.ty)))];
        let role = Role::Operand("select".to_string());
        let c = self.conform_with(c.val.clone(), &want, role, c.span, facts);
        let Some(cond) = c.atom().filter(|_| !b.is_error()) else { return Val::error() };
        let mut leaves = Vec::new();
        for ((x, y), (_, leaf)) in a.val.leaves.iter().zip(&b.leaves).zip(a.val.ty.leaves()) {
            leaves.push(self.tabulate1(&leaf.dims, "select", |e, index| {
                let here = e.read_inside(cond, index.iter().take(rank).copied().collect());
                let (x, y) = (e.read_inside(*x, index.to_vec()), e.read_inside(*y, index.to_vec()));
                e.prim(Prim::Select, vec![here, x, y])
            }));
        }
        Val::new(a.val.ty.clone(), leaves)
    }

    pub(super) fn convert(&mut self, to: Scalar, x: &Arg) -> Val {
        if x.val.ty.as_numeric().is_some_and(|(_, elem)| elem == to) {
            return x.val.clone();
        }
        self.pointwise(Prim::convert(to), to.name(), std::slice::from_ref(x))
    }

    pub(super) fn stop_gradient(&mut self, x: &Arg) -> Val {
        if x.val.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: x.span, place: "a value here", hint: None });
        }
        let mut leaves = Vec::new();
        for atom in &x.val.leaves {
            leaves.push(match atom {
                Atom::Var(v) if self.b.func.is_float(*atom) => {
                    let (name, ty) = (self.b.func.name(*v).to_string(), self.b.func.type_id(*v));
                    Atom::Var(self.b.emit1(Op::StopGradient(*atom), &name, ty))
                }
                _ => *atom,
            });
        }
        Val::new(x.val.ty.clone(), leaves)
    }

    /// An argument that must be one `i64`.
    pub(super) fn int_arg(&mut self, arg: &Arg) -> Option<Atom> {
        let want = Ty::Scalar(Scalar::I64);
        self.conform(arg.val.clone(), &want, Role::Index, arg.span).atom()
    }

    /// An argument that must be an array.
    pub(super) fn array_arg(&mut self, arg: &Arg, doing: &'static str) -> Option<arr_ir::SizeId> {
        self.outer_size(&arg.val, arg.span, doing)
    }
}
