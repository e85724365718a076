//! The formatter: a file in the layout of the printer, with its comments and empty lines.

use crate::ast::{Item, Module};
use crate::lexer::lex;
use crate::parse::parse_module;
use crate::printer::{Printer, WIDTH};
use crate::trivia::{Comment, Source};
use crate::weave::weave;
use arr_base::{Diagnostic, SourceId, Span};

/// Formats a file. Its syntax tree stays the same except for spans, its comments stay in their order, and formatting
/// the result again gives the same text.
///
/// Lines are up to 100 columns wide where possible. Where the author ended a line after `=`, `=>`, `then` and the like,
/// or put elements of a list on lines of their own, so does the result; single empty lines are kept. Lines end as the
/// first one of the text does, in `\n` or `\r\n`.
///
/// Deep expressions need a large stack, as everywhere in the compiler.
///
/// # Errors
/// The errors of an unreadable text, in source order.
pub fn format_module(file: SourceId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse_module(file, text);
    if !parsed.diagnostics.is_empty() {
        return Err(parsed.diagnostics);
    }
    let lexed = lex(file, text);
    let source = Source::new(text, &lexed.tokens);
    let out = Formatter { source: &source, comments: &source.comments, out: String::new() }.module(&parsed.module);
    let windows = text.find('\n').is_some_and(|at| text.get(..at).is_some_and(|line| line.ends_with('\r')));
    Ok(if windows { out.replace('\n', "\r\n") } else { out })
}

struct Formatter<'s> {
    source: &'s Source<'s>,
    /// The comments that are not written yet.
    comments: &'s [Comment<'s>],
    out: String,
}

impl<'s> Formatter<'s> {
    fn module(mut self, module: &Module) -> String {
        let starts: Vec<usize> = module.items.iter().map(|item| self.source.index(span(item).start)).collect();
        for (index, (item, &start)) in module.items.iter().zip(&starts).enumerate() {
            let end = starts.get(index + 1).copied().unwrap_or(self.source.tokens.len());
            let leading = self.take(|comment| comment.next <= start);
            self.comments(leading);
            self.item(item, start, end);
        }
        let rest = self.take(|_| true);
        self.comments(rest);
        self.out
    }

    /// Takes comments off the list.
    fn take(&mut self, belongs: impl Fn(&Comment) -> bool) -> &'s [Comment<'s>] {
        let (taken, rest) = self.comments.split_at(self.comments.partition_point(belongs));
        self.comments = rest;
        taken
    }

    /// Writes comments on lines of their own.
    fn comments(&mut self, comments: &[Comment]) {
        for comment in comments {
            self.blank(comment.after_blank);
            self.out.push_str(comment.text);
            self.out.push('\n');
        }
    }

    /// Writes an empty line, but not at the top of the file.
    fn blank(&mut self, wanted: bool) {
        if wanted && !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Writes an item whose tokens are `start..end`.
    fn item(&mut self, item: &Item, start: usize, end: usize) {
        let inside = self.take(|comment| comment.next < end);
        let mut printer = Printer::new(Some(self.source));
        let doc = printer.item(item);
        let loose = weave(&mut printer.docs, doc, self.source, start..end, inside);
        self.comments(&loose.before);
        self.blank(self.source.tokens.get(start).is_some_and(|token| token.after_blank));
        self.out.push_str(&printer.docs.render(doc, WIDTH));
        // A comment like documentation belongs to the next item, wherever it begins.
        let beside = self.take(|comment| comment.next == end && !comment.own_line && !comment.is_doc());
        let end: Vec<Comment> = loose.after.iter().chain(beside).copied().collect();
        let on_line = usize::from(end.first().is_some_and(|comment| !comment.own_line));
        let (first, rest) = end.split_at(on_line);
        for comment in first {
            self.out.push_str("  ");
            self.out.push_str(comment.text);
        }
        self.out.push('\n');
        self.comments(rest);
    }
}

fn span(item: &Item) -> Span {
    match item {
        Item::Def(def) => def.span,
        Item::Type(def) => def.span,
        Item::Import(import) => import.span,
        Item::Derivative(def) => def.span,
        Item::Test(test) => test.def.span,
        Item::Error(span) => *span,
    }
}
