//! Declared derivatives, `derivative f(x1, .., xk, y, dy) = (dx1, .., dxk)`: which function each belongs to, and what
//! can be wrong with that before types are known.

use crate::data::builtins;
use crate::data::declared_type::DeclaredType;
use crate::data::problem::Problem;
use crate::data::tables::{RuleInfo, Tables};
use arr_base::Span;
use arr_syntax::ast::{DerivativeDef, Item};
use std::sync::OnceLock;

impl Tables {
    /// Assigns every declared derivative to its definition.
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
        Problem::UnknownName { name, span, suggestion, library: Vec::new() }
    }

    /// What can be checked without types.
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
