//! Marks in front of bindings, which become lines of comment in the text: the printer of syntax trees knows none.
//!
//! A mark is a binding of a name that no program can write. The printer puts each binding on a line of its own.

use crate::ast;
use arr_syntax::ast::Binding;

/// What a line with a mark holds, with its number between.
const PARTS: (&str, &str) = ("let #", " = 0");

/// The mark with a number.
pub fn binding(number: usize) -> Binding {
    ast::binding(ast::pattern(&[format!("#{number}")]), ast::int(0))
}

/// The text with a line of comment for each mark for which there is one. Fails where a mark is not alone on its line.
pub fn replaced(text: &str, comment: &mut dyn FnMut(usize) -> Option<String>) -> Result<String, &'static str> {
    let mut out = String::new();
    // What stands in front of a mark stands in front of the binding behind it.
    let mut before = String::new();
    for line in text.lines() {
        let content = if before.is_empty() { line } else { line.trim_start() };
        match marked(content) {
            Some((head, number)) if head.trim().is_empty() && before.is_empty() => {
                if let Some(comment) = comment(number) {
                    out.push_str(&format!("{head}-- {comment}\n"));
                }
            }
            Some((head, _)) => before.push_str(head),
            None if content.contains(PARTS.0) => return Err("a mark inside of a line"),
            None => {
                out.push_str(&before);
                out.push_str(content);
                out.push('\n');
                before.clear();
            }
        }
    }
    Ok(out)
}

/// What stands in front of the mark at the end of a line, and its number.
fn marked(line: &str) -> Option<(&str, usize)> {
    let (head, number) = line.strip_suffix(PARTS.1)?.rsplit_once(PARTS.0)?;
    Some((head, number.parse().ok()?))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_comments_or_vanish() {
        let text = "def f(x: f64) -> f64 =\n  let #0 = 0\n  let a = g(let #1 = 0\n    let b = x\n    in b)\n  let #2 = 0\n  let c = a\n  in c\n";
        let replaced = replaced(text, &mut |k| (k != 2).then(|| format!("line {k}"))).unwrap();
        let expected = "def f(x: f64) -> f64 =\n  -- line 0\n  let a = g(let b = x\n    in b)\n  let c = a\n  in c\n";
        assert_eq!(replaced, expected);
        assert!(super::replaced("let #1 = 0 in x", &mut |_| None).is_err());
    }
}
