//! A part of a value: of text that was read, of the names in an archive, of a result.

use crate::raw::{Raw, RawKind};
use crate::reading::{Notes, Reading, names_text};
use crate::{DataError, EdgeValue, Problem};
use arr_base::{Code, Diagnostic};
use arr_ir::{Edge, Value};

/// The note on a part that was read without being named.
fn note(name: &str) -> String {
    format!("its part `{name}` is read, by the parameter's name")
}

/// Whether a file of a record with these fields is read for the field of the parameter's name: the parameter itself has
/// no such field.
fn holds_parameter(edge: &Edge, name: &str, mut fields: impl Iterator<Item = bool>) -> bool {
    let own = match edge {
        Edge::Record(own) => own.iter().any(|(field, _)| field == name),
        Edge::Sum { constructors, .. } => constructors.iter().any(|(constructor, _)| constructor == name),
        Edge::Scalar(_) | Edge::Array(..) | Edge::Tuple(_) => false,
    };
    !own && fields.any(|is| is)
}

/// The part of a tree that the user named, or that has the parameter's name. Errors: E0703 where there is none.
pub(crate) fn of_raw<'t>(
    raw: Raw<'t>,
    edge: &Edge,
    how: &Reading<'_>,
    notes: &mut Notes,
) -> Result<Raw<'t>, DataError> {
    if let Some(part) = how.part {
        return part.split('.').try_fold(raw, |raw, name| step(raw, name, part));
    }
    let name = how.parameter;
    match &raw.kind {
        RawKind::Record(fields) if holds_parameter(edge, name, fields.iter().map(|(field, _)| field == name)) => {
            notes.push(note(name));
            step(raw, name, name)
        }
        _ => Ok(raw),
    }
}

/// A field of a record, or an element of a list or tuple.
fn step<'t>(raw: Raw<'t>, name: &str, part: &str) -> Result<Raw<'t>, DataError> {
    let missing =
        |available| DataError::from(Problem::NoPart { part: part.to_string(), kind: "part", available, choice: false });
    match raw.kind {
        RawKind::Record(mut fields) => match fields.iter().position(|(field, _)| field == name) {
            Some(at) => Ok(fields.swap_remove(at).1),
            None => Err(missing(fields.iter().map(|(field, _)| field.to_string()).collect())),
        },
        RawKind::List(mut items) | RawKind::Tuple(mut items) => {
            let at = name.parse().ok().filter(|at| *at < items.len());
            at.map(|at: usize| items.swap_remove(at)).ok_or_else(|| missing(Vec::new()))
        }
        _ => Err(missing(Vec::new())),
    }
}

/// What stands before the leaves' paths in the names of an archive's arrays: the part that the user named, or that has
/// the parameter's name; nothing where the archive is read as a whole.
pub(crate) fn prefix<'a>(names: &[String], edge: &Edge, how: &Reading<'a>, notes: &mut Notes) -> &'a str {
    if let Some(part) = how.part {
        return part;
    }
    let name = how.parameter;
    let single = names.len() == 1 && crate::value::single_leaf(edge).is_some();
    if !single && !name.is_empty() && holds_parameter(edge, name, names.iter().map(|own| is_below(own, name))) {
        notes.push(note(name));
        return name;
    }
    ""
}

/// Whether an array's name is a part's, or begins with it.
pub(crate) fn is_below(name: &str, part: &str) -> bool {
    name.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The type of a part of a result: `model.w`, or `0` of a tuple; of an array of records, the array of a field. Errors:
/// E0709 where there is no part of the name.
pub fn part_type(edge: &Edge, part: &str) -> Result<Edge, Diagnostic> {
    part.split('.').try_fold(edge.clone(), field_type).map_err(|available| {
        let title = format!("the result has no part `{part}`");
        let diagnostic = Diagnostic::error(Code::NO_PART, title);
        let names = names_text(available.iter().map(String::as_str));
        let what = if available.is_empty() { "it has no parts".to_string() } else { format!("it has {names}") };
        diagnostic.note(what)
    })
}

fn field_type(edge: Edge, name: &str) -> Result<Edge, Vec<String>> {
    match edge {
        Edge::Record(types) => {
            let names = types.iter().map(|(field, _)| field.clone()).collect();
            types.into_iter().find(|(field, _)| field == name).map(|(_, ty)| ty).ok_or(names)
        }
        Edge::Tuple(types) => {
            let names = (0..types.len()).map(|at| at.to_string()).collect();
            name.parse().ok().and_then(|at| types.into_iter().nth(at)).ok_or(names)
        }
        Edge::Array(size, inner) => field_type(*inner, name).map(|inner| Edge::Array(size, Box::new(inner))),
        Edge::Scalar(_) | Edge::Sum { .. } => Err(Vec::new()),
    }
}

/// The value of a part of a result, as [`part_type`] has its type; `None` if there is none of the name.
pub fn part_value(value: EdgeValue, part: &str) -> Option<EdgeValue> {
    part.split('.').try_fold(value, field)
}

fn field(value: EdgeValue, name: &str) -> Option<EdgeValue> {
    match value {
        EdgeValue::Record(fields) => fields.into_iter().find(|(field, _)| field == name).map(|(_, value)| value),
        EdgeValue::Tuple(items) => name.parse().ok().and_then(|at| items.into_iter().nth(at)),
        EdgeValue::Array { dims, element } => field(*element, name).map(|element| outside(dims, element)),
        EdgeValue::Leaf(_) | EdgeValue::Sum { .. } => None,
    }
}

/// The array of a part: leaves have its axes already.
fn outside(mut dims: Vec<i64>, element: EdgeValue) -> EdgeValue {
    match element {
        EdgeValue::Leaf(leaf) => EdgeValue::Leaf(leaf),
        EdgeValue::Array { dims: inner, element } => {
            dims.extend(inner);
            EdgeValue::Array { dims, element }
        }
        other => EdgeValue::Array { dims, element: Box::new(other) },
    }
}

/// The shape of each array that a value consists of.
pub(crate) fn shape(value: &Value) -> Vec<usize> {
    value.dims().iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect()
}
