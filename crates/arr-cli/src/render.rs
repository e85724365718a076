//! Diagnostics drawn for a terminal.

use crate::{long_lines, output};
use arr_base::{Diagnostic, Label, Severity, SourceMap};
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceSpan, SpanContents,
};
use std::fmt;
use std::ops::Range;

/// The maximal number of diagnostics shown.
const SHOWN: usize = 20;
const WIDTH: usize = 100;

/// The style of the drawing, for readers of standard error.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub colors: bool,
    pub width: usize,
}

impl Look {
    pub fn of_stderr() -> Look {
        let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(WIDTH, |(w, _)| usize::from(w.0));
        Look { colors: output::stderr_colors(), width: width.max(40) }
    }
}

/// All diagnostics, in the order given, the first ones in full.
pub fn diagnostics(list: &[Diagnostic], sources: &SourceMap, look: Look) -> String {
    let mut text = String::new();
    for d in list.iter().take(SHOWN) {
        text.push_str(&diagnostic(d, sources, look));
        text.push('\n');
    }
    if list.len() > SHOWN {
        text.push_str(&format!("and {} more\n", list.len() - SHOWN));
    }
    text
}

fn diagnostic(d: &Diagnostic, sources: &SourceMap, look: Look) -> String {
    let theme = if look.colors { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler =
        GraphicalReportHandler::new_themed(theme).with_width(look.width).with_links(false).with_context_lines(1);
    let mut text = String::new();
    let drawing = Drawing::new(d, sources);
    if handler.render_report(&mut text, &drawing).is_err() || text.is_empty() {
        text = format!("{}\n\n  {}\n", d.code, drawing.title);
    }
    for (word, lines) in trailers(d, sources) {
        text.push_str(&trailer(word, &lines, look));
    }
    // A blank first line, which the drawing has for some diagnostics only.
    text.trim_start_matches('\n').to_string()
}

/// The text after the drawing: expected and found, notes, help.
fn trailers(d: &Diagnostic, sources: &SourceMap) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some((expected, found)) = &d.expected_found {
        lines.push(("expected", expected.clone()));
        lines.push(("found", found.clone()));
    }
    // Labels in files other than the drawn one.
    let shown = d.primary_span().map(|s| s.file);
    for label in d.labels.iter().filter(|l| Some(l.span.file) != shown) {
        if let Some(file) = sources.get(label.span.file) {
            let (line, column) = file.line_column(label.span.start as usize);
            lines.push(("note", format!("{}:{line}:{column}: {}", file.name, label.text)));
        }
    }
    lines.extend(d.notes.iter().map(|note| ("note", note.clone())));
    lines.extend(d.hint.iter().map(|hint| ("help", hint.clone())));
    lines
}

fn trailer(word: &str, text: &str, look: Look) -> String {
    let head = format!("{word:>10}: ");
    let indent = " ".repeat(head.len());
    let body = wrap(&printable(text), look.width.saturating_sub(head.len()));
    let head = if look.colors { format!("\u{1b}[36m{head}\u{1b}[0m") } else { head };
    let mut out = String::new();
    for (i, line) in body.iter().enumerate() {
        out.push_str(if i == 0 { &head } else { &indent });
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Lines of at most `width` characters, broken at spaces; existing lines are kept.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for given in text.split('\n') {
        let mut line = String::new();
        let mut columns = 0;
        for word in given.split(' ') {
            let len = word.chars().count();
            if columns > 0 && columns + 1 + len > width {
                lines.push(std::mem::take(&mut line));
                columns = 0;
            }
            if columns > 0 {
                line.push(' ');
                columns += 1;
            }
            line.push_str(word);
            columns += len;
        }
        lines.push(line);
    }
    lines
}

/// The text without control characters that would affect a terminal, with the same number of bytes, so that spans still
/// fit.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let kept = match c {
            '\n' | '\t' => c,
            '\r' if chars.peek() == Some(&'\n') => c,
            _ if c.is_control() || is_direction(c) => match c.len_utf8() {
                1 => '?',
                2 => '\u{bf}',
                _ => '\u{fffd}',
            },
            _ => c,
        };
        out.push(kept);
    }
    out
}

