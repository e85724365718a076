//! What a declared derivative evaluates to.

use crate::data::problem::Role;
use crate::data::tables::DefInfo;
use crate::data::types::Ty;
use crate::data::values::{Hint, Val};
use crate::elaborate::Elab;
use crate::elaborate::calls::binding::Binding;
use crate::elaborate::env::{Entry, Env};
use arr_base::Span;
use arr_syntax::ast::{DerivativeDef, Expr, ExprKind};

impl<'a> Elab<'a> {
    /// The cotangents that a declared derivative gives for arguments, result and cotangent of the result.
    pub fn rule_result(
        &mut self,
        info: &'a DefInfo,
        rule: &'a DerivativeDef,
        binding: &Binding<'a>,
        args: &[Val],
        y: &Val,
        dy: &Val,
    ) -> Val {
        let mut env = Env::default();
        for (name, bound) in &binding.sizes {
            env.bind(name, Entry::Size(bound.size));
        }
        let outer = std::mem::replace(&mut self.env, env);
        let outer_scope = std::mem::replace(&mut self.scope, binding.type_scope(info.module));
        let values: Vec<&Val> = args.iter().chain([y, dy]).collect();
        for (param, val) in rule.params.iter().zip(&values) {
            if let Some(ty) = &param.ty {
                let want = self.written_type(ty);
                self.annotated(&val.ty, &want, info, ty.span);
            }
        }
        for (param, val) in rule.params.iter().zip(values) {
            self.b.span = Some(param.pattern.span);
            self.bind_pattern(&param.pattern, val.clone());
        }
        let wants: Vec<Ty> = args.iter().map(|a| a.ty.float_part().unwrap_or_else(Ty::unit)).collect();
        let hint = match wants.as_slice() {
            [one] => Hint::of(one),
            many => Hint::Tuple(many.iter().map(Hint::of).collect()),
        };
        let result = self.expr(&rule.body, &hint);
        self.env = outer;
        self.scope = outer_scope;
        self.cotangents(info, result, wants, &rule.body)
    }

    /// Compares the type that a parameter of a declared derivative has with the one that is written.
    fn annotated(&mut self, found: &Ty, want: &Ty, info: &DefInfo, span: Span) {
        let val = self.placeholder(found, "x");
        let facts = vec![(info.span, format!("`{}` is declared here", info.name))];
        self.conform_with(val, want, Role::Annotation, span, facts);
    }

    /// One cotangent per parameter; not a tuple where there is one parameter.
    fn cotangents(&mut self, info: &DefInfo, result: Val, wants: Vec<Ty>, body: &'a Expr) -> Val {
        let body = tail(body);
        let facts = vec![(info.span, format!("`{}` is declared here", info.name))];
        let name = |at: usize| info.params().get(at).map(|p| p.name.clone()).filter(|n| n != "_");
        if let [want] = wants.as_slice() {
            return self.conform_with(result, want, Role::Declared(name(0)), body.span, facts);
        }
        let parts = match &result.ty {
            Ty::Tuple(items) if items.len() == wants.len() => result.components(),
            _ => None,
        };
        let Some(parts) = parts else {
            return self.conform_with(result, &Ty::Tuple(wants), Role::Declared(None), body.span, facts);
        };
        let spans: Vec<Span> = match &*body.kind {
            ExprKind::Tuple(items) => items.iter().map(|e| e.span).collect(),
            _ => Vec::new(),
        };
        let mut done = Vec::new();
        for (at, (part, want)) in parts.into_iter().zip(&wants).enumerate() {
            let span = spans.get(at).copied().unwrap_or(body.span);
            done.push(self.conform_with(part, want, Role::Declared(name(at)), span, facts.clone()));
        }
        Val::tuple(done)
    }
}

/// What an expression ends in.
fn tail(e: &Expr) -> &Expr {
    match &*e.kind {
        ExprKind::Let(_, body) => tail(body),
        _ => e,
    }
}
