//! Parquet files in a build without their reader.

use crate::reading::{Notes, Reading};
use crate::{DataError, EdgeValue, Problem};
use arr_ir::Edge;

pub(crate) fn read(_: &[u8], _: &Edge, _: &Reading<'_>, _: &mut Notes) -> Result<EdgeValue, DataError> {
    Err(Problem::NotBuilt { format: "Parquet", feature: "parquet" }.into())
}

pub(crate) fn numbers(_: &[u8], _: &Reading<'_>, _: &mut Notes) -> Result<EdgeValue, DataError> {
    Err(Problem::NotBuilt { format: "Parquet", feature: "parquet" }.into())
}
