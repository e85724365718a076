//! Order: `sort`, `argsort`, `searchsorted`.

use crate::data::problem::Problem;
use crate::data::types::Ty;
use crate::data::values::{Arg, Val};
use crate::elaborate::Elab;
use arr_ir::{Atom, Prim, Scalar, SizeId};

impl<'a> Elab<'a> {
    /// An argument that must be one row of scalars: its length, element type and array.
    fn row(&mut self, name: &'static str, xs: &Arg) -> Option<(SizeId, Scalar, Atom)> {
        let doing = if name == "sort" { "`sort`" } else { "`argsort`" };
        let n = self.array_arg(xs, doing)?;
        if let (Some((dims, elem)), Some(atom)) = (xs.val.ty.as_numeric(), xs.val.atom())
            && dims.len() == 1
        {
            return Some((n, elem, atom));
        }
        let ty = self.show(&xs.val.ty);
        let hint = match xs.val.ty.as_numeric() {
            Some(_) => format!("sort row by row: `for row in xs => {name}(row)`"),
            None => "sort by one part: `gather(xs, argsort(for x in xs => x.key))`".to_string(),
        };
        let needs = "an array of numbers or booleans with one axis";
        self.fail(Problem::Operand { op: name.to_string(), span: xs.span, ty, needs, hint: Some(hint) });
        None
    }

    fn order_of(&mut self, array: Atom) -> Atom {
        match array {
            Atom::Var(v) => Atom::Var(self.b.argsort(v, "order")),
            Atom::Const(_) => array,
        }
    }

    pub(super) fn argsort(&mut self, xs: &Arg) -> Val {
        let Some((n, _, array)) = self.row("argsort", xs) else { return Val::error() };
        let order = self.order_of(array);
        Val::new(Ty::array(&[n], Scalar::I64), vec![order])
    }

    /// The elements in their stable order, so that cotangents go back to where the elements came from.
    pub(super) fn sort(&mut self, xs: &Arg) -> Val {
        let Some((n, elem, array)) = self.row("sort", xs) else { return Val::error() };
        let order = self.order_of(array);
        let sorted = self.tabulate1(&[n], "sorted", |e, index| {
            let place = e.read_inside(order, index.to_vec());
            e.read_inside(array, vec![place])
        });
        Val::new(Ty::array(&[n], elem), vec![sorted])
    }

    /// The leftmost place at which each of `v` would go into `xs`: a binary search of its own for each.
    pub(super) fn searchsorted(&mut self, xs: &Arg, v: &Arg) -> Val {
        let Some(n) = self.array_arg(xs, "`searchsorted`") else { return Val::error() };
        let (Some((dims, elem)), Some(array)) = (xs.val.ty.as_numeric(), xs.val.atom()) else {
            return self.not_a_row("searchsorted", xs);
        };
        if dims.len() != 1 {
            return self.not_a_row("searchsorted", xs);
        }
        let (Some((places, sought)), Some(wanted)) = (v.val.ty.as_numeric(), v.val.atom()) else {
            let ty = self.show(&v.val.ty);
            let needs = "a scalar or an array of scalars";
            return self.fail(Problem::Operand { op: "searchsorted".to_string(), span: v.span, ty, needs, hint: None });
        };
        if elem != sought {
            let (left, right) = ((xs.span, self.show(&xs.val.ty)), (v.span, self.show(&v.val.ty)));
            let (op, span) = ("searchsorted".to_string(), self.span());
            let hint = Some("nothing is converted silently; both need one element type".to_string());
            return self.fail(Problem::Operator { op, span, left, right, hint });
        }
        let end = self.size_value(n);
        let result = self.tabulate1(&places, "place", |e, index| {
            let value = e.read_inside(wanted, index.to_vec());
            e.binary_search(array, elem, end, value)
        });
        Val::new(Ty::array(&places, Scalar::I64), vec![result])
    }

    fn not_a_row(&mut self, name: &str, xs: &Arg) -> Val {
        let ty = self.show(&xs.val.ty);
        let needs = "an array of numbers or booleans with one axis";
        self.fail(Problem::Operand { op: name.to_string(), span: xs.span, ty, needs, hint: None })
    }

    /// The number of elements of a sorted array that come before `value`.
    fn binary_search(&mut self, array: Atom, elem: Scalar, end: Atom, value: Atom) -> Atom {
        let int = Ty::Scalar(Scalar::I64);
        let start = Val::new(Ty::Tuple(vec![int.clone(), int]), vec![Self::int(0), end]);
        let found = self.carry_while(
            start,
            |e, state| {
                let more = match state.leaves.as_slice() {
                    [lo, hi] => e.prim(Prim::Lt, vec![*lo, *hi]),
                    _ => Atom::bool(false),
                };
                Val::scalar(Scalar::Bool, more)
            },
            |e, state| {
                let [lo, hi] = state.leaves.as_slice() else { return state };
                let both = e.prim(Prim::Add, vec![*lo, *hi]);
                let middle = e.prim(Prim::Div, vec![both, Self::int(2)]);
                let x = e.read_inside(array, vec![middle]);
                let before = e.comes_before(elem, x, value);
                let after = e.prim(Prim::Add, vec![middle, Self::int(1)]);
                let lo = e.prim(Prim::Select, vec![before, after, *lo]);
                let hi = e.prim(Prim::Select, vec![before, *hi, middle]);
                Val::new(state.ty, vec![lo, hi])
            },
        );
        found.leaves.first().copied().unwrap_or(end)
    }

    /// Whether `a` comes strictly before `b` in the order of `sort`: NaNs last, `false` before `true`.
    fn comes_before(&mut self, elem: Scalar, a: Atom, b: Atom) -> Atom {
        if elem == Scalar::Bool {
            let not = self.prim(Prim::Not, vec![a]);
            return self.prim(Prim::And, vec![not, b]);
        }
        let less = self.prim(Prim::Lt, vec![a, b]);
        if !elem.is_float() {
            return less;
        }
        let number = self.prim(Prim::IsNan, vec![a]);
        let number = self.prim(Prim::Not, vec![number]);
        let last = self.prim(Prim::IsNan, vec![b]);
        let last = self.prim(Prim::And, vec![number, last]);
        self.prim(Prim::Or, vec![less, last])
    }
}
