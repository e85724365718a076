//! The values of a column, decoded by the library and converted to the declared type one by one.

use super::FORMAT;
use super::file::refused;
use super::kind::Kind;
use super::pages::{Pages, Queue};
use crate::reading::{DateUnit, Room};
use crate::tables::{Cell, Item, Names};
use crate::typed::push;
use crate::{DataError, EdgeValue};
use ::parquet::basic::Encoding;
use ::parquet::column::page::Page;
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::DataType;
use ::parquet::schema::types::ColumnDescPtr;
use arr_ir::{Data, Value};

/// The most values that are decoded at once.
const BATCH: usize = 4096;
/// The same where a value repeats the beginning of the one before it, and so may be much larger than its page.
const SHARING_BATCH: usize = 16;
/// The most memory that an element of an array takes.
const WIDEST: u64 = 8;
/// The day on which 1970 began, in the count of Julian days.
const JULIAN_1970: i128 = 2_440_588;
const DAY: i128 = 86_400_000_000_000;

/// A column that is being read.
pub(super) struct Column<'a> {
    pub(super) cell: &'a Cell,
    pub(super) dates: DateUnit,
    pub(super) kind: Kind,
    pub(super) names: &'a Names,
    pub(super) place: usize,
    pub(super) data: Data,
    pub(super) rows: u64,
}

impl Column<'_> {
    /// All its values as a vector.
    pub(super) fn vector(self) -> EdgeValue {
        EdgeValue::Leaf(Value::array(vec![i64::try_from(self.data.len()).unwrap_or(i64::MAX)], self.data))
    }

    /// Reads the values on these pages. Errors: E0702, E0703 and E0605.
    pub(super) fn read(&mut self, ty: ColumnDescPtr, pages: Pages<'_>, room: &mut Room) -> Result<(), DataError> {
        let queue = Queue::default();
        let from = Source { optional: ty.max_def_level() > 0, pages, queue: queue.clone() };
        let kind = self.kind;
        match get_column_reader(ty, Box::new(queue)) {
            ColumnReader::BoolColumnReader(reader) => self.values(reader, from, room, |b| Ok(Item::Bool(*b))),
            ColumnReader::Int32ColumnReader(reader) => self.values(reader, from, room, |n| {
                Ok(item(kind, i128::from(if kind == Kind::Unsigned { i64::from(*n as u32) } else { i64::from(*n) })))
            }),
            ColumnReader::Int64ColumnReader(reader) => self.values(reader, from, room, |n| {
                Ok(item(kind, if kind == Kind::Unsigned { i128::from(*n as u64) } else { i128::from(*n) }))
            }),
            ColumnReader::Int96ColumnReader(reader) => self.values(reader, from, room, |n| julian(n.data())),
            ColumnReader::FloatColumnReader(reader) => self.values(reader, from, room, |x| Ok(Item::Single(*x))),
            ColumnReader::DoubleColumnReader(reader) => self.values(reader, from, room, |x| Ok(Item::Double(*x))),
            ColumnReader::ByteArrayColumnReader(reader) => {
                self.values(reader, from, room, |bytes| bytes_item(kind, bytes.data()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                self.values(reader, from, room, |bytes| bytes_item(kind, bytes.data()))
            }
        }
    }

    fn values<T: DataType>(
        &mut self,
        mut reader: ColumnReaderImpl<T>,
        mut from: Source<'_>,
        room: &mut Room,
        item: impl for<'v> Fn(&'v T::T) -> Result<Item<'v>, DataError>,
    ) -> Result<(), DataError> {
        let (mut levels, mut values) = (Vec::new(), Vec::new());
        while let Some((page, mut left)) = from.pages.next(room)? {
            let batch = match &page {
                Page::DictionaryPage { .. } => 0,
                other if other.encoding() == Encoding::DELTA_BYTE_ARRAY => SHARING_BATCH,
                _ => BATCH,
            };
            from.queue.push(page);
            while left > 0 {
                levels.clear();
                values.clear();
                let (rows, ..) = reader
                    .read_records(left.min(batch), Some(&mut levels), None, &mut values)
                    .map_err(|error| refused("a page is damaged", &error))?;
                if rows == 0 || (from.optional && levels.len() != rows) {
                    return Err(DataError::damaged(FORMAT, "a page has fewer values than it claims"));
                }
                room.take(WIDEST.saturating_mul(rows as u64))?;
                let mut known = values.iter();
                for row in 0..rows {
                    let is_known = !from.optional || levels.get(row) == Some(&1);
                    match if is_known { known.next() } else { None } {
                        Some(value) => self.push(&item(value)?)?,
                        None => self.push(&Item::Gap)?,
                    }
                }
                left -= rows.min(left);
            }
        }
        Ok(())
    }

    fn push(&mut self, item: &Item<'_>) -> Result<(), DataError> {
        self.rows += 1;
        let value = self.cell.take(item, self.dates, FORMAT).map_err(|error| {
            let place = Some(self.names.cell("row", self.rows, self.place));
            DataError { place, ..error }
        })?;
        push(&mut self.data, value);
        Ok(())
    }
}