/// Characters that reorder the text around them.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A diagnostic in miette's form.
struct Drawing<'a> {
    diagnostic: &'a Diagnostic,
    title: String,
    source: Option<Snippets>,
    labels: Vec<LabeledSpan>,
}

impl<'a> Drawing<'a> {
    fn new(d: &'a Diagnostic, sources: &SourceMap) -> Self {
        let file = d.primary_span().and_then(|s| Some((s.file, sources.get(s.file)?)));
        let text = file.map_or("", |(_, f)| &f.text);
        let labels = d.labels.iter().filter(|l| file.is_some_and(|(id, _)| l.span.file == id));
        let labels: Vec<&Label> = labels.collect();
        let marks: Vec<Range<usize>> =
            labels.iter().map(|l| clip(text, l.span.start as usize, l.span.end as usize)).collect();
        let (mut shown, shown_marks) = match long_lines::shorten(&printable(text), &marks) {
            Some(short) => (short.text, short.marks),
            None => (printable(text), marks.clone()),
        };
        // A label behind the last character needs a line to be drawn on.
        if shown_marks.iter().any(|mark| mark.start >= shown.len()) {
            shown.push('\n');
        }
        let columns = shown_marks.iter().zip(&marks).map(|(short, mark)| (short.start, column(text, mark.start)));
        let columns = columns.collect();
        let labels = labels.iter().zip(&shown_marks).map(|(l, mark)| {
            let span = SourceSpan::new(mark.start.into(), mark.len());
            let words = Some(printable(&l.text)).filter(|t| !t.is_empty());
            if l.primary {
                LabeledSpan::new_primary_with_span(words, span)
            } else {
                LabeledSpan::new_with_span(words, span)
            }
        });
        let labels = labels.collect();
        Drawing {
            diagnostic: d,
            title: printable(&d.title),
            labels,
            source: file.map(|(_, f)| Snippets { name: printable(&f.name), text: shown, columns }),
        }
    }
}

/// A source whose snippets know their line numbers. The text's own implementation counts from the beginning of the
/// text, which would join distant places into one snippet, with everything in between.
struct Snippets {
    name: String,
    text: String,
    /// The starts of labels, and their columns in the uncut text.
    columns: Vec<(usize, usize)>,
}

impl miette::SourceCode for Snippets {
    fn read_span<'b>(
        &'b self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'b> + 'b>, MietteError> {
        let contents = self.text.read_span(span, before, after)?;
        let (data, line) = (contents.data(), contents.line());
        // Without context, it is for the position in the heading.
        let known = self.columns.iter().find(|(at, _)| before == 0 && after == 0 && *at == span.offset());
        let column = known.map_or(contents.column(), |(_, column)| *column);
        let lines = data.iter().filter(|&&b| b == b'\n').count();
        Ok(Box::new(MietteSpanContents::new_named(self.name.clone(), data, *contents.span(), line, column, lines)))
    }
}

/// The column of a place, from 0, in characters.
fn column(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    before.rsplit('\n').next().map_or(0, |line| line.chars().count())
}

/// A range inside the text that splits no character.
fn clip(text: &str, start: usize, end: usize) -> Range<usize> {
    let start = text.floor_char_boundary(start.min(text.len()));
    let end = text.ceil_char_boundary(end.clamp(start, text.len()));
    start..end
}

impl fmt::Display for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.title)
    }
}

impl fmt::Debug for Drawing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Drawing<'_> {}

impl miette::Diagnostic for Drawing<'_> {
    fn code<'b>(&'b self) -> Option<Box<dyn fmt::Display + 'b>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.source.as_ref().map(|s| s as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_keep_their_length() {
        let text = "a\u{1b}[31m\u{9b}b\u{202e}\tc\r\nd\re";
        let shown = printable(text);
        assert_eq!(shown.len(), text.len());
        assert_eq!(shown, "a?[31m\u{bf}b\u{fffd}\tc\r\nd?e");
    }

    #[test]
    fn spans_outside_the_text_are_clipped() {
        assert_eq!(clip("aé", 2, 9), 1..3);
        assert_eq!(clip("", 5, 2), 0..0);
    }

    #[test]
    fn words_wrap_at_spaces() {
        assert_eq!(wrap("aa bb cc\ndd", 5), ["aa bb", "cc", "dd"]);
    }
}
