//! Arguments as Arr source, so that a failure can be reproduced.

use crate::generate::Case;
use arr_data::EdgeValue;
use arr_ir::{Func, Value};
use arr_syntax::ast::TestDef;

/// The arguments as values of the parameters' types.
pub(crate) fn arguments(func: &Func, leaves: &[Value]) -> Vec<EdgeValue> {
    let mut rest = leaves;
    let mut values = Vec::new();
    for param in &func.edge_params {
        let (own, after) = rest.split_at_checked(param.ty.leaves().len()).unwrap_or((rest, &[]));
        rest = after;
        values.extend(EdgeValue::from_leaves(&param.ty, own));
    }
    values
}

/// `x: [2]f64 = [0.0, 1.0]`, one argument per line, after the sizes that nothing else determines.
pub(crate) fn bindings(test: &TestDef, func: &Func, case: &Case) -> Vec<String> {
    let sizes = func.sizes.iter().zip(case.size_values(func)).map(|(v, n)| format!("{} = {n}", func.name(*v)));
    let values = arguments(func, &case.leaves);
    let params = test.def.params.iter().flatten().zip(&func.edge_params).zip(values).map(|((param, edge), value)| {
        let pattern = arr_syntax::print_pattern(&param.pattern);
        // A sum has a type only by name, whose arguments are written in the test.
        let ty = match (&param.ty, edge.ty.has_sum()) {
            (Some(ty), true) => arr_syntax::print_type(ty),
            _ => arr_data::found_text(&value),
        };
        format!("{pattern}: {ty} = {}", arr_data::to_literal(&value))
    });
    sizes.chain(params).collect()
}

/// An expression for the test's body with these arguments.
pub(crate) fn expression(test: &TestDef, func: &Func, case: &Case) -> String {
    let mut text = String::new();
    for binding in bindings(test, func, case) {
        text.push_str(&format!("let {binding} "));
    }
    let text = format!("{text}in {}", arr_syntax::print_expr(&test.def.body));
    text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ")
}

/// A word quoted for a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
