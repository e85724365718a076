//! Pages of documentation: their fenced blocks, and the files that these give.

use crate::files;
use std::ops::Range;
use std::path::Path;

/// A fenced block: the lines between two that begin with three backquotes.
pub struct Block<'a> {
    /// The first word behind the backquotes.
    pub language: &'a str,
    /// The other words, such as the code of the error that a block of Arr gives, or a file.
    pub heading: &'a str,
    pub text: &'a str,
    /// The place of the text in the page, in bytes.
    pub place: Range<usize>,
    /// The number of the text's first line.
    pub line: usize,
}

impl<'a> Block<'a> {
    /// The file that a block headed `c main.c` or `arr >> fit.arr` is, or is put at the end of.
    pub fn file(&self) -> Option<(&'a str, bool)> {
        let (name, more) = match self.heading.strip_prefix(">>") {
            Some(name) => (name.trim(), true),
            None => (self.heading, false),
        };
        (name.contains('.') && !name.contains(' ')).then_some((name, more))
    }

    /// Whether the tests run what stands in it, or something that they run reads it.
    fn runs(&self) -> bool {
        matches!(self.language, "console" | "python") || self.file().is_some()
    }

    /// Writes the file of the block, if it is one.
    pub fn write(&self, directory: &Path) -> Result<(), String> {
        let Some((name, more)) = self.file() else { return Ok(()) };
        let path = directory.join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{name}: {error}"))?;
        }
        let before = if more { files::read(&path)? } else { String::new() };
        files::write(&path, before + self.text)
    }
}

/// The blocks of a page, in their order.
pub fn blocks(page: &str) -> Result<Vec<Block<'_>>, String> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize, usize)> = None;
    let mut at = 0;
    for (i, line) in page.split_inclusive('\n').enumerate() {
        let end = at + line.len();
        match (line.strip_prefix("```"), open) {
            (Some(_), Some((heading, start, line))) => {
                let (language, heading) = heading.split_once(' ').unwrap_or((heading, ""));
                let text = &page[start..at];
                found.push(Block { language, heading: heading.trim(), text, place: start..at, line });
                open = None;
            }
            (Some(heading), None) => open = Some((heading.trim_end(), end, i + 2)),
            (None, _) => {}
        }
        at = end;
    }
    match open {
        Some((_, _, line)) => Err(format!("the block at line {line} has no end")),
        None => Ok(found),
    }
}

/// A file of the page that no command and no other file names.
pub fn unused_file<'a>(blocks: &[Block<'a>]) -> Option<&'a str> {
    let names = blocks.iter().filter_map(|block| block.file());
    let used = |name: &str| {
        let others = blocks.iter().filter(|block| block.runs() && block.file().is_none_or(|(other, _)| other != name));
        others.into_iter().any(|block| block.text.contains(name))
    };
    names.map(|(name, _)| name).find(|name| !used(name))
}
