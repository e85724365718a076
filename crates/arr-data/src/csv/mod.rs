//! CSV files: columns by the names in their heading for a record, one column for an array, rows for a matrix.
//!
//! A line without any value is taken for a heading where nothing is read by name. Gaps, dates and the names of
//! constructors are explained in `tables/cell.rs`.

mod columns;
mod table;
mod write;

use crate::reading::{Notes, Reading, names_text};
use crate::tables::{Cell, Columns, Wanted};
use crate::text::{rank_text, shape_text};
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Edge, Scalar};
use table::Table;

pub(crate) use write::{check_result, write};

const FORMAT: &str = "CSV";

/// Reads a table as a value of the type. Notes say which columns were left out.
pub(crate) fn read(bytes: &[u8], edge: &Edge, how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    let wanted = Wanted::from(FORMAT, edge)?;
    let mut table = Table::new(bytes, how.limit);
    let columns = match (&wanted, how.part) {
        (Wanted::Array { cell, rank }, None) => array(&mut table, edge, cell, *rank, how, notes)?,
        (Wanted::Record { .. }, Some(_)) => {
            return Err(Problem::Type { expected: rank_text(edge), found: "a column".to_string() }.into());
        }
        (_, part) => {
            let heading = columns::heading(&mut table)?;
            let (chosen, cells) = wanted.by_name(part, &heading, edge, notes)?;
            columns::read(&mut table, chosen, &heading, &cells, how)?
        }
    };
    wanted.value(columns, edge)
}

/// Reads an array by position, or from the column of the parameter's name where there are several columns.
fn array(
    table: &mut Table<'_>,
    edge: &Edge,
    cell: &Cell,
    rank: usize,
    how: &Reading<'_>,
    notes: &mut Notes,
) -> Result<Columns, DataError> {
    let heading = columns::heading_if_any(table, |text| cell.is_value(text, how.cells))?;
    let heading = heading.filter(|heading| rank == 1 && heading.len() > 1);
    if let Some(heading) = &heading
        && let Ok(chosen) = heading.places([how.parameter].into_iter())
    {
        heading.note_others(&chosen, notes);
        return columns::read(table, chosen, heading, std::slice::from_ref(cell), how);
    }
    match (columns::read_all(table, cell, how), heading) {
        (Ok(columns), _) if rank == 2 || columns.rows < 2 || columns.width < 2 => Ok(columns),
        (_, Some(heading)) => Err(heading.missing(how.parameter, true)),
        (Ok(columns), None) => {
            let dims = [columns.rows, columns.width].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
            let found = shape_text(&dims, &cell.name());
            Err(Problem::Shape { expected: rank_text(edge), found }.into())
        }
        (Err(error), None) => Err(error),
    }
}

/// The columns of numbers and dates, as floats, under their names; of a table without a heading, the vector or matrix of
/// all. Notes say which columns are left out.
pub(crate) fn numbers(bytes: &[u8], how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    let cell = Cell::Scalar(Scalar::F64);
    let mut table = Table::new(bytes, how.limit);
    let Some(heading) = columns::heading_if_any(&mut table, |text| cell.is_value(text, how.cells))? else {
        return Ok(columns::read_all(&mut table, &cell, how)?.floats());
    };
    let places: Vec<usize> = how.part.map_or_else(|| Ok((0..heading.len()).collect()), |part| heading.chosen(part))?;
    let (mut fields, mut others) = (Vec::new(), Vec::new());
    let read = columns::read_floats(&mut table, &places, &heading, how)?;
    for (place, column) in places.into_iter().zip(read) {
        let name = heading.name(place).to_string();
        match column {
            Some(column) => fields.push((name, column)),
            None => others.push(name),
        }
    }
    if !others.is_empty() {
        let names = names_text(others.iter().map(String::as_str));
        notes.push(format!("what is no column of numbers is left out: {names}"));
    }
    Ok(EdgeValue::Record(fields))
}
