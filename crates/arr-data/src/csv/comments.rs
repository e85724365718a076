//! Lines at the beginning of a file that are no part of its table: comments, and titles, as instruments write them.

use super::FORMAT;
use super::table::{after_line, table_bytes};
use crate::reading::{CellRules, Delimiter, Reading};
use crate::{DataError, Problem};

/// The error for a table that could not be read: that it begins with comments, if that is behind it.
pub(super) fn explained(error: DataError, bytes: &[u8], how: &Reading<'_>) -> DataError {
    let wrong = matches!(
        error.problem,
        Problem::Damaged { .. } | Problem::NoPart { .. } | Problem::Shape { .. } | Problem::Lossy { .. }
    );
    match Above::of(bytes, how.cells).filter(|_| wrong) {
        Some(Above { first, count, skipped }) => {
            let shown: String = first.chars().take(40).collect();
            let what = if is_comment(&first) { "a comment" } else { "a title" };
            let why = format!("line {} is {what}, `{}`, and no row", skipped + 1, shown.escape_debug());
            let lines = skipped + count;
            DataError::damaged(FORMAT, why).with_hint(format!("`--skip-lines {lines}` begins with line {}", lines + 1))
        }
        None => error,
    }
}

/// What stands above a table.
struct Above {
    /// The first line.
    first: String,
    count: u64,
    /// The lines before it that are left out anyway.
    skipped: u64,
}

impl Above {
    /// What stands above the table in these bytes, if anything. A comment with as many cells as the line behind it is a
    /// heading.
    fn of(bytes: &[u8], rules: &CellRules) -> Option<Above> {
        let (mut rest, skipped) = table_bytes(bytes, rules.skipped_lines);
        let (mut lines, mut comments) = (Vec::new(), 0);
        let begin = loop {
            if rest.is_empty() || lines.len() > MOST {
                break None;
            }
            let (line, behind) = after_line(rest);
            let line = String::from_utf8_lossy(line).trim().to_string();
            // Signs in quotation marks separate nothing.
            if line.contains('"') {
                return None;
            }
            if !is_comment(&line) && !is_title(&line, rules) {
                break Some(line);
            }
            comments += u64::from(is_comment(&line) && comments == lines.len() as u64);
            lines.push(line);
            rest = behind;
        };
        // Of a table of one column nothing but comments is no row.
        let count = if begin.is_some() { lines.len() as u64 } else { comments };
        let first = lines.into_iter().find(|line| !line.is_empty()).filter(|_| count > 0)?;
        let behind = begin.map_or(1, |line| cells(&line, rules));
        let own = cells(&first, rules);
        (own != behind || own == 1).then_some(Above { first, count, skipped })
    }
}

/// The most lines above a table.
const MOST: usize = 200;

fn is_comment(line: &str) -> bool {
    line.starts_with(['#', '%'])
}

/// Whether a line has a single cell, in which nothing else than this table's sign separates cells.
fn is_title(line: &str, rules: &CellRules) -> bool {
    cells(line, rules) == 1 && !line.contains([';', '\t'])
}

fn cells(line: &str, rules: &CellRules) -> usize {
    match rules.separator() {
        Delimiter::Sign(sign) => line.split(char::from(sign)).count(),
        Delimiter::Spaces => line.split_whitespace().count(),
    }
}
