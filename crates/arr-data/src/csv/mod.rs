//! CSV files: columns by the names in their heading for a record, one column for an array, rows for a matrix.
//!
//! A line without any value is taken for a heading where nothing is read by name. Gaps, dates and the names of
//! constructors are explained in `cell.rs`.

mod cell;
mod columns;
mod table;
mod write;

use crate::reading::{Notes, Reading, names_text};
use crate::text::{rank_text, shape_text};
use crate::value::strip_axes;
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Edge, Scalar};
use cell::Cell;
use columns::{Columns, Heading};
use table::Table;

pub(crate) use write::{check_result, write};

const FORMAT: &str = "CSV";

/// What a type takes from a table.
enum Wanted {
    /// An array of this rank, 1 or 2.
    Array { cell: Cell, rank: usize },
    /// Columns by name; of scalars (`one_row`) the table has a single row.
    Record { columns: Vec<(String, Cell)>, one_row: bool },
}

impl Wanted {
    fn of(edge: &Edge) -> Option<Wanted> {
        let (axes, inner) = strip_axes(edge);
        if let Some(cell) = Cell::of(inner) {
            return matches!(axes, 1 | 2).then_some(Wanted::Array { cell, rank: axes });
        }
        let Edge::Record(fields) = inner else { return None };
        let column = |(name, ty): &(String, Edge)| {
            let (inner_axes, inner) = strip_axes(ty);
            Some((inner_axes, (name.clone(), Cell::of(inner)?)))
        };
        let (ranks, columns): (Vec<usize>, Vec<(String, Cell)>) =
            fields.iter().map(column).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let rank = *ranks.first()?;
        let regular = ranks.iter().all(|&r| r == rank) && axes + rank <= 1;
        regular.then_some(Wanted::Record { columns, one_row: axes + rank == 0 })
    }
}

/// Reads a table as a value of the type. Notes say which columns were left out.
pub(crate) fn read(bytes: &[u8], edge: &Edge, how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    let Some(wanted) = Wanted::of(edge) else {
        let hint = "a CSV file holds an array of one or two axes, or columns for a record of vectors; use a `.json` or \
                    `.npz` file";
        return Err(Problem::FormatType { format: FORMAT, ty: rank_text(edge), hint: hint.to_string() }.into());
    };
    let mut table = Table::new(bytes, how.limit);
    let columns = match (wanted, how.part) {
        (Wanted::Array { cell, rank }, Some(part)) => {
            let heading = Heading::read(&mut table)?;
            let chosen = heading.chosen(part)?;
            if rank == 1 && chosen.len() > 1 {
                let found = format!("{} columns", chosen.len());
                return Err(Problem::Shape { expected: rank_text(edge), found }.into());
            }
            let cells = vec![cell; chosen.len()];
            columns::read(&mut table, chosen, &heading, &cells, how)?
        }
        (Wanted::Array { cell, rank }, None) => array(&mut table, edge, &cell, rank, how, notes)?,
        (Wanted::Record { .. }, Some(_)) => {
            return Err(Problem::Type { expected: rank_text(edge), found: "a column".to_string() }.into());
        }
        (Wanted::Record { columns, one_row }, None) => {
            let heading = Heading::read(&mut table)?;
            let chosen = heading.places(columns.iter().map(|(name, _)| name.as_str()))?;
            heading.note_others(&chosen, notes);
            let cells: Vec<Cell> = columns.into_iter().map(|(_, cell)| cell).collect();
            let read = columns::read(&mut table, chosen, &heading, &cells, how)?;
            if one_row && read.rows != 1 {
                let found = format!("{} rows", read.rows);
                return Err(Problem::Shape { expected: rank_text(edge), found }.into());
            }
            return read.separate(edge, one_row);
        }
    };
    columns.array(edge)
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
    let heading = Heading::if_any(table, |text| cell.is_value(text, how.cells))?;
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
    let Some(heading) = Heading::if_any(&mut table, |text| cell.is_value(text, how.cells))? else {
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
