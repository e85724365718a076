//! The columns of a table: found by the names in its heading, and read.

use super::FORMAT;
use super::cell::{Cell, SEPARATORS, looks_numeric};
use super::table::Table;
use crate::reading::{Notes, Reading, names_text};
use crate::text::rank_text;
use crate::typed::push;
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Data, Edge, Scalar, Value};

/// The names of a table's columns, in its first line.
pub(super) struct Heading {
    names: Vec<String>,
}

impl Heading {
    /// Takes the first line as the heading. Errors: E0702 where there is none.
    pub(super) fn read(table: &mut Table<'_>) -> Result<Heading, DataError> {
        let Some(row) = table.peek()? else {
            return Err(DataError::damaged(FORMAT, "it is empty, and a heading names the columns"));
        };
        let names: Vec<String> = row.iter().map(str::to_string).collect();
        table.drop_peeked();
        Ok(Heading { names })
    }

    /// Takes the first line if none of its cells is a value.
    pub(super) fn if_any(table: &mut Table<'_>, is_value: impl Fn(&str) -> bool) -> Result<Option<Heading>, DataError> {
        match table.peek()? {
            Some(row) if !row.iter().any(is_value) => {
                let names: Vec<String> = row.iter().map(str::to_string).collect();
                table.drop_peeked();
                Ok(Some(Heading { names }))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, place: usize) -> &str {
        self.names.get(place).map_or("", String::as_str)
    }

    /// The columns that the user named: one, or several with commas between them.
    pub(super) fn chosen(&self, part: &str) -> Result<Vec<usize>, DataError> {
        match self.places([part].into_iter()) {
            Err(_) if part.contains(',') => self.places(part.split(',').map(str::trim)),
            other => other,
        }
    }

    /// The places of columns. Errors: E0703 where there is none of a name, E0702 where there are several, or the line is
    /// no heading.
    pub(super) fn places<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<Vec<usize>, DataError> {
        names.map(|name| self.place(name)).collect()
    }

    /// The place of the column of a name, or of the only one whose name is the same with `_` for other signs.
    fn place(&self, name: &str) -> Result<usize, DataError> {
        let places = |is: &dyn Fn(&str) -> bool| {
            let found = self.names.iter().enumerate().filter(|(_, own)| is(own));
            found.map(|(place, _)| place).collect::<Vec<_>>()
        };
        let exact = places(&|own| own == name);
        let found = if exact.is_empty() { places(&|own| identifier(own) == name) } else { exact };
        match found.as_slice() {
            [place] => Ok(*place),
            [] => Err(self.missing(name, false)),
            _ => Err(DataError::damaged(FORMAT, format!("its heading has several columns `{name}`")).at_line(1)),
        }
    }

    /// The error for a column that is not there, perhaps where the user may choose another one.
    pub(super) fn missing(&self, name: &str, choice: bool) -> DataError {
        if let Some(number) = self.names.iter().find(|own| looks_numeric(own)) {
            let why = format!("a heading names the columns, and its first line has the number `{number}`");
            return DataError::damaged(FORMAT, why);
        }
        if let [only] = self.names.as_slice()
            && let Some((_, words)) = SEPARATORS.iter().find(|(between, _)| only.contains(*between))
        {
            return DataError::damaged(FORMAT, format!("its heading has {words} where commas separate columns"));
        }
        Problem::NoPart { part: name.to_string(), kind: "column", available: self.names.clone(), choice }.into()
    }

    /// Notes the columns that are in none of these places.
    pub(super) fn note_others(&self, chosen: &[usize], notes: &mut Notes) {
        let others: Vec<&str> =
            (0..self.len()).filter(|place| !chosen.contains(place)).map(|place| self.name(place)).collect();
        match others.as_slice() {
            [] => {}
            [only] => notes.push(format!("the column {} is left out", names_text([*only].into_iter()))),
            several => notes.push(format!("the columns {} are left out", names_text(several.iter().copied()))),
        }
    }
}

/// A name with `_` for what no name of a program has.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '\'' { c } else { '_' }).collect()
}

/// What was read: an array per column, or one array with all rows.
pub(super) struct Columns {
    pub(super) rows: usize,
    pub(super) width: usize,
    data: Vec<(Cell, Data)>,
}

/// Reads the columns in these places.
pub(super) fn read(
    table: &mut Table<'_>,
    chosen: Vec<usize>,
    heading: &Heading,
    cells: &[Cell],
    how: &Reading<'_>,
) -> Result<Columns, DataError> {
    let mut data: Vec<(Cell, Data)> = cells.iter().take(chosen.len()).map(|cell| (cell.clone(), cell.data())).collect();
    let mut rows = 0;
    table.expect_width(heading.len());
    while let Some((line, row)) = table.next()? {
        for (place, (cell, column)) in chosen.iter().zip(&mut data) {
            let text = row.get(*place).unwrap_or("");
            let value = cell.read(text, how.cells).map_err(|problem| {
                let at = format!("line {line}, column {} (`{}`)", place + 1, heading.name(*place).escape_debug());
                DataError { place: Some(at), ..DataError::from(problem) }
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
    heading: &Heading,
    how: &Reading<'_>,
) -> Result<Vec<Option<EdgeValue>>, DataError> {
    let cell = Cell::Scalar(Scalar::F64);
    let mut data: Vec<Option<Data>> = chosen.iter().map(|_| Some(cell.data())).collect();
    table.expect_width(heading.len());
    while let Some((_, row)) = table.next()? {
        for (place, column) in chosen.iter().zip(&mut data) {
            match cell.read(row.get(*place).unwrap_or(""), how.cells) {
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
            let value = cell.read(text, how.cells).map_err(|problem| {
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

impl Columns {
    /// One array of the type: a vector of one column or one row, or a matrix.
    pub(super) fn array(mut self, edge: &Edge) -> Result<EdgeValue, DataError> {
        let rank = crate::value::strip_axes(edge).0;
        let dims = if rank == 1 { vec![self.rows.saturating_mul(self.width)] } else { vec![self.rows, self.width] };
        let dims: Vec<i64> = dims.into_iter().map(|n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
        let leaf = match self.data.as_mut_slice() {
            [] => return Err(other_arrays(edge)),
            [(cell, data)] => {
                let data = std::mem::replace(data, cell.data());
                cell.has_leaf().then(|| Value::array(dims, data))
            }
            several => {
                let Some((cell, _)) = several.first() else { return Err(other_arrays(edge)) };
                let mut all = cell.data();
                for row in 0..self.rows {
                    several.iter().filter_map(|(_, column)| column.get(row)).for_each(|value| push(&mut all, value));
                }
                cell.has_leaf().then(|| Value::array(dims, all))
            }
        };
        let leaves: Vec<Value> = leaf.into_iter().collect();
        EdgeValue::from_leaves(edge, &leaves).ok_or_else(|| other_arrays(edge))
    }

    /// All rows without a type: a vector of one column or one row, or a matrix.
    pub(super) fn floats(self) -> EdgeValue {
        let dims =
            if self.rows < 2 || self.width < 2 { vec![self.rows * self.width] } else { vec![self.rows, self.width] };
        let dims = dims.into_iter().map(|n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
        let data = self.data.into_iter().next().map_or(Data::F64(Vec::new()), |(_, data)| data);
        EdgeValue::Leaf(Value::array(dims, data))
    }

    /// A record: a vector per column, or the scalars of one row.
    pub(super) fn separate(self, edge: &Edge, one_row: bool) -> Result<EdgeValue, DataError> {
        let rows = i64::try_from(self.rows).unwrap_or(i64::MAX);
        let leaf = |(_, data): (Cell, Data)| match one_row {
            true => data.get(0).map(Value::Scalar),
            false => Some(Value::array(vec![rows], data)),
        };
        let leaves: Option<Vec<Value>> = self.data.into_iter().filter(|(cell, _)| cell.has_leaf()).map(leaf).collect();
        leaves.and_then(|leaves| EdgeValue::from_leaves(edge, &leaves)).ok_or_else(|| other_arrays(edge))
    }
}

fn other_arrays(edge: &Edge) -> DataError {
    Problem::Type { expected: rank_text(edge), found: "other columns".to_string() }.into()
}
