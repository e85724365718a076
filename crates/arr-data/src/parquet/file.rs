//! A file: its footer, which says what columns there are and where their pages are.

use super::FORMAT;
use super::column::Column;
use super::header::is_shallow;
use super::kind::Kind;
use super::pages::Pages;
use crate::reading::{DateUnit, Room};
use crate::tables::{Cell, Names};
use crate::{DataError, Problem};
use ::parquet::basic::Type;
use ::parquet::errors::ParquetError;
use ::parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetStatisticsPolicy,
};

const MAGIC: &[u8] = b"PAR1";
const ENCRYPTED: &[u8] = b"PARE";
/// What the library makes of a byte of a footer, at most.
const FOOTER: u64 = 32;

/// An opened file.
pub(super) struct File<'a> {
    bytes: &'a [u8],
    meta: ParquetMetaData,
    pub(super) names: Names,
    room: Room,
}

fn damaged(why: &str) -> DataError {
    DataError::damaged(FORMAT, why)
}

/// What the library says about something that is damaged.
pub(super) fn refused(what: &str, error: &ParquetError) -> DataError {
    match error {
        ParquetError::General(why) | ParquetError::NYI(why) | ParquetError::EOF(why) => {
            damaged(&format!("{what}: {}", why.escape_debug()))
        }
        _ => damaged(what),
    }
}

/// Without the statistics, which are not needed.
fn options() -> ParquetMetaDataOptions {
    ParquetMetaDataOptions::new()
        .with_column_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_encoding_stats_policy(ParquetStatisticsPolicy::SkipAll)
        .with_size_stats_policy(ParquetStatisticsPolicy::SkipAll)
}

/// Runs work of the library, whose panics mean that the file is damaged.
fn guarded<T>(work: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
    arr_base::quietly(work).unwrap_or_else(|_| Err(damaged("its bytes contradict each other")))
}

impl<'a> File<'a> {
    /// Reads the footer. Errors: E0702 where there is none, or it is damaged.
    pub(super) fn open(bytes: &'a [u8], limit: u64) -> Result<File<'a>, DataError> {
        let (bytes, footer) = split(bytes)?;
        let mut room = Room::new(limit);
        room.take(FOOTER.saturating_mul(footer.len() as u64))?;
        if !is_shallow(footer) {
            return Err(damaged("its footer is damaged"));
        }
        let meta = guarded(|| {
            let read = ParquetMetaDataReader::decode_metadata_with_options(footer, Some(&options()));
            read.map_err(|error| refused("its footer is damaged", &error))
        })?;
        let fields = meta.file_metadata().schema_descr().root_schema().get_fields();
        let names = fields.iter().map(|field| field.name().to_string()).collect();
        let names = Names { names, format: FORMAT, fault: None, line: None };
        Ok(File { bytes, meta, names, room })
    }

    /// What the column in a place holds. Errors: E0703 where no type of a program has such values.
    pub(super) fn kind(&self, place: usize) -> Result<Kind, DataError> {
        let column = || self.names.name(place).to_string();
        let fields = self.meta.file_metadata().schema_descr().root_schema().get_fields();
        let field = fields.get(place).ok_or_else(|| damaged("its footer is damaged"))?;
        Kind::of(field).map_err(|holds| Problem::ColumnType { column: column(), holds }.into())
    }

    /// Reads the column in a place. Errors: those of [`File::kind`], and E0702, E0703 and E0605.
    pub(super) fn column<'c>(
        &'c mut self,
        place: usize,
        cell: &'c Cell,
        dates: DateUnit,
    ) -> Result<Column<'c>, DataError> {
        let kind = self.kind(place)?;
        let File { bytes, meta, names, room } = self;
        let mut column = Column { cell, dates, kind, names, place, data: cell.data(), rows: 0 };
        let located = |e: DataError| match e.place {
            None => {
                DataError { place: Some(format!("column {} (`{}`)", place + 1, names.name(place).escape_debug())), ..e }
            }
            Some(_) => e,
        };
        let schema = meta.file_metadata().schema_descr();
        let leaf = (0..schema.num_columns()).find(|leaf| schema.get_column_root_idx(*leaf) == place);
        for group in meta.row_groups() {
            let chunk =
                leaf.and_then(|leaf| group.columns().get(leaf)).ok_or_else(|| damaged("its footer is damaged"))?;
            let rows = column.rows;
            let read =
                pages(bytes, chunk).and_then(|pages| guarded(|| column.read(chunk.column_descr_ptr(), pages, room)));
            read.map_err(located)?;
            if u64::try_from(group.num_rows()).ok() != column.rows.checked_sub(rows) {
                return Err(located(damaged("a column has more or fewer values than there are rows")));
            }
        }
        Ok(column)
    }
}

/// The bytes before the footer, and the footer.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), DataError> {
    if bytes.is_empty() {
        return Err(damaged("it is empty"));
    }
    if bytes.ends_with(ENCRYPTED) {
        return Err(damaged("it is encrypted"));
    }
    let body = bytes.strip_suffix(MAGIC).filter(|body| body.starts_with(MAGIC));
    let body = body.ok_or_else(|| damaged("it does not begin and end as such files do, or is cut short"))?;
    let (body, length) = body.split_last_chunk::<4>().ok_or_else(|| damaged("it is cut short"))?;
    let length = u32::from_le_bytes(*length) as usize;
    let split = body.len().checked_sub(length).and_then(|at| body.split_at_checked(at));
    split.ok_or_else(|| damaged("its footer is longer than the file"))
}

/// The pages of a column in one part of the rows.
fn pages<'a>(bytes: &'a [u8], chunk: &ColumnChunkMetaData) -> Result<Pages<'a>, DataError> {
    if chunk.file_path().is_some_and(|path| !path.is_empty()) {
        return Err(damaged("the column is in another file"));
    }
    let data = chunk.data_page_offset();
    let start = chunk.dictionary_page_offset().filter(|start| (1..data).contains(start)).unwrap_or(data);
    let start = usize::try_from(start).ok().and_then(|start| bytes.get(start..));
    let start = start.ok_or_else(|| damaged("a column begins behind the end of the file"))?;
    let values = u64::try_from(chunk.num_values()).map_err(|_| damaged("a column has fewer than no values"))?;
    let ty = chunk.column_descr();
    let length = usize::try_from(ty.type_length()).unwrap_or(0);
    if ty.physical_type() == Type::FIXED_LEN_BYTE_ARRAY && length == 0 {
        return Err(damaged("a column has values of no length"));
    }
    Ok(Pages::new(start, chunk.compression(), (ty.physical_type(), length), ty.max_def_level() > 0, values))
}
