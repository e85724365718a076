//! Splitting and validating number literals.

use crate::ast::Number;

/// The suffixes a number may carry.
const SUFFIXES: [&str; 5] = ["i32", "i64", "u32", "f32", "f64"];

/// How a number in another base begins, and the base.
const BASES: [(&str, u32); 3] = [("0x", 16), ("0b", 2), ("0o", 8)];

/// The reason why a number is refused: a title and perhaps a hint.
pub struct BadNumber {
    pub title: String,
    pub hint: Option<String>,
}

fn bad(title: String, hint: Option<&str>) -> BadNumber {
    BadNumber { title, hint: hint.map(str::to_string) }
}

/// The base of a number, and its digits.
fn base(text: &str) -> (u32, &str) {
    let found = BASES.iter().find_map(|(begin, base)| Some((*base, text.strip_prefix(begin)?)));
    found.unwrap_or((10, text))
}

/// Whether a number is written in another base than ten.
pub fn has_base(text: &str) -> bool {
    base(text).0 != 10
}

/// A number without its suffix, in decimal digits without `_`. What is no number stays as it is.
pub fn decimal_digits(text: &str) -> String {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    match base(&plain) {
        (10, _) => plain,
        (base, digits) => u128::from_str_radix(digits, base).map_or(plain.clone(), |value| value.to_string()),
    }
}

/// Splits `1.5e3f32` into `1.5e3` and `f32`, and `0xffu32` into `0xff` and `u32`.
pub fn split(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let run = |from: usize, base: u32| {
        bytes.iter().skip(from).take_while(|b| char::from(**b).is_digit(base) || **b == b'_').count()
    };
    // A letter behind `_` begins a suffix: `_` separates digits alone.
    let digits = |from: usize| if at(from).is_ascii_digit() { run(from, 10) } else { 0 };
    if let (base @ (2 | 8 | 16), _) = base(text) {
        return text.split_at_checked(2 + run(2, base)).unwrap_or((text, ""));
    }
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
/// be written. Fails if its suffix is unknown, its exponent has no digits, a `_` is not between two digits, a digit is
/// none of its base, or it does not fit its type.
pub fn judge(text: &str, negated: bool) -> Result<(), BadNumber> {
    let (digits, suffix) = split(text);
    let title = format!("`{text}` is not a number");
    if has_base(text) && !matches!(suffix, "" | "i32" | "i64" | "u32") {
        return Err(bad(
            title,
            Some("the digits are `0` to `9` and `a` to `f` after `0x`, `0` and `1` after `0b`, `0` to `7` after `0o`"),
        ));
    }
    let parts = digits.split(['.', 'e', 'E', '+', '-']);
    let (_, whole) = base(digits);
    let misplaced = |part: &str| part.starts_with('_') || part.ends_with('_') || part.contains("__");
    if whole.is_empty() || misplaced(whole) || !has_base(text) && parts.into_iter().any(misplaced) {
        return Err(bad(title, Some("a `_` stands between two digits, as in `1_000`")));
    }
    if suffix.is_empty() || SUFFIXES.contains(&suffix) {
        return judge_range(digits, suffix, negated);
    }
    if suffix.starts_with(['e', 'E']) && suffix.len() == 1 {
        return Err(bad(title, Some("an exponent needs digits, as in `1e-3`")));
    }
    if let (begin @ ("X" | "B" | "O"), true) = (suffix.get(..1).unwrap_or(""), digits == "0") {
        let small = begin.to_lowercase();
        return Err(BadNumber { title, hint: Some(format!("write `0{small}{}`", suffix.get(1..).unwrap_or(""))) });
    }
    Err(bad(
        format!("unknown number suffix `{suffix}`"),
        Some("a number may end in `i32`, `i64`, `u32`, `f32` or `f64`"),
    ))
}

fn judge_range(digits: &str, suffix: &str, negated: bool) -> Result<(), BadNumber> {
    let decimal = !has_base(digits) && digits.contains(['.', 'e', 'E']);
    if decimal && matches!(suffix, "i32" | "i64" | "u32") {
        let title = format!("`{digits}` is not an integer, so it cannot be `{suffix}`");
        return Err(bad(title, Some("write the suffix `f32` or `f64`, or an integer")));
    }
    let plain = decimal_digits(digits);
    let magnitude = plain.parse::<u128>().unwrap_or(u128::MAX);
    let sign = u128::from(negated);
    let fits = match suffix {
        "i32" => magnitude <= i32::MAX as u128 + sign,
        "u32" => magnitude <= u128::from(u32::MAX),
        "i64" => magnitude <= i64::MAX as u128 + sign,
        "f32" => plain.parse::<f32>().is_ok_and(f32::is_finite),
        _ => plain.parse::<f64>().is_ok_and(f64::is_finite),
    };
    if fits {
        return Ok(());
    }
    let wanted = if suffix.is_empty() { "f64" } else { suffix };
    Err(bad(format!("`{digits}` does not fit `{wanted}`"), None))
}

/// Reads a plain integer: no point, exponent or suffix. `None` if it is none or does not fit an `i64`.
pub fn plain_integer(text: &str, negated: bool) -> Option<i64> {
    let digits = text.bytes().all(|b| b.is_ascii_digit() || b == b'_') || has_base(text);
    let magnitude = digits.then(|| decimal_digits(text).parse::<i128>().ok())??;
    i64::try_from(if negated { -magnitude } else { magnitude }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts with the digits and the suffix that they are made of, and their value in decimal.
    const SPLITS: &[(&str, &str, &str, &str)] = &[
        ("1.5e3f32", "1.5e3", "f32", "1.5e3"),
        ("1_000", "1_000", "", "1000"),
        ("1_000.000_1e1_0", "1_000.000_1e1_0", "", "1000.0001e10"),
        ("0xff", "0xff", "", "255"),
        ("0xFFu32", "0xFF", "u32", "255"),
        ("0x1f32", "0x1f32", "", "7986"),
        ("0xe", "0xe", "", "14"),
        ("0b1010_0001i32", "0b1010_0001", "i32", "161"),
        ("0o17", "0o17", "", "15"),
    ];

    #[test]
    fn numbers_are_split_and_read() {
        for (text, digits, suffix, decimal) in SPLITS {
            assert_eq!(split(text), (*digits, *suffix), "{text}");
            assert_eq!(decimal_digits(digits), *decimal, "{text}");
            assert!(judge(text, false).is_ok(), "{text}");
        }
        assert!(!number("0x1e2").is_decimal());
        assert_eq!(plain_integer("0x10", true), Some(-16));
        assert_eq!(plain_integer("1_0", false), Some(10));
        assert_eq!(plain_integer("1.0", false), None);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "1_",
            "1__0",
            "1_.5",
            "0x",
            "0x_1",
            "0xg",
            "0b2",
            "0o8",
            "0b1e3",
            "1e",
            "0X10",
            "0xfffff32u8",
            "0x1_0000_0000u32",
        ] {
            assert!(judge(text, false).is_err(), "{text}");
        }
    }
}
