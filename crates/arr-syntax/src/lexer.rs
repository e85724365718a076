//! Text to tokens, in two passes.
//!
//! The first pass is the `logos` automaton. The second looks at neighbours: it splits `0.1` in `t.0.1` into two
//! projections, validates numbers, and recognises contextual keywords:
//!
//! - `derivative` begins an item exactly where a name and `(` follow it and it is not the name of an import. No
//!   expression puts two names side by side, so `derivative` stays an ordinary name everywhere else.
//! - `test` begins an item where a name in quotes follows, and `gradient` and `within` are keywords behind that name.
//! - `as` is a keyword only after the name or path of an import.
//!
//! The lexer does not fail: unreadable text is reported separately and stays in the list as [`Tok::Bad`] or
//! [`Tok::BadNumber`].

use crate::number;
use crate::token::{Meant, Spanned, Tok};
use arr_base::{Code, Diagnostic, SourceId, Span};
use logos::Logos;

/// The tokens of a text, and its errors.
pub struct Lexed<'s> {
    pub tokens: Vec<Spanned<'s>>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a whole text.
pub fn lex(file: SourceId, text: &str) -> Lexed<'_> {
    let mut lexer = Lexer { file, text, out: Lexed { tokens: Vec::new(), diagnostics: Vec::new() } };
    let raw = lexer.scan();
    for (index, &token) in raw.iter().enumerate() {
        lexer.place(&raw, index, token);
    }
    lexer.out
}

/// Whether a text is a name, and not a keyword.
pub fn is_name(text: &str) -> bool {
    let mut tokens = Tok::lexer(text);
    matches!((tokens.next(), tokens.next()), (Some(Ok(Tok::Ident(name))), None) if name == text)
}

struct Lexer<'s> {
    file: SourceId,
    text: &'s str,
    out: Lexed<'s>,
}

