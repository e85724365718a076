//! Names in expressions and patterns.

use super::{FieldAccess, NameKind, Resolver, Role, Target};
use arr_base::Span;
use arr_syntax::ast::{
    Binding, Expr, ExprKind, Generator, Loop, LoopKind, Name, Param, Pattern, PatternKind, Subscript,
};

impl<'a> Resolver<'a> {
    /// A name that stands for a value.
    fn value_name(&mut self, name: &'a str, span: Span) {
        let builtin = || {
            let known = arr_check::builtin_docs().any(|(builtin, _)| builtin == name);
            known.then(|| Target::Builtin(name.to_string()))
        };
        let target = self.local(name).or_else(|| {
            let own = Self::value_of(self.file, name);
            own.or_else(|| self.module(name)).or_else(builtin)
        });
        self.occur(span, target.unwrap_or_else(|| Target::Unknown(name.to_string())), Role::Value);
    }

    /// `e.name`, where `e` may be a module.
    fn field(&mut self, base: &'a Expr, name: &'a Name) {
        if let ExprKind::Name(alias) = &*base.kind
            && self.local(alias).is_none()
            && let Some(module) = self.module(alias)
        {
            self.occur(base.span, module, Role::Value);
            let member = self.imported(alias).and_then(|file| Self::value_of(file, &name.text));
            let target = member.unwrap_or_else(|| Target::Unknown(name.text.clone()));
            return self.occur(name.span, target, Role::Value);
        }
        self.out.fields.push(FieldAccess { base: base.span, name: name.span });
        self.expr(base);
    }

    /// Binds the names of a pattern. `names` collects them.
    pub(super) fn pattern(
        &mut self,
        pattern: &'a Pattern,
        kind: NameKind,
        from: u32,
        inferred: bool,
        names: &mut Vec<&'a str>,
    ) {
        match &pattern.kind {
            PatternKind::Name(name) => {
                self.pattern_name(name, pattern.span, kind, Role::Binding, from, inferred);
                names.push(name);
            }
            PatternKind::Tuple(items) => items.iter().for_each(|p| self.pattern(p, kind, from, inferred, names)),
            PatternKind::Record(fields) => {
                for (name, inner) in fields {
                    match inner {
                        Some(inner) => self.pattern(inner, kind, from, inferred, names),
                        None => {
                            self.pattern_name(&name.text, name.span, kind, Role::Shorthand, from, inferred);
                            names.push(&name.text);
                        }
                    }
                }
            }
            PatternKind::Constructor(name, items) => {
                self.qualified(&name.text, name.span, Role::Value, |r, base| Self::constructor_of(r.file, base));
                items.iter().for_each(|p| self.pattern(p, kind, from, inferred, names));
            }
            PatternKind::Wildcard | PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::Error => {}
        }
    }

    fn pattern_name(&mut self, name: &'a str, span: Span, kind: NameKind, role: Role, from: u32, inferred: bool) {
        let bound = self.bound(name, span, kind, role);
        if let Some(bound) = self.out.bound.get_mut(bound) {
            bound.inferred = inferred;
        }
        self.enter(name, bound, from);
    }

    fn one_pattern(&mut self, pattern: &'a Pattern, from: u32, inferred: bool) {
        let mut names = Vec::new();
        self.pattern(pattern, NameKind::Local, from, inferred, &mut names);
        self.count_duplicates(names);
    }

    fn index(&mut self, name: &'a Name, from: u32, inferred: bool) {
        self.pattern_name(&name.text, name.span, NameKind::Index, Role::Binding, from, inferred);
    }

    pub(super) fn expr(&mut self, expr: &'a Expr) {
        match &*expr.kind {
            ExprKind::Name(name) => self.value_name(name, expr.span),
            ExprKind::Field(base, name) => self.field(base, name),
            ExprKind::Assert(e, ty) => {
                self.expr(e);
                self.ty(ty, false);
            }
            ExprKind::Lambda(params, body) => self.lambda(params, body, expr.span.end),
            ExprKind::Let(bindings, body) => self.let_(bindings, body, expr.span.end),
            ExprKind::For(generators, body) => self.for_(generators, body, expr.span.end),
            ExprKind::Loop(l) => self.loop_(l, expr.span.end),
            ExprKind::Match(e, arms) => {
                self.expr(e);
                for (pattern, arm) in arms {
                    let mark = self.scope.len();
                    self.one_pattern(pattern, pattern.span.end, false);
                    self.expr(arm);
                    self.close(mark, arm.span.end);
                }
            }
            ExprKind::Index(array, subscripts) => {
                self.expr(array);
                self.subscripts(subscripts);
            }
            ExprKind::With(array, subscripts, value) => {
                self.expr(array);
                self.subscripts(subscripts);
                self.expr(value);
            }
            other => other.for_each_child(|e| self.expr(e)),
        }
    }

    fn subscripts(&mut self, subscripts: &'a [Subscript]) {
        for subscript in subscripts {
            match subscript {
                Subscript::Index(e) => self.expr(e),
                Subscript::Slice { lo, hi, step, .. } => {
                    [lo, hi, step].into_iter().flatten().for_each(|e| self.expr(e));
                }
            }
        }
    }

    fn lambda(&mut self, params: &'a [Param], body: &'a Expr, end: u32) {
        let mark = self.scope.len();
        params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| self.ty(ty, false));
        let mut names = Vec::new();
        for param in params {
            let from = body.span.start.min(param.pattern.span.end);
            self.pattern(&param.pattern, NameKind::Parameter, from, param.ty.is_none(), &mut names);
        }
        self.count_duplicates(names);
        self.expr(body);
        self.close(mark, end);
    }

    fn let_(&mut self, bindings: &'a [Binding], body: &'a Expr, end: u32) {
        let mark = self.scope.len();
        for binding in bindings {
            self.expr(&binding.value);
            if let Some(ty) = &binding.ty {
                self.ty(ty, false);
            }
            // A literal shows its own type.
            let plain = matches!(&*binding.value.kind, ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Error);
            let inferred = binding.ty.is_none() && !plain;
            self.one_pattern(&binding.pattern, binding.value.span.end, inferred);
        }
        self.expr(body);
        self.close(mark, end);
    }

    fn for_(&mut self, generators: &'a [Generator], body: &'a Expr, end: u32) {
        let mark = self.scope.len();
        for generator in generators {
            match generator {
                Generator::Range(name, extent) => {
                    self.expr(extent);
                    self.index(name, extent.span.end, false);
                }
                Generator::Inferred(name) => self.index(name, name.span.end, true),
                Generator::Element(pattern, array) => {
                    self.expr(array);
                    self.one_pattern(pattern, array.span.end, false);
                }
            }
        }
        self.expr(body);
        self.close(mark, end);
    }

    fn loop_(&mut self, l: &'a Loop, end: u32) {
        let mark = self.scope.len();
        self.expr(&l.init);
        if let Some(ty) = &l.ty {
            self.ty(ty, false);
        }
        let mut from = l.init.span.end;
        match &l.kind {
            LoopKind::Range(name, extent) => {
                self.expr(extent);
                from = extent.span.end;
                self.index(name, from, false);
            }
            LoopKind::Element(pattern, array) => {
                self.expr(array);
                from = array.span.end;
                self.one_pattern(pattern, from, false);
            }
            LoopKind::While(_) => {}
        }
        self.one_pattern(&l.state, from, l.ty.is_none());
        if let LoopKind::While(condition) = &l.kind {
            self.expr(condition);
        }
        self.expr(&l.body);
        self.close(mark, end);
    }
}
