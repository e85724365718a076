//! Repairs a text by inserting a stand-in at the cursor, so that the text around it can be parsed.
//!
//! While a name is typed the text is rarely a valid program. The name becomes a stand-in; if the parser still cannot
//! read the item, the text after the cursor is left out, and open constructs there are closed.

use crate::file::{File, Files};
use crate::resolve::{Index, resolve};
use arr_syntax::PieceKind;
use std::sync::Arc;

/// The stand-in for the name that is being typed. No program contains it.
pub const STAND_IN: &str = "arr'completes'here";

/// A text that can be parsed at the stand-in, which is at `start`; the original text if there is none. The bytes from
/// `start` to `end` are the typed part of the name.
pub fn repaired(path: &str, text: &str, start: usize, end: usize) -> Option<String> {
    let (before, after) = (text.get(..start)?, text.get(end..)?);
    let whole = format!("{before}{STAND_IN}{after}");
    let end_of_item = next_item(after);
    let rest = after.get(end_of_item..).unwrap_or("");
    let closers = closers(before);
    let cut = |(filler, body): (&str, &str)| format!("{before}{STAND_IN}{filler}{closers}{body}\n{rest}");
    // A binding form needs more behind the name than an expression does, and the head of a definition needs a body.
    let cuts = [("", ""), ("", " = 0"), (" = 0", ""), (": f64", " = 0"), (" => 0", "")].map(cut);
    std::iter::once(whole).chain(cuts).find(|text| readable(path, text, start))
}

/// Whether the tree of a text has the stand-in.
fn readable(path: &str, text: &str, start: usize) -> bool {
    let file = Arc::new(File::parse(path, text));
    let files = Files::from([(path.to_string(), file.clone())]);
    found(&resolve(&file, &files), start)
}

pub fn found(index: &Index, start: usize) -> bool {
    index.occurrences.iter().any(|o| o.start as usize == start)
        || index.fields.iter().any(|f| f.name.start as usize == start)
}

/// The start of the next item: a word that begins one at the start of a line, with the doc comment above it.
fn next_item(text: &str) -> usize {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let word = line.split([' ', '\t', '\n', '\r']).next().unwrap_or("");
        let begins = matches!(word, "def" | "type" | "import" | "derivative" | "test") || word.starts_with("--|");
        if number > 0 && begins {
            return at;
        }
        at += line.len();
    }
    text.len()
}

/// Something that is open at the end of a text.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Open {
    Bracket(&'static str),
    /// `match e {`
    Arms,
    Let,
    If,
    Then,
    For,
    Lambda,
    Loop,
    /// `loop s = e for`: up to `do`.
    LoopHead,
    Match,
}

