//! Built-ins that make arrays and rearrange their axes.

use crate::data::problem::{Problem, Role};
use crate::data::types::Ty;
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use arr_ir::{Atom, Check, Const, Op, Prim, Scalar, SizeId};

impl<'a> Elab<'a> {
    pub(super) fn length(&mut self, x: &Arg) -> Val {
        match self.array_arg(x, "`length`") {
            Some(size) => Val::scalar(Scalar::I64, self.size_value(size)),
            None => Val::error(),
        }
    }

    pub(super) fn shape_of(&mut self, x: &Arg) -> Val {
        if self.array_arg(x, "`shape`").is_none() {
            return Val::error();
        }
        let (dims, _) = x.val.ty.peel();
        let sizes =
            dims.into_iter().map(|d| Arg { val: Val::scalar(Scalar::I64, self.size_value(d)), span: x.span }).collect();
        self.stack(sizes)
    }

    /// The size that an `i64` argument is.
    pub(super) fn size_arg(&mut self, arg: &Arg) -> Option<SizeId> {
        let atom = self.conform(arg.val.clone(), &Ty::Scalar(Scalar::I64), Role::Extent, arg.span).atom()?;
        let outer = self.b.span.replace(arg.span);
        let size = self.size_of(atom);
        self.b.span = outer;
        self.demand_size(size, arg.span);
        Some(size)
    }

    pub(super) fn iota(&mut self, n: &Arg, hint: &Hint) -> Val {
        let Some(size) = self.size_arg(n) else { return Val::error() };
        let elem = hint.elem().filter(|e| *e != Scalar::Bool).unwrap_or(Scalar::I64);
        let result = self.tabulate1(&[size], "iota", |e, index| {
            let i = index.first().copied().unwrap_or(Self::int(0));
            if elem == Scalar::I64 { i } else { e.prim(Prim::convert(elem), vec![i]) }
        });
        Val::new(Ty::array(&[size], elem), vec![result])
    }

    pub(super) fn filled(&mut self, dims: &[Arg], value: i64, hint: &Hint) -> Val {
        let sizes: Vec<Option<SizeId>> = dims.iter().map(|d| self.size_arg(d)).collect();
        let Some(sizes) = sizes.into_iter().collect::<Option<Vec<SizeId>>>() else { return Val::error() };
        let elem = hint.elem().unwrap_or(Scalar::F64);
        let name = if value == 0 { "zeros" } else { "ones" };
        let filled = self.b.fill(&sizes, Atom::Const(Const::of_int(elem, value)), name);
        Val::new(Ty::array(&sizes, elem), vec![Atom::Var(filled)])
    }

