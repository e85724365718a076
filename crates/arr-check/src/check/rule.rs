//! Checking a declared derivative once its function was checked, on symbolic arguments.

use crate::check::instances::{instances, with_types};
use crate::data::problem::Problem;
use crate::data::tables::{DefInfo, Tables};
use crate::data::types::Ty;
use crate::data::values::Hint;
use crate::elaborate::env::Env;
use crate::elaborate::{Elab, Mode};
use arr_base::Diagnostic;
use arr_ir::Scalar;
use arr_syntax::ast::DerivativeDef;

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
    // What is wrong with the definition itself is reported where it is checked.
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
