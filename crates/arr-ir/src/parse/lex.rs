//! Tokens of IR text.

use super::TextError;
use crate::{Const, Scalar};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Tok {
    Name(String),
    Const(Const),
    /// 2^63 for `i64`, 2^31 for `i32`: a number only when negated.
    Lowest(Const),
    Punct(&'static str),
    /// Between quotes, without escapes.
    Text(String),
}

const PUNCTUATION: [&str; 16] = ["->", "(", ")", "[", "]", "{", "}", ",", ":", "=", "<", "*", "+", "-", "~", "!"];

/// All tokens with their lines.
pub(super) fn lex(text: &str) -> Result<Vec<(Tok, usize)>, TextError> {
    let mut toks = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let mut rest = without_comment(line).trim_start();
        while !rest.is_empty() {
            let (tok, length) = token(rest).ok_or_else(|| TextError {
                line: line_number,
                message: format!("`{}` begins no token", rest.chars().next().unwrap_or(' ')),
            })?;
            toks.push((tok, line_number));
            rest = rest.get(length..).unwrap_or("").trim_start();
        }
    }
    Ok(toks)
}

/// The line up to a comment; `--` between quotes begins none.
fn without_comment(line: &str) -> &str {
    let mut quoted = false;
    let end = line.char_indices().find(|&(at, c)| {
        quoted ^= c == '"';
        !quoted && line.get(at..).is_some_and(|rest| rest.starts_with("--"))
    });
    end.and_then(|(at, _)| line.get(..at)).unwrap_or(line)
}

/// A text between quotes at the beginning of a line's rest.
fn text(rest: &str) -> Option<(Tok, usize)> {
    let (text, _) = rest.strip_prefix('"')?.split_once('"')?;
    Some((Tok::Text(text.to_string()), text.len() + 2))
}

/// A label between quotes, which labels of programs have neither inside nor a line break.
pub fn quoted(label: &str) -> String {
    format!("\"{}\"", label.replace('"', "'").replace(['\n', '\r'], " "))
}

fn token(rest: &str) -> Option<(Tok, usize)> {
    let first = rest.chars().next()?;
    if first == '"' {
        return text(rest);
    }
    if first.is_ascii_digit() {
        return number(rest);
    }
    if first.is_alphabetic() || first == '_' {
        let legal = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
        let length = rest.find(|c| !legal(c)).unwrap_or(rest.len());
        let word = rest.get(..length)?;
        let constant = match word {
            "true" => Some(Const::Bool(true)),
            "false" => Some(Const::Bool(false)),
            "inf" => Some(Const::F64(f64::INFINITY)),
            "nan" => Some(Const::F64(f64::NAN)),
            "inff32" => Some(Const::F32(f32::INFINITY)),
            "nanf32" => Some(Const::F32(f32::NAN)),
            _ => None,
        };
        return Some((constant.map_or_else(|| Tok::Name(word.to_string()), Tok::Const), length));
    }
    let punct = PUNCTUATION.into_iter().find(|p| rest.starts_with(p))?;
    Some((Tok::Punct(punct), punct.len()))
}

/// Digits with an optional point, exponent and type suffix.
fn number(rest: &str) -> Option<(Tok, usize)> {
    let bytes = rest.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    let mut decimal = false;
    if bytes.get(end) == Some(&b'.') {
        decimal = true;
        end = digits(end + 1);
    }
    if bytes.get(end) == Some(&b'e') {
        decimal = true;
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = digits(end + 1 + sign);
    }
    let text = rest.get(..end)?;
    let suffix_end = end + rest.get(end..)?.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len() - end);
    let scalar = match rest.get(end..suffix_end)? {
        "" if decimal => Scalar::F64,
        "" => Scalar::I64,
        suffix => Scalar::from_name(suffix)?,
    };
    let tok = match scalar {
        Scalar::F64 => Tok::Const(Const::F64(text.parse().ok()?)),
        Scalar::F32 => Tok::Const(Const::F32(text.parse().ok()?)),
        Scalar::U32 => Tok::Const(Const::U32(text.parse().ok()?)),
        Scalar::I64 => match text.parse::<u64>().ok()? {
            0x8000_0000_0000_0000 => Tok::Lowest(Const::I64(i64::MIN)),
            magnitude => Tok::Const(Const::I64(i64::try_from(magnitude).ok()?)),
        },
        Scalar::I32 => match text.parse::<u32>().ok()? {
            0x8000_0000 => Tok::Lowest(Const::I32(i32::MIN)),
            magnitude => Tok::Const(Const::I32(i32::try_from(magnitude).ok()?)),
        },
        Scalar::Bool => return None,
    };
    Some((tok, suffix_end))
}
