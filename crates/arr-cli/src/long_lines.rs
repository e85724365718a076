//! Long source lines, shortened to the part around a mark. Generated programs may have a line of a megabyte, which
//! would bury the message; and the drawing library cannot count beyond 65,535 columns.

use std::ops::Range;

/// Longer lines are cut.
const LONG: usize = 400;
/// Bytes kept in front of the first mark on a cut line.
const BEFORE: usize = 60;
/// Bytes kept from the beginning of the first mark.
const AFTER: usize = 120;

/// A text with shortened lines, and the positions of the marks in it.
pub struct Shortened {
    pub text: String,
    pub marks: Vec<Range<usize>>,
}

/// The remainder of a line: bytes `kept` of the text, now beginning at `at`.
struct Piece {
    line: Range<usize>,
    kept: Range<usize>,
    at: usize,
}

/// Cuts the long lines; `None` when there are none.
pub fn shorten(text: &str, marks: &[Range<usize>]) -> Option<Shortened> {
    if text.split('\n').all(|line| line.len() <= LONG) {
        return None;
    }
    let (mut short, mut pieces, mut start) = (String::new(), Vec::new(), 0);
    for line in text.split('\n') {
        let end = start + line.len();
        let kept = if line.len() <= LONG { start..end } else { window(text, start..end, marks) };
        if !pieces.is_empty() {
            short.push('\n');
        }
        short.push_str(if kept.start > start { "…" } else { "" });
        pieces.push(Piece { line: start..end, kept: kept.clone(), at: short.len() });
        short.push_str(text.get(kept.clone()).unwrap_or(""));
        short.push_str(if kept.end < end { "…" } else { "" });
        start = end + 1;
    }
    let place = |offset: usize| {
        let after = pieces.partition_point(|piece| piece.line.start <= offset);
        pieces
            .get(after.saturating_sub(1))
            .map_or(0, |piece| piece.at + offset.clamp(piece.kept.start, piece.kept.end) - piece.kept.start)
    };
    let marks = marks.iter().map(|mark| place(mark.start)..place(mark.end)).collect();
    Some(Shortened { text: short, marks })
}

/// The part of a line to keep: around the first mark that begins on it, or else its beginning.
fn window(text: &str, line: Range<usize>, marks: &[Range<usize>]) -> Range<usize> {
    let on_line = marks.iter().map(|mark| mark.start).filter(|at| (line.start..=line.end).contains(at));
    let anchor = on_line.min().unwrap_or(line.start);
    let from = text.floor_char_boundary(anchor.saturating_sub(BEFORE).max(line.start));
    let to = text.ceil_char_boundary((anchor + AFTER).min(line.end));
    from..to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_stay() {
        assert!(shorten("a\nb\n", std::slice::from_ref(&(0..1))).is_none());
    }

    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let text = format!("short\n{}X{}\nlast", "é".repeat(1000), "b".repeat(1000));
        let at = 6 + 2000;
        let short = shorten(&text, &[at..at + 1, 0..5]).map(|s| {
            let marked: Vec<String> =
                s.marks.iter().map(|mark| s.text.get(mark.clone()).unwrap_or("").to_string()).collect();
            (s.text, marked)
        });
        let expected = format!("short\n…{}X{}…\nlast", "é".repeat(30), "b".repeat(119));
        assert_eq!(short, Some((expected, vec!["X".to_string(), "short".to_string()])));
    }

    #[test]
    fn a_mark_that_ends_outside_the_window_ends_with_it() {
        let text = "x".repeat(1000);
        let short = shorten(&text, std::slice::from_ref(&(100..900)));
        assert_eq!(
            short.map(|s| (s.text.len(), s.marks)),
            Some((60 + 120 + 6, Vec::from_iter(std::iter::once(63..183))))
        );
    }
}
