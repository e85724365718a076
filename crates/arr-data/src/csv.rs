//! Tables of numbers in CSV files: a column for a rank-1 array, rows for a rank-2 one.

use crate::number::NumberText;
use crate::text::rank_text;
use crate::typed::push;
use crate::value::single_leaf;
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Const, Data, Edge, Scalar, Value};

const FORMAT: &str = "CSV";

pub(crate) fn read(bytes: &[u8], edge: &Edge) -> Result<EdgeValue, DataError> {
    let Some((elem, rank @ (1 | 2))) = single_leaf(edge) else {
        let hint = "a CSV file holds numbers in one column or in rows; use a `.json` or `.npz` file".to_string();
        return Err(Problem::FormatType { format: FORMAT, ty: rank_text(edge), hint }.into());
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(bytes);
    let mut data = Data::zeros(elem, 0);
    let mut rows = 0i64;
    let mut width: Option<usize> = None;
    let mut record = csv::StringRecord::new();
    let mut first = true;
    loop {
        let more = reader.read_record(&mut record).map_err(|e| {
            let line = e.position().map_or(0, csv::Position::line);
            DataError::damaged(FORMAT, "it is not text in UTF-8").at_line(line)
        })?;
        if !more {
            break;
        }
        let line = record.position().map_or(0, csv::Position::line);
        let header = std::mem::take(&mut first) && !record.iter().any(|cell| looks_numeric(cell, elem));
        if header || record.iter().all(str::is_empty) {
            continue;
        }
        let expected = *width.get_or_insert(record.len());
        if expected != record.len() {
            let why = format!("it has {} where the rows above have {expected}", columns(record.len()));
            return Err(DataError::damaged(FORMAT, why).at_line(line));
        }
        for (column, cell) in record.iter().enumerate() {
            let value = read_cell(cell, elem).map_err(|problem| {
                let place = Some(format!("line {line}, column {}", column + 1));
                DataError { place, ..DataError::from(problem) }
            })?;
            push(&mut data, value);
        }
        rows += 1;
    }
    let width = i64::try_from(width.unwrap_or(0)).unwrap_or(0);
    let dims = match (rank, rows, width) {
        (2, _, _) => vec![rows, width],
        (_, _, 0 | 1) => vec![rows],
        // A single row for a vector cannot be misunderstood.
        (_, 1, _) => vec![width],
        _ => {
            let found = crate::text::shape_text(&[rows, width], elem.name());
            return Err(Problem::Shape { expected: rank_text(edge), found }.into());
        }
    };
    Ok(EdgeValue::Leaf(Value::array(dims, data)))
}

fn columns(n: usize) -> String {
    if n == 1 { "1 column".to_string() } else { format!("{n} columns") }
}

/// Whether a cell is not that of a header.
fn looks_numeric(cell: &str, elem: Scalar) -> bool {
    number(cell).is_some() || separator(cell).is_some() || (elem == Scalar::Bool && matches!(cell, "true" | "false"))
}

/// The separator of a row without commas, or with decimal commas.
fn separator(cell: &str) -> Option<&'static str> {
    [(';', "semicolons"), ('\t', "tabs"), (' ', "spaces")].into_iter().find_map(|(between, name)| {
        let mut parts = cell.split(between).map(str::trim).filter(|part| !part.is_empty());
        let all = cell.contains(between) && parts.clone().count() > 1 && parts.all(|part| number(part).is_some());
        all.then_some(name)
    })
}

/// The cell as a number, in the spellings that common programs write.
fn number(cell: &str) -> Option<NumberText<'_>> {
    let text = match cell {
        "nan" | "NaN" | "NAN" => "nan",
        "inf" | "Inf" | "Infinity" => "inf",
        "-inf" | "-Inf" | "-Infinity" => "-inf",
        _ => {
            let text = match cell.strip_prefix('+') {
                // One sign is enough.
                Some(rest) if rest.starts_with(['+', '-']) => return None,
                Some(rest) => rest,
                None => cell,
            };
            let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'));
            (plain && text.parse::<f64>().is_ok()).then_some(text)?
        }
    };
    Some(NumberText { text, suffix: None })
}

fn read_cell(cell: &str, elem: Scalar) -> Result<Const, Problem> {
    match (elem, cell) {
        (Scalar::Bool, "true") => return Ok(Const::Bool(true)),
        (Scalar::Bool, "false") => return Ok(Const::Bool(false)),
        _ => {}
    }
    let damaged = || {
        let shown: String = cell.chars().take(40).collect();
        let shown = shown.escape_debug();
        let why = match separator(cell) {
            Some(separator) => format!("`{shown}` has {separator} where commas separate numbers"),
            None if cell.is_empty() => "a cell is empty".to_string(),
            None => format!("`{shown}` is not a number"),
        };
        Problem::Damaged { format: FORMAT, why }
    };
    number(cell).ok_or_else(damaged)?.read(elem)
}
