//! The columns of a text: the heading that names them, and their cells.

use super::FORMAT;
use super::table::Table;
use crate::reading::{CellRules, Reading};
use crate::tables::{Cell, Columns, Names, has_decimal_comma, looks_numeric, separator_of_heading};
use crate::typed::push;
use crate::{DataError, EdgeValue};
use arr_ir::{Data, Scalar, Value};

/// Takes the first line as the heading. Errors: E0702 where there is none.
pub(super) fn heading(table: &mut Table<'_>, rules: &CellRules) -> Result<Names, DataError> {
    match heading_if_any(table, rules, |_| false)? {
        Some(names) => Ok(names),
        None => Err(DataError::damaged(FORMAT, "it is empty, and a heading names the columns")),
    }
}

/// Takes the first line if none of its cells is a value.
pub(super) fn heading_if_any(
    table: &mut Table<'_>,
    rules: &CellRules,
    is_value: impl Fn(&str) -> bool,
) -> Result<Option<Names>, DataError> {
    match table.peek()? {
        Some(row) if !row.iter().any(is_value) => {
            let names: Vec<String> = row.iter().map(str::to_string).collect();
            table.drop_peeked();
            let fault = fault(&names, rules);
            Ok(Some(Names { names, format: FORMAT, fault, line: Some(table.line()) }))
        }
        _ => Ok(None),
    }
}

/// What is wrong with a heading in which a name is missing: it is a row, or of a table that is separated otherwise.
fn fault(names: &[String], rules: &CellRules) -> Option<DataError> {
    if let Some(number) = names.iter().find(|own| looks_numeric(own, rules)) {
        let why = format!("a heading names the columns, and its first line has the number `{number}`");
        return Some(DataError::damaged(FORMAT, why));
    }
    let [only] = names else { return None };
    let (words, hint) = separator_of_heading(only, rules)?;
    let why = format!("its heading has {words} where {} separate columns", rules.separator_words());
    Some(DataError::damaged(FORMAT, why).with_hint(hint))
}

/// Reads the columns in these places.
pub(super) fn read(
    table: &mut Table<'_>,
    chosen: Vec<usize>,
    heading: &Names,
    cells: &[Cell],
    how: &Reading<'_>,
) -> Result<Columns, DataError> {
    let mut data: Vec<(Cell, Data)> = cells.iter().take(chosen.len()).map(|cell| (cell.clone(), cell.data())).collect();
    let mut rows = 0;
    table.expect_width(heading.len());
    while let Some((line, row)) = table.next()? {
        for (place, (cell, column)) in chosen.iter().zip(&mut data) {
            let text = row.get(*place).unwrap_or("");
            let value = cell.read_named(text, how.cells, FORMAT).map_err(|error| {
                let place = Some(heading.cell("line", line, *place));
                DataError { place, ..error }
            })?;
            push(column, value);
        }
        rows += 1;
        table.take(chosen.len())?;
    }
    Ok(Columns { rows, width: chosen.len(), data })
}

/// A column that is read as floats, and what in it is none.
pub(super) struct Floats {
    pub(super) value: EdgeValue,
    /// The first cell that is no number.
    pub(super) fault: Option<DataError>,
    /// Whether it is a column of numbers: a cell has one, or the first that has none has one with a decimal comma.
    pub(super) numeric: bool,
}

/// Reads the columns in these places as vectors of floats. In those that `flags` has, words for flags are numbers.
pub(super) fn read_floats(
    table: &mut Table<'_>,
    chosen: &[usize],
    heading: &Names,
    flags: &[usize],
    how: &Reading<'_>,
) -> Result<Vec<Floats>, DataError> {
    let cell = Cell::Scalar(Scalar::F64);
    let mut columns: Vec<(Data, Option<DataError>, bool)> = chosen.iter().map(|_| (cell.data(), None, false)).collect();
    table.expect_width(heading.len());
    while let Some((line, row)) = table.next()? {
        for (place, (data, fault, numeric)) in chosen.iter().zip(&mut columns) {
            let text = row.get(*place).unwrap_or("");
            let read = if flags.contains(place) { Cell::read_named } else { Cell::read };
            match read(&cell, text, how.cells, FORMAT) {
                Ok(value) => {
                    *numeric |= !how.cells.is_gap(text);
                    push(data, value);
                }
                Err(error) if fault.is_none() => {
                    *numeric |= has_decimal_comma(text, how.cells);
                    *fault = Some(DataError { place: Some(heading.cell("line", line, *place)), ..error });
                }
                Err(_) => {}
            }
        }
        table.take(chosen.len())?;
    }
    let extent = |data: &Data| i64::try_from(data.len()).unwrap_or(i64::MAX);
    let vector = |data: Data| EdgeValue::Leaf(Value::array(vec![extent(&data)], data));
    Ok(columns.into_iter().map(|(data, fault, numeric)| Floats { value: vector(data), fault, numeric }).collect())
}

/// Reads all columns, row by row, into one array; with `named`, they have names.
pub(super) fn read_all(
    table: &mut Table<'_>,
    cell: &Cell,
    named: bool,
    how: &Reading<'_>,
) -> Result<Columns, DataError> {
    let read = if named { Cell::read_named } else { Cell::read };
    let mut data = cell.data();
    let mut rows = 0;
    while let Some((line, row)) = table.next()? {
        for (column, text) in row.iter().enumerate() {
            let value = read(cell, text, how.cells, FORMAT).map_err(|error| {
                let place = Some(format!("line {line}, column {}", column + 1));
                DataError { place, ..error }
            })?;
            push(&mut data, value);
        }
        rows += 1;
        let width = row.len();
        table.take(width)?;
    }
    Ok(Columns { rows, width: table.width(), data: vec![(cell.clone(), data)] })
}
