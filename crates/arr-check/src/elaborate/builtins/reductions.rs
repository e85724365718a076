//! Reductions and scans along the outermost axis.

use crate::data::problem::Problem;
use crate::data::types::Ty;
use crate::data::values::{Arg, Val};
use crate::elaborate::Elab;
use arr_ir::{Atom, Const, Prim, Reduction, Scalar, SizeId};

/// The outermost size, the sizes below, the element type and the array.
type Numbers = (SizeId, Vec<SizeId>, Scalar, Atom);

impl<'a> Elab<'a> {
    /// An argument that must be an array of scalars that `ok` accepts.
    fn numbers(&mut self, name: &str, x: &Arg, needs: &'static str, ok: impl Fn(Scalar) -> bool) -> Option<Numbers> {
        let size = self.outer_size(&x.val, x.span, "a reduction")?;
        if let (Some((dims, elem)), Some(atom)) = (x.val.ty.as_numeric(), x.val.atom())
            && ok(elem)
        {
            return Some((size, dims.into_iter().skip(1).collect(), elem, atom));
        }
        let ty = self.show(&x.val.ty);
        let bools = x.val.ty.as_numeric().is_some_and(|(_, elem)| elem == Scalar::Bool);
        let integers = x.val.ty.as_numeric().is_some_and(|(_, elem)| elem.is_int() && ok(Scalar::F64));
        let hint = match (bools, integers) {
            (true, _) => Some("`i64(..)` makes 0 or 1 of a boolean".to_string()),
            (_, true) => Some(format!("convert it: `{name}(f64(..))`")),
            _ => None,
        };
        self.fail(Problem::Operand { op: name.to_string(), span: x.span, ty, needs, hint });
        None
    }

    pub(super) fn reduction(&mut self, kind: Reduction, name: &str, x: &Arg) -> Val {
        let logical = matches!(kind, Reduction::Any | Reduction::All);
        let needs = if logical { "an array of booleans" } else { "an array of numbers" };
        let Some((n, below, elem, array)) = self.numbers(name, x, needs, |e| (e == Scalar::Bool) == logical) else {
            return Val::error();
        };
        let result = self.tabulate1(&below, name, |e, rest| {
            e.reduce(kind, &[n], |e, index| e.read_inside(array, index.iter().chain(rest).copied().collect()))
        });
        let elem = if matches!(kind, Reduction::ArgMax | Reduction::ArgMin) { Scalar::I64 } else { elem };
        Val::new(Ty::array(&below, elem), vec![result])
    }

    pub(super) fn mean(&mut self, x: &Arg) -> Val {
        let Some((n, below, elem, _)) = self.numbers("mean", x, "an array of floats", Scalar::is_float) else {
            return Val::error();
        };
        let total = self.reduction(Reduction::Sum, "sum", x);
        let count = self.size_value(n);
        let count = self.prim(Prim::convert(elem), vec![count]);
        let args = [Arg { val: total, span: x.span }, Arg { val: Val::scalar(elem, count), span: x.span }];
        let mean = self.pointwise(Prim::Div, "/", &args);
        Val::new(Ty::array(&below, elem), mean.leaves)
    }

    /// `cumsum`, `cumprod`, `cummax`: the running combination, elementwise below the outermost axis.
    pub(super) fn cumulative(&mut self, prim: Prim, name: &str, x: &Arg) -> Val {
        let Some((n, below, elem, array)) = self.numbers(name, x, "an array of numbers", |e| e != Scalar::Bool) else {
            return Val::error();
        };
        let row = Ty::array(&below, elem);
        let start = match prim {
            Prim::Mul => Const::one(elem),
            _ => Const::zero(elem),
        };
        let start =
            if below.is_empty() { Atom::Const(start) } else { Atom::Var(self.b.fill(&below, start.into(), "acc")) };
        let xs = Val::new(x.val.ty.clone(), vec![array]);
        self.scan_with(n, Val::new(row, vec![start]), &xs, |e, index, acc, element| {
            let (Some(a), Some(b)) = (acc.atom(), element.atom()) else { return Val::error() };
            let result = e.tabulate1(&below, prim.name(), |e, rest| {
                let (a, b) = (e.read_inside(a, rest.to_vec()), e.read_inside(b, rest.to_vec()));
                if prim != Prim::Max {
                    return e.prim(prim, vec![a, b]);
                }
                // The first element is compared with nothing.
                let first = e.prim(Prim::Eq, vec![index, Self::int(0)]);
                e.lazy_if(first, |_| b, |e| e.prim(prim, vec![a, b]))
            });
            Val::new(element.ty.clone(), vec![result])
        })
    }

    /// All states of a loop that combines the elements of `xs` into `start`.
    pub(super) fn scan_with(
        &mut self,
        n: SizeId,
        start: Val,
        xs: &Val,
        step: impl FnOnce(&mut Self, Atom, Val, Val) -> Val,
    ) -> Val {
        let all = start.ty.clone().under(&[n]);
        let out = self.zeros_of(&all, "scan");
        let width = start.leaves.len();
        let state = Val::tuple(vec![start, out]);
        let result = self.carry(n, state, "i", |e, index, state| {
            let Some([acc, out]) = state.components().and_then(|parts| <[Val; 2]>::try_from(parts).ok()) else {
                return Val::error();
            };
            let element = e.element(xs, index);
            let next = step(e, index, acc, element);
            if next.is_error() {
                return Val::error();
            }
            let out = e.replace(&out, &[index], &next, false);
            Val::tuple(vec![next, out])
        });
        if result.is_error() {
            return Val::error();
        }
        Val::new(all, result.leaves.into_iter().skip(width).collect())
    }
}
