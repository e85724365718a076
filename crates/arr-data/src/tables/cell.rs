//! One cell of a table, read as its column's type: a text, or a value that a file of typed columns holds.
//!
//! A `bool` is `true`, `false`, `yes`, `no`, `1` or `0`; a constructor is its name, in small letters and with other
//! signs for `_` too, as categories are written (`Iris-setosa` for `Iris_setosa`); a date is a number of days or
//! seconds. A gap is NaN, which only floats have.

use crate::number::{NumberText, integer};
use crate::reading::{CellRules, DateUnit};
use crate::{EdgeValue, Problem};
use arr_ir::{Const, Data, Edge, Scalar};

/// The type of the cells of a column.
#[derive(Clone, Debug)]
pub(crate) enum Cell {
    Scalar(Scalar),
    /// The constructors of a sum, none of which carries anything; an element is its constructor's index.
    Names {
        ty: String,
        constructors: Vec<String>,
    },
}

impl Cell {
    /// The cell for a scalar, or a sum of constructors without fields.
    pub(crate) fn of(edge: &Edge) -> Option<Cell> {
        match edge {
            Edge::Scalar(elem) => Some(Cell::Scalar(*elem)),
            Edge::Sum { name, constructors } if constructors.iter().all(|(_, fields)| fields.is_empty()) => {
                let constructors = constructors.iter().map(|(name, _)| name.clone()).collect();
                Some(Cell::Names { ty: name.clone(), constructors })
            }
            _ => None,
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Cell::Scalar(elem) => elem.name().to_string(),
            Cell::Names { ty, .. } => ty.clone(),
        }
    }

    /// An array of it without elements.
    pub(crate) fn data(&self) -> Data {
        match self {
            Cell::Scalar(elem) => Data::zeros(*elem, 0),
            Cell::Names { .. } => Data::zeros(Edge::TAG, 0),
        }
    }

    /// Whether a value of the type has a leaf: a sum of one constructor has none.
    pub(crate) fn has_leaf(&self) -> bool {
        !matches!(self, Cell::Names { constructors, .. } if constructors.len() < 2)
    }

    /// Whether a text is a value, perhaps a damaged one, rather than the name of a column.
    pub(crate) fn is_value(&self, text: &str, rules: &CellRules) -> bool {
        let gap = !text.is_empty() && rules.is_gap(text);
        match self {
            _ if gap => true,
            Cell::Scalar(elem) => {
                looks_numeric(text) || moment(text).is_some() || (*elem == Scalar::Bool && boolean(text).is_some())
            }
            Cell::Names { constructors, .. } => constructor(constructors, text).is_some(),
        }
    }

    /// The value of a text in a file of a format.
    pub(crate) fn read(&self, text: &str, rules: &CellRules, format: &'static str) -> Result<Const, Problem> {
        let is_name = || matches!(self, Cell::Names { constructors, .. } if constructor(constructors, text).is_some());
        if rules.is_gap(text) && !is_name() {
            return match self {
                Cell::Scalar(Scalar::F32) => Ok(Const::F32(f32::NAN)),
                Cell::Scalar(Scalar::F64) => Ok(Const::F64(f64::NAN)),
                _ => Err(gap(text, &self.name(), format)),
            };
        }
        self.read_known(text, rules.dates, format)
    }

    /// The value of a text that does not stand for a missing one.
    pub(crate) fn read_known(&self, text: &str, dates: DateUnit, format: &'static str) -> Result<Const, Problem> {
        let elem = match self {
            Cell::Names { ty, constructors } => return named(ty, constructors, text),
            Cell::Scalar(elem) => *elem,
        };
        if elem == Scalar::Bool {
            let why = || format!("`{}` is not `true` or `false`, `yes` or `no`, `1` or `0`", shown(text));
            return boolean(text).map(Const::Bool).ok_or_else(|| damaged(format, why()));
        }
        if let Some(number) = number(text) {
            return number.read(elem);
        }
        match moment(text) {
            Some(moment) => date(|| shown(text), moment, elem, dates),
            None => Err(no_number(text, format)),
        }
    }

    /// The value of an array's element as text.
    pub(crate) fn write(&self, value: Const) -> String {
        match (self, value) {
            (Cell::Names { constructors, .. }, _) => {
                let at = value.as_i64().and_then(|at| usize::try_from(at).ok()).unwrap_or(0);
                constructors.get(at).cloned().unwrap_or_default()
            }
            (Cell::Scalar(_), _) => match value.as_f64() {
                Some(x) if x.is_nan() => "NaN".to_string(),
                Some(x) if x.is_infinite() => if x > 0.0 { "Inf" } else { "-Inf" }.to_string(),
                _ => crate::print::scalar_text(value),
            },
        }
    }
}

