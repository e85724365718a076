//! Files without a declared type: the numbers in them, as floats, for drawing.

use crate::raw::{Raw, RawKind};
use crate::reading::{Notes, Reading};
use crate::{DataError, EdgeValue, Format, Problem, csv, files, npy, parquet, part};
use arr_ir::{Const, Data, Edge, Scalar, Value};

/// Reads the numbers of a file as vectors, matrices and records of them: of a table its columns of numbers and dates, of
/// JSON what is made of numbers. Errors: E0702 where the file is damaged, E0703 where it is of another format or has
/// elements of another type, E0709 where it has no such part, E0605 where it takes more memory than there is. What the
/// columns of a text table that are `needed` have instead of numbers is an error; without being needed they are left out.
pub fn numbers_of(
    bytes: &[u8],
    format: Format,
    how: &Reading<'_>,
    needed: &[&str],
) -> Result<(EdgeValue, Notes), DataError> {
    let mut notes = Notes::new();
    let value = match (format, how.part) {
        (Format::Csv, _) => csv::numbers(bytes, how, needed, &mut notes)?,
        (Format::Parquet, _) => parquet::numbers(bytes, how, &mut notes)?,
        (Format::Json, _) => {
            let text = files::json_text(bytes)?;
            // No name is that of a parameter.
            let raw = part::of_raw(files::json_tree(text, how.limit)?, &Edge::Tuple(Vec::new()), how, &mut notes)?;
            value_of(&raw, "", &mut notes).unwrap_or(EdgeValue::Record(Vec::new()))
        }
        (Format::Npy, None) => {
            let vector = npy::read(bytes, Scalar::F64, 1, "[_]f64");
            EdgeValue::Leaf(vector.or_else(|_| npy::read(bytes, Scalar::F64, 2, "[_][_]f64"))?)
        }
        (Format::Npy, Some(part)) => {
            let part = part.to_string();
            return Err(Problem::NoPart { part, kind: "part", available: Vec::new(), choice: false }.into());
        }
        (Format::Npz | Format::Safetensors | Format::Png | Format::Text, _) => {
            let table = if cfg!(feature = "parquet") { " `.parquet`," } else { "" };
            let hint = format!("files `.csv`,{table} `.json` and `.npy` are drawn; a program can read others");
            return Err(Problem::FormatType { format: format.name(), ty: String::new(), hint }.into());
        }
    };
    Ok((value, notes))
}

/// The numbers of a tree; `None` if there are none.
fn value_of(raw: &Raw<'_>, path: &str, notes: &mut Notes) -> Option<EdgeValue> {
    let below = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    let value = match &raw.kind {
        RawKind::Record(fields) => {
            let fields = fields
                .iter()
                .filter_map(|(name, field)| Some((name.to_string(), value_of(field, &below(name), notes)?)))
                .collect();
            return Some(EdgeValue::Record(fields));
        }
        RawKind::Number(number) => match number.read(Scalar::F64) {
            Ok(value) => Some(EdgeValue::Leaf(Value::Scalar(value))),
            Err(_) => None,
        },
        RawKind::List(items) => array_of(items),
        _ => None,
    };
    if value.is_none() {
        notes.push(format!("`{}` is no array of numbers, and is left out", if path.is_empty() { "it" } else { path }));
    }
    value
}

/// A vector, or a matrix whose rows have one length.
fn array_of(items: &[Raw<'_>]) -> Option<EdgeValue> {
    let rows: Option<Vec<&Vec<Raw<'_>>>> =
        items.iter().map(|item| if let RawKind::List(row) = &item.kind { Some(row) } else { None }).collect();
    let (dims, cells): (Vec<usize>, Vec<&Raw<'_>>) = match rows.filter(|rows| !rows.is_empty()) {
        Some(rows) => {
            let width = rows.first()?.len();
            if rows.iter().any(|row| row.len() != width) {
                return None;
            }
            (vec![rows.len(), width], rows.into_iter().flatten().collect())
        }
        None => (vec![items.len()], items.iter().collect()),
    };
    let numbers: Option<Vec<f64>> = cells.into_iter().map(float).collect();
    let dims = dims.into_iter().map(|n| i64::try_from(n).ok()).collect::<Option<_>>()?;
    Some(EdgeValue::Leaf(Value::array(dims, Data::F64(numbers?))))
}

fn float(raw: &Raw<'_>) -> Option<f64> {
    match &raw.kind {
        RawKind::Number(number) => number.read(Scalar::F64).ok().and_then(Const::as_f64),
        RawKind::Bool(b) => Some(f64::from(u8::from(*b))),
        _ => None,
    }
}