impl<'s> Lexer<'s> {
    /// The first pass. A run of characters that begin no token becomes one bad token.
    fn scan(&mut self) -> Vec<Spanned<'s>> {
        let mut tokens: Vec<Spanned<'s>> = Vec::new();
        let text = self.text;
        for (token, range) in Tok::lexer(text).spanned() {
            let (start, end) = (offset(range.start), offset(range.end));
            match (token, tokens.last_mut()) {
                (Err(()), Some((_, Tok::Bad, bad_end))) if *bad_end == start => *bad_end = end,
                (token, _) => tokens.push((start, token.unwrap_or(Tok::Bad), end)),
            }
        }
        for &(start, token, end) in &tokens {
            if token == Tok::Bad {
                self.report_unknown(start, end);
            }
        }
        tokens
    }

    /// The second pass for one token.
    fn place(&mut self, raw: &[Spanned<'s>], index: usize, (start, token, end): Spanned<'s>) {
        let at = |i: usize| raw.get(i).map(|t| t.1);
        let before = |n: usize| index.checked_sub(n).and_then(at);
        let token = match token {
            Tok::Number(text) if before(1) == Some(Tok::Dot) => return self.projection(start, text, end),
            Tok::Number(text) => {
                let negated = before(1) == Some(Tok::Minus) && !before(2).is_some_and(Tok::ends_expression);
                self.number(start, text, end, negated)
            }
            Tok::Ident("derivative") => match (before(1), at(index + 1), at(index + 2)) {
                (Some(Tok::Import), ..) => token,
                (_, Some(Tok::Ident(_)), Some(Tok::LParen)) => Tok::Derivative,
                _ => token,
            },
            Tok::Ident("test") => match (before(1), at(index + 1)) {
                (Some(Tok::Import), _) => token,
                (_, Some(Tok::Str(_))) => Tok::Test,
                _ => token,
            },
            Tok::Ident("gradient") => match (before(2), before(1)) {
                (Some(Tok::Ident("test")), Some(Tok::Str(_))) => Tok::Gradient,
                _ => token,
            },
            Tok::Ident("within") => match (before(3), before(2), before(1)) {
                (_, Some(Tok::Ident("test")), Some(Tok::Str(_))) => Tok::Within,
                (Some(Tok::Ident("test")), Some(Tok::Str(_)), Some(Tok::Ident("gradient"))) => Tok::Within,
                _ => token,
            },
            Tok::Ident("as") => match (before(2), before(1)) {
                (Some(Tok::Import), Some(Tok::Ident(_) | Tok::Str(_))) => Tok::As,
                _ => token,
            },
            Tok::Foreign(meant) => self.foreign(start, meant, end),
            token => token,
        };
        self.out.tokens.push((start, token, end));
    }

    /// `0.1` after a point is two projections: the tokens `0`, `.`, `1`.
    fn projection(&mut self, start: u32, text: &'s str, end: u32) {
        let all_digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
        match text.split_once('.') {
            Some((first, second)) if all_digits(first) && all_digits(second) => {
                let point = start + offset(first.len());
                self.out.tokens.push((start, Tok::Number(first), point));
                self.out.tokens.push((point, Tok::Dot, point + 1));
                self.out.tokens.push((point + 1, Tok::Number(second), end));
            }
            _ => self.out.tokens.push((start, Tok::Number(text), end)),
        }
    }

    fn number(&mut self, start: u32, text: &'s str, end: u32, negated: bool) -> Tok<'s> {
        match number::judge(text, negated) {
            Ok(()) => Tok::Number(text),
            Err(bad) => {
                let diagnostic =
                    Diagnostic::error(Code::BAD_NUMBER, bad.title).at(self.span(start, end), "this number");
                self.out.diagnostics.push(diagnostic.hint_opt(bad.hint));
                Tok::BadNumber
            }
        }
    }

    /// An operator of another language: reported once, and read as the intended one.
    fn foreign(&mut self, start: u32, meant: Meant, end: u32) -> Tok<'s> {
        let (token, ours) = match meant {
            Meant::And => (Tok::And, "and"),
            Meant::Or => (Tok::Or, "or"),
            Meant::Not => (Tok::Not, "not"),
        };
        let theirs = self.slice(start, end);
        let diagnostic = Diagnostic::error(Code::UNEXPECTED_TOKEN, format!("unexpected `{theirs}`"))
            .at(self.span(start, end), "no operator of Arr")
            .hint(format!("write `{ours}`"))
            .fix(self.span(start, end), ours);
        self.out.diagnostics.push(diagnostic);
        token
    }

    fn report_unknown(&mut self, start: u32, end: u32) {
        let run = self.slice(start, end);
        let plural = if run.chars().count() > 1 { "characters" } else { "character" };
        let visible = |c: char| if c.is_control() { c.escape_unicode().to_string() } else { c.to_string() };
        let shown: String = run.chars().take(20).map(visible).collect();
        let title = match run.starts_with('"') {
            true => "a `\"` is not closed on its line".to_string(),
            false => format!("unknown {plural} `{shown}`"),
        };
        let diagnostic = Diagnostic::error(Code::UNKNOWN_CHARACTER, title)
            .at(self.span(start, end), "no token begins so")
            .hint_opt(self.unknown_hint(run).map(str::to_string));
        self.out.diagnostics.push(diagnostic);
    }

    fn unknown_hint(&self, run: &str) -> Option<&'static str> {
        match run.chars().next()? {
            ';' if self.in_array() => Some("the rows of a matrix are arrays: `[[1.0, 2.0], [3.0, 4.0]]`"),
            c => unknown_hint(c),
        }
    }

    /// Whether a `[` is open, as far as the last tokens show.
    fn in_array(&self) -> bool {
        const LOOKED_AT: usize = 100;
        let mut closed = 0usize;
        for (_, token, _) in self.out.tokens.iter().rev().take(LOOKED_AT) {
            match token {
                token if token.is_closer() => closed += 1,
                Tok::LBracket if closed == 0 => return true,
                token if token.closer().is_some() => match closed.checked_sub(1) {
                    Some(rest) => closed = rest,
                    None => return false,
                },
                _ => {}
            }
        }
        false
    }

    fn slice(&self, start: u32, end: u32) -> &'s str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { file: self.file, start, end }
    }
}

/// The probable intention behind a character that Arr does not have.
fn unknown_hint(c: char) -> Option<&'static str> {
    Some(match c {
        ';' => "items and `let`s need no `;`",
        '?' => "a choice is written `if c then a else b`",
        '#' => "comments start with `--`",
        '^' => "a power is written `x ** y`",
        '&' => "write `and`",
        '~' => "write `not` for booleans, `-` for numbers, and `!=` where two differ",
        '"' | '\'' | '“' | '”' => "text stands between `\"`s on one line, after `import` and `test` alone",
        '→' => "write `->` in types and `=>` in expressions",
        '⇒' => "write `=>`",
        '≤' => "write `<=`",
        '≥' => "write `>=`",
        '≠' => "write `!=`",
        '√' => "write `sqrt(x)`",
        '∑' => "write `sum(x)`",
        '∞' => "write `math.inf`, after `import math`",
        '∈' => "write `in`",
        '∧' => "write `and`",
        '∨' => "write `or`",
        '¬' => "write `not`",
        '×' | '·' => "write `*`",
        '÷' => "write `/`",
        '−' | '–' => "write the ASCII `-`",
        _ => return None,
    })
}

/// Byte offsets are 32 bits wide, as in [`Span`]; longer texts are truncated only in error positions.
fn offset(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
