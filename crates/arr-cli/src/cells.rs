//! The options that say how text in data files becomes values.

use clap::{Args, ValueEnum};

/// How the cells of tables become values.
#[derive(Args, Debug)]
pub struct Cells {
    /// Texts in CSV files that stand for a missing value, besides an empty cell and `NA`: NaN, for floats only
    #[arg(long, value_name = "TEXTS", value_delimiter = ',', allow_hyphen_values = true)]
    pub na: Vec<String>,
    /// The unit that dates in tables are numbers of, since the start of 1970
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = Dates::Days)]
    pub dates: Dates,
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
        arr_data::CellRules { gaps: self.na.clone(), dates }
    }
}
