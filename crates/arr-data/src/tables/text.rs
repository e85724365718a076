//! Texts in the cells of text tables: numbers as programs and instruments write them, words for flags, moments, and what
//! a text that is none of these may be.

use crate::DataError;
use crate::number::NumberText;
use crate::reading::{CellRules, Delimiter};
use std::borrow::Cow;

/// The beginning of a text, as messages show it.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(40).collect::<String>().escape_debug().to_string()
}

/// The cell as a number, in the spellings that common programs write.
pub(super) fn number(cell: &str) -> Option<NumberText<'_>> {
    let text = match cell {
        "nan" | "NaN" | "NAN" => "nan",
        "inf" | "Inf" | "Infinity" => "inf",
        "-inf" | "-Inf" | "-Infinity" => "-inf",
        _ => {
            let text = match cell.strip_prefix('+') {
                // One sign is enough.
                Some(rest) if rest.starts_with(['+', '-']) => return None,
                Some(rest) => rest,
                None => cell,
            };
            let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'e' | b'E'));
            (plain && text.parse::<f64>().is_ok()).then_some(text)?
        }
    };
    Some(NumberText { text, suffix: None })
}

/// A number with a decimal comma, written with a point.
fn from_comma(text: &str) -> Option<String> {
    let pointed = text.replacen(',', ".", 1);
    (text.contains(',') && !text.contains('.') && number(&pointed).is_some()).then_some(pointed)
}

/// The text of a number with a decimal point, where the rules say how it is written. Errors: E0702 where it has a point
/// and should have a comma, as a point can stand between thousands there.
pub(super) fn with_point<'t>(
    text: &'t str,
    rules: &CellRules,
    format: &'static str,
) -> Result<Cow<'t, str>, DataError> {
    if !rules.decimal_comma {
        return Ok(Cow::Borrowed(text));
    }
    if text.contains('.') && number(text).is_some() {
        let why = format!("`{}` has a point where commas stand before decimals", shown(text));
        return Err(
            DataError::damaged(format, why).with_hint("numbers with decimal points are read without `--decimal ,`")
        );
    }
    Ok(from_comma(text).map_or(Cow::Borrowed(text), Cow::Owned))
}

/// Whether a cell has a number, or several that something else separates.
pub(crate) fn looks_numeric(cell: &str, rules: &CellRules) -> bool {
    is_number(cell, rules) || other_separator(cell, rules).is_some()
}

fn is_number(cell: &str, rules: &CellRules) -> bool {
    number(cell).is_some() || (rules.decimal_comma && from_comma(cell).is_some())
}

/// What other programs separate columns by, in words.
const SEPARATORS: [(char, &str); 4] = [(';', "semicolons"), ('\t', "tabs"), (' ', "spaces"), (',', "commas")];

/// The characters that are not this table's own separator.
fn others(rules: &CellRules) -> impl Iterator<Item = (char, &'static str)> + '_ {
    let is_own = |sign: char| match rules.separator() {
        Delimiter::Sign(own) => sign == char::from(own),
        Delimiter::Spaces => sign == ' ',
    };
    SEPARATORS.into_iter().filter(move |(sign, _)| !is_own(*sign))
}

/// The separator of a row of numbers that is not this table's own.
fn other_separator(cell: &str, rules: &CellRules) -> Option<(char, &'static str)> {
    others(rules).find(|(between, _)| {
        let mut parts = cell.split(*between).map(str::trim).filter(|part| !part.is_empty());
        cell.contains(*between) && parts.clone().count() > 1 && parts.all(|part| number(part).is_some())
    })
}

/// The separator that the only name of a heading has in it, in words, and how a table with it is read.
pub(crate) fn separator_of_heading(only: &str, rules: &CellRules) -> Option<(&'static str, &'static str)> {
    others(rules).find(|(between, _)| only.contains(*between)).map(|(between, words)| (words, separator_hint(between)))
}

fn separator_hint(between: char) -> &'static str {
    match between {
        ';' => {
            "`--delimiter ';'` reads columns between semicolons, `--decimal ,` those whose numbers have decimal commas"
        }
        '\t' => "`--delimiter tab` reads columns between tabs",
        ' ' => "`--delimiter space` reads columns between spaces",
        _ => "`--delimiter ,` reads columns between commas",
    }
}

/// Whether a cell is a number with a decimal comma, which it should not have.
pub(crate) fn has_decimal_comma(cell: &str, rules: &CellRules) -> bool {
    !rules.decimal_comma && from_comma(cell).is_some()
}

/// The error for a cell that is to be a number and is none. A float may be a missing value.
pub(super) fn no_number(text: &str, is_float: bool, rules: &CellRules, format: &'static str) -> DataError {
    if has_decimal_comma(text, rules) {
        let comma = if rules.separator() == Delimiter::Sign(b',') { " --delimiter ," } else { "" };
        return DataError::damaged(
            format,
            format!("`{}` has a comma where a point stands before decimals", shown(text)),
        )
        .with_hint(format!("`--decimal ,{comma}` reads numbers with decimal commas"));
    }
    if let Some((between, words)) = other_separator(text, rules) {
        let own = rules.separator_words();
        return DataError::damaged(format, format!("`{}` has {words} where {own} separate numbers", shown(text)))
            .with_hint(separator_hint(between));
    }
    let error = DataError::damaged(format, format!("`{}` is not a number", shown(text)));
    match shell_word(text) {
        _ if flag(text).is_some() => error.with_hint("flags are 1 and 0 in a column of floats that a heading names"),
        Some(word) if is_float => error.with_hint(format!("`--na {word}` reads such a cell as a missing value, NaN")),
        _ => error,
    }
}

/// A short text as a word of a command line, which `--na` can have.
fn shell_word(text: &str) -> Option<String> {
    const LONGEST: usize = 16;
    let plain = |c: char| c.is_alphanumeric() || "-_./+:%".contains(c);
    match text.chars().count() <= LONGEST && !text.contains(|c: char| c.is_control() || "',\"\\".contains(c)) {
        true if text.chars().all(plain) => Some(text.to_string()),
        true => Some(format!("'{text}'")),
        false => None,
    }
}

pub(super) fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" => Some(true),
        "0" => Some(false),
        _ => flag(text),
    }
}

/// A word for a boolean.
pub(crate) fn flag(text: &str) -> Option<bool> {
    let is = |words: [&str; 2]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is(["true", "yes"]) { Some(true) } else { is(["false", "no"]).then_some(false) }
}

/// A date of ISO 8601, `2024-02-29`, perhaps with a time and an offset from UTC, which is 0 if not given: nanoseconds
/// since the start of 1970 in UTC.
pub(super) fn moment(text: &str) -> Option<i128> {
    let digits = |from: usize, to: usize| text.get(from..to).is_some_and(|t| t.bytes().all(|b| b.is_ascii_digit()));
    let dash = |at: usize| text.as_bytes().get(at) == Some(&b'-');
    if !(digits(0, 4) && dash(4) && digits(5, 7) && dash(7) && digits(8, 10)) || text.contains('[') {
        return None;
    }
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment.as_nanosecond());
    }
    let local: jiff::civil::DateTime = text.parse().ok()?;
    // An offset that is no `Timestamp` is none.
    let plain = text.bytes().skip(10).all(|b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b'T' | b't' | b' '));
    let moment = jiff::tz::Offset::UTC.to_timestamp(local).ok()?;
    plain.then(|| moment.as_nanosecond())
}
