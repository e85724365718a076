//! The built-in functions applied: what each does to values. Their table is in `data/builtins.rs`.
//!
//! Beside it: the functions of one kind per file.

mod bulk;
mod higher;
mod histogram;
mod order;
mod pointwise;
mod reductions;
mod shape;
mod trace;

use crate::data::builtins::{Builtin, BuiltinKind, MANY};
use crate::data::problem::Problem;
use crate::data::types::Ty;
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use crate::messages::counts;
use arr_ir::{Prim, Scalar};
use arr_syntax::ast::{Expr, ExprKind, Name};

/// What the elements say about the value that they are combined into: structured elements, that it has their structure;
/// scalars, nothing about a tuple that is combined from them.
fn hint_of_elements(kind: BuiltinKind, at: usize, e: &Expr, args: &[Option<Arg>]) -> Option<Hint> {
    if let Some(like) = kind.structured_like(at) {
        let ty = &args.get(like)?.as_ref()?.val.ty;
        // Numbers take the type that all arguments agree on, whichever is known.
        return ty.as_numeric().is_none().then(|| Hint::of(ty));
    }
    let from = kind.combined_into(at)?;
    let elements = Hint::of(&args.get(from)?.as_ref()?.val.ty).inner();
    let structured = matches!(&*e.kind, ExprKind::Tuple(_) | ExprKind::Record(_));
    Some(if structured && matches!(elements, Hint::Elem(_)) { Hint::None } else { elements })
}

fn is_tangent(kind: BuiltinKind, at: usize) -> bool {
    kind == BuiltinKind::Jvp && at == 2
}

fn has_written_parts(e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Tuple(_) | ExprKind::Record(_))
}

/// What the argument of `jvp` says about its tangent, which has its floats and nothing else.
fn hint_of_tangent(kind: BuiltinKind, at: usize, args: &[Option<Arg>]) -> Option<Hint> {
    let x = args.get(1)?.as_ref().filter(|_| is_tangent(kind, at))?;
    x.val.ty.float_part().map(|ty| Hint::of(&ty))
}

impl<'a> Elab<'a> {
    /// Evaluates the arguments of a built-in: numbers without a type wait for the others.
    pub fn builtin_args(&mut self, builtin: &Builtin, args: &'a [Expr], hint: &Hint) -> Vec<Arg> {
        let kind = builtin.kind;
        if kind == BuiltinKind::Pow
            && let [a, b] = args
        {
            return self.pow_args(a, b, hint);
        }
        let mut elem = if kind.keeps_elem() { hint.elem_only() } else { Hint::None };
        let mut fixed = kind.has_independent_args();
        if !fixed {
            elem = self.joint_hint(elem, args.iter().enumerate().filter(|(i, _)| !kind.is_int_arg(*i)).map(|(_, e)| e));
        }
        if kind.takes_floats() && !elem.elem().is_some_and(Scalar::is_float) {
            elem = Hint::Elem(Scalar::F64);
        }
        let mut values: Vec<Option<Arg>> = vec![None; args.len()];
        // Numbers without a type come late, and what elements are combined into comes after the elements; so does a
        // tangent of parts after the argument.
        let turn = |e: &Elab, i: usize, arg: &Expr| match is_tangent(kind, i) && has_written_parts(arg) {
            true => 2,
            false => usize::from(e.is_flexible(arg)) * if kind.combined_into(i).is_some() { 2 } else { 1 },
        };
        for now in 0..=2 {
            for (i, e) in args.iter().enumerate() {
                if turn(self, i, e) != now {
                    continue;
                }
                let int = kind.is_int_arg(i);
                let condition = kind == BuiltinKind::Pointwise(Prim::Select) && i == 0;
                let from_others = hint_of_tangent(kind, i, &values)
                    .or_else(|| self.hint_of_function(kind, i, &values))
                    .or_else(|| hint_of_elements(kind, i, e, &values));
                let tangent = (kind == BuiltinKind::Jvp && i == 1).then(|| args.get(2)).flatten();
                let hint = match from_others {
                    _ if int => Hint::Elem(Scalar::I64),
                    _ if condition => Hint::None,
                    Some(declared) => declared,
                    None => tangent.map_or_else(|| elem.clone(), |dx| self.hint_beside_tangent(dx, &elem)),
                };
                let val = self.expr(e, &hint);
                if let Some(s) = val.ty.first_elem().filter(|_| !int && !condition && !fixed) {
                    elem = Hint::Elem(s);
                    fixed = true;
                }
                if let Some(slot) = values.get_mut(i) {
                    *slot = Some(Arg { val, span: e.span });
                }
            }
        }
        values.into_iter().flatten().collect()
    }

