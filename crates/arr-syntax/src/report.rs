//! From the parser's errors to diagnostics.

use crate::build_tree::{GrammarError, Recovered};
use crate::expected::Expected;
use crate::hints::{ErrorContext, hint};
use crate::token::{Spanned, Tok};
use arr_base::{Code, Diagnostic, SourceId, Span};
use lalrpop_util::ParseError;

/// The tokens that were parsed together, and their surroundings.
pub struct Piece<'a, 's> {
    pub file: SourceId,
    pub text: &'s str,
    pub tokens: &'a [Spanned<'s>],
    /// The token that begins the next item.
    pub next: Option<Spanned<'s>>,
    /// "definition", "type", "import", "derivative", "test" or "expression".
    pub what: &'static str,
}

impl<'s> Piece<'_, 's> {
    /// The errors that the parser recovered from, up to the first after which it may be out of step: skipping text with
    /// unbalanced brackets leaves the rest to be read at the wrong depth. What was found in that rest is dropped, too.
    pub fn recovered(&self, errors: &[Recovered<'s>], out: &mut Vec<Diagnostic>) -> bool {
        let mut made = Vec::new();
        let mut on_track = true;
        for recovered in errors {
            made.extend(self.error(&recovered.error));
            if !self.balanced(recovered.start, recovered.end) {
                out.retain(|found| found.primary_span().is_none_or(|span| span.start < recovered.end));
                on_track = false;
                break;
            }
        }
        out.append(&mut made);
        on_track
    }

    /// Whether the brackets between two offsets pair up.
    fn balanced(&self, start: u32, end: u32) -> bool {
        let mut open = Vec::new();
        for &(l, token, r) in self.tokens.get(self.index(start)..).unwrap_or(&[]) {
            if r > end || l < start {
                break;
            }
            if let Some(closer) = token.closer() {
                open.push(closer);
            } else if token.is_closer() && open.pop() != Some(token) {
                return false;
            }
        }
        open.is_empty()
    }

    /// The diagnostic for one error, unless the lexer has already reported it.
    pub fn error(&self, error: &GrammarError<'s>) -> Option<Diagnostic> {
        let nothing = Vec::new();
        match error {
            ParseError::UnrecognizedToken { token, expected } => self.token(*token, expected),
            ParseError::ExtraToken { token } => self.token(*token, &nothing),
            ParseError::UnrecognizedEof { expected, .. } => Some(self.end(expected)),
            ParseError::InvalidToken { .. } => None,
            ParseError::User { error } => match *error {},
        }
    }

    fn token(&self, (start, token, end): Spanned<'s>, expected: &[String]) -> Option<Diagnostic> {
        if matches!(token, Tok::Bad | Tok::BadNumber) {
            return None;
        }
        let expected = Expected::new(expected);
        let index = self.index(start);
        let shown = self.shown(start, end);
        let mut diagnostic = Diagnostic::error(Code::UNEXPECTED_TOKEN, format!("unexpected `{shown}`"));
        let open = self.innermost_open(index);
        let stray = token.is_closer() && open.is_none();
        let label = match expected.label() {
            _ if stray => "no bracket is open here".to_string(),
            label if label.is_empty() => format!("expected the end of the {}", self.what),
            label => label,
        };
        diagnostic = diagnostic.at(self.span(start, end), label);
        if let Some((at, bracket, to)) = open
            && bracket.closer() != Some(token)
            && (token.is_closer() || self.line_between(to, start))
        {
            let shown = self.shown(at, to);
            diagnostic = diagnostic.because(self.span(at, to), format!("this `{shown}` is still open"));
        }
        Some(diagnostic.hint_opt(hint(&self.place(Some((start, token, end)), index, &expected))))
    }

    fn end(&self, expected: &[String]) -> Diagnostic {
        let expected = Expected::new(expected);
        let end = self.tokens.last().map_or(0, |t| t.2);
        let title = match (self.next, self.what) {
            (_, "expression") => "unexpected end of the expression".to_string(),
            (Some(_), what) => format!("unexpected end of the {what}"),
            (None, _) => "unexpected end of file".to_string(),
        };
        let mut diagnostic = Diagnostic::error(Code::UNEXPECTED_END, title).at(self.span(end, end), expected.label());
        if let Some((at, _, to)) = self.innermost_open(self.tokens.len()) {
            let shown = self.shown(at, to);
            diagnostic = diagnostic.because(self.span(at, to), format!("this `{shown}` is not closed"));
        }
        if let Some((at, _, to)) = self.next {
            diagnostic = diagnostic.because(self.span(at, to), "the next item begins here");
        }
        let closer = self.innermost_open(self.tokens.len()).and_then(|t| t.1.closer());
        let close = closer.and_then(|closer| match closer {
            Tok::RParen => Some("close it with `)`"),
            Tok::RBracket => Some("close it with `]`"),
            Tok::RBrace => Some("close it with `}`"),
            _ => None,
        });
        let hint = hint(&self.place(None, self.tokens.len(), &expected));
        diagnostic.hint_opt(hint.or_else(|| close.map(str::to_string)))
    }

    fn place<'b>(&'b self, token: Option<Spanned<'s>>, index: usize, expected: &'b Expected) -> ErrorContext<'b, 's> {
        let before = index.checked_sub(1).and_then(|i| self.tokens.get(i)).copied();
        let start = token.map_or(0, |t| t.0);
        let line_start = self.text.get(..start as usize).and_then(|s| s.rfind('\n')).map_or(0, |p| p + 1);
        ErrorContext {
            before: before.map(|t| t.1),
            after_number: index.checked_sub(2).and_then(|i| self.tokens.get(i)).is_some_and(|t| t.1.is_number()),
            token: token.map(|t| t.1),
            after: self.tokens.get(index + 1).map(|t| t.1),
            text: token.map_or("", |t| self.slice(t.0, t.2)),
            before_text: before.map_or("", |t| self.slice(t.0, t.2)),
            new_line: before.is_some_and(|t| self.line_between(t.2, start)),
            at_margin: line_start == start as usize,
            before_begins_line: before.is_some_and(|t| self.begins_line(t.0)),
            in_head: self.what == "definition" && self.tokens.iter().take(index).all(|t| t.1 != Tok::Assign),
            after_arrow: self.tokens.iter().take(index).any(|t| t.1 == Tok::Arrow),
            earlier: self.tokens.get(..index).unwrap_or(self.tokens),
            open: self.innermost_open(index).map(|t| t.1),
            in_test: self.what == "test",
            expected,
        }
    }

    /// Whether only white space stands before an offset on its line.
    fn begins_line(&self, offset: u32) -> bool {
        let before = self.text.get(..offset as usize).unwrap_or("");
        before.rsplit('\n').next().is_none_or(|line| line.trim().is_empty())
    }

    /// The bracket that is open just before the token at `index`.
    fn innermost_open(&self, index: usize) -> Option<Spanned<'s>> {
        let mut open: Vec<Spanned<'s>> = Vec::new();
        for &token in self.tokens.get(..index).unwrap_or(self.tokens) {
            if token.1.closer().is_some() {
                open.push(token);
            } else if open.last().is_some_and(|t| t.1.closer() == Some(token.1)) {
                open.pop();
            }
        }
        open.pop()
    }

    /// The index of the first token at or after an offset.
    fn index(&self, offset: u32) -> usize {
        self.tokens.partition_point(|t| t.0 < offset)
    }

    fn line_between(&self, from: u32, to: u32) -> bool {
        self.slice(from, to).contains('\n')
    }

    fn slice(&self, start: u32, end: u32) -> &'s str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    /// A token's text, cut where it would fill the message.
    fn shown(&self, start: u32, end: u32) -> String {
        let text = self.slice(start, end);
        match text.char_indices().nth(40) {
            Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or("")),
            None => text.to_string(),
        }
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { file: self.file, start, end }
    }
}
