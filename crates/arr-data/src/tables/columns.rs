//! What was read of a table, as a value of the declared type.

use super::cell::Cell;
use crate::text::rank_text;
use crate::typed::push;
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Data, Edge, Value};

/// What was read: an array per column, or one array with all rows.
pub(crate) struct Columns {
    pub(crate) rows: usize,
    pub(crate) width: usize,
    pub(crate) data: Vec<(Cell, Data)>,
}

impl Columns {
    /// One array of the type: a vector of one column or one row, or a matrix.
    pub(crate) fn array(mut self, edge: &Edge) -> Result<EdgeValue, DataError> {
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
    pub(crate) fn floats(self) -> EdgeValue {
        let dims =
            if self.rows < 2 || self.width < 2 { vec![self.rows * self.width] } else { vec![self.rows, self.width] };
        let dims = dims.into_iter().map(|n| i64::try_from(n).unwrap_or(i64::MAX)).collect();
        let data = self.data.into_iter().next().map_or(Data::F64(Vec::new()), |(_, data)| data);
        EdgeValue::Leaf(Value::array(dims, data))
    }

    /// A record: a vector per column, or the scalars of one row.
    pub(crate) fn separate(self, edge: &Edge, one_row: bool) -> Result<EdgeValue, DataError> {
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
