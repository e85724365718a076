//! Expressions, one function per form; the larger forms have files of their own.

use crate::data::builtins;
use crate::data::problem::{Problem, Role};
use crate::data::types::{Ty, with_sizes_of};
use crate::data::values::{Hint, Val};
use crate::declare::lowering::MAX_PARTS;
use crate::elaborate::Elab;
use crate::elaborate::Mode;
use crate::elaborate::env::Entry;
use crate::elaborate::function::FnVal;
use crate::messages::written::expr_text;
use arr_base::Span;
use arr_ir::{Check, Op, Scalar};
use arr_syntax::ast::{self, BinaryOp, Expr, ExprKind, UnaryOp};

impl<'a> Elab<'a> {
    pub fn expr_kind(&mut self, expr: &'a Expr, hint: &Hint) -> Val {
        match &*expr.kind {
            ExprKind::Number(n) => self.number(n, false, expr.span, hint),
            ExprKind::Bool(b) => Val::scalar(Scalar::Bool, arr_ir::Const::Bool(*b)),
            ExprKind::Text(text) => self.fail(Problem::Text { span: expr.span, text: text.clone() }),
            ExprKind::Name(name) => self.name(name, expr.span, hint),
            ExprKind::Array(items) => self.array_literal(items, expr.span, hint),
            ExprKind::Tuple(items) => self.tuple(items, hint),
            ExprKind::Record(fields) => self.record(fields, hint),
            ExprKind::RecordWith(base, fields) => self.record_with(base, fields, hint),
            ExprKind::Field(base, name) => match self.module_of(base) {
                Some(module) => self.member(module, name, hint),
                None => self.field(base, name),
            },
            ExprKind::Project(base, index, span) => self.project(base, *index, *span),
            ExprKind::Call(f, args) => self.call(f, args, hint),
            ExprKind::Index(array, subscripts) => self.index(array, subscripts, hint),
            ExprKind::Unary(UnaryOp::Neg, e) => match &*e.kind {
                ExprKind::Number(n) => self.number(n, true, expr.span, hint),
                _ => self.unary(UnaryOp::Neg, e, hint),
            },
            ExprKind::Unary(op, e) => self.unary(*op, e, hint),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                self.in_branches(|e| e.binary(*op, a, b, hint))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, hint),
            ExprKind::Operator(op) => self.function(FnVal::Operator(*op)),
            ExprKind::Lambda(params, body) => {
                let captured = self.capture(params, body);
                let scope = self.scope.clone();
                self.function(FnVal::Lambda { params, body, captured, scope })
            }
            ExprKind::Let(bindings, body) => self.let_(bindings, body, hint),
            ExprKind::If(c, a, b) => self.in_branches(|e| e.if_expr(c, a, b, hint)),
            ExprKind::For(generators, body) => self.for_expr(generators, body, hint),
            ExprKind::Loop(l) => self.loop_expr(l, hint),
            ExprKind::Match(scrutinee, arms) => self.in_branches(|e| e.match_expr(scrutinee, arms, expr.span, hint)),
            ExprKind::With(array, subscripts, value) => self.with(array, subscripts, value, hint),
            ExprKind::Assert(e, ty) => self.assert(e, ty),
            ExprKind::Error => Val::error(),
        }
    }

    /// Evaluates what may be run or not.
    fn in_branches(&mut self, evaluate: impl FnOnce(&mut Self) -> Val) -> Val {
        self.branches += 1;
        let val = evaluate(self);
        self.branches -= 1;
        val
    }

    fn name(&mut self, name: &'a str, span: Span, hint: &Hint) -> Val {
        match self.env.get(name) {
            Some(Entry::Val(val)) => return val.clone(),
            Some(Entry::Size(size)) => {
                let size = *size;
                return Val::scalar(Scalar::I64, self.size_value(size));
            }
            None => {}
        }
        // A type parameter is also the conversion to the type that it stands for.
        if let Some(builtin) = self.scope.get(name).and_then(|scalar| builtins::lookup(scalar.name())) {
            return self.function(FnVal::Builtin(builtin));
        }
        if let Some(ty) = self.scope.ty(name).cloned() {
            let (param, ty) = (name.to_string(), self.show(&ty));
            return self.fail(Problem::NoConversion { span, param, ty });
        }
        if let Some(def) = self.tables.find(self.scope.module, name) {
            return self.use_def(def, hint);
        }
        if let Some((sum, k)) = self.tables.constructor(self.scope.module, name) {
            return self.constructor(sum, k, span, hint);
        }
        if let Some(builtin) = builtins::lookup(name) {
            return self.function(FnVal::Builtin(builtin));
        }
        // The name pass has reported what is wrong, except for names that only look like values.
        Val::error()
    }

    /// The module that an expression names, if it is not a value.
    pub fn module_of(&self, expr: &Expr) -> Option<Option<usize>> {
        let (name, import) = self.tables.import(self.scope.module, expr)?;
        self.env.get(name).is_none().then_some(import.target)
    }

    /// A member of a module, `m.name`. The name pass has reported what is wrong with it.
    fn member(&mut self, module: Option<usize>, name: &ast::Name, hint: &Hint) -> Val {
        let Some(module) = module else { return Val::error() };
        if let Some(def) = self.tables.find(module, &name.text) {
            return self.use_def(def, hint);
        }
        match self.tables.constructor(module, &name.text) {
            Some((sum, k)) => self.constructor(sum, k, name.span, hint),
            None => Val::error(),
        }
    }

    fn tuple(&mut self, items: &'a [Expr], hint: &Hint) -> Val {
        let mut values = Vec::new();
        let mut parts = 0;
        for (i, e) in items.iter().enumerate() {
            let val = self.expr(e, &hint.component(i));
            parts += val.ty.parts(MAX_PARTS);
            values.push(val);
            // Too large already; what follows could only make it larger, and cost as much.
            if parts > MAX_PARTS {
                break;
            }
        }
        Val::tuple(values)
    }

    fn record(&mut self, fields: &'a [(ast::Name, Expr)], hint: &Hint) -> Val {
        let mut values = Vec::new();
        let mut parts = 0;
        for (name, e) in fields {
            let val = self.expr(e, &hint.field(&name.text));
            parts += val.ty.parts(MAX_PARTS);
            values.push((name.text.clone(), val));
            if parts > MAX_PARTS {
                break;
            }
        }
        Val::record(values)
    }

    fn record_with(&mut self, base: &'a Expr, fields: &'a [(ast::Name, Expr)], hint: &Hint) -> Val {
        let base_val = self.expr(base, hint);
        let Ty::Record(types) = &base_val.ty else {
            fields.iter().for_each(|(_, e)| drop(self.expr(e, &Hint::None)));
            if base_val.is_error() {
                return Val::error();
            }
            let field = fields.first().map_or(String::new(), |(n, _)| n.text.clone());
            let (ty, text) = (self.show(&base_val.ty), expr_text(base));
            return self.fail(Problem::NotARecord { field, span: base.span, ty, base: text, elements: false });
        };
        let types = types.clone();
        let mut parts: Vec<Val> = base_val.components().unwrap_or_default();
        for (name, e) in fields {
            let at = types.iter().position(|(n, _)| *n == name.text);
            let want = at.and_then(|at| types.get(at));
            let val = self.expr(e, &want.map_or(Hint::None, |(_, ty)| Hint::of(ty)));
            match (want, at.and_then(|at| parts.get_mut(at))) {
                (Some((field, ty)), Some(_)) => {
                    let val = self.conform(val, ty, Role::Field(field.clone()), e.span);
                    if let Some(part) = at.and_then(|at| parts.get_mut(at)) {
                        *part = val;
                    }
                }
                _ => drop(self.unknown_field(&name.text, name.span, &base_val.ty, &expr_text(base))),
            }
        }
        Val::record(types.into_iter().map(|(n, _)| n).zip(parts).collect())
    }

    fn field(&mut self, base: &'a Expr, name: &ast::Name) -> Val {
        let val = self.expr(base, &Hint::None);
        if let Some(field) = val.field(&name.text) {
            return field;
        }
        if val.is_error() {
            return Val::error();
        }
        self.unknown_field(&name.text, name.span, &val.ty, &expr_text(base))
    }

    /// Reports a field that a value of this type does not have; `base` is the text of the value.
    pub fn unknown_field(&mut self, field: &str, span: Span, ty: &Ty, base: &str) -> Val {
        let field = field.to_string();
        let shown = self.show(ty);
        match ty {
            Ty::Record(fields) => {
                let fields = fields.iter().map(|(n, _)| n.clone()).collect();
                self.fail(Problem::UnknownField { field, span, ty: shown, fields })
            }
            _ => {
                let elements = matches!(ty.peel().1, Ty::Record(fields) if fields.iter().any(|(n, _)| *n == field));
                self.fail(Problem::NotARecord { field, span, ty: shown, base: base.to_string(), elements })
            }
        }
    }

    fn project(&mut self, base: &'a Expr, index: u32, span: Span) -> Val {
        let val = self.expr(base, &Hint::None);
        if matches!(val.ty, Ty::Error) {
            return Val::error();
        }
        let len = if let Ty::Tuple(items) = &val.ty { Some(items.len()) } else { None };
        let parts = len.and_then(|_| val.components());
        match parts.and_then(|parts| parts.into_iter().nth(index as usize)) {
            Some(part) => part,
            None => {
                let ty = self.show(&val.ty);
                self.fail(Problem::NoProjection { index, span, ty, len })
            }
        }
    }

    fn let_(&mut self, bindings: &'a [ast::Binding], body: &'a Expr, hint: &Hint) -> Val {
        let mark = self.env.mark();
        self.let_bindings(bindings, body);
        let val = self.expr(body, hint);
        self.env.close(mark);
        val
    }

    /// Evaluates the values of a `let` and binds its names, which `body` sees.
    pub fn let_bindings(&mut self, bindings: &'a [ast::Binding], body: &'a Expr) {
        for (at, binding) in bindings.iter().enumerate() {
            let want = binding.ty.as_ref().map(|ty| self.written_type(ty));
            let value_hint = match &want {
                Some(want) => Hint::of(want),
                None => self.hint_of_binding(bindings, at, body),
            };
            let mut val = self.expr(&binding.value, &value_hint);
            if let Some(want) = &want {
                val = self.conform(val, want, Role::Annotation, binding.value.span);
                if val.is_error() && !want.has_error() && self.mode == Mode::Check {
                    // The annotation says what was meant, so the rest is checked against it.
                    val = self.placeholder(want, "let");
                }
            }
            self.b.span = Some(binding.pattern.span);
            self.bind_pattern(&binding.pattern, val);
        }
    }

    /// The condition of an `if`: one boolean.
    pub fn condition(&mut self, val: Val, span: Span) -> Option<arr_ir::Atom> {
        let val = self.conform(val, &Ty::Scalar(Scalar::Bool), Role::Condition, span);
        val.atom()
    }

    fn if_expr(&mut self, c: &'a Expr, a: &'a Expr, b: &'a Expr, hint: &Hint) -> Val {
        let cond = self.expr(c, &Hint::None);
        let cond = self.condition(cond, c.span);
        let mark = self.mark();
        let late = self.round(a) > self.round(b);
        // The branch that says its type comes first.
        let (first, second) = if late { (b, a) } else { (a, b) };
        let joint = if self.is_flexible(first) { self.joint_hint(hint.clone(), [a, b]) } else { hint.clone() };
        self.b.open();
        let first_val = self.expr(first, &joint);
        let first_block = self.b.close(first_val.leaves.clone());
        let second_hint = if first_val.is_error() { hint.clone() } else { Hint::of(&first_val.ty) };
        self.b.open();
        let second_val = self.expr(second, &second_hint);
        for (val, e) in [(&first_val, first), (&second_val, second)] {
            if val.ty.has_fn() {
                self.b.close(Vec::new());
                return self.fail(Problem::FunctionValue { span: e.span, place: "chosen by `if`", hint: None });
            }
        }
        let other = if late { "else" } else { "then" };
        let facts = vec![(first.span, format!("the `{other}` branch has type `{}`", self.show(&first_val.ty)))];
        let role = if late { Role::ThenBranch } else { Role::ElseBranch };
        let second_val = self.conform_with(second_val, &first_val.ty, role, second.span, facts);
        let second_block = self.b.close(second_val.leaves.clone());
        let Some(cond) = cond else { return Val::error() };
        if first_val.is_error() || second_val.is_error() {
            return Val::error();
        }
        if self.escapes(&first_val.ty, mark, first.span, "a branch of `if`") {
            return Val::error();
        }
        let (then_block, else_block) = if late { (second_block, first_block) } else { (first_block, second_block) };
        let results = self.b.if_(cond, then_block, else_block, "if");
        Val::new(first_val.ty, results.into_iter().map(Into::into).collect())
    }

    /// Reports a type whose sizes are computed inside something that it leaves.
    pub fn escapes(&mut self, ty: &Ty, mark: usize, span: Span, place: &'static str) -> bool {
        for size in ty.sizes() {
            let vars = self.b.func.types.poly(size).vars();
            if let Some(v) = vars.into_iter().find(|v| arr_base::Id::index(*v) >= mark) {
                let size = self.show_size(size);
                let index = self.extents.contains_key(&v).then(|| self.b.func.name(v).to_string());
                let named = self.origins_of_var(v);
                let origin = named.unwrap_or_else(|| (self.span(), format!("this is {place}")));
                self.fail(Problem::Irregular { size, index, span, origin, place });
                return true;
            }
        }
        false
    }

    fn assert(&mut self, e: &'a Expr, ty: &'a ast::Type) -> Val {
        let want = self.written_type(ty);
        let val = self.expr(e, &Hint::of(&want));
        if val.is_error() || want.has_error() {
            return val;
        }
        // With its sizes set to the found ones, the asserted type must be the found type.
        let sized = with_sizes_of(&want, &val.ty);
        let val = self.conform(val, &sized, Role::Assertion, e.span);
        if val.is_error() {
            return val;
        }
        let mut leaves = Vec::new();
        let mut checked = Vec::new();
        let mut never = false;
        for (atom, (_, asserted)) in val.leaves.iter().zip(want.leaves()) {
            let found = self.b.func.atom_ty(*atom);
            for (f, a) in found.dims.iter().zip(&asserted.dims) {
                if f != a && !checked.contains(&(*f, *a)) {
                    checked.push((*f, *a));
                    let difference = self.size_sub(*f, *a);
                    if self.constant_size(difference).is_some() {
                        // Never equal, so there is nothing to find out when the program runs. Where a definition is
                        // used with sizes that are never equal, the use may be in a branch that is not taken.
                        if self.mode == Mode::Check {
                            return self.conform(val, &want, Role::Assertion, e.span);
                        }
                        never = true;
                    }
                    let args = vec![self.size_value(*f), self.size_value(*a)];
                    self.b.check(Check::SizeEq, args);
                }
            }
            match atom.var() {
                Some(v) if found != asserted && !never => {
                    let name = self.b.func.name(v).to_string();
                    let ty = self.b.func.types.ty(asserted);
                    leaves.push(self.b.emit1(Op::Reshape(v), &name, ty).into());
                }
                _ => leaves.push(*atom),
            }
        }
        // Past a check that fails, any value of the type will do.
        if never { self.zeros_of(&want, "never") } else { Val::new(want, leaves) }
    }
}