/// The value of a leaf that a column reads.
pub(crate) fn leaf_of(value: &EdgeValue) -> Option<&arr_ir::Value> {
    match value {
        EdgeValue::Leaf(leaf) => Some(leaf),
        EdgeValue::Array { element, .. } => leaf_of(element),
        EdgeValue::Sum { tag, .. } => tag.as_ref(),
        EdgeValue::Tuple(_) | EdgeValue::Record(_) => None,
    }
}

pub(super) fn shown(text: &str) -> String {
    text.chars().take(40).collect::<String>().escape_debug().to_string()
}

fn damaged(format: &'static str, why: String) -> Problem {
    Problem::Damaged { format, why }
}

fn gap(text: &str, ty: &str, format: &'static str) -> Problem {
    let why = match text {
        "" => format!("a cell is empty, and only floats have a value for that, not `{ty}`"),
        _ => format!("`{}` is a missing value, and only floats have one, not `{ty}`", shown(text)),
    };
    damaged(format, why)
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "1" => Some(true),
        "0" => Some(false),
        _ if ["true", "yes"].iter().any(|word| word.eq_ignore_ascii_case(text)) => Some(true),
        _ if ["false", "no"].iter().any(|word| word.eq_ignore_ascii_case(text)) => Some(false),
        _ => None,
    }
}

/// The constructor that a text names: itself, or the only one that is the same in small letters, with `_` for signs.
fn constructor(constructors: &[String], text: &str) -> Option<usize> {
    if let Some(exact) = constructors.iter().position(|name| name == text) {
        return Some(exact);
    }
    let plain = plain(text);
    let mut alike = constructors.iter().enumerate().filter(|(_, name)| self::plain(name) == plain);
    let (first, _) = alike.next()?;
    alike.next().is_none().then_some(first)
}

/// Small letters, with `_` for what is neither a letter nor a digit.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

fn named(ty: &str, constructors: &[String], text: &str) -> Result<Const, Problem> {
    match constructor(constructors, text) {
        Some(at) => Ok(Const::I64(i64::try_from(at).unwrap_or(i64::MAX))),
        None => Err(Problem::UnknownConstructor {
            constructor: shown(text),
            ty: ty.to_string(),
            available: constructors.to_vec(),
        }),
    }
}

fn no_number(text: &str, format: &'static str) -> Problem {
    let why = match separator(text) {
        Some(separator) => format!("`{}` has {separator} where commas separate numbers", shown(text)),
        None => format!("`{}` is not a number", shown(text)),
    };
    damaged(format, why)
}

/// Whether a cell has a number, or several.
pub(crate) fn looks_numeric(cell: &str) -> bool {
    number(cell).is_some() || separator(cell).is_some()
}

/// The separator of a row of numbers without commas, or with decimal commas.
fn separator(cell: &str) -> Option<&'static str> {
    SEPARATORS.into_iter().find_map(|(between, name)| {
        let mut parts = cell.split(between).map(str::trim).filter(|part| !part.is_empty());
        let all = cell.contains(between) && parts.clone().count() > 1 && parts.all(|part| number(part).is_some());
        all.then_some(name)
    })
}

/// What other programs separate columns by.
pub(crate) const SEPARATORS: [(char, &str); 3] = [(';', "semicolons"), ('\t', "tabs"), (' ', "spaces")];

/// The cell as a number, in the spellings that common programs write.
fn number(cell: &str) -> Option<NumberText<'_>> {
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

/// A date of ISO 8601, `2024-02-29`, perhaps with a time and an offset from UTC, which is 0 if not given: nanoseconds
/// since the start of 1970 in UTC.
fn moment(text: &str) -> Option<i128> {
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

/// A moment as a number of the type.
pub(super) fn date(
    text: impl Fn() -> String,
    nanoseconds: i128,
    elem: Scalar,
    unit: DateUnit,
) -> Result<Const, Problem> {
    const SECOND: i128 = 1_000_000_000;
    let unit = match unit {
        DateUnit::Days => 86_400 * SECOND,
        DateUnit::Seconds => SECOND,
    };
    let (whole, rest) = (nanoseconds.div_euclid(unit), nanoseconds.rem_euclid(unit));
    let lossy = || Problem::Lossy { number: text(), ty: elem.name().to_string() };
    match elem {
        Scalar::F64 => Ok(Const::F64(whole as f64 + rest as f64 / unit as f64)),
        Scalar::F32 if rest != 0 => Ok(Const::F32((whole as f64 + rest as f64 / unit as f64) as f32)),
        _ if rest != 0 => Err(lossy()),
        _ => integer(whole, false, elem).ok_or_else(lossy),
    }
}