    pub(super) fn replicate(&mut self, n: &Arg, x: &Arg) -> Val {
        let Some(size) = self.size_arg(n) else { return Val::error() };
        if x.val.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: x.span, place: "an element of an array", hint: None });
        }
        self.rearrange(&x.val, x.val.ty.clone().under(&[size]), "replicate", |_, index| {
            index.iter().skip(1).copied().collect()
        })
    }

    /// An array whose element at an index is that of `x` at another index, leaf by leaf.
    fn rearrange(&mut self, x: &Val, ty: Ty, name: &str, place: impl Fn(&mut Self, &[Atom]) -> Vec<Atom>) -> Val {
        let mut leaves = Vec::new();
        for (atom, (_, leaf)) in x.leaves.iter().zip(ty.leaves()) {
            leaves.push(self.tabulate1(&leaf.dims, name, |e, index| {
                let from = place(e, index);
                e.read_inside(*atom, from)
            }));
        }
        Val::new(ty, leaves)
    }

    /// An array of at least two axes: their sizes and what is below.
    fn matrix(&mut self, x: &Arg, doing: &'static str) -> Option<(SizeId, SizeId, Ty)> {
        match &x.val.ty {
            Ty::Array(n, inner) => match &**inner {
                Ty::Array(m, below) => return Some((*n, *m, (**below).clone())),
                _ => {
                    let ty = self.show(&x.val.ty);
                    let needs = "an array with two axes or more";
                    self.fail(Problem::Operand { op: doing.to_string(), span: x.span, ty, needs, hint: None });
                }
            },
            _ => drop(self.array_arg(x, "`transpose`")),
        }
        None
    }

    pub(super) fn transpose(&mut self, x: &Arg) -> Val {
        let Some((n, m, below)) = self.matrix(x, "transpose") else { return Val::error() };
        self.rearrange(&x.val, below.under(&[m, n]), "transpose", |_, index| match index {
            [i, j, rest @ ..] => [*j, *i].iter().chain(rest).copied().collect(),
            _ => index.to_vec(),
        })
    }

    pub(super) fn permute(&mut self, x: &Arg, p: &Arg) -> Val {
        let (dims, below) = x.val.ty.peel();
        let constants: Option<Vec<usize>> = p
            .val
            .leaves
            .iter()
            .map(|a| a.constant().and_then(Const::as_i64).and_then(|i| usize::try_from(i).ok()))
            .collect();
        let valid = constants.filter(|order| {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            matches!(p.val.ty, Ty::Tuple(_)) && sorted.len() <= dims.len() && sorted.iter().copied().eq(0..sorted.len())
        });
        let Some(order) = valid else {
            let ty = self.show(&p.val.ty);
            let needs = "a tuple of constants that names each leading axis once";
            return self.fail(Problem::Operand { op: "permute".to_string(), span: p.span, ty, needs, hint: None });
        };
        let new: Vec<SizeId> = order.iter().filter_map(|k| dims.get(*k).copied()).collect();
        let rest = dims.get(order.len()..).unwrap_or_default();
        let ty = below.clone().under(rest).under(&new);
        self.rearrange(&x.val, ty, "permute", |_, index| {
            let mut from = index.to_vec();
            for (k, axis) in order.iter().enumerate() {
                if let (Some(place), Some(i)) = (from.get_mut(*axis), index.get(k)) {
                    *place = *i;
                }
            }
            from
        })
    }

    pub(super) fn reshape(&mut self, x: &Arg, dims: &Arg) -> Val {
        let parts = match &dims.val.ty {
            Ty::Tuple(_) => dims.val.components().unwrap_or_default(),
            _ => vec![dims.val.clone()],
        };
        let sizes: Vec<Option<SizeId>> =
            parts.into_iter().map(|val| self.size_arg(&Arg { val, span: dims.span })).collect();
        let Some(sizes) = sizes.into_iter().collect::<Option<Vec<SizeId>>>() else { return Val::error() };
        self.reshape_to(x, &sizes, "`reshape`")
    }

    pub(super) fn flatten(&mut self, x: &Arg) -> Val {
        let (dims, _) = x.val.ty.peel();
        let one = self.size_const(1);
        let all = dims.into_iter().fold(one, |product, d| self.size_mul(product, d));
        self.reshape_to(x, &[all], "`flatten`")
    }

    fn reshape_to(&mut self, x: &Arg, sizes: &[SizeId], doing: &'static str) -> Val {
        if self.array_arg(x, doing).is_none() {
            return Val::error();
        }
        let (dims, below) = x.val.ty.peel();
        let one = self.size_const(1);
        let old = dims.iter().fold(one, |product, d| self.size_mul(product, *d));
        let new = sizes.iter().fold(one, |product, d| self.size_mul(product, *d));
        let ty = below.clone().under(sizes);
        if old != new {
            let (expected, found) = (self.show(&below.clone().under(&[new])), self.show(&x.val.ty));
            let role = Role::Elements(doing.trim_matches('`').to_string());
            return self.size_problem(role, x.span, expected, found, (new, old), Vec::new());
        }
        let mut leaves = Vec::new();
        for (atom, (_, leaf)) in x.val.leaves.iter().zip(ty.leaves()) {
            let Atom::Var(v) = *atom else { continue };
            let ty = self.b.func.types.ty(leaf);
            leaves.push(Atom::Var(self.b.emit1(Op::Reshape(v), "reshape", ty)));
        }
        Val::new(ty, leaves)
    }

    pub(super) fn concat(&mut self, xs: &[Arg]) -> Val {
        let Some((first, rest)) = xs.split_first() else { return Val::error() };
        if xs.iter().any(|x| self.array_arg(x, "`concat`").is_none()) {
            return Val::error();
        }
        rest.iter().fold(
            first.val.clone(),
            |all, x| {
                if all.is_error() { Val::error() } else { self.concat_two(&all, first, x) }
            },
        )
    }

    fn concat_two(&mut self, a: &Val, first: &Arg, b: &Arg) -> Val {
        let (Ty::Array(n, below), Ty::Array(m, _)) = (&a.ty, &b.val.ty) else { return Val::error() };
        let (n, m, below) = (*n, *m, (**below).clone());
        // Everything below the outermost axis must agree.
        let want = below.clone().under(&[m]);
        let facts = vec![(first.span, format!("this has type `{}`", self.show(&first.val.ty)))];
        let role = Role::Operand("concat".to_string());
        let b = self.conform_with(b.val.clone(), &want, role, b.span, facts);
        if b.is_error() {
            return b;
        }
        let total = self.size_add(n, m);
        let ty = below.under(&[total]);
        let start = self.size_value(n);
        let mut leaves = Vec::new();
        for ((x, y), (_, leaf)) in a.leaves.iter().zip(&b.leaves).zip(ty.leaves()) {
            leaves.push(self.tabulate1(&leaf.dims, "concat", |e, index| {
                let Some((i, rest)) = index.split_first() else { return *x };
                let before = e.prim(Prim::Lt, vec![*i, start]);
                let at = |i: Atom| std::iter::once(i).chain(rest.iter().copied()).collect();
                e.lazy_if(
                    before,
                    |e| e.read_inside(*x, at(*i)),
                    |e| {
                        let i = e.prim(Prim::Sub, vec![*i, start]);
                        e.read_inside(*y, at(i))
                    },
                )
            }));
        }
        Val::new(ty, leaves)
    }

    pub(super) fn reverse(&mut self, x: &Arg) -> Val {
        let Some(n) = self.array_arg(x, "`reverse`") else { return Val::error() };
        let one = self.size_const(1);
        let last = self.size_sub(n, one);
        let last = self.size_value(last);
        self.rearrange(&x.val, x.val.ty.clone(), "reverse", |e, index| match index {
            [i, rest @ ..] => {
                let i = e.prim(Prim::Sub, vec![last, *i]);
                std::iter::once(i).chain(rest.iter().copied()).collect()
            }
            [] => Vec::new(),
        })
    }

    pub(super) fn rotate(&mut self, x: &Arg, k: &Arg) -> Val {
        let (Some(size), Some(k)) = (self.array_arg(x, "`rotate`"), self.int_arg(k)) else { return Val::error() };
        let n = self.size_value(size);
        // The sum of an index and a large number would wrap around.
        let small = k.constant().and_then(|c| c.as_i64()).is_some_and(|k| i32::try_from(k).is_ok());
        let k = match small {
            true => k,
            false => {
                let length = self.prim(Prim::Max, vec![n, Atom::int(1)]);
                self.prim(Prim::Rem, vec![k, length])
            }
        };
        self.rearrange(&x.val, x.val.ty.clone(), "rotate", |e, index| match index {
            [i, rest @ ..] => {
                let i = e.prim(Prim::Add, vec![*i, k]);
                let i = e.prim(Prim::Rem, vec![i, n]);
                std::iter::once(i).chain(rest.iter().copied()).collect()
            }
            [] => Vec::new(),
        })
    }

    pub(super) fn pad(&mut self, x: &Arg, widths: &Arg, v: &Arg) -> Val {
        let Some(n) = self.array_arg(x, "`pad`") else { return Val::error() };
        let pair = Ty::Tuple(vec![Ty::Scalar(Scalar::I64); 2]);
        let widths = self.conform(widths.val.clone(), &pair, Role::Index, widths.span);
        let [lo, hi] = widths.leaves.as_slice() else { return Val::error() };
        let (lo, hi) = (*lo, *hi);
        let Ty::Array(_, below) = x.val.ty.clone() else { return Val::error() };
        let role = Role::Argument { param: "v".to_string(), def: "pad".to_string() };
        let v = self.conform(v.val.clone(), &below, role, v.span);
        if v.is_error() {
            return v;
        }
        for width in [lo, hi] {
            if width.constant().and_then(Const::as_i64).is_none_or(|w| w < 0) {
                self.b.check(Check::SizeNonNeg, vec![width]);
            }
        }
        let (before, after) = (self.size_of(lo), self.size_of(hi));
        let end = self.size_add(before, n);
        let total = self.size_add(end, after);
        let end = self.size_value(end);
        let ty = below.under(&[total]);
        let mut leaves = Vec::new();
        for ((x, v), (_, leaf)) in x.val.leaves.iter().zip(&v.leaves).zip(ty.leaves()) {
            leaves.push(self.tabulate1(&leaf.dims, "pad", |e, index| {
                let Some((i, rest)) = index.split_first() else { return *x };
                let ge = e.prim(Prim::Ge, vec![*i, lo]);
                let lt = e.prim(Prim::Lt, vec![*i, end]);
                let inside = e.prim(Prim::And, vec![ge, lt]);
                e.lazy_if(
                    inside,
                    |e| {
                        let i = e.prim(Prim::Sub, vec![*i, lo]);
                        e.read_inside(*x, std::iter::once(i).chain(rest.iter().copied()).collect())
                    },
                    |e| e.read_inside(*v, rest.to_vec()),
                )
            }));
        }
        Val::new(ty, leaves)
    }

    pub(super) fn zip(&mut self, xs: &[Arg]) -> Val {
        let Some(n) = self.common_length("`zip`", xs) else { return Val::error() };
        let below = xs.iter().filter_map(|x| match &x.val.ty {
            Ty::Array(_, below) => Some((**below).clone()),
            _ => None,
        });
        let ty = Ty::Tuple(below.collect()).under(&[n]);
        Val::new(ty, xs.iter().flat_map(|x| x.val.leaves.iter().copied()).collect())
    }

    pub(super) fn unzip(&mut self, x: &Arg) -> Val {
        let (dims, below) = x.val.ty.peel();
        if !dims.is_empty() && matches!(below, Ty::Tuple(_)) {
            return Val::tuple(x.val.components().unwrap_or_default());
        }
        let ty = self.show(&x.val.ty);
        self.fail(Problem::Operand {
            op: "unzip".to_string(),
            span: x.span,
            ty,
            needs: "an array of tuples",
            hint: None,
        })
    }
}
