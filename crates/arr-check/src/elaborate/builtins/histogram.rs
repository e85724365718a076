//! `histogram(f, z, k, is, vs)`: `k` bins that start from `z` and are combined with `f`.

use crate::data::builtins::BuiltinKind;
use crate::data::problem::{Problem, Role};
use crate::data::types::{FnId, Ty};
use crate::data::values::{Arg, Val};
use crate::elaborate::Elab;
use crate::elaborate::function::FnVal;
use arr_ir::{Atom, Op, Prim, Scalar, ScatterKind, SizeId};
use arr_syntax::ast::{BinaryOp, ExprKind, PatternKind};

impl<'a> Elab<'a> {
    pub(super) fn histogram(&mut self, [f, z, k, is, vs]: [&Arg; 5]) -> Val {
        let Some(combine) = self.as_function(f) else { return Val::error() };
        let Some(bins) = self.size_arg(k) else { return Val::error() };
        let Some((places, _)) = self.indices(is, "histogram") else { return Val::error() };
        if z.val.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: z.span, place: "an element of an array", hint: None });
        }
        let Some(below) = self.elements_below(is, vs, places.len()) else { return Val::error() };
        let start = self.bins(&z.val, bins);
        if self.is_addition(combine) && below == z.val.ty && is_numbers(&below) {
            let dest = Arg { val: start, span: z.span };
            return self.scatter(ScatterKind::Add, "histogram", &dest, is, vs);
        }
        let (is, vs, n) = self.one_axis(is, vs, &below, &places);
        let ty = z.val.ty.clone();
        self.carry(n, start, "i", |e, i, bins| {
            let place = e.element(&is, i);
            let Some(place) = place.atom() else { return Val::error() };
            let value = e.element(&vs, i);
            let old = e.part(&bins, &[place], true);
            let new = e.combine(combine, "histogram", f.span, (old, z.span), (value, f.span), &ty);
            if new.is_error() {
                return Val::error();
            }
            // The index was checked when the bin was read, unless it has no leaf to read.
            e.replace(&bins, &[place], &new, true)
        })
    }

    /// The type of the elements of `vs`, which has the axes of `is` in front.
    fn elements_below(&mut self, is: &Arg, vs: &Arg, rank: usize) -> Option<Ty> {
        let mut below = &vs.val.ty;
        for _ in 0..rank {
            let Ty::Array(_, inner) = below else {
                let (dims, _) = is.val.ty.peel();
                let expected = self.show(&below.clone().under(&dims));
                let found = self.show(&vs.val.ty);
                let role = Role::Argument { param: "vs".to_string(), def: "histogram".to_string() };
                let facts = vec![(is.span, format!("the indices have type `{}`", self.show(&is.val.ty)))];
                self.fail(Problem::Mismatch { role, span: vs.span, expected, found, hint: None, facts });
                return None;
            };
            below = inner;
        }
        let below = below.clone();
        let (dims, _) = is.val.ty.peel();
        let want = below.clone().under(&dims);
        let role = Role::Argument { param: "vs".to_string(), def: "histogram".to_string() };
        let facts = vec![(is.span, format!("the indices have type `{}`", self.show(&is.val.ty)))];
        let fits = !self.conform_with(vs.val.clone(), &want, role, vs.span, facts).is_error();
        fits.then_some(below)
    }

    /// `k` times the start of a bin.
    fn bins(&mut self, z: &Val, k: SizeId) -> Val {
        let ty = z.ty.clone().under(&[k]);
        let mut leaves = Vec::new();
        for (atom, (_, leaf)) in z.leaves.iter().zip(ty.leaves()) {
            leaves.push(self.tabulate1(&leaf.dims, "bins", |e, index| {
                e.read_inside(*atom, index.iter().skip(1).copied().collect())
            }));
        }
        Val::new(ty, leaves)
    }

    /// Indices and values on one axis, row by row.
    fn one_axis(&mut self, is: &Arg, vs: &Arg, below: &Ty, dims: &[SizeId]) -> (Val, Val, SizeId) {
        let one = self.size_const(1);
        let n = dims.iter().fold(one, |product, d| self.size_mul(product, *d));
        if dims.len() == 1 {
            return (is.val.clone(), vs.val.clone(), n);
        }
        let mut flat = |val: &Val, ty: Ty| {
            let mut leaves = Vec::new();
            for (atom, (_, leaf)) in val.leaves.iter().zip(ty.leaves()) {
                let Atom::Var(v) = *atom else { continue };
                let name = self.b.func.name(v).to_string();
                let ty = self.b.func.types.ty(leaf);
                leaves.push(Atom::Var(self.b.emit1(Op::Reshape(v), &name, ty)));
            }
            Val::new(ty, leaves)
        };
        let indices = flat(&is.val, Ty::array(&[n], Scalar::I64));
        let values = flat(&vs.val, below.clone().under(&[n]));
        (indices, values, n)
    }

    /// Whether a function is `(+)`, or written `\(a, b) => a + b`: then only the order of additions to one bin has to
    /// be kept, and `scatter_add` keeps it.
    fn is_addition(&self, f: FnId) -> bool {
        match self.fns.get(f) {
            Some(FnVal::Operator(BinaryOp::Add)) => true,
            Some(FnVal::Lambda { params, body, .. }) => {
                let names: Vec<&str> = params
                    .iter()
                    .filter_map(|p| match &p.pattern.kind {
                        PatternKind::Name(name) if p.ty.is_none() => Some(name.as_str()),
                        _ => None,
                    })
                    .collect();
                let ExprKind::Binary(BinaryOp::Add, a, b) = &*body.kind else { return false };
                match (&*a.kind, &*b.kind, names.as_slice()) {
                    (ExprKind::Name(a), ExprKind::Name(b), [x, y]) => x != y && a == x && b == y,
                    _ => false,
                }
            }
            Some(FnVal::Builtin(builtin)) => builtin.kind == BuiltinKind::Pointwise(Prim::Add),
            _ => false,
        }
    }
}

/// A number, or an array of numbers.
fn is_numbers(ty: &Ty) -> bool {
    ty.as_numeric().is_some_and(|(_, elem)| elem != Scalar::Bool)
}
