//! Requests of GradBench to the modules in `examples/gradbench`, and the answers of the suite's own programs:
//! `tests/serve/gradbench.json`.

use crate::values::{self, Tolerance};
use crate::{Outcome, files};
use serde_json::{Value, json};

/// Below the repository.
pub const MODULES: &str = "examples/gradbench";

/// The cases: a module, a function, its input and its output.
pub fn cases() -> Result<Vec<Value>, String> {
    let text = files::read(&files::root().join("tests/serve/gradbench.json"))?;
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

/// `gmm objective`
pub fn name(case: &Value) -> String {
    let text = |key: &str| case[key].as_str().unwrap_or_default();
    format!("{} {}", text("module"), text("function"))
}

/// The message of the request.
pub fn request(case: &Value) -> String {
    let (module, function, input) = (&case["module"], &case["function"], &case["input"]);
    json!({ "id": 1, "kind": "evaluate", "module": module, "function": function, "input": input }).to_string()
}

/// Whether a reply has the result of the case.
pub fn judge(case: &Value, reply: &Value, tolerance: Tolerance) -> Outcome {
    let (found, expected) = (sorted(&reply["output"]).to_string(), sorted(&case["output"]).to_string());
    if values::same(&found, &expected, tolerance) {
        return Ok(());
    }
    Err(format!("{}: {found} instead of {expected}; {}", name(case), reply["error"]))
}

/// With the fields of objects in the order of their names.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().map(|(name, field)| (name.clone(), sorted(field))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}
