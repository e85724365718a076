//! The rows of a CSV file: regular, without blank ones, within the memory that there is.

use super::FORMAT;
use crate::DataError;
use crate::reading::{Delimiter, Reading, Room};
use csv::{Position, StringRecord};

/// The most memory that an element of an array takes.
const WIDEST: u64 = 8;

/// A reader of rows.
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    reader: csv::Reader<&'a [u8]>,
    row: StringRecord,
    /// The line that begins at a byte, of the last row that was read.
    place: (usize, u64),
    /// Whether `row` is still to be read.
    kept: bool,
    /// The number of cells of each row, once one is known.
    width: Option<usize>,
    /// Whether any number of spaces separates two cells.
    spaces: bool,
    room: Room,
}

impl<'a> Table<'a> {
    pub(super) fn new(bytes: &'a [u8], how: &Reading<'_>) -> Table<'a> {
        let (bytes, skipped) = table_bytes(bytes, how.cells.skipped_lines);
        let separator = how.cells.separator();
        let sign = if let Delimiter::Sign(sign) = separator { sign } else { b' ' };
        let mut builder = csv::ReaderBuilder::new();
        let reader = builder.has_headers(false).flexible(true).trim(csv::Trim::All).delimiter(sign).from_reader(bytes);
        Table {
            bytes,
            reader,
            row: StringRecord::new(),
            place: (0, 1 + skipped),
            kept: false,
            width: None,
            spaces: separator == Delimiter::Spaces,
            room: Room::new(how.limit),
        }
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
            if !more {
                return Ok(false);
            }
            let start = self.find_line();
            if self.spaces {
                self.row = self.row.iter().filter(|cell| !cell.is_empty()).collect();
            }
            if !self.is_blank(start) {
                return Ok(true);
            }
        }
    }

    /// Finds the line of the row, and returns the byte at which it begins: the reader's place is behind the row before,
    /// in front of the end of its line and of empty lines.
    fn find_line(&mut self) -> usize {
        let (from, mut line) = self.place;
        let place = self.row.position().map_or(from, |place| usize::try_from(place.byte()).unwrap_or(usize::MAX));
        let ends = |at: usize| match (self.bytes.get(at), self.bytes.get(at + 1)) {
            (Some(b'\n'), _) => true,
            (Some(b'\r'), next) => next != Some(&b'\n'),
            _ => false,
        };
        let place = place.min(self.bytes.len());
        let mut at = from;
        while at < place || matches!(self.bytes.get(at), Some(b'\r' | b'\n')) {
            line += u64::from(ends(at));
            at += 1;
        }
        self.place = (at, line);
        at
    }

    /// Whether a row is an empty line, or has no value before the width of the table is known. A line of nothing but
    /// commas or quotation marks is a row of gaps.
    fn is_blank(&self, start: usize) -> bool {
        let rest = self.bytes.get(start..).unwrap_or_default();
        let quoted = rest.iter().find(|&&b| b != b' ' && b != b'\t') == Some(&b'"');
        let one = self.row.len() <= 1 && !quoted;
        self.row.iter().all(str::is_empty) && (one || self.width.is_none())
    }

    /// The line of the last row that was read.
    pub(super) fn line(&self) -> u64 {
        self.place.1
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
        let line = self.place.1;
        let expected = *self.width.get_or_insert(self.row.len());
        if expected != self.row.len() {
            let why = format!("it has {} where the rows above have {expected}", columns_text(self.row.len()));
            let error = DataError::damaged(FORMAT, why).at_line(line);
            // A title stands above, rather than a heading or a row.
            let titled = expected == 1 && line > 1;
            let hint = || format!("`--skip-lines {}` leaves out what stands above the table", line - 1);
            return Err(if titled { error.with_hint(hint()) } else { error });
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

/// The bytes of a file behind its byte order mark and some lines, and the number of these lines, as far as there are any.
pub(super) fn table_bytes(bytes: &[u8], lines: u64) -> (&[u8], u64) {
    let mut rest = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut skipped = 0;
    while skipped < lines && !rest.is_empty() {
        rest = after_line(rest).1;
        skipped += 1;
    }
    (rest, skipped)
}

/// The first line, and what is behind its end.
pub(super) fn after_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|b| matches!(b, b'\r' | b'\n')).unwrap_or(bytes.len());
    let (line, rest) = bytes.split_at(end);
    let rest = rest.strip_prefix(b"\r\n").or_else(|| rest.get(1..)).unwrap_or_default();
    (line, rest)
}
