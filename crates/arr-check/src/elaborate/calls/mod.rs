//! Calls: what a function value does to its arguments.
//!
//! Beside it: what a definition's sizes and type parameters stand for at a call, the arguments in its declared types, calls for
//! each element of an array, and symbolic arguments where a definition is checked by itself.

mod arguments;
pub(crate) mod binding;
mod elementwise;
pub(crate) mod parameters;

use crate::data::builtins::{Builtin, BuiltinKind};
use crate::data::declared_type::DeclaredType;
use crate::data::problem::{Problem, Role};
use crate::data::tables::{DefInfo, Inferred};
use crate::data::types::{FnId, Ty};
use crate::data::values::{Arg, Hint, Val};
use crate::declare::lowering::Lowering;
use crate::elaborate::calls::binding::Binding;
use crate::elaborate::env::{Entry, Env, TypeScope};
use crate::elaborate::function::FnVal;
use crate::elaborate::sum_values::ROUNDS;
use crate::elaborate::{Elab, Mode};
use crate::resolve::written_names::size_names;
use arr_base::Span;
use arr_ir::Atom;
use arr_syntax::ast::{self, Expr, ExprKind};

/// How many times the rule of a definition that stops gradients is evaluated inside of itself. With each, one more derivative by
/// reverse mode is right; forward mode, which transposes the rule, takes two.
pub const DEEPEST: usize = 4;

impl<'a> Elab<'a> {
    pub fn call(&mut self, callee: &'a Expr, args: &'a [Expr], hint: &Hint) -> Val {
        let f = self.expr(callee, &Hint::None);
        if f.is_error() {
            // The arguments are still evaluated, for their own problems.
            args.iter().for_each(|a| drop(self.expr(a, &Hint::None)));
            return Val::error();
        }
        let Ty::Fn(id) = f.ty else {
            let ty = self.show(&f.ty);
            let hint = self.called_remedy(callee, &f.ty);
            return self.fail(Problem::NotAFunction { span: callee.span, ty, called: true, hint });
        };
        let Some(f) = self.fns.get(id).cloned() else { return Val::error() };
        match f {
            FnVal::Builtin(Builtin { name, kind: BuiltinKind::Trace(what), .. }) => {
                self.trace_call(name, *what, args, hint)
            }
            FnVal::Builtin(builtin) => {
                let args = self.builtin_args(builtin, args, hint);
                self.apply_builtin(builtin, args, hint)
            }
            FnVal::Def(def) => self.call_def(def, args, hint),
            FnVal::Constructor(sum, k) => self.call_constructor(sum, k, args, hint),
            _ => {
                let hints = self.param_hints(id);
                let args = args
                    .iter()
                    .enumerate()
                    .map(|(i, e)| Arg { val: self.expr(e, hints.get(i).unwrap_or(&Hint::None)), span: e.span })
                    .collect();
                self.apply(id, args, hint)
            }
        }
    }

    /// Applies a function to values.
    pub fn apply(&mut self, f: FnId, args: Vec<Arg>, hint: &Hint) -> Val {
        if args.iter().any(|a| a.val.is_error()) {
            return Val::error();
        }
        let Some(value) = self.fns.get(f).cloned() else { return Val::error() };
        match value {
            FnVal::Lambda { params, body, captured, scope } => {
                self.apply_lambda(params, body, captured, scope, args, hint)
            }
            FnVal::Def(def) => self.apply_def(def, args, hint),
            FnVal::Builtin(builtin) => self.apply_builtin(builtin, args, hint),
            FnVal::Operator(op) => match <[Arg; 2]>::try_from(args) {
                Ok([a, b]) => self.binary_values(op, a, b),
                Err(args) => self.argument_count(format!("`({})`", op.symbol()), 2, args.len(), None),
            },
            FnVal::Constructor(sum, k) => self.construct(sum, k, args, hint),
            FnVal::Derivative(kind, f) => self.apply_derivative(kind, f, args),
            FnVal::Chosen(builtin, parameters) => self.apply_chosen(builtin, &parameters, args),
            FnVal::DerivativeBy(kind, f, at) => self.apply_derivative_by(kind, f, &at, &args),
            FnVal::Packed { f, at, rest } => self.apply_packed(f, &at, rest, args, hint),
            FnVal::Pullback { f, x, y, result } => self.apply_pullback(f, x, y, &result, args),
            FnVal::Pushforward { f, x } => self.apply_pushforward(f, x, args),
            FnVal::Checkpoint(f) => self.apply_checkpoint(f, args, hint),
            FnVal::Opaque { params, result } => self.apply_opaque(&params, &result, args),
        }
    }

