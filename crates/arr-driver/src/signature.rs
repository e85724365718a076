//! A definition without its body, as written.

use arr_syntax::ast::{Bound, Def, Item, Module, Param};

/// The definitions of a file, in source order.
pub fn signatures(module: &Module) -> Vec<String> {
    let one = |item: &Item| if let Item::Def(def) = item { Some(signature(def)) } else { None };
    module.items.iter().filter_map(one).collect()
}

/// `dot[t: float](x: [n]t, y: [n]t) -> t`, and of a constant `pi: f64`
pub fn signature(def: &Def) -> String {
    let mut text = def.name.text.clone();
    if !def.type_params.is_empty() {
        let bound = |b: Bound| match b {
            Bound::Any => "any",
            Bound::Num => "num",
            Bound::Float => "float",
        };
        let params: Vec<String> =
            def.type_params.iter().map(|p| format!("{}: {}", p.name.text, bound(p.bound))).collect();
        text.push_str(&format!("[{}]", params.join(", ")));
    }
    if let Some(params) = &def.params {
        text.push_str(&format!("({})", params.iter().map(parameter).collect::<Vec<_>>().join(", ")));
    }
    if let Some(result) = &def.result {
        let arrow = if def.params.is_some() { " ->" } else { ":" };
        text.push_str(&format!("{arrow} {}", arr_syntax::print_type(result)));
    }
    text
}

fn parameter(param: &Param) -> String {
    let pattern = arr_syntax::print_pattern(&param.pattern);
    match &param.ty {
        Some(ty) => format!("{pattern}: {}", arr_syntax::print_type(ty)),
        None => pattern,
    }
}