    /// What is expected of the argument of `jvp` beside its tangent `dx`: floats where that has a number, and none where it has
    /// `()`.
    fn hint_beside_tangent(&self, dx: &Expr, elem: &Hint) -> Hint {
        match &*dx.kind {
            ExprKind::Tuple(items) if items.is_empty() => Hint::None,
            ExprKind::Tuple(items) => Hint::Tuple(items.iter().map(|e| self.hint_beside_tangent(e, elem)).collect()),
            ExprKind::Record(fields) => {
                let one = |(name, e): &(Name, Expr)| (name.text.clone(), self.hint_beside_tangent(e, elem));
                Hint::Record(fields.iter().map(one).collect())
            }
            _ if elem.elem().is_none() && self.is_flexible(dx) => Hint::Elem(Scalar::F64),
            _ => elem.clone(),
        }
    }

    /// What the function among the arguments declares about the argument at `at`.
    fn hint_of_function(&mut self, kind: BuiltinKind, at: usize, args: &[Option<Arg>]) -> Option<Hint> {
        let (function, param) = match kind {
            BuiltinKind::Map => (0, at.checked_sub(1)?),
            BuiltinKind::Vjp | BuiltinKind::Jvp | BuiltinKind::Linearize if at > 0 => (0, 0),
            BuiltinKind::Iterate if at == 2 => (1, 0),
            _ => return None,
        };
        let Ty::Fn(id) = args.get(function)?.as_ref()?.val.ty else { return None };
        let hint = self.param_hints(id).into_iter().nth(param).filter(|h| *h != Hint::None)?;
        Some(if kind == BuiltinKind::Map { Hint::Array(Box::new(hint)) } else { hint })
    }

    pub fn apply_builtin(&mut self, builtin: &'static Builtin, args: Vec<Arg>, hint: &Hint) -> Val {
        // An argument that is wrong may not be one argument.
        if args.iter().any(|a| a.val.is_error()) {
            return Val::error();
        }
        let (least, most) = builtin.arity;
        if args.len() < least || args.len() > most {
            let span = self.span();
            let n = |n: usize| format!("{n} argument{}", if n == 1 { "" } else { "s" });
            let expected = if most == MANY { format!("at least {}", n(least)) } else { n(least) };
            let name = format!("`{}`", builtin.name);
            return self.fail(Problem::ArgumentCount {
                name,
                span,
                expected,
                found: args.len(),
                declared: None,
                hint: counts::hint(builtin.name, args.len()),
            });
        }
        self.dispatch(builtin, args, hint)
    }

