//! Declared derivatives, `derivative f(x1, .., xk, y, dy) = (dx1, .., dxk)`: which function each belongs to, what is wrong
//! with it, and what it evaluates to.

use crate::bind::Binding;
use crate::builtins;
use crate::check::{instances, with_types};
use crate::declared_type::DeclaredType;
use crate::elab::{Elab, Entry, Env, Mode};
use crate::error::{Problem, Role};
use crate::module::{DefInfo, Tables};
use crate::names;
use crate::types::{Hint, Ty, Val};
use arr_base::{Diagnostic, Span};
use arr_ir::Scalar;
use arr_syntax::ast::{DerivativeDef, Expr, ExprKind, Item};
use std::sync::OnceLock;

/// A declared derivative: where it stands in the file, and the definitions that it uses, once its names were looked at.
#[derive(Debug)]
pub(crate) struct RuleInfo {
    pub item: usize,
    pub uses: OnceLock<Vec<(usize, Span)>>,
}

impl Tables {
    /// Gives every declared derivative to its definition.
    pub fn add_rules(&mut self) {
        for module in 0..self.modules.len() {
            let Some(syntax) = self.modules.get(module).map(|m| m.syntax.clone()) else { continue };
            for (item, rule) in syntax.items.iter().enumerate() {
                let Item::Derivative(rule) = rule else { continue };
                let Some(def) = self.find(module, &rule.name.text) else {
                    let problem = self.no_function(module, rule);
                    self.problems.push(problem.into());
                    continue;
                };
                let problem = self.misfit(def, rule);
                let Some(info) = self.defs.get_mut(def) else { continue };
                match problem {
                    Some(problem) => info.problems.push(problem.into()),
                    None => info.rule = Some(RuleInfo { item, uses: OnceLock::new() }),
                }
            }
        }
    }

    /// Looks at the names of the derivative that a definition declares.
    pub fn resolve_rule(&self, info: &DefInfo) -> Vec<Diagnostic> {
        let (Some(syntax), Some(rule)) = (self.syntax(info.id), self.rule_syntax(info.id)) else { return Vec::new() };
        let report = names::resolve_rule(self, info.module, syntax, rule);
        if let Some(rule) = &info.rule {
            let _ = rule.uses.set(report.uses);
        }
        report.problems
    }

    /// The syntax of the derivative that a definition declares.
    pub fn rule_syntax(&self, def: usize) -> Option<&DerivativeDef> {
        let info = self.info(def)?;
        match self.modules.get(info.module)?.syntax.items.get(info.rule.as_ref()?.item)? {
            Item::Derivative(rule) => Some(rule),
            _ => None,
        }
    }

    fn no_function(&self, module: usize, rule: &DerivativeDef) -> Problem {
        let (name, span) = (rule.name.text.clone(), rule.name.span);
        if builtins::lookup(&name).is_some() {
            return Problem::BadDerivative {
                span,
                title: format!("`{name}` is built in, and so is its derivative"),
                label: "not a definition of this file",
                declared: None,
                hint: Some(format!("define a function that calls `{name}`, and declare the derivative of that")),
            };
        }
        let suggestion = self.nearest(&name, self.defs.iter().filter(|d| d.module == module).map(|d| d.name.as_str()));
        Problem::UnknownName { name, span, suggestion }
    }