    pub fn argument_count(&mut self, name: String, expected: usize, found: usize, declared: Option<Span>) -> Val {
        self.wrong_count(name, expected, found, declared, None)
    }

    pub fn wrong_count(
        &mut self,
        name: String,
        expected: usize,
        found: usize,
        declared: Option<Span>,
        hint: Option<&'static str>,
    ) -> Val {
        let expected = format!("{expected} argument{}", if expected == 1 { "" } else { "s" });
        let span = self.span();
        self.fail(Problem::ArgumentCount { name, span, expected, found, declared, hint })
    }

    fn apply_lambda(
        &mut self,
        params: &'a [ast::Param],
        body: &'a Expr,
        captured: Env<'a>,
        scope: TypeScope<'a>,
        args: Vec<Arg>,
        hint: &Hint,
    ) -> Val {
        if params.len() != args.len() {
            let pair = matches!(args.as_slice(), [Arg { val: Val { ty: Ty::Tuple(items), .. }, .. }] if items.len() == params.len());
            let hint = pair.then_some("the argument is one tuple: take it apart with a pattern, `\\((x, y)) => ..`");
            let (name, declared) = ("the function".to_string(), Some(body.span));
            return self.wrong_count(name, params.len(), args.len(), declared, hint);
        }
        self.inlined += 1;
        let outer = std::mem::replace(&mut self.env, captured);
        let outer_scope = std::mem::replace(&mut self.scope, scope);
        for (param, arg) in params.iter().zip(args) {
            let mut val = arg.val;
            if let Some(ty) = &param.ty {
                let want = self.written_type(ty);
                val = self.conform(val, &want, Role::Annotation, arg.span);
            }
            self.bind_pattern(&param.pattern, val);
        }
        let result = self.expr(body, hint);
        self.inlined -= 1;
        self.env = outer;
        self.scope = outer_scope;
        result
    }

    fn apply_opaque(&mut self, params: &[Ty], result: &Ty, args: Vec<Arg>) -> Val {
        if params.len() != args.len() {
            return self.argument_count("the function".to_string(), params.len(), args.len(), None);
        }
        for (i, (ty, arg)) in params.iter().zip(args).enumerate() {
            let role = Role::Argument { param: (i + 1).to_string(), def: "the function".to_string() };
            if self.conform(arg.val, ty, role, arg.span).is_error() {
                return Val::error();
            }
        }
        self.placeholder(result, "y")
    }

    /// What the parameters of a function expect, as far as it is declared.
    pub fn param_hints(&mut self, f: FnId) -> Vec<Hint> {
        match self.fns.get(f).cloned() {
            Some(FnVal::Opaque { params, .. }) => params.iter().map(Hint::of).collect(),
            Some(FnVal::Lambda { params, .. }) => {
                params.iter().map(|p| p.ty.as_ref().map_or(Hint::None, |ty| self.hint_of_written(ty))).collect()
            }
            Some(FnVal::Def(def)) => {
                let binding = Binding::default();
                let params = self.tables.info(def).map(DefInfo::params).unwrap_or_default();
                params.iter().map(|p| binding.hint(self, &p.ty)).collect()
            }
            Some(FnVal::Constructor(sum, k)) => self.payload_hints(sum, k, &Hint::None),
            Some(FnVal::Derivative(_, f) | FnVal::DerivativeBy(_, f, _) | FnVal::Checkpoint(f)) => self.param_hints(f),
            Some(FnVal::Pullback { result, .. }) => vec![Hint::of(&result)],
            Some(FnVal::Pushforward { x, .. }) => vec![x.ty.float_part().map_or(Hint::None, |ty| Hint::of(&ty))],
            _ => Vec::new(),
        }
    }

    fn hint_of_written(&mut self, ty: &ast::Type) -> Hint {
        let declared = Lowering::new(self.tables, self.scope.module, self.scope.bounds()).lower(ty);
        Binding::default().hint(self, &declared)
    }

    /// Evaluates arguments against a definition's signature. Numbers without a type wait until the other arguments
    /// have fixed the type parameters.
    fn call_def(&mut self, def: usize, args: &'a [Expr], hint: &Hint) -> Val {
        let tables = self.tables;
        let Some(info) = tables.info(def) else { return Val::error() };
        let params = info.params();
        let mut binding = Binding::default();
        let mut values: Vec<Option<Arg>> = vec![None; args.len()];
        for round in ROUNDS {
            // What the context expects is known before numbers without a type are read.
            if round == 1 {
                binding.learn_from_context(info, hint, self.span());
                binding.floats_by_default(info, self.span());
            }
            for (i, e) in args.iter().enumerate() {
                if self.round(e) != round {
                    continue;
                }
                let param = params.get(i);
                let hint = param.map_or(Hint::None, |p| binding.hint(self, &p.ty));
                let val = self.expr(e, &hint);
                if let Some(param) = param {
                    binding.bind(self, param, &val, e.span);
                }
                if let Some(value) = values.get_mut(i) {
                    *value = Some(Arg { val, span: e.span });
                }
            }
        }
        self.apply_def(def, values.into_iter().flatten().collect(), hint)
    }

