//! The messages of everything that can fail.

use crate::compare::Difference;
use crate::example::Example;
use arr_base::{Code, Diagnostic, Span};
use arr_data::EdgeValue;
use arr_ir::{Const, Value};
use arr_syntax::ast::BinaryOp;

/// Longer values are cut.
const SHOWN: usize = 600;

pub(crate) fn value_text(value: &EdgeValue) -> String {
    let text = arr_data::to_literal(value);
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", text.get(..cut).unwrap_or_default()),
        None => text,
    }
}

fn const_text(value: Const) -> String {
    arr_data::to_literal(&EdgeValue::Leaf(Value::Scalar(value)))
}

/// "they differ by 0.5 at [3]", if such a place exists.
fn difference_text(difference: &Difference) -> Option<String> {
    match difference {
        Difference::Shape => Some("their shapes or constructors differ".to_string()),
        Difference::Element { place, left, right } => {
            let place = if place.is_empty() { String::new() } else { format!(" at `{place}`") };
            match (left.as_f64(), right.as_f64()) {
                (Some(x), Some(y)) => {
                    Some(format!("the largest difference is {}{place}", const_text(Const::F64((x - y).abs()))))
                }
                _ if place.is_empty() => None,
                _ => Some(format!("they differ{place}: {} and {}", const_text(*left), const_text(*right))),
            }
        }
    }
}

pub(crate) fn unreadable_example(example: &Example, syntax: Diagnostic) -> Diagnostic {
    let title = format!("an example of `{}` cannot be read: {}", example.of, syntax.title);
    let mut diagnostic = Diagnostic::error(Code::EXAMPLE_FAILED, title);
    diagnostic.labels = syntax.labels;
    diagnostic.hint = syntax.hint;
    if diagnostic.labels.is_empty() {
        diagnostic = diagnostic.at(example.span, "this example");
    }
    diagnostic
}

/// The example stopped with errors that it does not announce.
pub(crate) fn stopped_example(example: &Example, code: Option<Code>, list: Vec<Diagnostic>) -> Diagnostic {
    let title = match code {
        Some(code) => format!("an example of `{}` does not give {code}", example.of),
        None => format!("an example of `{}` has no value", example.of),
    };
    stopped(Diagnostic::error(Code::EXAMPLE_FAILED, title), example.span, list)
}

/// Adds the error that stopped a program.
fn stopped(mut diagnostic: Diagnostic, span: Span, list: Vec<Diagnostic>) -> Diagnostic {
    let Some(first) = list.into_iter().next() else { return diagnostic.at(span, "stopped here") };
    let here = first.primary_span().filter(|s| s.file == span.file && s.start >= span.start && s.end <= span.end);
    if here.is_none() {
        diagnostic = diagnostic.at(span, "this stops");
    }
    diagnostic.labels.extend(first.labels);
    diagnostic.expected_found = first.expected_found;
    let words = std::iter::once(format!("{}: {}", first.code, first.title)).chain(first.notes);
    diagnostic.notes.extend(words);
    diagnostic.hint_opt(first.hint)
}

pub(crate) fn example_did_not_stop(example: &Example, code: Code, value: &EdgeValue) -> Diagnostic {
    Diagnostic::error(Code::EXAMPLE_FAILED, format!("an example of `{}` does not give {code}", example.of))
        .at(example.span, "this has a value")
        .expected_found(format!("error {code}"), value_text(value))
}

pub(crate) fn example_differs(example: &Example, value: &EdgeValue, difference: Option<Difference>) -> Diagnostic {
    let diagnostic =
        Diagnostic::error(Code::EXAMPLE_FAILED, format!("an example of `{}` gives another value", example.of))
            .at(example.answer, "this is not what it gives")
            .because(example.span, "the example")
            .expected_found(example.expected.clone(), value_text(value));
    match &difference {
        None => diagnostic.note(format!("what is expected is no value of type `{}`", arr_data::found_text(value))),
        Some(Difference::Element { left, right, .. }) if example.within.is_none() && floats(*left, *right) => {
            diagnostic
                .hint("an example is compared exactly, unless it ends in `-- within 1e-9`")
                .notes_from(difference.as_ref().and_then(difference_text))
        }
        Some(difference) => diagnostic.notes_from(difference_text(difference)),
    }
}

fn floats(a: Const, b: Const) -> bool {
    a.as_f64().is_some() && b.as_f64().is_some()
}

trait Notes {
    fn notes_from(self, note: Option<String>) -> Self;
}

impl Notes for Diagnostic {
    fn notes_from(mut self, note: Option<String>) -> Self {
        self.notes.extend(note);
        self
    }
}

/// A violation found by evaluating a test's body.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Broken {
    /// A verdict that is not `true`, at this position in the body.
    False {
        span: Span,
        verdict: EdgeValue,
    },
    Compared {
        span: Span,
        op: BinaryOp,
        left: EdgeValue,
        right: EdgeValue,
        difference: Option<Difference>,
    },
    Stopped(Vec<Diagnostic>),
    /// The derivatives disagree.
    Derivatives(Diagnostic),
}

impl Broken {
    /// Adds the violation to a diagnostic. `body` is its position in the test.
    pub fn explain(self, diagnostic: Diagnostic, body: Span) -> Diagnostic {
        match self {
            Broken::False { span, verdict } => match &verdict {
                EdgeValue::Leaf(Value::Scalar(_)) => diagnostic.at(span, "this is false"),
                _ => diagnostic.at(span, "not all of this is true").note(format!("it is {}", value_text(&verdict))),
            },
            Broken::Compared { span, op, left, right, difference } => {
                let label = format!("`{}` does not hold", op.symbol());
                diagnostic
                    .at(span, label)
                    .note(format!("left is {}", value_text(&left)))
                    .note(format!("right is {}", value_text(&right)))
                    .notes_from(difference.as_ref().and_then(difference_text))
            }
            Broken::Stopped(list) => stopped(diagnostic, body, list),
            Broken::Derivatives(found) => {
                let mut diagnostic = diagnostic.at(body, "the derivatives of this");
                diagnostic.notes.extend(found.notes);
                diagnostic.hint_opt(found.hint)
            }
        }
    }
}

pub(crate) fn test_failed(name: &str) -> Diagnostic {
    Diagnostic::error(Code::TEST_FAILED, format!("the test `{name}` fails"))
}

pub(crate) fn property_failed(name: &str) -> Diagnostic {
    Diagnostic::error(Code::PROPERTY_FAILED, format!("`{name}` does not hold for all arguments"))
}

pub(crate) fn gradient_failed(name: &str) -> Diagnostic {
    Diagnostic::error(Code::DISAGREEMENT, format!("the derivatives of `{name}` do not agree"))
}

pub(crate) fn no_sizes(name: &str, span: Span) -> Diagnostic {
    property_failed(name)
        .at(span, "no arguments were found for these parameters")
        .hint("sizes are drawn from 0 to 13; shapes that few of them satisfy are better computed in the test")
}