    /// What can be told without types.
    fn misfit(&self, def: usize, rule: &DerivativeDef) -> Option<Problem> {
        let info = self.info(def)?;
        let (name, span) = (&info.name, rule.name.span);
        if let Some(first) = self.rule_syntax(def) {
            let (name, first) = (name.clone(), Some(first.name.span));
            return Some(Problem::Duplicate { what: "derivative of", name, span, first });
        }
        let bad = |title: String, span: Span, label, hint: Option<String>| {
            Some(Problem::BadDerivative { span, title, label, declared: Some(info.span), hint })
        };
        let Some(params) = &info.params else {
            let title = format!("`{name}` is a constant, and has no derivative");
            return bad(title, span, "not a function", None);
        };
        if let Some(param) = params.iter().find(|p| holds_function(&p.ty)) {
            let title = format!("`{name}` takes a function, so its derivative cannot be declared");
            let hint = format!("declare the derivative of what `{}` is called with", param.name);
            return bad(title, param.span, "this parameter holds a function", Some(hint));
        }
        let (want, found) = (params.len() + 2, rule.params.len());
        if want != found {
            let title = format!("the derivative of `{name}` has {want} parameters, and {found} are given");
            let names: Vec<&str> = params.iter().map(|p| p.name.as_str()).collect();
            let hint = format!("they are those of `{name}`, its result and the cotangent of the result");
            let hint = if names.contains(&"_") {
                hint
            } else {
                format!("{hint}: `derivative {name}({}, y, dy) = ..`", names.join(", "))
            };
            return bad(title, span, "another number of parameters", Some(hint));
        }
        None
    }
}

fn holds_function(ty: &DeclaredType) -> bool {
    match ty {
        DeclaredType::Fn(..) => true,
        DeclaredType::Array(_, inner) => holds_function(inner),
        DeclaredType::Tuple(items) => items.iter().any(holds_function),
        DeclaredType::Record(fields) => fields.iter().any(|(_, t)| holds_function(t)),
        _ => false,
    }
}

/// Checks the declared derivative of a definition, for every choice of its type parameters.
pub(crate) fn check_rule(tables: &Tables, def: usize, info: &DefInfo) -> Vec<Diagnostic> {
    let Some(rule) = tables.rule_syntax(def) else { return Vec::new() };
    if info.type_params.is_empty() {
        return check_instance(tables, def, info, rule, &[]);
    }
    for types in instances(info) {
        let problems = check_instance(tables, def, info, rule, &types);
        if !problems.is_empty() {
            return problems.into_iter().map(|d| with_types(d, info, &types)).collect();
        }
    }
    Vec::new()
}

fn check_instance<'a>(
    tables: &'a Tables,
    def: usize,
    info: &'a DefInfo,
    rule: &'a DerivativeDef,
    types: &[(&'a str, Scalar)],
) -> Vec<Diagnostic> {
    let mut e = Elab::new(tables, Mode::Check, &info.name);
    e.start_recording();
    e.scope.module = info.module;
    let declared = e.declare(info, types);
    let ty = match &info.result {
        Some(ty) => e.declared_type(ty, &declared.binding),
        None => {
            let Some(syntax) = tables.syntax(def) else { return Vec::new() };
            e.enter(info, &declared);
            let ty = e.expr(&syntax.body, &Hint::None).ty;
            e.env = Env::default();
            ty
        }
    };
    // What is wrong with the definition itself is said where it is checked.
    e.problems.clear();
    if ty.has_error() {
        return Vec::new();
    }
    let without = if ty.float_part().is_none() {
        Some("its result holds no floats")
    } else {
        let none = declared.params.iter().all(|p| p.ty.float_part().is_none());
        none.then_some("its parameters hold no floats")
    };
    if let Some(why) = without {
        let title = format!("`{}` has no derivative: {why}", info.name);
        let (span, declared) = (rule.name.span, Some(info.span));
        let label = "nothing to differentiate";
        return vec![Problem::BadDerivative { span, title, label, declared, hint: None }.into()];
    }
    let y = e.placeholder(&ty, "y");
    let dy = e.placeholder(&ty.float_part().unwrap_or_else(Ty::unit), "dy");
    e.rule_result(info, rule, &declared.binding, &declared.params, &y, &dy);
    if let Some(recorded) = e.recorded.take() {
        tables.recorder.keep(vec![(types.to_vec(), *recorded)]);
    }
    e.problems
}

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

    /// One cotangent a parameter; not a tuple where there is one parameter.
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
