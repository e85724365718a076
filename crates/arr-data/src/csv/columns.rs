//! The columns of a text: the heading that names them, and their cells.

use super::FORMAT;
use super::table::Table;
use crate::reading::Reading;
use crate::tables::{Cell, Columns, Names, SEPARATORS, looks_numeric};
use crate::typed::push;
use crate::{DataError, EdgeValue};
use arr_ir::{Data, Scalar, Value};

/// Takes the first line as the heading. Errors: E0702 where there is none.
pub(super) fn heading(table: &mut Table<'_>) -> Result<Names, DataError> {
    let Some(row) = table.peek()? else {
        return Err(DataError::damaged(FORMAT, "it is empty, and a heading names the columns"));
    };
    let names: Vec<String> = row.iter().map(str::to_string).collect();
    table.drop_peeked();
    Ok(names_of(names))
}

/// Takes the first line if none of its cells is a value.
pub(super) fn heading_if_any(
    table: &mut Table<'_>,
    is_value: impl Fn(&str) -> bool,
) -> Result<Option<Names>, DataError> {
    match table.peek()? {
        Some(row) if !row.iter().any(is_value) => {
            let names: Vec<String> = row.iter().map(str::to_string).collect();
            table.drop_peeked();
            Ok(Some(names_of(names)))
        }
        _ => Ok(None),
    }
}

fn names_of(names: Vec<String>) -> Names {
    Names { names, format: FORMAT, fault, line: Some(1) }
}

/// What is wrong with a heading in which a name is missing: it is a row, or of a table that is separated otherwise.
fn fault(names: &[String]) -> Option<String> {
    if let Some(number) = names.iter().find(|own| looks_numeric(own)) {
        return Some(format!("a heading names the columns, and its first line has the number `{number}`"));
    }
    let [only] = names else { return None };
    let (_, words) = SEPARATORS.iter().find(|(between, _)| only.contains(*between))?;
    Some(format!("its heading has {words} where commas separate columns"))
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
            let value = cell.read(text, how.cells, FORMAT).map_err(|problem| {
                let place = Some(heading.cell("line", line, *place));
                DataError { place, ..DataError::from(problem) }
            })?;
            push(column, value);
        }
        rows += 1;
        table.take(chosen.len())?;
    }
    Ok(Columns { rows, width: chosen.len(), data })
}

/// Reads the columns in these places as vectors of floats; `None` for one that holds something else.
pub(super) fn read_floats(
    table: &mut Table<'_>,
    chosen: &[usize],
    heading: &Names,
    how: &Reading<'_>,
) -> Result<Vec<Option<EdgeValue>>, DataError> {
    let cell = Cell::Scalar(Scalar::F64);
    let mut data: Vec<Option<Data>> = chosen.iter().map(|_| Some(cell.data())).collect();
    table.expect_width(heading.len());
    while let Some((_, row)) = table.next()? {
        for (place, column) in chosen.iter().zip(&mut data) {
            match cell.read(row.get(*place).unwrap_or(""), how.cells, FORMAT) {
                Ok(value) => column.iter_mut().for_each(|column| push(column, value)),
                Err(_) => *column = None,
            }
        }
        table.take(chosen.len())?;
    }
    let vector = |data: Data| EdgeValue::Leaf(Value::array(vec![i64::try_from(data.len()).unwrap_or(i64::MAX)], data));
    Ok(data.into_iter().map(|column| column.map(vector)).collect())
}

/// Reads all columns, row by row, into one array.
pub(super) fn read_all(table: &mut Table<'_>, cell: &Cell, how: &Reading<'_>) -> Result<Columns, DataError> {
    let mut data = cell.data();
    let mut rows = 0;
    while let Some((line, row)) = table.next()? {
        for (column, text) in row.iter().enumerate() {
            let value = cell.read(text, how.cells, FORMAT).map_err(|problem| {
                let place = Some(format!("line {line}, column {}", column + 1));
                DataError { place, ..DataError::from(problem) }
            })?;
            push(&mut data, value);
        }
        rows += 1;
        let width = row.len();
        table.take(width)?;
    }
    Ok(Columns { rows, width: table.width(), data: vec![(cell.clone(), data)] })
}
