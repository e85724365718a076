//! Tables of named columns, whatever the format of their file: what a type takes of one, how the columns are found by
//! their names, and how cells become values.

mod cell;
mod columns;
#[cfg(feature = "parquet")]
mod item;
mod names;
mod text;

use crate::reading::Notes;
use crate::text::rank_text;
use crate::value::strip_axes;
use crate::{DataError, EdgeValue, Problem};
use arr_ir::Edge;

pub(crate) use cell::{Cell, leaf_of};
pub(crate) use columns::Columns;
#[cfg(feature = "parquet")]
pub(crate) use item::Item;
pub use names::field_name;
pub(crate) use names::{Names, is_near};
pub(crate) use text::{flag, has_decimal_comma, looks_numeric, separator_of_heading};

/// What a type takes from a table.
pub(crate) enum Wanted {
    /// An array of this rank, 1 or 2.
    Array { cell: Cell, rank: usize },
    /// Columns by name; of scalars (`one_row`) the table has a single row.
    Record { columns: Vec<(String, Cell)>, one_row: bool },
}

impl Wanted {
    pub(crate) fn of(edge: &Edge) -> Option<Wanted> {
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

    /// What a type takes. Errors: E0703 where no table of the format has it.
    pub(crate) fn from(format: &'static str, edge: &Edge) -> Result<Wanted, DataError> {
        let hint = || {
            let holds = "holds an array of one or two axes, or columns for a record of vectors";
            format!("a {format} file {holds}; use a `.json` or `.npz` file")
        };
        Wanted::of(edge).ok_or_else(|| Problem::FormatType { format, ty: rank_text(edge), hint: hint() }.into())
    }

    /// The places of the columns that are asked for by name, and the type of each column's cells. Errors: those of
    /// [`Names::places`], and E0703 or E0704 where the type holds other columns.
    pub(crate) fn by_name(
        &self,
        part: Option<&str>,
        names: &Names,
        edge: &Edge,
        notes: &mut Notes,
    ) -> Result<(Vec<usize>, Vec<Cell>), DataError> {
        match (self, part) {
            (Wanted::Array { cell, rank }, Some(part)) => {
                let chosen = names.chosen(part)?;
                if *rank == 1 && chosen.len() > 1 {
                    let found = format!("{} columns", chosen.len());
                    return Err(Problem::Shape { expected: rank_text(edge), found }.into());
                }
                let cells = vec![cell.clone(); chosen.len()];
                Ok((chosen, cells))
            }
            (Wanted::Record { columns, .. }, None) => {
                let chosen = names.places(columns.iter().map(|(name, _)| name.as_str()))?;
                names.note_others(&chosen, notes);
                Ok((chosen, columns.iter().map(|(_, cell)| cell.clone()).collect()))
            }
            (Wanted::Array { .. }, None) | (Wanted::Record { .. }, Some(_)) => {
                Err(Problem::Type { expected: rank_text(edge), found: "a column".to_string() }.into())
            }
        }
    }

    /// The value of the type.
    pub(crate) fn value(&self, read: Columns, edge: &Edge) -> Result<EdgeValue, DataError> {
        match self {
            Wanted::Array { .. } => read.array(edge),
            Wanted::Record { one_row: true, .. } if read.rows != 1 => {
                let found = format!("{} rows", read.rows);
                Err(Problem::Shape { expected: rank_text(edge), found }.into())
            }
            Wanted::Record { one_row, .. } => read.separate(edge, *one_row),
        }
    }
}
