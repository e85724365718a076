//! CSV files: columns by the names in their heading for a record, one column for an array, rows for a matrix.
//!
//! A line without any value is taken for a heading where nothing is read by name. Gaps, dates and the names of
//! constructors are explained in `tables/cell.rs`, numbers in `tables/text.rs`.

mod columns;
mod comments;
mod table;
mod write;

use crate::reading::{Notes, Reading, names_text};
use crate::tables::{Cell, Columns, Names, Wanted, flag};
use crate::text::{rank_text, shape_text};
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Edge, Scalar};
use columns::Floats;
use table::Table;

pub(crate) use write::{check_result, write};

const FORMAT: &str = "CSV";

/// Reads a table as a value of the type. Notes say which columns were left out.
pub(crate) fn read(bytes: &[u8], edge: &Edge, how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    let wanted = Wanted::from(FORMAT, edge)?;
    let read = columns_of(bytes, &wanted, edge, how, notes);
    read.and_then(|columns| wanted.value(columns, edge)).map_err(|error| comments::explained(error, bytes, how))
}

fn columns_of(
    bytes: &[u8],
    wanted: &Wanted,
    edge: &Edge,
    how: &Reading<'_>,
    notes: &mut Notes,
) -> Result<Columns, DataError> {
    let mut table = Table::new(bytes, how);
    match (wanted, how.part) {
        (Wanted::Array { cell, rank }, None) => array(&mut table, edge, cell, *rank, how, notes),
        (Wanted::Record { .. }, Some(_)) => {
            Err(Problem::Type { expected: rank_text(edge), found: "a column".to_string() }.into())
        }
        (_, part) => {
            let heading = columns::heading(&mut table, how.cells)?;
            let (chosen, cells) = wanted.by_name(part, &heading, edge, notes)?;
            columns::read(&mut table, chosen, &heading, &cells, how)
        }
    }
}

/// The line of a row, the first being 0, of a table that [`read`] reads.
pub(crate) fn line_of(bytes: &[u8], edge: &Edge, how: &Reading<'_>, row: usize) -> Option<u64> {
    let mut table = Table::new(bytes, how);
    match (Wanted::of(edge)?, how.part) {
        (Wanted::Array { cell, rank }, None) => {
            let heading = columns::heading_if_any(&mut table, how.cells, |text| cell.is_value(text, how.cells)).ok()?;
            let is_one_row = rank == 1 && heading.is_none() && table.peek().ok()??.len() > 1;
            if is_one_row {
                return Some(table.line());
            }
        }
        _ => columns::heading(&mut table, how.cells).map(drop).ok()?,
    }
    (0..=row).try_fold(0, |_, _| table.next().ok()?.map(|(line, _)| line))
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
    let heading = columns::heading_if_any(table, how.cells, |text| cell.is_value(text, how.cells))?;
    // A flag in the first line may be a row of the table.
    let named = heading.as_ref().is_some_and(|heading| !heading.names.iter().any(|name| flag(name).is_some()));
    let heading = heading.filter(|heading| rank == 1 && heading.len() > 1);
    if let Some(heading) = &heading {
        let chosen = heading.places([how.parameter].into_iter()).map_err(|_| heading.missing(how.parameter, true))?;
        heading.note_others(&chosen, notes);
        return columns::read(table, chosen, heading, std::slice::from_ref(cell), how);
    }
    let columns = columns::read_all(table, cell, named, how)?;
    if rank == 2 || columns.rows < 2 || columns.width < 2 {
        return Ok(columns);
    }
    let dims = [columns.rows, columns.width].map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    let found = shape_text(&dims, &cell.name());
    Err(Problem::Shape { expected: rank_text(edge), found }.into())
}

/// The columns of numbers and dates, as floats, under their names; of a table without a heading, the vector or matrix of
/// all. Those that are needed must be numbers, or flags. Notes say which columns are left out.
pub(crate) fn numbers(
    bytes: &[u8],
    how: &Reading<'_>,
    needed: &[&str],
    notes: &mut Notes,
) -> Result<EdgeValue, DataError> {
    numbers_of(bytes, how, needed, notes).map_err(|error| comments::explained(error, bytes, how))
}

fn numbers_of(bytes: &[u8], how: &Reading<'_>, needed: &[&str], notes: &mut Notes) -> Result<EdgeValue, DataError> {
    let cell = Cell::Scalar(Scalar::F64);
    let mut table = Table::new(bytes, how);
    let heading = columns::heading_if_any(&mut table, how.cells, |text| cell.is_value(text, how.cells))?;
    let Some(heading) = heading else {
        return Ok(columns::read_all(&mut table, &cell, false, how)?.floats());
    };
    let places: Vec<usize> = how.part.map_or_else(|| Ok((0..heading.len()).collect()), |part| heading.chosen(part))?;
    let mut needed: Vec<usize> =
        needed.iter().filter_map(|name| heading.places([*name].into_iter()).ok()).flatten().collect();
    needed.extend(how.part.iter().flat_map(|_| &places));
    // What is separated otherwise has no columns of its own.
    let misread = |error| heading.fault.clone().unwrap_or(error);
    let read = columns::read_floats(&mut table, &places, &heading, &needed, how).map_err(misread)?;
    let fault = heading.fault.clone().or_else(|| read.iter().find_map(|column| column.fault.clone()));
    let fields = kept(&heading, &places, read, &needed, notes)?;
    match fault {
        Some(fault) if fields.is_empty() => Err(fault),
        _ => Ok(EdgeValue::Record(fields)),
    }
}

/// The columns of numbers under their names. Fails where one that is needed has something else.
fn kept(
    heading: &Names,
    places: &[usize],
    read: Vec<Floats>,
    needed: &[usize],
    notes: &mut Notes,
) -> Result<Vec<(String, EdgeValue)>, DataError> {
    let (mut fields, mut others) = (Vec::new(), Vec::new());
    for (place, column) in places.iter().zip(read) {
        let name = heading.name(*place);
        match column.fault {
            None => fields.push((name.to_string(), column.value)),
            Some(fault) if needed.contains(place) => return Err(fault),
            Some(DataError { problem: Problem::Damaged { why, .. }, place: Some(at), hint, .. })
                // A column of words is no surprise.
                if column.numeric =>
            {
                let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                notes.push(format!("the column `{}` is left out, as {why} ({at}){hint}", name.escape_debug()));
            }
            Some(_) => others.push(name),
        }
    }
    if !others.is_empty() {
        notes.push(format!("what is no column of numbers is left out: {}", names_text(others.into_iter())));
    }
    Ok(fields)
}
