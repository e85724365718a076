//! The values of files whose columns have types, as cells.

use super::cell::{Cell, date, number_of_flag};
use super::text::shown;
use crate::number::{NumberText, integer, lossless};
use crate::reading::DateUnit;
use crate::{DataError, Problem};
use arr_ir::{Const, Scalar};

/// A value as its file holds it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item<'t> {
    /// No value.
    Gap,
    Bool(bool),
    Integer(i128),
    /// A decimal number, as it is written.
    Decimal(String),
    Single(f32),
    Double(f64),
    Text(&'t str),
    /// Nanoseconds since the start of 1970 in UTC.
    Moment(i128),
}

impl Item<'_> {
    /// What it is called where it is not of a column's type.
    fn kind(&self) -> String {
        match self {
            Item::Text(text) => return format!("the text `{}`", shown(text)),
            Item::Gap => "nothing",
            Item::Bool(_) => "bool",
            Item::Integer(_) => "i64",
            Item::Single(_) => "f32",
            Item::Decimal(_) | Item::Double(_) => "f64",
            Item::Moment(_) => "a date",
        }
        .to_string()
    }
}

impl Cell {
    /// The value of an item in a file of a format. A text is read as one in a text file is, but none stands for a
    /// missing value: these files have missing values of their own.
    pub(crate) fn take(&self, item: &Item<'_>, dates: DateUnit, format: &'static str) -> Result<Const, DataError> {
        if *item == Item::Gap {
            let why = || format!("a value is missing, and `{}` has none for that", self.name());
            return self.missing().ok_or_else(|| DataError::damaged(format, why()).with_hint(self.gap_hint()));
        }
        Ok(self.take_known(item, dates, format)?)
    }

    fn take_known(&self, item: &Item<'_>, dates: DateUnit, format: &'static str) -> Result<Const, Problem> {
        let wrong_type = || Problem::Type { expected: self.name(), found: item.kind() };
        let elem = match (self, item) {
            (_, Item::Text(text)) => {
                // The file says what is a text, and nothing about it is damaged.
                let wrong = |problem| if matches!(problem, Problem::Damaged { .. }) { wrong_type() } else { problem };
                return self.read_known(text.trim(), dates, format).map_err(wrong);
            }
            (Cell::Names { .. }, _) => return Err(wrong_type()),
            (Cell::Scalar(elem), _) => *elem,
        };
        match item {
            Item::Integer(n) if elem == Scalar::Bool => self.read_known(&n.to_string(), dates, format),
            Item::Integer(n) => {
                let lossy = || Problem::Lossy { number: n.to_string(), ty: elem.name().to_string() };
                integer(*n, false, elem).ok_or_else(lossy)
            }
            Item::Decimal(text) => NumberText { text, suffix: None }.read(elem),
            Item::Moment(_) if elem == Scalar::Bool => Err(wrong_type()),
            Item::Moment(moment) => date(|| moment_text(*moment), *moment, elem, dates),
            Item::Bool(b) if elem == Scalar::Bool => Ok(Const::Bool(*b)),
            Item::Bool(b) if elem.is_float() => Ok(number_of_flag(*b, elem)),
            Item::Single(x) => lossless(Const::F32(*x), elem).ok_or_else(wrong_type),
            Item::Double(x) => lossless(Const::F64(*x), elem).ok_or_else(wrong_type),
            Item::Bool(_) | Item::Text(_) | Item::Gap => Err(wrong_type()),
        }
    }
}

/// A moment as a text file has it.
fn moment_text(nanoseconds: i128) -> String {
    jiff::Timestamp::from_nanosecond(nanoseconds)
        .map_or_else(|_| format!("the moment {nanoseconds} ns from 1970"), |moment| format!("`{moment}`"))
}
