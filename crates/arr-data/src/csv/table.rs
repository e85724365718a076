//! The rows of a CSV file: regular, without blank ones, within the memory that there is.

use super::FORMAT;
use crate::DataError;
use crate::reading::Room;
use csv::{Position, StringRecord};

/// The most memory that an element of an array takes.
const WIDEST: u64 = 8;

/// A reader of rows.
pub(super) struct Table<'a> {
    reader: csv::Reader<&'a [u8]>,
    row: StringRecord,
    /// Whether `row` is still to be read.
    kept: bool,
    /// The number of cells of each row, once one is known.
    width: Option<usize>,
    room: Room,
}

impl<'a> Table<'a> {
    pub(super) fn new(bytes: &'a [u8], limit: u64) -> Table<'a> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(bytes);
        Table { reader, row: StringRecord::new(), kept: false, width: None, room: Room::new(limit) }
    }

    /// The next row that is not blank. Errors: E0702 where it is not text.
    fn advance(&mut self) -> Result<bool, DataError> {
        if std::mem::take(&mut self.kept) {
            return Ok(true);
        }
        loop {
            let more = self.reader.read_record(&mut self.row).map_err(|e| {
                let line = e.position().map_or(0, Position::line);
                DataError::damaged(FORMAT, "it is not text in UTF-8").at_line(line)
            })?;
            if !more || !self.row.iter().all(str::is_empty) {
                return Ok(more);
            }
        }
    }

    /// The first row, which [`Table::next`] gives again unless it is dropped; `None` if the file is empty.
    pub(super) fn peek(&mut self) -> Result<Option<&StringRecord>, DataError> {
        self.kept = self.advance()?;
        Ok(self.kept.then_some(&self.row))
    }

    /// Drops the row that was looked at.
    pub(super) fn drop_peeked(&mut self) {
        self.kept = false;
    }

    /// Demands as many cells of every row.
    pub(super) fn expect_width(&mut self, width: usize) {
        self.width = Some(width);
    }

    /// The cells of the next row, and its line. Errors: E0702 where it is not text or not of the width of the rows
    /// above, E0605 where the elements read so far do not fit the memory.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &StringRecord)>, DataError> {
        if !self.advance()? {
            return Ok(None);
        }
        let line = self.row.position().map_or(0, Position::line);
        let expected = *self.width.get_or_insert(self.row.len());
        if expected != self.row.len() {
            let why = format!("it has {} where the rows above have {expected}", columns_text(self.row.len()));
            return Err(DataError::damaged(FORMAT, why).at_line(line));
        }
        Ok(Some((line, &self.row)))
    }

    /// Takes the memory of so many elements.
    pub(super) fn take(&mut self, elements: usize) -> Result<(), DataError> {
        self.room.take(WIDEST.saturating_mul(elements as u64))
    }

    /// The number of cells of a row, if one was read.
    pub(super) fn width(&self) -> usize {
        self.width.unwrap_or(0)
    }
}

fn columns_text(n: usize) -> String {
    if n == 1 { "1 column".to_string() } else { format!("{n} columns") }
}
