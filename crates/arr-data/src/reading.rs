//! What reading a file depends on beside its bytes: what the user said about it, and what memory there is.

use crate::{DataError, Problem};

/// The unit of the numbers that dates become.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DateUnit {
    /// Days since 1970-01-01; a time of day is a fraction.
    #[default]
    Days,
    /// Seconds since the start of 1970-01-01 in UTC.
    Seconds,
}

/// What separates the cells of a line in a text table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delimiter {
    /// One ASCII character.
    Sign(u8),
    /// Any number of spaces.
    Spaces,
}

/// How the lines of text tables become cells, and cells become values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CellRules {
    /// Texts that stand for a missing value, besides an empty cell and `NA`.
    pub gaps: Vec<String>,
    pub dates: DateUnit,
    /// A comma if not given; with decimal commas a semicolon.
    pub delimiter: Option<Delimiter>,
    /// Whether a comma, and no point, stands before the decimals of numbers.
    pub decimal_comma: bool,
    /// The number of lines at the beginning of a file that are no part of its table.
    pub skipped_lines: u64,
}

impl CellRules {
    /// Whether a cell stands for a missing value.
    pub(crate) fn is_gap(&self, cell: &str) -> bool {
        cell.is_empty() || cell == "NA" || self.gaps.iter().any(|gap| gap == cell)
    }

    /// What separates cells.
    pub(crate) fn separator(&self) -> Delimiter {
        let usual = if self.decimal_comma { b';' } else { b',' };
        self.delimiter.unwrap_or(Delimiter::Sign(usual))
    }

    /// The separator in words: "commas".
    pub(crate) fn separator_words(&self) -> String {
        match self.separator() {
            Delimiter::Spaces => "spaces".to_string(),
            Delimiter::Sign(b',') => "commas".to_string(),
            Delimiter::Sign(b';') => "semicolons".to_string(),
            Delimiter::Sign(b'\t') => "tabs".to_string(),
            Delimiter::Sign(other) => format!("`{}`", char::from(other).escape_debug()),
        }
    }
}

/// How one file is read.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// The bytes of memory for it, besides those of the file itself.
    pub limit: u64,
    /// The parameter's name: of a file that holds more than the parameter, the part of this name is read.
    pub parameter: &'a str,
    /// The part that the user named: `model.w` in `@fit.json:model.w`.
    pub part: Option<&'a str>,
    pub cells: &'a CellRules,
}

/// The memory that may still be used.
pub(crate) struct Room {
    taken: u64,
    limit: u64,
}

impl Room {
    pub(crate) fn new(limit: u64) -> Room {
        Room { taken: 0, limit }
    }

    /// Takes this many bytes. Errors: E0605 where there are not as many left.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), DataError> {
        self.taken = self.taken.saturating_add(bytes);
        let problem = Problem::TooLarge { bytes: self.taken, limit: self.limit };
        if self.taken <= self.limit { Ok(()) } else { Err(problem.into()) }
    }

    /// The bytes that are left.
    #[cfg(feature = "parquet")]
    pub(crate) fn left(&self) -> u64 {
        self.limit.saturating_sub(self.taken)
    }

    /// Checks that so many bytes are there for a while. Errors: E0605 where they are not.
    #[cfg(feature = "parquet")]
    pub(crate) fn has(&self, bytes: u64) -> Result<(), DataError> {
        Room { ..*self }.take(bytes)
    }
}

/// Something that a reader did and the user did not ask for, as a sentence: columns that are left out.
pub type Notes = Vec<String>;

/// A few of these names, in backquotes.
pub(crate) fn names_text<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 12;
    let count = names.len();
    let mut list: Vec<String> = names.take(SHOWN).map(|name| format!("`{}`", name.escape_debug())).collect();
    if count > SHOWN {
        list.push(format!("and {} more", count - SHOWN));
    }
    list.join(", ")
}
