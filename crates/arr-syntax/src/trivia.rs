//! Text that the grammar ignores: comments, empty lines, and the author's line ends.
//!
//! The syntax tree contains none of it. A [`Source`] lists the tokens of a text and the comments between them, each
//! comment with the index of the next token, so that a tree can be printed with its author's comments and line ends.

use crate::token::{Spanned, Tok};
use arr_base::Span;

/// A token, and the layout before it.
#[derive(Clone, Copy, Debug)]
pub struct Token<'s> {
    pub text: &'s str,
    pub start: u32,
    /// It is the first on its line.
    pub starts_line: bool,
    /// An empty line is right above it.
    pub after_blank: bool,
}

/// A comment, from its dashes to the end of its line, without blanks at its end.
#[derive(Clone, Copy, Debug)]
pub struct Comment<'s> {
    pub text: &'s str,
    /// It is alone on its line.
    pub own_line: bool,
    pub after_blank: bool,
    /// The index of the token that follows.
    pub next: usize,
}

impl Comment<'_> {
    /// Whether it may document the item after it.
    pub fn is_doc(&self) -> bool {
        self.text.starts_with("--|")
    }
}

/// A text as tokens and comments.
#[derive(Debug)]
pub struct Source<'s> {
    pub text: &'s str,
    pub tokens: Vec<Token<'s>>,
    pub comments: Vec<Comment<'s>>,
}

impl<'s> Source<'s> {
    /// `tokens` are the lexer's, doc comments among them.
    pub fn new(text: &'s str, tokens: &[Spanned<'s>]) -> Self {
        let mut reader =
            Reader { lines: 1, own_line: true, out: Self { text, tokens: Vec::new(), comments: Vec::new() } };
        let mut end = 0;
        for &(start, token, token_end) in tokens {
            reader.gap(slice(text, end, start));
            match token {
                Tok::Doc(line) => reader.comment(line),
                _ => reader.token(text, start, token_end),
            }
            end = token_end;
        }
        reader.gap(text.get(end as usize..).unwrap_or(""));
        reader.out
    }

    /// The index of the first token that starts at `offset` or after it.
    pub fn index(&self, offset: u32) -> usize {
        self.tokens.partition_point(|token| token.start < offset)
    }

    fn is(&self, index: Option<usize>, text: &str) -> bool {
        index.and_then(|i| self.tokens.get(i)).is_some_and(|token| token.text == text)
    }

    /// Whether the token at `offset` is the first on its line.
    pub fn starts_line(&self, offset: u32) -> bool {
        self.tokens.get(self.index(offset)).is_some_and(|token| token.starts_line)
    }

    /// The same for a value, or parentheses around it.
    pub fn value_starts_line(&self, offset: u32) -> bool {
        let mut index = self.index(offset);
        loop {
            if self.tokens.get(index).is_some_and(|token| token.starts_line) {
                return true;
            }
            match index.checked_sub(1) {
                Some(before) if self.is(Some(before), "(") => index = before,
                _ => return false,
            }
        }
    }

    /// Whether a comment stands on the line of what is before a value, or before parentheses around it.
    pub fn comment_beside(&self, offset: u32) -> bool {
        let mut index = self.index(offset);
        while let Some(before) = index.checked_sub(1).filter(|&before| self.is(Some(before), "(")) {
            index = before;
        }
        let first = self.comments.partition_point(|comment| comment.next < index);
        self.comments.get(first).is_some_and(|comment| comment.next == index && !comment.own_line)
    }

    /// Whether the token before the one at `offset` is the first on its line, skipping parentheses around it: for `else`,
    /// `in` and so on.
    pub fn word_starts_line(&self, offset: u32, word: &str) -> bool {
        let mut index = self.index(offset).checked_sub(1);
        while self.is(index, "(") {
            index = index.and_then(|i| i.checked_sub(1));
        }
        self.is(index, word) && index.and_then(|i| self.tokens.get(i)).is_some_and(|token| token.starts_line)
    }

    /// Whether the operand at `span` stands in parentheses.
    pub fn parenthesized(&self, span: Span) -> bool {
        let after = self.index(span.end);
        self.is(self.index(span.start).checked_sub(1), "(") && self.is(Some(after), ")")
    }

    /// The text at `span`.
    pub fn slice(&self, span: Span) -> &'s str {
        slice(self.text, span.start, span.end)
    }
}

fn slice(text: &str, start: u32, end: u32) -> &str {
    text.get(start as usize..end as usize).unwrap_or("")
}

struct Reader<'s> {
    /// Line ends since the last token or comment.
    lines: u32,
    /// Whether a line ended since the last token.
    own_line: bool,
    out: Source<'s>,
}

impl<'s> Reader<'s> {
    /// Reads the text between two tokens: blanks and comments.
    fn gap(&mut self, text: &'s str) {
        let mut rest = text;
        while let Some(at) = rest.find(['\n', '-']) {
            rest = rest.get(at..).unwrap_or("");
            if let Some(after) = rest.strip_prefix('\n') {
                self.lines += 1;
                self.own_line = true;
                rest = after;
            } else {
                let (comment, after) =
                    rest.split_at_checked(rest.find('\n').unwrap_or(rest.len())).unwrap_or((rest, ""));
                self.comment(comment);
                rest = after;
            }
        }
    }

    fn comment(&mut self, text: &'s str) {
        self.out.comments.push(Comment {
            text: text.trim_end(),
            own_line: self.own_line,
            after_blank: self.lines > 1,
            next: self.out.tokens.len(),
        });
        self.lines = 0;
        self.own_line = false;
    }

    fn token(&mut self, text: &'s str, start: u32, end: u32) {
        self.out.tokens.push(Token {
            text: slice(text, start, end),
            start,
            starts_line: self.lines > 0,
            after_blank: self.lines > 1,
        });
        self.lines = 0;
        self.own_line = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arr_base::{Id, SourceId};

    fn shown(text: &str) -> String {
        let lexed = crate::lexer::lex(SourceId::from_index(0), text);
        let source = Source::new(text, &lexed.tokens);
        let mut out = String::new();
        let mut comments = source.comments.iter().peekable();
        for index in 0..=source.tokens.len() {
            while let Some(c) = comments.next_if(|c| c.next == index) {
                let (own, blank) = (if c.own_line { "!" } else { "" }, if c.after_blank { "_" } else { "" });
                out += &format!("<{blank}{own}{}> ", c.text);
            }
            if let Some(t) = source.tokens.get(index) {
                let (own, blank) = (if t.starts_line { "!" } else { "" }, if t.after_blank { "_" } else { "" });
                out += &format!("{blank}{own}{} ", t.text);
            }
        }
        out
    }

    #[test]
    fn comments_lie_between_tokens() {
        assert_eq!(shown("a - b -- c\n\n--d\n--\n -3.0 --e"), "!a - b <-- c> <_!--d> <!--> !- 3.0 <--e> ");
        assert_eq!(shown("--| a \ndef -- b\r\n\r\n  x"), "<!--| a> !def <-- b> _!x ");
        assert_eq!(shown("\n\n-- a"), "<_!-- a> ");
        assert_eq!(shown("t.0.1"), "!t . 0 . 1 ");
    }
}
