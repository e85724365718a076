//! Comparison of printed values: numbers within a tolerance, everything else as text.

/// The allowed distance of two numbers: relative to the expected one, or absolute if that is nearly zero.
#[derive(Clone, Copy)]
pub struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

pub const NEAR: Tolerance = Tolerance { relative: 1e-9, absolute: 1e-12 };

impl Tolerance {
    pub fn allows(self, found: f64, expected: f64) -> bool {
        let same = found == expected || (found.is_nan() && expected.is_nan());
        same || (found - expected).abs() <= self.relative * expected.abs() + self.absolute
    }
}

/// Whether two printed values are the same up to white space and rounding.
pub fn same(found: &str, expected: &str, tolerance: Tolerance) -> bool {
    let (found, expected) = (words(found), words(expected));
    found.len() == expected.len() && found.iter().zip(&expected).all(|(f, e)| f == e || both_decimals(f, e, tolerance))
}

/// Only numbers with a point or an exponent may differ: integers are exact.
fn both_decimals(found: &str, expected: &str, tolerance: Tolerance) -> bool {
    let decimal = |word: &str| word.contains(['.', 'e', 'n']).then(|| word.parse::<f64>().ok()).flatten();
    matches!((decimal(found), decimal(expected)), (Some(f), Some(e)) if tolerance.allows(f, e))
}

/// Splits at punctuation and white space; punctuation is kept, white space is not. A sign belongs to its number.
pub fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        let inside = c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_' | '\'');
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(&text[from..at]);
                start = None;
            }
            _ => {}
        }
        if !inside && !c.is_whitespace() {
            words.push(&text[at..at + c.len_utf8()]);
        }
    }
    words.extend(start.map(|from| &text[from..]));
    words
}
