//! A text divided into the pieces that an editor distinguishes: keywords, names, numbers, comments and so on.

use crate::lexer::lex;
use crate::token::Tok;
use arr_base::{Id, SourceId};
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PieceKind {
    Keyword,
    Name,
    Number,
    /// With its quotation marks.
    Text,
    Comment,
    /// `--| ...`
    Doc,
    Operator,
    Bracket,
    /// `, . : = => -> |`
    Punctuation,
    Unreadable,
}

/// A token or a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Piece {
    pub kind: PieceKind,
    /// Bytes of the text.
    pub range: Range<usize>,
}

/// The reserved words, in alphabetical order.
pub const KEYWORDS: &[&str] = &[
    "and", "def", "do", "else", "false", "for", "if", "import", "in", "let", "loop", "match", "not", "or", "then",
    "true", "type", "while", "with",
];

/// All tokens and comments of a text, in order.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut end = 0;
    for (start, token, token_end) in lex(SourceId::from_index(0), text).tokens {
        let range = start as usize..token_end as usize;
        comments(text, end..range.start, &mut out);
        end = range.end;
        out.push(Piece { kind: kind(token), range });
    }
    comments(text, end..text.len(), &mut out);
    out
}

fn kind(token: Tok) -> PieceKind {
    match token {
        Tok::Derivative | Tok::Test | Tok::Gradient | Tok::Within | Tok::As => PieceKind::Keyword,
        Tok::And | Tok::Or | Tok::Not => PieceKind::Keyword,
        Tok::Underscore => PieceKind::Name,
        Tok::Ident(_) | Tok::Computed(_) => PieceKind::Name,
        Tok::Number(_) | Tok::BadNumber => PieceKind::Number,
        Tok::Str(_) => PieceKind::Text,
        Tok::Doc(_) => PieceKind::Doc,
        Tok::Bad => PieceKind::Unreadable,
        token if token.is_keyword() => PieceKind::Keyword,
        token if token.closer().is_some() || token.is_closer() => PieceKind::Bracket,
        Tok::Comma | Tok::Dot | Tok::Colon | Tok::Assign | Tok::FatArrow | Tok::Arrow | Tok::Bar => {
            PieceKind::Punctuation
        }
        _ => PieceKind::Operator,
    }
}

/// The comments between two tokens.
fn comments(text: &str, gap: Range<usize>, out: &mut Vec<Piece>) {
    let mut at = gap.start;
    for line in text.get(gap).unwrap_or("").split_inclusive('\n') {
        if let Some(dashes) = line.find("--") {
            let range = at + dashes..at + line.trim_end().len();
            out.push(Piece { kind: PieceKind::Comment, range });
        }
        at += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind() {
        let text = "--| doc é\ndef f(x: [n]f64) = -1.5 * x -- why\nimport \"a\" as b $";
        let shown: Vec<(PieceKind, &str)> =
            pieces(text).into_iter().map(|p| (p.kind, text.get(p.range).unwrap_or("?"))).collect();
        use PieceKind::*;
        let expected = [
            (Doc, "--| doc é"),
            (Keyword, "def"),
            (Name, "f"),
            (Bracket, "("),
            (Name, "x"),
            (Punctuation, ":"),
            (Bracket, "["),
            (Name, "n"),
            (Bracket, "]"),
            (Name, "f64"),
            (Bracket, ")"),
            (Punctuation, "="),
            (Operator, "-"),
            (Number, "1.5"),
            (Operator, "*"),
            (Name, "x"),
            (Comment, "-- why"),
            (Keyword, "import"),
            (Text, "\"a\""),
            (Keyword, "as"),
            (Name, "b"),
            (Unreadable, "$"),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn keywords_are_no_names() {
        assert!(KEYWORDS.iter().all(|word| !crate::is_name(word)));
        assert!(KEYWORDS.iter().all(|word| pieces(word).first().is_some_and(|p| p.kind == PieceKind::Keyword)));
    }
}