/// Where values come from.
struct Source<'a> {
    optional: bool,
    pages: Pages<'a>,
    queue: Queue,
}

/// An integer as what its column holds.
fn item(kind: Kind, n: i128) -> Item<'static> {
    match kind {
        Kind::Day => Item::Moment(n.saturating_mul(DAY)),
        Kind::Moment(unit) => Item::Moment(n.saturating_mul(i128::from(unit))),
        Kind::Decimal(scale) => Item::Decimal(decimal(n, scale)),
        _ => Item::Integer(n),
    }
}

/// A number with its last digits behind the point.
fn decimal(n: i128, scale: u32) -> String {
    let scale = scale as usize;
    let sign = if n < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", n.unsigned_abs(), width = scale + 1);
    match digits.split_at_checked(digits.len() - scale) {
        Some((whole, rest)) if scale > 0 => format!("{sign}{whole}.{rest}"),
        _ => format!("{sign}{digits}"),
    }
}

fn julian(words: &[u32]) -> Result<Item<'static>, DataError> {
    let [low, high, day] = words else { return Err(DataError::damaged(FORMAT, "a date is cut short")) };
    let nanoseconds = i128::from(u64::from(*high) << 32 | u64::from(*low));
    Ok(Item::Moment((i128::from(*day) - JULIAN_1970) * DAY + nanoseconds))
}

/// Bytes as what their column holds.
fn bytes_item(kind: Kind, bytes: &[u8]) -> Result<Item<'_>, DataError> {
    match (kind, bytes) {
        (Kind::Half, [low, high]) => Ok(Item::Single(half::f16::from_le_bytes([*low, *high]).to_f32())),
        (Kind::Decimal(scale), [first, ..]) if bytes.len() <= 16 => {
            let start: i128 = if first & 0x80 == 0 { 0 } else { -1 };
            Ok(Item::Decimal(decimal(bytes.iter().fold(start, |n, byte| n << 8 | i128::from(*byte)), scale)))
        }
        (Kind::Text, _) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Item::Text(text)),
            Err(_) => Err(DataError::damaged(FORMAT, "a text is not in UTF-8")),
        },
        _ => Err(DataError::damaged(FORMAT, format!("a number of {} bytes is not read", bytes.len()))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn numbers_of_bytes_and_digits() {
        let all = [(1234, 2, "12.34"), (-5, 3, "-0.005"), (7, 0, "7"), (-700, 2, "-7.00"), (0, 1, "0.0")];
        for (n, scale, text) in all {
            assert_eq!(decimal(n, scale), text);
        }
        assert_eq!(bytes_item(Kind::Decimal(1), &[0xff, 0x85]).unwrap(), Item::Decimal("-12.3".to_string()));
        assert_eq!(bytes_item(Kind::Half, &[0, 0x3c]).unwrap(), Item::Single(1.0));
        assert!(bytes_item(Kind::Half, &[0]).is_err() && bytes_item(Kind::Decimal(0), &[]).is_err());
        assert!(bytes_item(Kind::Text, &[0xff]).is_err());
        assert_eq!(julian(&[1, 0, 2_440_589]).unwrap(), Item::Moment(DAY + 1));
    }
}
