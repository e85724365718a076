//! Values as CSV: a record of vectors with a heading, an array without one.

use crate::EdgeValue;
use crate::tables::{Cell, Wanted, leaf_of};
use crate::text::rank_text;
use arr_ir::{Edge, Value};

/// Whether a result of the type can be a table. Errors: why it cannot.
pub(crate) fn check_result(edge: &Edge) -> Result<(), String> {
    Wanted::of(edge).map(|_| ()).ok_or_else(|| unfit(edge))
}

fn unfit(edge: &Edge) -> String {
    let ty = rank_text(edge);
    format!("a .csv file holds an array of one or two axes, or columns, and the result is a `{ty}`; use `.json`")
}

/// The text of a table. Errors: why the format cannot hold the value.
pub(crate) fn write(value: &EdgeValue, edge: &Edge) -> Result<String, String> {
    let unfit = || unfit(edge);
    match Wanted::of(edge).ok_or_else(unfit)? {
        Wanted::Array { cell, .. } => array(&cell, leaf_of(value).ok_or_else(unfit)?),
        Wanted::Record { columns, .. } => {
            let record = match value {
                EdgeValue::Array { element, .. } => element,
                other => other,
            };
            let EdgeValue::Record(fields) = record else { return Err(unfit()) };
            let values: Option<Vec<&Value>> = fields.iter().map(|(_, field)| leaf_of(field)).collect();
            table(&columns, &values.ok_or_else(unfit)?)
        }
    }
}

fn array(cell: &Cell, value: &Value) -> Result<String, String> {
    let Value::Array(array) = value else { return Ok(String::new()) };
    let width = array.dims.get(1).map_or(1, |&n| usize::try_from(n).unwrap_or(0));
    if width == 0 && array.dims.first() != Some(&0) {
        return Err("a .csv file has no rows without columns; use `.npy`".to_string());
    }
    let mut text = String::new();
    for (at, element) in (0..array.data.len()).filter_map(|at| array.data.get(at)).enumerate() {
        text.push_str(&cell.write(element));
        text.push(if (at + 1) % width.max(1) == 0 { '\n' } else { ',' });
    }
    Ok(text)
}

fn table(columns: &[(String, Cell)], values: &[&Value]) -> Result<String, String> {
    let rows = |value: &Value| value.dims().first().map_or(1, |&n| usize::try_from(n).unwrap_or(0));
    let count = values.first().map_or(0, |first| rows(first));
    if values.iter().any(|value| rows(value) != count) {
        return Err("the columns of a .csv file have one length, and those of the result differ; use `.json`".into());
    }
    let mut text = columns.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..count {
        for (place, ((_, cell), value)) in columns.iter().zip(values).enumerate() {
            let element = match value {
                Value::Scalar(c) => Some(*c),
                Value::Array(array) => array.data.get(row),
            };
            text.push_str(if place > 0 { "," } else { "" });
            text.push_str(&element.map(|element| cell.write(element)).unwrap_or_default());
        }
        text.push('\n');
    }
    Ok(text)
}
