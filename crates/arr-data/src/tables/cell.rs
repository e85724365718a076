//! One cell of a table, read as its column's type: a text, or a value that a file of typed columns holds.
//!
//! A `bool` is `true`, `false`, `yes`, `no`, `1` or `0`; a constructor is its name, in small letters and with other
//! signs for `_` too, as categories are written (`Iris-setosa` for `Iris_setosa`); a date is a number of days or
//! seconds. A gap is NaN for floats and the constructor `Missing` of a type that has one; no other type has it.

use super::names::field_name;
use super::text::{boolean, flag, looks_numeric, moment, no_number, number, shown, with_point};
use crate::number::integer;
use crate::reading::{CellRules, DateUnit};
use crate::{DataError, EdgeValue, Problem};
use arr_ir::{Const, Data, Edge, Scalar};

/// The constructor for a gap.
const MISSING: &str = "Missing";

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
                looks_numeric(text, rules)
                    || moment(text).is_some()
                    || (*elem == Scalar::Bool && boolean(text).is_some())
            }
            Cell::Names { constructors, .. } => constructor(constructors, text).is_some(),
        }
    }

    /// The value of a text in a file of a format.
    pub(crate) fn read(&self, text: &str, rules: &CellRules, format: &'static str) -> Result<Const, DataError> {
        let is_name = || matches!(self, Cell::Names { constructors, .. } if constructor(constructors, text).is_some());
        if rules.is_gap(text) && !is_name() {
            return self.missing().ok_or_else(|| self.gap(text, format));
        }
        let elem = match self {
            Cell::Names { .. } => {
                let name = capitalized(&field_name(text));
                let known = self.read_known(text, rules.dates, format).map_err(DataError::from);
                return known.map_err(|e| e.with_hint(format!("the constructor for `{}` is `{name}`", shown(text))));
            }
            Cell::Scalar(Scalar::Bool) => return Ok(self.read_known(text, rules.dates, format)?),
            Cell::Scalar(elem) => *elem,
        };
        let number = with_point(text, rules, format)?;
        self.read_known(&number, rules.dates, format).map_err(|problem| match problem {
            Problem::Damaged { .. } => no_number(text, elem.is_float(), rules, format),
            other => other.into(),
        })
    }

    /// As [`Cell::read`], in a column that has a name: flags are numbers where these are wanted as floats.
    pub(crate) fn read_named(&self, text: &str, rules: &CellRules, format: &'static str) -> Result<Const, DataError> {
        match (self, flag(text).filter(|_| !rules.is_gap(text))) {
            (Cell::Scalar(elem), Some(flag)) if elem.is_float() => Ok(number_of_flag(flag, *elem)),
            _ => self.read(text, rules, format),
        }
    }

    /// The value of a gap, of a type that has one.
    pub(crate) fn missing(&self) -> Option<Const> {
        match self {
            Cell::Scalar(Scalar::F32) => Some(Const::F32(f32::NAN)),
            Cell::Scalar(Scalar::F64) => Some(Const::F64(f64::NAN)),
            Cell::Scalar(_) => None,
            Cell::Names { constructors, .. } => {
                let at = constructors.iter().position(|name| name == MISSING)?;
                Some(Const::I64(i64::try_from(at).unwrap_or(i64::MAX)))
            }
        }
    }

    /// What can be done about a gap in a column whose type has no value for it.
    pub(crate) fn gap_hint(&self) -> String {
        match self {
            Cell::Names { ty, .. } => format!("a constructor `{MISSING}` of `{ty}` stands for cells without a value"),
            Cell::Scalar(Scalar::Bool) => "a column of `f64` reads flags as 1, 0 and, without a value, NaN".to_string(),
            Cell::Scalar(_) => "a column of `f64` reads a cell without a value as NaN".to_string(),
        }
    }

    fn gap(&self, text: &str, format: &'static str) -> DataError {
        let ty = self.name();
        let why = match text {
            "" => format!("a cell is empty, and `{ty}` has no value for that"),
            _ => format!("`{}` is a missing value, and `{ty}` has none", shown(text)),
        };
        DataError::damaged(format, why).with_hint(self.gap_hint())
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
            None => Err(damaged(format, format!("`{}` is not a number", shown(text)))),
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

fn damaged(format: &'static str, why: String) -> Problem {
    Problem::Damaged { format, why }
}

/// A flag in a column of floats.
pub(super) fn number_of_flag(flag: bool, elem: Scalar) -> Const {
    if flag { Const::one(elem) } else { Const::zero(elem) }
}

/// The same name with a large letter at its beginning.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
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