    pub fn apply_def(&mut self, def: usize, args: Vec<Arg>, hint: &Hint) -> Val {
        let tables = self.tables;
        let Some(info) = tables.info(def) else { return Val::error() };
        let Some(params) = &info.params else {
            return self.fail_not_function(info);
        };
        if params.len() != args.len() {
            // An argument that is wrong may not be one argument.
            if args.iter().any(|a| a.val.is_error()) {
                return self.result_of_bad_call(info);
            }
            return self.argument_count(format!("`{}`", info.name), params.len(), args.len(), Some(info.span));
        }
        if let Some(val) = self.apply_by_elements(def, info, &args, hint) {
            return val;
        }
        let Some((binding, args)) = self.bind_args(info, args, hint) else {
            return self.result_of_bad_call(info);
        };
        match self.mode {
            Mode::Check => self.check_call(def, info, &binding, args, hint),
            Mode::Elaborate if !binding.compound.is_empty() => self.checked_inline(def, info, &binding, args, hint),
            Mode::Elaborate => self.inline(def, &binding, args, hint),
        }
    }

    fn fail_not_function(&mut self, info: &DefInfo) -> Val {
        let span = self.span();
        let hint = Some(format!("`{}` is a constant, used without parentheses", info.name));
        self.fail(Problem::NotAFunction { span, ty: "a value".to_string(), called: true, hint })
    }

    /// After a wrong argument the call still has the declared type where no size is in doubt.
    fn result_of_bad_call(&mut self, info: &DefInfo) -> Val {
        match &info.result {
            Some(DeclaredType::Scalar(elem)) if self.mode == Mode::Check => {
                self.placeholder(&Ty::Scalar(*elem), &info.name)
            }
            _ => Val::error(),
        }
    }

    /// The value of a call as far as the signature says.
    fn check_call(&mut self, def: usize, info: &'a DefInfo, binding: &Binding<'a>, args: Vec<Arg>, hint: &Hint) -> Val {
        // The definition was checked with scalars for its type parameters; with other types it is checked here.
        if !binding.compound.is_empty() {
            return self.checked_inline(def, info, binding, args, hint);
        }
        let (ty, values) = match (&info.result, info.inferred.get()) {
            (_, Some(Inferred::Const(ty, values))) => (ty, Some(values)),
            (Some(ty), _) => (ty, None),
            (None, Some(Inferred::Ty(ty))) => (ty, None),
            (None, Some(Inferred::Inline)) => return self.inline(def, binding, args, hint),
            (None, Some(Inferred::Error) | None) => return Val::error(),
        };
        let span = self.b.span;
        // Sizes that the body computes.
        let mut computed = |e: &mut Self, _: &str| e.opaque_size("", "is computed by this call", span);
        let ty = self.instantiate_with(ty, binding, &mut computed);
        match values {
            Some(values) => Val::new(ty, values.iter().map(|c| Atom::Const(*c)).collect()),
            None => self.placeholder(&ty, &info.name),
        }
    }

    /// Checks a definition with types that it was not checked with where it stands: what is wrong in its body is reported
    /// with them.
    fn checked_inline(
        &mut self,
        def: usize,
        info: &'a DefInfo,
        binding: &Binding<'a>,
        args: Vec<Arg>,
        hint: &Hint,
    ) -> Val {
        let (call, before) = (self.span(), self.problems.len());
        let val = self.inline(def, binding, args, hint);
        let types: Vec<String> =
            binding.compound.iter().map(|(name, (ty, _))| format!("`{name}` is `{}`", self.show(ty))).collect();
        let note = format!("this is so when {}, in a call of `{}`", types.join(" and "), info.name);
        for told in self.problems.split_off(before.min(self.problems.len())) {
            let shows = told.labels.iter().any(|label| label.span == call);
            let told = if shows { told } else { told.because(call, "called here") };
            self.problems.push(told.note(note.clone()));
        }
        val
    }

    /// Evaluates the body of a definition in place of a call.
    pub fn inline(&mut self, def: usize, binding: &Binding<'a>, args: Vec<Arg>, hint: &Hint) -> Val {
        let declared = self.tables.rule_syntax(def).is_some();
        if declared && self.mode == Mode::Elaborate {
            let around = self.in_rule.iter().filter(|(own, _)| *own == def);
            let stops = around.clone().any(|(_, stops)| *stops);
            return match around.count() >= if stops { DEEPEST } else { 1 } {
                true => self.call_in_rule(def, binding, args, hint),
                false => self.call_with_rule(def, binding, args, hint),
            };
        }
        self.inline_body(def, binding, args, hint)
    }

