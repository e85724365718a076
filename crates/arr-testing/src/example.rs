//! Examples in doc comments: `--| > e`, the value below.

use crate::compare::{difference, of_example};
use crate::error;
use arr_base::{Code, Diagnostic, SourceId, Span};
use arr_check::Checked;
use arr_data::EdgeValue;
use arr_driver::{Execution, Failure, Session};
use arr_syntax::ast::{Def, Item, TestDef, TypeDef};

/// An example, with its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Example {
    /// The name of the documented item.
    pub of: String,
    /// The expression as written, its lines without marks.
    pub text: String,
    /// The lines below it, joined.
    pub expected: String,
    pub within: Option<f64>,
    /// The lines of the expression in the file.
    lines: Vec<Span>,
    /// The first line of the expression.
    pub span: Span,
    /// The lines of the expected answer; those of the expression if there are none.
    pub answer: Span,
}

/// A doc comment in parts.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// Markdown.
    Prose(String),
    /// The number of an example, counted from the first of the item.
    Example(usize),
}

/// The doc comment of an item, and the item's name and place.
fn documented(item: &Item) -> Option<(&[String], String, Span)> {
    match item {
        Item::Def(Def { doc, name, span, .. }) | Item::Type(TypeDef { doc, name, span, .. }) => {
            Some((doc, name.text.clone(), *span))
        }
        Item::Test(test @ TestDef { def, .. }) => Some((&def.doc, test.title().to_string(), def.span)),
        _ => None,
    }
}

/// The examples above an item, in order.
pub fn examples(text: &str, item: &Item) -> Vec<Example> {
    let Some((doc, name, span)) = documented(item) else { return Vec::new() };
    let places = doc_places(text, doc, span);
    let (mut found, mut fenced): (Vec<Example>, bool) = (Vec::new(), false);
    let mut at = 0;
    while let Some((line, place)) = doc.get(at).zip(places.get(at)) {
        at += 1;
        fenced ^= line.trim_start().starts_with("```");
        let Some(first) = line.strip_prefix("> ").filter(|_| !fenced) else { continue };
        let mut example = Example {
            of: name.clone(),
            text: first.to_string(),
            expected: String::new(),
            within: None,
            lines: vec![after_mark(*place)],
            span: after_mark(*place),
            answer: after_mark(*place),
        };
        while let Some((line, place)) = doc.get(at).zip(places.get(at)) {
            let Some(more) = line.strip_prefix(". ") else { break };
            example.text.push('\n');
            example.text.push_str(more);
            example.lines.push(after_mark(*place));
            at += 1;
        }
        let start = at;
        while let Some((line, place)) = doc.get(at).zip(places.get(at)) {
            if line.trim().is_empty() || line.starts_with("> ") || line.trim_start().starts_with("```") {
                break;
            }
            example.answer = if at == start { *place } else { example.answer.to(*place) };
            if at > start {
                example.expected.push('\n');
            }
            example.expected.push_str(line);
            at += 1;
        }
        let last = example.text.lines().last().unwrap_or_default();
        example.within = last.rsplit_once("-- within ").and_then(|(_, e)| e.trim().parse().ok());
        found.push(example);
    }
    found
}

/// The doc comment of an item as prose and examples, in order.
pub fn pieces(doc: &[String]) -> Vec<Piece> {
    let (mut found, mut prose, mut count, mut fenced) = (Vec::new(), String::new(), 0, false);
    // Whether the lines belong to an example.
    let mut inside = false;
    for line in doc {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        if line.starts_with("> ") && !fenced && !fence {
            if !prose.trim().is_empty() {
                found.push(Piece::Prose(std::mem::take(&mut prose)));
            }
            prose.clear();
            found.push(Piece::Example(count));
            count += 1;
            inside = true;
        } else if inside && !line.trim().is_empty() && !fence {
            // A continuation or an answer.
        } else {
            inside = false;
            prose.push_str(line);
            prose.push('\n');
        }
    }
    if !prose.trim().is_empty() {
        found.push(Piece::Prose(prose));
    }
    found
}

/// The position of a line without its mark `> ` or `. `.
fn after_mark(place: Span) -> Span {
    Span { start: place.start.saturating_add(2).min(place.end), ..place }
}

/// The positions of a doc comment's lines in the file: the text after `--| `. They are searched from the item upwards.
fn doc_places(text: &str, doc: &[String], item: Span) -> Vec<Span> {
    let mut places = Vec::new();
    let mut above = text.get(..item.start as usize).unwrap_or(text);
    for line in doc.iter().rev() {
        let place = loop {
            let Some(mark) = above.rfind("--|") else { break item };
            let rest = text.get(mark + 3..).unwrap_or_default();
            let rest = rest.split('\n').next().unwrap_or_default();
            above = above.get(..mark).unwrap_or_default();
            let body = rest.strip_prefix(' ').unwrap_or(rest);
            if body.trim_end() == line {
                let start = mark + 3 + (rest.len() - body.len());
                break Span::new(item.file, start, start + line.len());
            }
        };
        places.push(place);
    }
    places.reverse();
    places
}