    fn dispatch(&mut self, builtin: &'static Builtin, args: Vec<Arg>, hint: &Hint) -> Val {
        let name = builtin.name;
        match (builtin.kind, args.as_slice()) {
            (BuiltinKind::Pointwise(Prim::Select), [c, a, b]) => self.select(c, a, b),
            (BuiltinKind::Pointwise(prim), args) => self.pointwise(prim, name, args),
            (BuiltinKind::Pow, [x, p]) => self.power(x.clone(), p.clone()),
            (BuiltinKind::Polygamma, args) => self.pointwise(Prim::Polygamma, name, args),
            (BuiltinKind::Convert(to), [x]) => self.convert(to, x),
            (BuiltinKind::Reduce(kind), [x]) => self.reduction(kind, name, x),
            (BuiltinKind::Mean, [x]) => self.mean(x),
            (BuiltinKind::Length, [x]) => self.length(x),
            (BuiltinKind::Shape, [x]) => self.shape_of(x),
            (BuiltinKind::Iota, [n]) => self.iota(n, hint),
            (BuiltinKind::Replicate, [n, x]) => self.replicate(n, x),
            (BuiltinKind::Zeros, dims) => self.filled(dims, 0, hint),
            (BuiltinKind::Ones, dims) => self.filled(dims, 1, hint),
            (BuiltinKind::Transpose, [x]) => self.transpose(x),
            (BuiltinKind::Permute, [x, p]) => self.permute(x, p),
            (BuiltinKind::Reshape, [x, dims]) => self.reshape(x, dims),
            (BuiltinKind::Flatten, [x]) => self.flatten(x),
            (BuiltinKind::Concat, xs) => self.concat(xs),
            (BuiltinKind::Reverse, [x]) => self.reverse(x),
            (BuiltinKind::Rotate, [x, k]) => self.rotate(x, k),
            (BuiltinKind::Pad, [x, widths, v]) => self.pad(x, widths, v),
            (BuiltinKind::Stack, _) => self.stack(args),
            (BuiltinKind::Zip, xs) => self.zip(xs),
            (BuiltinKind::Unzip, [x]) => self.unzip(x),
            (BuiltinKind::Gather, [xs, is]) => self.gather(xs, is),
            (BuiltinKind::Scatter, [dest, is, vs]) => self.scatter(arr_ir::ScatterKind::Set, name, dest, is, vs),
            (BuiltinKind::ScatterAdd, [dest, is, vs]) => self.scatter(arr_ir::ScatterKind::Add, name, dest, is, vs),
            (BuiltinKind::OneHot, [n, i]) => self.onehot(n, i, hint),
            (BuiltinKind::Histogram, [f, z, k, is, vs]) => self.histogram([f, z, k, is, vs]),
            (BuiltinKind::Sort, [xs]) => self.sort(xs),
            (BuiltinKind::ArgSort, [xs]) => self.argsort(xs),
            (BuiltinKind::SearchSorted, [xs, v]) => self.searchsorted(xs, v),
            (BuiltinKind::Map, [f, xs @ ..]) => self.map(f, xs, hint),
            (BuiltinKind::Fold, [f, z, xs]) => self.fold(f, z, xs),
            (BuiltinKind::Scan, [f, z, xs]) => self.scan(f, z, xs),
            (BuiltinKind::CumSum, [x]) => self.cumulative(Prim::Add, name, x),
            (BuiltinKind::CumProd, [x]) => self.cumulative(Prim::Mul, name, x),
            (BuiltinKind::CumMax, [x]) => self.cumulative(Prim::Max, name, x),
            (BuiltinKind::Iterate, [n, f, x]) => self.iterate(n, f, x),
            (BuiltinKind::Derivative(kind), [f]) => self.derivative_of(kind, f),
            (BuiltinKind::Vjp, [f, x]) => self.vjp(f, x),
            (BuiltinKind::Jvp, [f, x, dx]) => self.jvp(f, x, dx),
            (BuiltinKind::Linearize, [f, x]) => self.linearize(f, x),
            (BuiltinKind::StopGradient, [x]) => self.stop_gradient(x),
            (BuiltinKind::Checkpoint, [f]) => self.checkpoint_of(f),
            // Passed as a function, it gets a value in place of its label.
            (BuiltinKind::Trace(_), [label, ..]) => self.fail(Problem::Label { name, span: label.span }),
            (_, _) => {
                let span = self.span();
                self.fail(Problem::Unsupported { span, what: format!("the built-in `{name}` is") })
            }
        }
    }
}
