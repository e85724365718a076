//! Words of the text form, line by line, and constants.

use arr_ir::Const;

/// A line that is not empty, with its number from 1.
pub(super) struct Line<'t> {
    pub number: usize,
    pub words: Vec<&'t str>,
}

/// Characters that are words by themselves.
const SINGLE: &[char] = &[',', ':', '[', ']', '(', ')', '{', '}', '=', '<', '*', '+'];

pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let numbered = text.lines().enumerate().map(|(k, line)| Line { number: k + 1, words: words(line) });
    numbered.filter(|line| !line.words.is_empty()).collect()
}

/// The words of a line. A text between quotes is one, with its quotes.
fn words(line: &str) -> Vec<&str> {
    let quoted = line.split_once('"').and_then(|(before, rest)| Some((before, rest.split_once('"')?)));
    let Some((before, (text, after))) = quoted else { return plain_words(line) };
    let mut found = plain_words(before);
    found.extend(line.get(before.len()..before.len() + text.len() + 2));
    found.extend(words(after));
    found
}

fn plain_words(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for part in line.split_whitespace() {
        let mut rest = part;
        while let Some(at) = rest.find(SINGLE) {
            let (word, more) = rest.split_at(at);
            let length = more.chars().next().map_or(0, char::len_utf8);
            let (single, more) = more.split_at(length);
            found.extend([word, single].into_iter().filter(|w| !w.is_empty()));
            rest = more;
        }
        found.extend(Some(rest).filter(|w| !w.is_empty()));
    }
    found
}

/// The constant that a word is.
pub(super) fn constant(word: &str) -> Option<Const> {
    match word {
        "true" => return Some(Const::Bool(true)),
        "false" => return Some(Const::Bool(false)),
        "inf" | "-inf" | "NaN" => return word.parse().ok().map(Const::F64),
        _ => {}
    }
    let number = word.strip_prefix('-').unwrap_or(word);
    if !number.starts_with(|c: char| c.is_ascii_digit()) && !number.starts_with("inf") && !number.starts_with("NaN") {
        return None;
    }
    if let Some(digits) = word.strip_suffix("i32") {
        return digits.parse().ok().map(Const::I32);
    }
    if let Some(digits) = word.strip_suffix("u32") {
        return digits.parse().ok().map(Const::U32);
    }
    if let Some(bits) = word.strip_prefix("0x") {
        return match bits.strip_suffix("f32") {
            Some(bits) => u32::from_str_radix(bits, 16).ok().map(|b| Const::F32(f32::from_bits(b))),
            None => u64::from_str_radix(bits, 16).ok().map(|b| Const::F64(f64::from_bits(b))),
        };
    }
    if let Some(digits) = word.strip_suffix("f32") {
        return digits.parse().ok().map(Const::F32);
    }
    match word.parse() {
        Ok(i) => Some(Const::I64(i)),
        Err(_) => word.parse().ok().map(Const::F64),
    }
}
