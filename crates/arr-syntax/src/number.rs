//! Splitting and validating number literals.

use crate::ast::Number;

/// The suffixes a number may carry.
const SUFFIXES: [&str; 5] = ["i32", "i64", "u32", "f32", "f64"];

/// Letters behind a zero that denote a base in other languages.
const BASES: [(char, u32); 6] = [('x', 16), ('X', 16), ('b', 2), ('B', 2), ('o', 8), ('O', 8)];

/// The reason why a number is refused: a title and perhaps a hint.
pub struct BadNumber {
    pub title: String,
    pub hint: Option<String>,
}

fn bad(title: String, hint: Option<&str>) -> BadNumber {
    BadNumber { title, hint: hint.map(str::to_string) }
}

/// Splits `1.5e3f32` into `1.5e3` and `f32`.
pub fn split(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let mut end = digits(0);
    if at(end) == b'.' {
        end += 1 + digits(end + 1);
    }
    if matches!(at(end), b'e' | b'E') {
        let sign = usize::from(matches!(at(end + 1), b'+' | b'-'));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The number that a token stands for. The token was validated before, so the suffix is known to be valid.
pub fn number(text: &str) -> Number {
    let (digits, suffix) = split(text);
    Number { digits: digits.to_string(), suffix: (!suffix.is_empty()).then(|| suffix.to_string()) }
}

/// Validates a number token. `negated` says that a minus sign stands before it, so that the least integer of a type can
/// be written. Fails if its suffix is unknown, its exponent has no digits, it has `_` or the base of another language,
/// or it does not fit its type.
pub fn judge(text: &str, negated: bool) -> Result<(), BadNumber> {
    let (digits, suffix) = split(text);
    if suffix.is_empty() || SUFFIXES.contains(&suffix) {
        return judge_range(digits, suffix, negated);
    }
    let title = format!("`{text}` is not a number");
    if suffix.starts_with(['e', 'E']) && suffix.len() == 1 {
        return Err(bad(title, Some("an exponent needs digits, as in `1e-3`")));
    }
    if suffix.starts_with('_') {
        return Err(bad(title, Some("digits are written without `_`")));
    }
    if let ("0", Some((_, base))) = (digits, BASES.iter().find(|(letter, _)| suffix.starts_with(*letter))) {
        let value = suffix.get(1..).and_then(|digits| i64::from_str_radix(digits, *base).ok());
        let written = value.map(|value| format!(": write `{value}`")).unwrap_or_default();
        return Err(BadNumber { title, hint: Some(format!("numbers are decimal{written}")) });
    }
    Err(bad(
        format!("unknown number suffix `{suffix}`"),
        Some("a number may end in `i32`, `i64`, `u32`, `f32` or `f64`"),
    ))
}

fn judge_range(digits: &str, suffix: &str, negated: bool) -> Result<(), BadNumber> {
    let decimal = digits.contains(['.', 'e', 'E']);
    if decimal && matches!(suffix, "i32" | "i64" | "u32") {
        let title = format!("`{digits}` is not an integer, so it cannot be `{suffix}`");
        return Err(bad(title, Some("write the suffix `f32` or `f64`, or an integer")));
    }
    let magnitude = digits.parse::<u128>().unwrap_or(u128::MAX);
    let sign = u128::from(negated);
    let fits = match suffix {
        "i32" => magnitude <= i32::MAX as u128 + sign,
        "u32" => magnitude <= u128::from(u32::MAX),
        "i64" => magnitude <= i64::MAX as u128 + sign,
        "f32" => digits.parse::<f32>().is_ok_and(f32::is_finite),
        _ => digits.parse::<f64>().is_ok_and(f64::is_finite),
    };
    if fits {
        return Ok(());
    }
    let wanted = if suffix.is_empty() { "f64" } else { suffix };
    Err(bad(format!("`{digits}` does not fit `{wanted}`"), None))
}

/// Reads a plain integer: no point, exponent or suffix. `None` if it is none or does not fit an `i64`.
pub fn plain_integer(text: &str, negated: bool) -> Option<i64> {
    let magnitude = text.parse::<i128>().ok()?;
    i64::try_from(if negated { -magnitude } else { magnitude }).ok()
}
