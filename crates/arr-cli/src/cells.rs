//! The options that say how text in data files becomes values.

use arr_data::Delimiter;
use clap::{Args, ValueEnum};

/// How the cells of tables become values.
#[derive(Args, Debug)]
pub struct Cells {
    /// Texts in CSV files that stand for a missing value, besides an empty cell and `NA`: NaN for floats, `Missing` for
    /// a type with this constructor
    #[arg(long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    pub na: Vec<String>,
    /// The unit that dates in tables are numbers of, since the start of 1970
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = Dates::Days)]
    pub dates: Dates,
    /// What separates columns in CSV files: a character, `tab`, or `space` for any number of spaces; a comma if not given, and
    /// a semicolon with `--decimal ,`
    #[arg(long, value_name = "SIGN", value_parser = delimiter)]
    pub delimiter: Option<Delimiter>,
    /// What stands before the decimals of numbers in CSV files
    #[arg(long, value_enum, value_name = "SIGN", default_value_t = Decimal::Point)]
    pub decimal: Decimal,
    /// Leave out this many lines at the beginning of CSV files, such as comments
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip_lines: u64,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decimal {
    /// A point
    #[value(name = ".")]
    Point,
    /// A comma
    #[value(name = ",")]
    Comma,
}

/// `;`, `tab`, `space`
fn delimiter(text: &str) -> Result<Delimiter, String> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t", _) => Ok(Delimiter::Sign(b'\t')),
        ("space" | " ", _) => Ok(Delimiter::Spaces),
        (_, [sign]) if sign.is_ascii_punctuation() && !b"\"'.-+_".contains(sign) || *sign == b'\t' => {
            Ok(Delimiter::Sign(*sign))
        }
        _ => Err("expected one sign such as `;`, which no number has in it, `tab` or `space`".to_string()),
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dates {
    /// Days; a time of day is a fraction
    Days,
    /// Seconds
    Seconds,
}

impl Cells {
    pub fn rules(&self) -> arr_data::CellRules {
        let dates = match self.dates {
            Dates::Days => arr_data::DateUnit::Days,
            Dates::Seconds => arr_data::DateUnit::Seconds,
        };
        arr_data::CellRules {
            gaps: self.na.clone(),
            dates,
            delimiter: self.delimiter,
            decimal_comma: self.decimal == Decimal::Comma,
            skipped_lines: self.skip_lines,
        }
    }
}
