//! Derivatives: `grad`, `vjp`, `jvp` and their relatives become the `vjp` and `jvp` operations of the IR.
//!
//! Beside it: Jacobians, derivatives of sums, and computations with a derivative of their own.

mod chosen;
mod custom;
mod jacobian;
mod kept;
mod rule;
mod tangents;

use crate::data::problem::{Problem, Role};
use crate::data::types::{Derivative, FnId, Ty};
use crate::data::values::{Arg, Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::function::FnVal;
use arr_base::Span;
use arr_ir::{Atom, Block, Const, Op, TypeId, VarId};

/// A function's body on differentiated inputs, ready to be put into a `vjp` or `jvp`.
struct Traced {
    /// The float leaves of the argument.
    inputs: Vec<Atom>,
    body: Block,
    /// The type of the function's result.
    ty: Ty,
}

impl<'a> Elab<'a> {
    pub fn derivative_of(&mut self, kind: Derivative, f: &Arg) -> Val {
        match self.as_function(f) {
            Some(id) => self.function(FnVal::Derivative(kind, id)),
            None => Val::error(),
        }
    }

    /// `grad(f)(x, rest..)` and its relatives.
    pub fn apply_derivative(&mut self, kind: Derivative, f: FnId, args: Vec<Arg>) -> Val {
        let Some((x, rest)) = args.split_first() else {
            return self.argument_count("a derivative".to_string(), 1, 0, None);
        };
        match kind {
            Derivative::Grad | Derivative::ValueAndGrad | Derivative::HessianGrad => self.gradient(kind, f, x, rest),
            Derivative::JacRev => self.jacobian_reverse(f, x, rest),
            Derivative::JacFwd => self.jacobian_forward(f, x, rest),
            Derivative::Hessian => {
                let gradient = self.fns.push(FnVal::Derivative(Derivative::HessianGrad, f));
                self.jacobian_forward(gradient, x, rest)
            }
        }
    }

    /// The type of the derivative with respect to a value; a problem when it holds no float.
    pub fn tangent_type(&mut self, ty: &Ty, span: Span) -> Option<Ty> {
        self.float_part_of(ty, span, false)
    }

    /// The type of the derivative of a value or, where it is the result of the function, of that.
    pub fn float_part_of(&mut self, ty: &Ty, span: Span, is_result: bool) -> Option<Ty> {
        let part = ty.float_part();
        if part.is_none() {
            let is_function = matches!(ty, Ty::Fn(_));
            let ty = self.show(ty);
            self.fail(Problem::NotDifferentiable { span, ty, is_result, is_function });
        }
        part.filter(|t| !t.has_error())
    }

    /// Evaluates `f(x, rest..)` in a block whose params stand for the float leaves of `x`.
    fn trace(&mut self, f: FnId, x: &Arg, rest: &[Arg]) -> Option<Traced> {
        let span = self.b.span;
        let mark = self.mark();
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let inner = self.copy_floats(x, &mut inputs, &mut params);
        self.b.open_with(params);
        let args = std::iter::once(inner).chain(rest.iter().cloned()).collect();
        let y = self.apply(f, args, &Hint::None);
        let body = self.b.close(y.leaves.clone());
        self.b.span = span;
        if y.is_error() {
            return None;
        }
        if y.ty.has_fn() {
            self.fail(Problem::FunctionValue {
                span: self.span(),
                place: "the result of a differentiated function",
                hint: None,
            });
            return None;
        }
        let here = self.span();
        if self.escapes(&y.ty, mark, here, "the differentiated function") {
            return None;
        }
        Some(Traced { inputs, body, ty: y.ty })
    }

    /// A fresh variable of the name and type of an operand.
    pub fn copy_of(&mut self, atom: Atom) -> VarId {
        match atom {
            Atom::Var(v) => {
                let copy = self.b.func.copy_var(v);
                self.named.insert(copy);
                copy
            }
            Atom::Const(c) => self.b.func.scalar_var("x", c.scalar()),
        }
    }

    /// Names and types for the leaves of a result.
    pub fn names_of(&mut self, ty: &Ty, name: &str) -> Vec<(String, TypeId)> {
        let leaves = ty.leaves();
        leaves.into_iter().map(|(path, t)| (format!("{name}{path}"), self.b.func.types.ty(t))).collect()
    }

    /// [`Elab::names_of`] for the floats of a value: what `jvp` gives derivatives of.
    pub fn tangent_names(&mut self, ty: &Ty, name: &str) -> Vec<(String, TypeId)> {
        let floats = ty.leaves().into_iter().filter(|(_, t)| t.elem.is_float());
        floats.map(|(path, t)| (format!("{name}{path}"), self.b.func.types.ty(t))).collect()
    }

    /// Emits reverse mode: the function's result, and the cotangent of the argument.
    fn emit_vjp(&mut self, traced: Traced, seeds: Vec<Atom>, x: &Val, dx: &Ty) -> (Val, Val) {
        let mut results = self.names_of(&traced.ty, "y");
        let width = results.len();
        results.extend(self.gradient_names(&traced.inputs));
        let op = Op::Vjp { inputs: traced.inputs, seeds, body: traced.body };
        let vars = self.b.emit(op, results);
        let (y, g) = vars.split_at(width.min(vars.len()));
        let atoms = |vars: &[VarId]| vars.iter().map(|v| Atom::Var(*v)).collect();
        (Val::new(traced.ty, atoms(y)), self.tangent_value(x, dx, atoms(g)))
    }

    pub fn gradient_names(&mut self, inputs: &[Atom]) -> Vec<(String, TypeId)> {
        let mut names = Vec::new();
        for atom in inputs {
            names.push(match atom {
                Atom::Var(v) => (format!("d_{}", self.b.func.name(*v)), self.b.func.type_id(*v)),
                Atom::Const(c) => ("dx".to_string(), self.b.func.types.scalar(c.scalar())),
            });
        }
        names
    }

    fn gradient(&mut self, kind: Derivative, f: FnId, x: &Arg, rest: &[Arg]) -> Val {
        let Some(dx) = self.tangent_type(&x.val.ty, x.span) else { return Val::error() };
        let Some(traced) = self.trace(f, x, rest) else { return Val::error() };
        let Some(elem) = traced.ty.as_scalar().filter(|e| e.is_float()) else {
            let (ty, span) = (self.show(&traced.ty), self.span());
            let what = match kind {
                Derivative::HessianGrad => "`hessian`",
                Derivative::ValueAndGrad => "`value_and_grad`",
                _ => "`grad`",
            };
            let has_float = traced.ty.has_float();
            return self.fail(Problem::NotScalar { span, ty, what, has_float });
        };
        let (y, g) = self.emit_vjp(traced, vec![Atom::Const(Const::one(elem))], &x.val, &dx);
        if kind == Derivative::ValueAndGrad { Val::tuple(vec![y, g]) } else { g }
    }

    /// The function and its result at `x`, which must have something to differentiate.
    fn applied(&mut self, f: &Arg, x: &Arg) -> Option<(FnId, Val)> {
        let id = self.as_function(f)?;
        self.tangent_type(&x.val.ty, x.span)?;
        let y = self.apply(id, vec![x.clone()], &Hint::None);
        (!y.is_error()).then_some((id, y))
    }

    /// `vjp(f, x)`: the result, and a function from its cotangent to that of `x`.
    pub fn vjp(&mut self, f: &Arg, x: &Arg) -> Val {
        let Some((id, y)) = self.applied(f, x) else { return Val::error() };
        let result = y.ty.float_part().unwrap_or_else(Ty::unit);
        let pullback = self.function(FnVal::Pullback { f: id, x: x.val.clone(), y: y.clone(), result });
        Val::tuple(vec![y, pullback])
    }

    pub fn apply_pullback(&mut self, f: FnId, x: Val, y: Val, result: &Ty, args: Vec<Arg>) -> Val {
        let [ct] = args.as_slice() else {
            return self.argument_count("a pullback".to_string(), 1, args.len(), None);
        };
        let ct = self.conform(ct.val.clone(), result, Role::Cotangent, ct.span);
        if ct.is_error() {
            return Val::error();
        }
        let seeds = self.tangent_floats(&y, &ct);
        let x = Arg { val: x, span: self.span() };
        self.pull(f, &x, &[], seeds).map_or_else(Val::error, |(_, g)| g)
    }

    /// Reverse mode with given cotangents of the result.
    pub fn pull(&mut self, f: FnId, x: &Arg, rest: &[Arg], seeds: Vec<Atom>) -> Option<(Val, Val)> {
        let dx = self.tangent_type(&x.val.ty, x.span)?;
        let traced = self.trace(f, x, rest)?;
        Some(self.emit_vjp(traced, seeds, &x.val, &dx))
    }

    /// `jvp(f, x, dx)`: the result and its tangent.
    pub fn jvp(&mut self, f: &Arg, x: &Arg, dx: &Arg) -> Val {
        let Some(id) = self.as_function(f) else { return Val::error() };
        let Some(want) = self.tangent_type(&x.val.ty, x.span) else { return Val::error() };
        let facts = vec![(x.span, format!("the argument has type `{}`", self.show(&x.val.ty)))];
        let dx = self.conform_with(dx.val.clone(), &want, Role::Tangent, dx.span, facts);
        if dx.is_error() {
            return Val::error();
        }
        let tangents = self.tangent_floats(&x.val, &dx);
        self.push(id, x, &[], tangents).map_or_else(Val::error, |(y, dy)| Val::tuple(vec![y, dy]))
    }

    /// Forward mode with given tangents of the argument.
    pub fn push(&mut self, f: FnId, x: &Arg, rest: &[Arg], tangents: Vec<Atom>) -> Option<(Val, Val)> {
        let traced = self.trace(f, x, rest)?;
        let dy = traced.ty.float_part().unwrap_or_else(Ty::unit);
        let mut results = self.names_of(&traced.ty, "y");
        let width = results.len();
        results.extend(self.tangent_names(&traced.ty, "dy"));
        let op = Op::Jvp { inputs: traced.inputs, tangents, body: traced.body };
        let vars: Vec<Atom> = self.b.emit(op, results).into_iter().map(Atom::Var).collect();
        let (y, d) = vars.split_at(width.min(vars.len()));
        let y = Val::new(traced.ty, y.to_vec());
        let dy = self.tangent_value(&y, &dy, d.to_vec());
        Some((y, dy))
    }

    /// `linearize(f, x)`: the result, and a function from a tangent of `x` to that of the result.
    pub fn linearize(&mut self, f: &Arg, x: &Arg) -> Val {
        let Some((id, y)) = self.applied(f, x) else { return Val::error() };
        let pushforward = self.function(FnVal::Pushforward { f: id, x: x.val.clone() });
        Val::tuple(vec![y, pushforward])
    }

    pub fn apply_pushforward(&mut self, f: FnId, x: Val, args: Vec<Arg>) -> Val {
        let [dx] = args.as_slice() else {
            return self.argument_count("a pushforward".to_string(), 1, args.len(), None);
        };
        let want = x.ty.float_part().unwrap_or_else(Ty::unit);
        let dx = self.conform(dx.val.clone(), &want, Role::Tangent, dx.span);
        if dx.is_error() {
            return Val::error();
        }
        let tangents = self.tangent_floats(&x, &dx);
        let x = Arg { val: x, span: self.span() };
        self.push(f, &x, &[], tangents).map_or_else(Val::error, |(_, dy)| dy)
    }
}
