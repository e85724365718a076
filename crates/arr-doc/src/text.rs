//! Program text: links its names and reads its comments.

use crate::html::{anchor, escape};
use std::collections::BTreeSet;

/// The names that a page defines.
#[derive(Clone, Default, Debug)]
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    pub fn new(names: impl IntoIterator<Item = String>) -> Names {
        Names(names.into_iter().collect())
    }

    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Program text as HTML, each name in `names` linked to its definition.
pub(crate) fn linked(text: &str, names: &Names) -> String {
    let mut out = String::new();
    let mut rest = text;
    let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    while let Some(at) = rest.find(in_word) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let end = from.find(|c| !in_word(c)).unwrap_or(from.len());
        let (word, after) = from.split_at_checked(end).unwrap_or((from, ""));
        out.push_str(&escape(before));
        if names.contains(word) && !before.ends_with('.') {
            out.push_str(&format!("<a href=\"#{}\">{}</a>", anchor(word), escape(word)));
        } else {
            out.push_str(&escape(word));
        }
        rest = after;
    }
    out + &escape(rest)
}

/// The text of a definition as HTML. As [`linked`], but for comments, in which a word need not be a name.
pub(crate) fn linked_source(text: &str, names: &Names) -> String {
    let line = |line: &str| {
        let (code, comment) = line.split_at_checked(comment_start(line)).unwrap_or((line, ""));
        match comment {
            "" => linked(code, names),
            _ => format!("{}<span class=\"comment\">{}</span>", linked(code, names), escape(comment)),
        }
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Where the comment of a line begins; its end if it has none. In quotation marks, `--` begins none.
fn comment_start(line: &str) -> usize {
    let quoted = |at: usize| line.get(..at).unwrap_or_default().matches('"').count() % 2 == 1;
    line.match_indices("--").map(|(at, _)| at).find(|at| !quoted(*at)).unwrap_or(line.len())
}

/// The comment at the top of a file, as Markdown. Lines with commands (`-- $ arr run ..`) are for readers of the file.
pub(crate) fn introduction(text: &str) -> String {
    let lines = text.lines().map(str::trim_start);
    let comment = lines.take_while(|line| line.starts_with("--") && !line.starts_with("--|"));
    let words = comment.map(|line| line.trim_start_matches('-').strip_prefix(' ').unwrap_or_default());
    words.filter(|line| !line.starts_with("$ ")).collect::<Vec<_>>().join("\n")
}

/// The title of a section, `-- ---- Title`, that begins in this part of a file.
pub(crate) fn section(text: &str) -> Option<&str> {
    let title = text.lines().rev().find_map(|line| line.trim().strip_prefix("-- ---- "))?;
    Some(title.trim_end_matches(['-', ' '])).filter(|title| !title.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_types_are_linked() {
        let names = Names::new(["Point".to_string()]);
        assert_eq!(linked("[n]Point[d] -> m.Point<", &names), "[n]<a href=\"#Point\">Point</a>[d] -&gt; m.Point&lt;");
    }

    #[test]
    fn words_of_comments_are_not_linked() {
        let names = Names::new(["mean".to_string()]);
        let link = "<a href=\"#mean\">mean</a>";
        let comment = "<span class=\"comment\">-- the \"mean\"</span>";
        let comment = comment.replace("\"mean\"", "&quot;mean&quot;");
        assert_eq!(linked_source("mean(x) -- the \"mean\"\n  mean", &names), format!("{link}(x) {comment}\n  {link}"));
        assert_eq!(linked_source("test \"a -- b\" = mean", &names), format!("test &quot;a -- b&quot; = {link}"));
    }

    #[test]
    fn comments_at_the_top_introduce() {
        assert_eq!(introduction("-- One.\n--\n-- Two.\n-- $ arr run x\n\n-- not this\ndef f = 1"), "One.\n\nTwo.");
        assert_eq!(introduction("--| doc\ndef f = 1"), "");
        assert_eq!(section("x\n-- ---- Norms ----\n--| doc\n"), Some("Norms"));
    }
}
