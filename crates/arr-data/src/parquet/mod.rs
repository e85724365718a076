//! Parquet files: columns by their names, as of a CSV file, with the types that the file gives them.
//!
//! Format: <https://parquet.apache.org/docs/file-format>. The library reads the footer and decodes values; pages are
//! found, checked and unpacked here (`pages.rs`), because the library takes its memory by what a file claims. Its panics
//! are caught where it is called (`file.rs`).

mod codec;
mod column;
mod file;
mod header;
mod kind;
mod pages;
mod thrift;

use crate::reading::{Notes, Reading, names_text};
use crate::tables::{Cell, Columns, Wanted};
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Edge, Scalar};
use file::File;

const FORMAT: &str = "Parquet";

/// Reads a table as a value of the type. Notes say which columns were left out.
pub(crate) fn read(bytes: &[u8], edge: &Edge, how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    let wanted = Wanted::from(FORMAT, edge)?;
    let mut file = File::open(bytes, how.limit)?;
    let (chosen, cells) = match (&wanted, how.part) {
        (Wanted::Array { cell, rank }, None) => {
            let chosen = places(&file, *rank, how, notes)?;
            let cells = vec![cell.clone(); chosen.len()];
            (chosen, cells)
        }
        (_, part) => wanted.by_name(part, &file.names, edge, notes)?,
    };
    let mut columns = Columns { rows: 0, width: chosen.len(), data: Vec::new() };
    for (place, cell) in chosen.into_iter().zip(&cells) {
        let column = file.column(place, cell, how.cells.dates)?;
        // Each column was compared with the rows of the file.
        columns.rows = column.data.len();
        columns.data.push((cell.clone(), column.data));
    }
    wanted.value(columns, edge)
}

/// The columns of an array without a name: all of a matrix; for a vector the only one, or that of the parameter's name.
fn places(file: &File<'_>, rank: usize, how: &Reading<'_>, notes: &mut Notes) -> Result<Vec<usize>, DataError> {
    let names = &file.names;
    if rank == 2 || names.len() == 1 {
        return Ok((0..names.len()).collect());
    }
    let chosen = names.places([how.parameter].into_iter()).map_err(|_| names.missing(how.parameter, true))?;
    names.note_others(&chosen, notes);
    Ok(chosen)
}

/// The columns of numbers and dates, as floats, under their names. Notes say which columns are left out.
pub(crate) fn numbers(bytes: &[u8], how: &Reading<'_>, notes: &mut Notes) -> Result<EdgeValue, DataError> {
    let cell = Cell::Scalar(Scalar::F64);
    let mut file = File::open(bytes, how.limit)?;
    let all = 0..file.names.len();
    let chosen = how.part.map_or_else(|| Ok(all.collect()), |part| file.names.chosen(part))?;
    let (mut fields, mut others) = (Vec::new(), Vec::new());
    for place in chosen {
        let name = file.names.name(place).to_string();
        if !file.kind(place).is_ok_and(kind::Kind::is_number) {
            others.push(name);
            continue;
        }
        match file.column(place, &cell, how.cells.dates) {
            Ok(column) => fields.push((name, column.vector())),
            // An integer that no float is equal to.
            Err(DataError { problem: Problem::Lossy { .. }, .. }) => others.push(name),
            Err(error) => return Err(error),
        }
    }
    if !others.is_empty() {
        let names = names_text(others.iter().map(String::as_str));
        notes.push(format!("what is no column of numbers is left out: {names}"));
    }
    Ok(EdgeValue::Record(fields))
}