/// The text that closes everything open at the end of a text, after a name.
fn closers(text: &str) -> String {
    let mut open: Vec<Open> = Vec::new();
    for piece in arr_syntax::pieces(text) {
        let word = text.get(piece.range).unwrap_or("");
        let until = |open: &mut Vec<Open>, ends: &[Open]| {
            if let Some(at) = open.iter().rposition(|o| ends.contains(o) || matches!(o, Open::Bracket(_) | Open::Arms))
            {
                let hit = open.get(at).copied().filter(|o| ends.contains(o));
                open.truncate(at + usize::from(hit.is_none()));
                return hit;
            }
            None
        };
        match (piece.kind, word) {
            (PieceKind::Keyword, "def" | "type" | "import" | "derivative" | "test") => open.clear(),
            (PieceKind::Bracket, "(") => open.push(Open::Bracket(")")),
            (PieceKind::Bracket, "[") => open.push(Open::Bracket("]")),
            (PieceKind::Bracket, "{") if open.last() == Some(&Open::Match) => {
                open.pop();
                open.push(Open::Arms);
            }
            (PieceKind::Bracket, "{") => open.push(Open::Bracket("}")),
            (PieceKind::Bracket, _) => {
                let bracket = open.iter().rposition(|o| matches!(o, Open::Bracket(_) | Open::Arms));
                open.truncate(bracket.unwrap_or(0));
            }
            (PieceKind::Keyword, "let") => {
                // The binding before it is over.
                until(&mut open, &[Open::Let]);
                open.push(Open::Let);
            }
            (PieceKind::Keyword, "in") if !matches!(open.last(), Some(Open::For | Open::LoopHead)) => {
                until(&mut open, &[Open::Let]);
            }
            (PieceKind::Keyword, "if") => open.push(Open::If),
            (PieceKind::Keyword, "then") => {
                until(&mut open, &[Open::If]);
                open.push(Open::Then);
            }
            (PieceKind::Keyword, "else") => drop(until(&mut open, &[Open::Then])),
            (PieceKind::Keyword, "loop") => open.push(Open::Loop),
            (PieceKind::Keyword, "for" | "while") if open.contains(&Open::Loop) => {
                // Inside the start value of a `loop` a `for` in brackets is separate.
                match until(&mut open, &[Open::Loop]) {
                    Some(_) => open.push(Open::LoopHead),
                    None => open.push(Open::For),
                }
            }
            (PieceKind::Keyword, "for") => open.push(Open::For),
            (PieceKind::Keyword, "do") => drop(until(&mut open, &[Open::LoopHead])),
            (PieceKind::Keyword, "match") => open.push(Open::Match),
            (PieceKind::Operator, "\\") => open.push(Open::Lambda),
            (PieceKind::Punctuation, "=>") if matches!(open.last(), Some(Open::For | Open::Lambda)) => {
                open.pop();
            }
            _ => {}
        }
    }
    open.iter().rev().map(|o| close(*o)).collect()
}

fn close(open: Open) -> &'static str {
    match open {
        Open::Bracket(closer) => closer,
        Open::Arms => "}",
        Open::Let => " in 0",
        Open::If => " then 0 else 0",
        Open::Then => " else 0",
        Open::For | Open::Lambda => " => 0",
        Open::Loop => " for i < 0 do 0",
        Open::LoopHead => " do 0",
        Open::Match => " { _ => 0 }",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_texts_become_readable() {
        for text in [
            "def f(x: f64) -> f64 = |",
            "def f(x: f64) -> f64 = x + |",
            "def f(x: f64) -> f64 = sum(x, |",
            "def f(x: f64) -> f64 = let y = x let z = |",
            "def f(x: f64) -> f64 = let y = x in |",
            "def f(x: f64) -> f64 = let y = (x + |\n\ndef g() = 1",
            "def f(x: f64) -> f64 = if x > |",
            "def f(x: f64) -> f64 = if x > 0.0 then | \ndef g() = 1",
            "def f(x: f64) -> f64 = if x > 0.0 then [x, { a = |",
            "def f(x: [n]f64) -> f64 = sum(for i => x[|",
            "def f(x: [n]f64) -> f64 = for i < |",
            "def f(x: [n]f64) -> f64 = for y in |",
            "def f(x: [n]f64) -> f64 = loop s = 0.0 for i < n do s + |",
            "def f(x: [n]f64) -> f64 = loop s = |",
            "def f(x: [n]f64) -> f64 = loop s = 0.0 while |",
            "def f(s: S) -> f64 = match s { A(x) => |",
            "def f(s: S) -> f64 = match |",
            "def f(s: S) -> f64 = map(\\x => x + |",
            "def f(r: R) -> f64 = r.|",
            "def f(r: R) -> f64 = sum(r.|\ndef g() = 1",
            "def f(r: |",
            "def f(r: [n]f64) -> |",
            "import stats\ndef f() = stats.|",
            "def f(x: stats.|",
            "test \"a\" = |",
        ] {
            let start = text.find('|').unwrap_or(0);
            let plain = text.replacen('|', "", 1);
            let text = repaired("a.arr", &plain, start, start);
            assert!(text.is_some(), "{plain}");
            // The text typed before is kept.
            assert!(text.is_some_and(|t| t.starts_with(plain.get(..start).unwrap_or("?"))));
        }
    }
}
