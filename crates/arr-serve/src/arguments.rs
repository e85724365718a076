//! JSON to the arguments of a function, by name.

use crate::Refusal;
use crate::fields::Fields;
use crate::library::{Function, Library};
use arr_data::{EdgeValue, Origin, Source};
use arr_ir::{Edge, EdgeParam};

/// The maximal number of names in a refusal: a request may have any number.
const MOST_NAMED: usize = 12;

/// The names of parameters that have no value, and of values that have no parameter.
pub(crate) fn unmatched<'a>(function: &Function, given: impl Iterator<Item = &'a str> + Clone) -> Result<(), Refusal> {
    let params = function.params();
    let surplus: Vec<&str> = given.clone().filter(|name| !params.iter().any(|p| p.name == *name)).collect();
    let missing: Vec<String> =
        params.iter().filter(|p| !given.clone().any(|name| name == p.name)).map(declared).collect();
    if surplus.is_empty() && missing.is_empty() {
        return Ok(());
    }
    let quoted = |names: &[&str]| {
        let shown = names.iter().take(MOST_NAMED).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        match names.len().checked_sub(MOST_NAMED) {
            Some(more @ 1..) => format!("{shown} and {more} more"),
            _ => shown,
        }
    };
    let mut faults = Vec::new();
    if !missing.is_empty() {
        faults.push(format!("there is no value for {}", missing.join(", ")));
    }
    if !surplus.is_empty() {
        faults.push(format!("there is no parameter for {}", quoted(&surplus)));
    }
    let parameters = params.iter().map(declared).collect::<Vec<_>>().join(", ");
    let all = if params.is_empty() { "it has no parameters".to_string() } else { format!("it has {parameters}") };
    Err(format!("`{}`: {}; {all}", function.name(), faults.join("; ")).into())
}

fn declared(param: &EdgeParam) -> String {
    format!("`{}: {}`", param.name, param.text)
}

impl Library {
    /// The value of one parameter from JSON.
    pub(crate) fn value_of(&self, param: &EdgeParam, text: &str) -> Result<EdgeValue, Refusal> {
        arr_data::from_json(text, &param.ty).map_err(|e| {
            let origin =
                Origin { argument: param.name.clone(), declared: param.text.clone(), source: Source::CommandLine };
            self.refused(&e.to_diagnostic(&origin))
        })
    }

    /// The arguments of a function from the fields of an object. Fields that contain only text may be superfluous, as
    /// no parameter could take them.
    pub(crate) fn by_fields(&self, function: &Function, fields: &Fields<'_>) -> Result<Vec<EdgeValue>, Refusal> {
        let params = function.params();
        let kept = |(name, value): &&(String, &serde_json::value::RawValue)| {
            params.iter().any(|p| p.name == *name) || !arr_data::is_text(value.get())
        };
        unmatched(function, fields.list.iter().filter(kept).map(|(name, _)| name.as_str()))?;
        let value = |param: &EdgeParam| {
            let text = fields.get(&param.name).map_or("null", |raw| raw.get());
            self.value_of(param, text)
        };
        params.iter().map(value).collect()
    }

    /// The arguments of a function from the value of another: a record by the names of its fields, a tuple by position,
    /// anything else for the one parameter.
    pub(crate) fn by_value(&self, function: &Function, value: EdgeValue) -> Result<Vec<EdgeValue>, Refusal> {
        let params = function.params();
        let given = match value {
            EdgeValue::Record(fields) => {
                unmatched(function, fields.iter().map(|(name, _)| name.as_str()))?;
                let named = |p: &EdgeParam| fields.iter().find(|(name, _)| *name == p.name).map(|(_, v)| v.clone());
                params.iter().filter_map(named).collect()
            }
            EdgeValue::Tuple(items) if params.len() != 1 => items,
            other => vec![other],
        };
        if given.len() != params.len() {
            let title = format!("`{}` has {} parameters, and is given {}", function.name(), params.len(), given.len());
            return Err(title.into());
        }
        match params.iter().zip(&given).find(|(param, value)| !same_form(&param.ty, value)) {
            Some((param, value)) => Err(misfit(param, value)),
            None => Ok(given),
        }
    }
}

pub(crate) fn misfit(param: &EdgeParam, value: &EdgeValue) -> Refusal {
    format!("{} is given a `{}`", declared(param), arr_data::found_text(value)).into()
}

/// Whether a value has the structure of a type; element types, axes and sizes of arrays are checked by
/// [`arr_data::bind`].
pub(crate) fn same_form(ty: &Edge, value: &EdgeValue) -> bool {
    match (ty, value) {
        (Edge::Scalar(_), EdgeValue::Leaf(_)) => true,
        (Edge::Array(_, inner), EdgeValue::Array { element, .. }) => same_form(innermost(inner), element),
        (Edge::Array(_, inner), EdgeValue::Leaf(_)) => matches!(innermost(inner), Edge::Scalar(_)),
        (Edge::Tuple(types), EdgeValue::Tuple(items)) => {
            types.len() == items.len() && types.iter().zip(items).all(|(ty, item)| same_form(ty, item))
        }
        (Edge::Record(types), EdgeValue::Record(fields)) => {
            types.len() == fields.len() && types.iter().zip(fields).all(|((n, ty), (m, v))| n == m && same_form(ty, v))
        }
        (Edge::Sum { constructors, .. }, EdgeValue::Sum { constructors: given, .. }) => {
            let same = |types: &[Edge], values: &[EdgeValue]| {
                types.len() == values.len() && types.iter().zip(values).all(|(ty, v)| same_form(ty, v))
            };
            let mut pairs = constructors.iter().zip(given);
            constructors.len() == given.len() && pairs.all(|((n, types), (m, values))| n == m && same(types, values))
        }
        _ => false,
    }
}

/// The type inside the axes.
fn innermost(ty: &Edge) -> &Edge {
    let mut inner = ty;
    while let Edge::Array(_, next) = inner {
        inner = next;
    }
    inner
}
