//! Merges the comments and empty lines of its source into a printed document.
//!
//! The printer makes a document from the tree alone. Its words are those of the source in the same order, except that
//! parentheses, commas and the like may be fewer or more. So the two token sequences are aligned, and each comment goes
//! to a line break of the document near its place:
//!
//! - at the end of a line: to the next break, which is then broken. Tokens up to there move before the comment.
//! - on a line of its own: to the last break before the token that follows.
//!
//! The order of comments is kept, so a comment never precedes one that was placed already. Formatting again finds each
//! comment at its break and leaves it there.

use crate::doc::{Doc, Docs, Leaf, Placed, Slot};
use crate::token::Tok;
use crate::trivia::{Comment, Source, Token};
use logos::Logos;
use std::collections::HashMap;
use std::ops::Range;

/// Comments that found no line break.
pub struct Loose<'s> {
    /// Comments that must not stand after the document.
    pub before: Vec<Comment<'s>>,
    pub after: Vec<Comment<'s>>,
}

/// Attaches comments among `tokens`, and the empty lines between these, to the line breaks of a document.
pub fn weave<'s>(
    docs: &mut Docs,
    doc: Doc,
    source: &Source<'s>,
    tokens: Range<usize>,
    comments: &[Comment<'s>],
) -> Loose<'s> {
    let own = source.tokens.get(tokens.clone()).unwrap_or(&[]);
    let (slots, loose) = {
        let leaves = docs.leaves(doc);
        let mut weaver = Weaver::new(&leaves, own);
        weaver.blank_lines(own);
        for comment in comments {
            let next = comment.next.saturating_sub(tokens.start);
            // A comma that begins a line will end the line before.
            let comma = comment.own_line && own.get(next).is_some_and(|token| token.text == ",");
            weaver.place(comment, next + usize::from(comma));
        }
        weaver.finish()
    };
    docs.set_slots(slots);
    loose
}

struct Weaver<'s> {
    /// The line breaks in order, each with its position among the leaves.
    lines: Vec<(usize, Doc, bool)>,
    /// For each token of the source, its position among the leaves.
    places: Vec<Option<usize>>,
    slots: HashMap<Doc, Slot>,
    /// The first line break that may still be used.
    floor: usize,
    loose: Vec<Comment<'s>>,
}

impl<'s> Weaver<'s> {
    fn new(leaves: &[Leaf], source: &[Token]) -> Self {
        let (mut lines, mut printed) = (Vec::new(), Vec::new());
        for (place, leaf) in leaves.iter().enumerate() {
            match *leaf {
                Leaf::Line(doc, line) => lines.push((place, doc, line.spaced)),
                Leaf::Text(text) => {
                    let words = Tok::lexer(text).spanned().filter_map(|(_, range)| text.get(range));
                    printed.extend(words.map(|word| (word, place)));
                }
            }
        }
        let places = align(source, &printed);
        Self { lines, places, slots: HashMap::new(), floor: 0, loose: Vec::new() }
    }

    /// Keeps the empty lines above the tokens that begin a line.
    fn blank_lines(&mut self, source: &[Token]) {
        let mut before = None;
        let mut blank = false;
        for (token, place) in source.iter().zip(&self.places) {
            blank |= token.after_blank;
            let Some(place) = *place else { continue };
            let line =
                self.lines.partition_point(|&(at, ..)| at < place).checked_sub(1).and_then(|i| self.lines.get(i));
            if let (true, Some(&(at, doc, true))) = (blank, line)
                && before.is_some_and(|before| before < at)
            {
                self.slots.entry(doc).or_default().blank = true;
            }
            before = Some(place);
            blank = false;
        }
    }

    /// Places a comment before the token `next`.
    fn place(&mut self, comment: &Comment<'s>, next: usize) {
        let found = |places: &[Option<usize>], backwards: bool| match backwards {
            true => places.iter().rev().find_map(|&place| place),
            false => places.iter().find_map(|&place| place),
        };
        let before = self.places.get(..next).and_then(|places| found(places, true));
        let after = self.places.get(next..).and_then(|places| found(places, false)).unwrap_or(usize::MAX);
        // The breaks between the two tokens are `low..high`.
        let low = before.map_or(0, |before| self.lines.partition_point(|&(at, ..)| at < before));
        let high = self.lines.partition_point(|&(at, ..)| at < after);
        let wanted = if comment.own_line { high.checked_sub(1).filter(|&i| i >= self.floor) } else { None };
        let chosen = wanted.unwrap_or(low.max(self.floor));
        self.floor = chosen;
        match self.lines.get(chosen) {
            Some(&(_, doc, spaced)) => {
                let slot = self.slots.entry(doc).or_default();
                slot.comments.push(placed(comment, spaced || !slot.comments.is_empty()));
            }
            None => self.loose.push(*comment),
        }
    }

    /// A comment that begins like documentation would document the next item if it stood after this one. Such a comment,
    /// with those before it, goes to the last line break, or else before the item.
    fn finish(mut self) -> (HashMap<Doc, Slot>, Loose<'s>) {
        let inside = self.loose.iter().rposition(Comment::is_doc).map_or(0, |last| last + 1);
        let after = self.loose.split_off(inside);
        let mut before = self.loose;
        if let Some(&(_, doc, spaced)) = self.lines.last() {
            let slot = self.slots.entry(doc).or_default();
            for comment in before.drain(..) {
                slot.comments.push(placed(&comment, spaced || !slot.comments.is_empty()));
            }
        }
        (self.slots, Loose { before, after })
    }
}

fn placed(comment: &Comment, blank: bool) -> Placed {
    Placed { text: comment.text.to_string(), own_line: comment.own_line, blank: blank && comment.after_blank }
}

/// Words and numbers, which a document has as often as its source. `in` may be dropped between two `let`s.
fn is_anchor(word: &str) -> bool {
    word != "in" && word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"')
}

/// The position of each token of the source among the leaves of the document, in order.
fn align(source: &[Token], printed: &[(&str, usize)]) -> Vec<Option<usize>> {
    let mut places = Vec::with_capacity(source.len());
    let mut rest = printed;
    for gap in source.split_inclusive(|token| is_anchor(token.text)) {
        let (anchor, marks) = match gap.split_last() {
            Some((last, marks)) if is_anchor(last.text) => (Some(last), marks),
            _ => (None, gap),
        };
        let end = rest.iter().position(|(word, _)| is_anchor(word)).unwrap_or(rest.len());
        let (mut between, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        for mark in marks {
            let found = between.iter().position(|(word, _)| *word == mark.text);
            places.push(found.and_then(|i| between.get(i)).map(|p| p.1));
            between = found.and_then(|i| between.get(i + 1..)).unwrap_or(between);
        }
        if anchor.is_some() {
            places.push(after.first().map(|p| p.1));
        }
        rest = after.get(1..).unwrap_or(&[]);
    }
    places
}