/// The outcome of an example: its value, or the codes of the errors that stopped it.
#[derive(Clone, PartialEq, Debug)]
enum Answer {
    Value(EdgeValue),
    Stopped(Vec<Diagnostic>),
}

/// Runs an example in the scope of its file, and returns the text that it prints, or its error. Fails only with a
/// [`Failure::Bug`]; an error of the example is the inner one.
pub fn run_example(
    session: &mut Session,
    file: SourceId,
    checked: &Checked,
    example: &Example,
    execution: &Execution,
) -> Result<Result<String, Diagnostic>, Failure> {
    let text = session.text(file);
    let (expr, diagnostics) = arr_syntax::parse_expr(file, &alone(&text, &example.lines));
    if let Some(first) = diagnostics.into_iter().next() {
        return Ok(Err(error::unreadable_example(example, first)));
    }
    let program = session.expression_in(checked, &expr);
    let ran = program.and_then(|mut program| {
        let outcome = program.run(&[], &[], execution)?;
        Ok((program, outcome.value))
    });
    let (program, answer) = match ran {
        Ok((program, value)) => (Some(program), Answer::Value(value)),
        Err(Failure::Diagnostics(list)) => (None, Answer::Stopped(list)),
        Err(bug) => return Err(bug),
    };
    let code = example.expected.trim().strip_prefix("error ").and_then(|rest| {
        let word: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        Code::parse(&word)
    });
    Ok(match (answer, code, program) {
        (Answer::Stopped(list), Some(code), _) if list.iter().any(|d| d.code == code) => Ok(format!("error {code}")),
        (Answer::Stopped(list), code, _) => Err(error::stopped_example(example, code, list)),
        (Answer::Value(value), Some(code), _) => Err(error::example_did_not_stop(example, code, &value)),
        (Answer::Value(value), None, Some(program)) => {
            let printed = arr_data::to_literal(&value);
            if example.expected.is_empty() {
                return Ok(Ok(printed));
            }
            match arr_data::from_text(&example.expected, program.result_type()) {
                Err(_) => Err(error::example_differs(example, &value, None)),
                Ok(expected) => match difference(&expected, &value, of_example(example.within, execution.floats)) {
                    None => Ok(printed),
                    Some(difference) => Err(error::example_differs(example, &value, Some(difference))),
                },
            }
        }
        (Answer::Value(_), None, None) => return Err(Failure::Bug("a value without a program".to_string())),
    })
}

/// The text with everything blanked except these ranges, so that spans of parsed parts point into the file.
fn alone(text: &str, places: &[Span]) -> String {
    let mut out = String::new();
    for place in places {
        let before = text.get(out.len()..place.start as usize).unwrap_or_default();
        // The same number of bytes; line ends stay.
        out.extend(before.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        out.push_str(text.get(place.start as usize..place.end as usize).unwrap_or_default());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "--| Half.\n--| > half(3.0) -- within 1e-9\n--| 1.5\n--|\n--| ```\n--| > no example\n--| ```\n\
        --|   > nor this\n--| > half(\n--| . 1.0)\n--| > half(2.0)\n--| [1.0,\n--| 2.0]\ndef half(x: f64) -> f64 = 0.5 * x\n";

    #[test]
    fn examples_are_found_with_their_places() {
        let mut sources = arr_base::SourceMap::new();
        let file = sources.add("half.arr", PROGRAM);
        let parsed = arr_syntax::parse_module(file, PROGRAM);
        let found: Vec<Example> = parsed.module.items.iter().flat_map(|item| examples(PROGRAM, item)).collect();
        let texts: Vec<(&str, &str)> = found.iter().map(|e| (e.text.as_str(), e.expected.as_str())).collect();
        assert_eq!(texts, [("half(3.0) -- within 1e-9", "1.5"), ("half(\n1.0)", ""), ("half(2.0)", "[1.0,\n2.0]")]);
        assert_eq!(found.first().and_then(|e| e.within), Some(1e-9));
        assert_eq!(found.first().map(|e| sources.slice(e.answer)), Some("1.5"));
        assert_eq!(
            found.get(1).map(|e| alone(PROGRAM, &e.lines).trim().replace([' ', '\n'], "")),
            Some("half(1.0)".into())
        );
    }

    #[test]
    fn prose_and_examples_alternate() {
        let mut sources = arr_base::SourceMap::new();
        let file = sources.add("half.arr", PROGRAM);
        let parsed = arr_syntax::parse_module(file, PROGRAM);
        let Some(Item::Def(def)) = parsed.module.items.first() else { return };
        let expected = [
            Piece::Prose("Half.\n".into()),
            Piece::Example(0),
            Piece::Prose("\n```\n> no example\n```\n  > nor this\n".into()),
            Piece::Example(1),
            Piece::Example(2),
        ];
        assert_eq!(pieces(&def.doc), expected);
    }
}