    pub fn inline_body(&mut self, def: usize, binding: &Binding<'a>, args: Vec<Arg>, hint: &Hint) -> Val {
        let tables = self.tables;
        let (Some(info), Some(syntax)) = (tables.info(def), tables.syntax(def)) else { return Val::error() };
        if info.is_recursive() {
            return Val::error();
        }
        let call = self.span();
        let mut env = Env::default();
        for (name, bound) in &binding.sizes {
            env.bind(name, Entry::Size(bound.size));
        }
        self.inlined += 1;
        let outer = std::mem::replace(&mut self.env, env);
        let outer_scope = std::mem::replace(&mut self.scope, binding.type_scope(info.module));
        for (param, arg) in syntax.params.iter().flatten().zip(args) {
            self.bind_pattern(&param.pattern, arg.val);
        }
        let want = info.result.as_ref().map(|ty| self.declared_type(ty, binding));
        let body_hint = want.as_ref().map_or_else(|| hint.clone(), Hint::of);
        let result = match tables.test(def) {
            Some(test) => self.test_body(test),
            None => self.expr(&syntax.body, &body_hint),
        };
        self.inlined -= 1;
        self.env = outer;
        self.scope = outer_scope;
        match (&info.result, want) {
            (Some(ty), Some(want)) => {
                let want = self.result_type(ty, want, binding, &result.ty);
                self.conform(result, &want, Role::Result(info.name.clone()), call)
            }
            _ => result,
        }
    }

    /// A definition used by its name: a constant's value, or the function.
    pub fn use_def(&mut self, def: usize, hint: &Hint) -> Val {
        if !self.tables.is_constant(def) {
            return self.function(FnVal::Def(def));
        }
        if let Some(val) = self.constants.get(&def) {
            return val.clone();
        }
        let tables = self.tables;
        let Some(info) = tables.info(def) else { return Val::error() };
        let binding = Binding::default();
        match (self.mode, info.inferred.get()) {
            (Mode::Check, _) | (_, Some(Inferred::Const(..))) => self.check_call(def, info, &binding, Vec::new(), hint),
            _ => self.inline(def, &binding, Vec::new(), &Hint::None),
        }
    }

    /// The function that an expression must be.
    pub fn as_function(&mut self, arg: &Arg) -> Option<FnId> {
        match arg.val.ty {
            Ty::Fn(id) => Some(id),
            Ty::Error => None,
            _ => {
                let ty = self.show(&arg.val.ty);
                let hint = match arg.val.ty {
                    Ty::Array(..) => "a function comes first, and what it is applied to after it: `map(f, xs)`",
                    _ => "a function is needed here, for example `\\x => ..`",
                };
                let hint = self.function_remedy(arg.span).unwrap_or_else(|| hint.to_string());
                self.fail(Problem::NotAFunction { span: arg.span, ty, called: false, hint: Some(hint) });
                None
            }
        }
    }

    /// The local names that a lambda uses, with what they stand for now.
    pub fn capture(&self, params: &'a [ast::Param], body: &'a Expr) -> Env<'a> {
        let mut names = Vec::new();
        params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| self.type_sizes(ty, &mut names));
        self.used_names(body, &mut names);
        names.sort_unstable();
        names.dedup();
        let mut env = Env::default();
        for name in names {
            if let Some(entry) = self.env.get(name) {
                env.bind(name, entry.clone());
            }
        }
        env
    }

    fn type_sizes(&self, ty: &'a ast::Type, names: &mut Vec<&'a str>) {
        let mut sizes = Vec::new();
        size_names(ty, self.tables, self.scope.module, &mut sizes);
        names.extend(sizes.into_iter().map(|(name, _)| name));
    }

    fn used_names(&self, expr: &'a Expr, names: &mut Vec<&'a str>) {
        match &*expr.kind {
            ExprKind::Name(name) => names.push(name),
            ExprKind::Assert(_, ty) => self.type_sizes(ty, names),
            ExprKind::Let(bindings, _) => {
                bindings.iter().filter_map(|b| b.ty.as_ref()).for_each(|ty| self.type_sizes(ty, names));
            }
            ExprKind::Lambda(params, _) => {
                params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| self.type_sizes(ty, names));
            }
            ExprKind::Loop(l) => l.ty.iter().for_each(|ty| self.type_sizes(ty, names)),
            _ => {}
        }
        expr.kind.for_each_child(|child| self.used_names(child, names));
    }
}
