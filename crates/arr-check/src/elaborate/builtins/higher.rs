//! Built-ins that apply a function: `map`, `reduce`, `scan`, `iterate`.

use crate::data::problem::{Problem, Role};
use crate::data::types::{FnId, Ty};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use arr_base::Span;
use arr_ir::{Atom, SizeId};

impl<'a> Elab<'a> {
    /// The length that all arrays share.
    pub(super) fn common_length(&mut self, name: &'static str, arrays: &[Arg]) -> Option<SizeId> {
        let mut length: Option<(SizeId, Span)> = None;
        for arg in arrays {
            let size = self.array_arg(arg, name)?;
            match length {
                None => length = Some((size, arg.span)),
                Some((first, span)) if first != size => {
                    let facts = vec![(span, format!("this has length `{}`", self.show_size(first)))];
                    let want = match &arg.val.ty {
                        Ty::Array(_, below) => (**below).clone().under(&[first]),
                        other => other.clone(),
                    };
                    let (expected, found) = (self.show(&want), self.show(&arg.val.ty));
                    let role = Role::Operand(name.trim_matches('`').to_string());
                    self.size_problem(role, arg.span, expected, found, (first, size), facts);
                    return None;
                }
                Some(_) => {}
            }
        }
        length.map(|(size, _)| size)
    }

    pub(super) fn map(&mut self, f: &Arg, xs: &[Arg], hint: &Hint) -> Val {
        let swapped = matches!(f.val.ty, Ty::Array(..)) && xs.iter().any(|x| matches!(x.val.ty, Ty::Fn(_)));
        let found = self.as_function(f);
        // One mistake is reported once.
        let n = if swapped { None } else { self.common_length("`map`", xs) };
        let (Some(id), Some(n)) = (found, n) else { return Val::error() };
        let span = self.span();
        let mark = self.mark();
        let (index, axis) = self.axis("i", n);
        self.b.open();
        let args = xs.iter().map(|x| Arg { val: self.element(&x.val, index), span: x.span }).collect();
        let val = self.apply(id, args, &hint.inner());
        let block = self.b.close(val.leaves.clone());
        if val.is_error() {
            return Val::error();
        }
        if val.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: f.span, place: "an element of an array", hint: None });
        }
        if self.escapes(&val.ty, mark, f.span, "the function given to `map`") {
            return Val::error();
        }
        self.b.span = Some(span);
        let ty = val.ty.under(&[n]);
        if val.leaves.is_empty() {
            return Val::new(ty, Vec::new());
        }
        let results = self.b.build(vec![axis], block, "map");
        Val::new(ty, results.into_iter().map(Atom::Var).collect())
    }

    pub(super) fn fold(&mut self, f: &Arg, z: &Arg, xs: &Arg) -> Val {
        let (Some(id), Some(n)) = (self.as_function(f), self.array_arg(xs, "`reduce`")) else { return Val::error() };
        if z.val.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: z.span, place: "carried by a loop", hint: None });
        }
        let ty = z.val.ty.clone();
        self.carry(n, z.val.clone(), "i", |e, index, acc| {
            let element = e.element(&xs.val, index);
            e.combine(id, "reduce", f.span, (acc, z.span), (element, xs.span), &ty)
        })
    }

    pub(super) fn scan(&mut self, f: &Arg, z: &Arg, xs: &Arg) -> Val {
        let (Some(id), Some(n)) = (self.as_function(f), self.array_arg(xs, "`scan`")) else { return Val::error() };
        if z.val.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: z.span, place: "carried by a loop", hint: None });
        }
        let ty = z.val.ty.clone();
        self.scan_with(n, z.val.clone(), &xs.val, |e, _, acc, element| {
            e.combine(id, "scan", f.span, (acc, z.span), (element, xs.span), &ty)
        })
    }

    pub(super) fn combine(
        &mut self,
        f: FnId,
        name: &str,
        span: Span,
        acc: (Val, Span),
        element: (Val, Span),
        want: &Ty,
    ) -> Val {
        let args = [acc, element].into_iter().map(|(val, span)| Arg { val, span }).collect();
        let next = self.apply(f, args, &Hint::of(want));
        self.callback_result(next, want, name, span)
    }

    pub(super) fn iterate(&mut self, n: &Arg, f: &Arg, x: &Arg) -> Val {
        let (Some(count), Some(id)) = (self.int_arg(n), self.as_function(f)) else { return Val::error() };
        if x.val.ty.has_fn() {
            return self.fail(Problem::FunctionValue { span: x.span, place: "carried by a loop", hint: None });
        }
        let extent = self.size_of(count);
        let ty = x.val.ty.clone();
        self.carry(extent, x.val.clone(), "i", |e, _, state| {
            let next = e.apply(id, vec![Arg { val: state, span: x.span }], &Hint::of(&ty));
            e.callback_result(next, &ty, "iterate", f.span)
        })
    }
}
