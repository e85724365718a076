//! The definitions of a module, with types.

use crate::library::Library;
use arr_data::edge_text;
use arr_driver::Derive;
use serde_json::{Value, json};

/// Every definition as written; for callable ones also the names and types of their parameters, the type of the result,
/// and the sizes that follow from the arguments.
pub(super) fn describe(library: &Library, module: &str) -> Value {
    let names = library.definitions(module);
    let signatures = library.signatures(module);
    names.iter().zip(signatures).map(|(name, signature)| entry(library, module, name, &signature)).collect()
}

fn entry(library: &Library, module: &str, name: &str, signature: &str) -> Value {
    // One with functions or open types for parameters is for use by other definitions.
    let Ok(program) = library.program(module, name, &Derive::Nothing) else {
        return json!({ "name": name, "signature": signature, "callable": false });
    };
    let func = program.func();
    let params: Vec<Value> =
        func.edge_params.iter().map(|p| json!({ "name": p.name, "type": edge_text(func, &p.ty) })).collect();
    json!({
        "name": name,
        "signature": signature,
        "callable": true,
        "parameters": params,
        "result": edge_text(func, &func.edge_result),
        "sizes": func.sizes.iter().map(|v| func.name(*v)).collect::<Vec<_>>(),
    })
}
