//! Positions in a text: bytes here, lines and UTF-16 code units in the protocol.

use lsp_types::{Position, Range};
use std::sync::Arc;

/// A text with the positions of its lines.
#[derive(Clone, Debug)]
pub struct Text {
    text: Arc<str>,
    starts: Vec<usize>,
}

impl Text {
    pub fn new(text: Arc<str>) -> Text {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for (at, byte) in bytes.iter().enumerate() {
            // `\r\n` is one end of a line.
            let ends = *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
            if ends {
                starts.push(at + 1);
            }
        }
        Text { text, starts }
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or("")
    }

    /// The position of a byte; the end of the text for bytes beyond it.
    pub fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let units = self.slice(start, offset).chars().map(char::len_utf16).sum();
        Position { line: number(line), character: number(units) }
    }

    /// The byte of a position; the end of the line, or of the text, for positions beyond it.
    pub fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let mut left = position.character as usize;
        let mut at = start;
        for c in self.slice(start, end).trim_end_matches(['\n', '\r']).chars() {
            if left < c.len_utf16() {
                break;
            }
            left -= c.len_utf16();
            at += c.len_utf8();
        }
        at
    }

    pub fn range(&self, start: usize, end: usize) -> Range {
        Range { start: self.position(start), end: self.position(end) }
    }

    /// The text with a range replaced.
    pub fn replaced(&self, range: Range, new: &str) -> Arc<str> {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        let end = end.max(start);
        format!("{}{new}{}", self.slice(0, start), self.slice(end, self.text.len())).into()
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn positions_count_utf16() {
        // One byte, two bytes, three bytes, and four bytes that are two code units.
        let text = Text::new("aé∑𝛼b\r\nc\rd\n".into());
        for (offset, position) in [
            (0, at(0, 0)),
            (1, at(0, 1)),
            (3, at(0, 2)),
            (6, at(0, 3)),
            (10, at(0, 5)),
            (11, at(0, 6)),
            (13, at(1, 0)),
            (14, at(1, 1)),
            (15, at(2, 0)),
            (17, at(3, 0)),
        ] {
            assert_eq!(text.position(offset), position, "{offset}");
            assert_eq!(text.offset(position), offset, "{position:?}");
        }
    }

    #[test]
    fn places_that_are_none_are_clipped() {
        let text = Text::new("𝛼b\nc".into());
        assert_eq!(text.position(2), at(0, 0));
        assert_eq!(text.position(99), at(1, 1));
        assert_eq!(text.offset(at(0, 1)), 0);
        assert_eq!(text.offset(at(0, 99)), 5);
        assert_eq!(text.offset(at(9, 0)), 7);
        assert_eq!(&*text.replaced(Range { start: at(1, 1), end: at(0, 0) }, "x"), "𝛼b\ncx");
        assert_eq!(&*text.replaced(Range { start: at(0, 2), end: at(1, 0) }, "\n"), "𝛼\nc");
    }
}
