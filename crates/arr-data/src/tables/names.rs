//! The names of a table's columns, by which they are found.

use crate::reading::{Notes, names_text};
use crate::{DataError, Problem};

/// The names of a table's columns.
pub(crate) struct Names {
    pub(crate) names: Vec<String>,
    pub(crate) format: &'static str,
    /// What is wrong with the names where one is missing, if the format knows.
    pub(crate) fault: Option<DataError>,
    /// The line on which they are, in a text file.
    pub(crate) line: Option<u64>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn name(&self, place: usize) -> &str {
        self.names.get(place).map_or("", String::as_str)
    }

    /// The words for a cell's place: in the `number`th line or row, and in the column after `place` others.
    pub(crate) fn cell(&self, line_or_row: &str, number: u64, place: usize) -> String {
        format!("{line_or_row} {number}, column {} (`{}`)", place + 1, self.name(place).escape_debug())
    }

    /// The columns that the user named: one, or several with commas between them.
    pub(crate) fn chosen(&self, part: &str) -> Result<Vec<usize>, DataError> {
        match self.places([part].into_iter()) {
            Err(_) if part.contains(',') => self.places(part.split(',').map(str::trim)),
            other => other,
        }
    }

    /// The places of columns. Errors: E0703 where there is none of a name, E0702 where there are several, or the line is
    /// no heading.
    pub(crate) fn places<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<Vec<usize>, DataError> {
        names.map(|name| self.place(name)).collect()
    }

    /// The place of the column of a name, or of the only one whose name is the same with `_` for other signs.
    fn place(&self, name: &str) -> Result<usize, DataError> {
        let places = |is: &dyn Fn(&str) -> bool| {
            let found = self.names.iter().enumerate().filter(|(_, own)| is(own));
            found.map(|(place, _)| place).collect::<Vec<_>>()
        };
        let is_field = |own: &str| field_name(own) == name;
        // A name that no field can have, such as `in`, has a `_` in front.
        let is_prefixed = |own: &str| name.strip_prefix('_').is_some_and(|rest| field_name(own) == rest);
        let found = [places(&|own| own == name), places(&is_field), places(&is_prefixed)];
        match found.into_iter().find(|found| !found.is_empty()).as_deref() {
            Some([place]) => Ok(*place),
            None | Some([]) => Err(self.missing(name, false)),
            Some(_) => {
                let what = if self.line.is_some() { "its heading has" } else { "it has" };
                let error = DataError::damaged(self.format, format!("{what} several columns `{name}`"));
                Err(self.line.into_iter().fold(error, DataError::at_line))
            }
        }
    }

    /// The error for a column that is not there, perhaps where the user may choose another one.
    pub(crate) fn missing(&self, name: &str, choice: bool) -> DataError {
        if let Some(fault) = &self.fault {
            return fault.clone();
        }
        let problem = Problem::NoPart { part: name.to_string(), kind: "column", available: self.names.clone(), choice };
        let meant: Vec<&String> =
            self.names.iter().filter(|own| field_name(own) != **own && is_near(own, name)).collect();
        match meant.as_slice() {
            // What a user may choose is no field.
            [own] if !choice => {
                let (column, field) = (own.escape_debug(), field_name(own));
                DataError::from(problem).with_hint(format!("the field for `{column}` is `{field}`"))
            }
            _ => problem.into(),
        }
    }

    /// Notes the columns that are in none of these places.
    pub(crate) fn note_others(&self, chosen: &[usize], notes: &mut Notes) {
        let others: Vec<&str> =
            (0..self.len()).filter(|place| !chosen.contains(place)).map(|place| self.name(place)).collect();
        match others.as_slice() {
            [] => {}
            [only] => notes.push(format!("the column {} is left out", names_text([*only].into_iter()))),
            several => notes.push(format!("the columns {} are left out", names_text(several.iter().copied()))),
        }
    }
}

/// The name of the field that reads a column: `_` stands for what no name of a program has, and in front of a digit.
pub fn field_name(column: &str) -> String {
    let mut name: String =
        column.chars().map(|c| if c.is_ascii_alphanumeric() || c == '\'' { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit() || c == '\'') {
        name.insert(0, '_');
    }
    name
}

/// Whether a column can be meant by a name: one without its unit, or with other signs for those that no name has.
pub(crate) fn is_near(column: &str, name: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let first = column.split(|c: char| !c.is_alphanumeric()).find(|part| !part.is_empty()).unwrap_or("");
    let name = letters(name);
    !name.is_empty() && [letters(column), letters(first)].contains(&name)
}
