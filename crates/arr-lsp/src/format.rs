//! Formatting: the whole text, sent as one change without the common lines at both ends.

use crate::lines::Text;
use arr_base::{Id, SourceId};
use lsp_types::TextEdit;

/// The changes that format a text; none where it cannot be read.
pub fn format(text: &Text) -> Option<Vec<TextEdit>> {
    let formatted = arr_syntax::format_module(SourceId::from_index(0), text.text()).ok()?;
    Some(difference(text, &formatted))
}

/// The change from one text to another: whole lines, so that it is easy to read.
fn difference(text: &Text, new: &str) -> Vec<TextEdit> {
    let old = &**text.text();
    if old == new {
        return Vec::new();
    }
    let same_lines = |a: &mut dyn Iterator<Item = &str>, b: &mut dyn Iterator<Item = &str>| -> usize {
        a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len()).sum()
    };
    let head = same_lines(&mut old.split_inclusive('\n'), &mut new.split_inclusive('\n'));
    let (old_rest, new_rest) = (old.get(head..).unwrap_or(""), new.get(head..).unwrap_or(""));
    let tail = same_lines(&mut old_rest.split_inclusive('\n').rev(), &mut new_rest.split_inclusive('\n').rev());
    let range = text.range(head, old.len() - tail);
    vec![TextEdit { range, new_text: new.get(head..new.len() - tail).unwrap_or("").to_string() }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_small() {
        for (old, new) in [("a\nb\nc\n", "a\nB\nc\n"), ("a", "a\n"), ("", "x\n"), ("a\na\n", "a\n"), ("é\nb", "é\n")]
        {
            let text = Text::new(old.into());
            let edits = difference(&text, new);
            let applied = edits.iter().fold(text.text().clone(), |_, edit| text.replaced(edit.range, &edit.new_text));
            assert_eq!(&*applied, new);
        }
        let edits = difference(&Text::new("a\nb\nc\n".into()), "a\nB\nc\n");
        assert_eq!(edits.first().map(|e| (e.range.start.line, e.range.end.line)), Some((1, 2)));
    }
}
