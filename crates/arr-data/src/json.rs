//! Values as JSON: tuples are arrays, records objects, constructors objects of one field, `{"Circle": [1.0]}`, and
//! numbers that JSON lacks are strings.

use crate::print::{Part, View, scalar_text};
use crate::raw::{self, Dialect, Raw, RawKind};
use crate::{DataError, EdgeValue, typed};
use arr_ir::{Const, Edge};

/// Reads JSON from another program as a value of the declared type. Fields of records that are not in the type are
/// ignored if they contain only text, as no type could have them. Errors: E0706 where the text is not JSON or a string
/// stands for a value, E0703 and E0704 where the value is not of the type or of its shape.
pub fn from_json(text: &str, edge: &Edge) -> Result<EdgeValue, DataError> {
    let mut raw = raw::parse(text, Dialect::Json)?;
    leave_text_out(&mut raw, edge);
    typed::typed(edge, &raw)
}

/// Whether JSON is text, or a list of texts.
pub fn is_text(json: &str) -> bool {
    // Numbers are the common case, and need not be read for that.
    json.trim_start_matches([' ', '[']).starts_with('"')
        && raw::parse(json, Dialect::Json).is_ok_and(|raw| textual(&raw))
}

fn textual(raw: &Raw<'_>) -> bool {
    match &raw.kind {
        RawKind::Text(_) => true,
        RawKind::List(items) => !items.is_empty() && items.iter().all(textual),
        _ => false,
    }
}

fn leave_text_out(raw: &mut Raw<'_>, edge: &Edge) {
    match (&mut raw.kind, edge) {
        (RawKind::Record(fields), Edge::Record(types)) => {
            fields.retain(|(name, value)| types.iter().any(|(n, _)| n == name) || !textual(value));
            for (name, value) in fields {
                if let Some((_, ty)) = types.iter().find(|(n, _)| n == name) {
                    leave_text_out(value, ty);
                }
            }
        }
        (RawKind::List(items), Edge::Array(_, inner)) if !matches!(**inner, Edge::Scalar(_)) => {
            items.iter_mut().for_each(|item| leave_text_out(item, inner));
        }
        (RawKind::List(items) | RawKind::Tuple(items), Edge::Tuple(types)) => {
            items.iter_mut().zip(types).for_each(|(item, ty)| leave_text_out(item, ty));
        }
        _ => {}
    }
}

/// The value as JSON on one line.
pub fn to_json(value: &EdgeValue) -> String {
    let mut out = String::new();
    write(&mut out, &View::of(value));
    out
}

fn write(out: &mut String, view: &View<'_>) {
    let list = |out: &mut String, items: &mut dyn Iterator<Item = View<'_>>| {
        out.push('[');
        for (i, item) in items.enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            write(out, &item);
        }
        out.push(']');
    };
    match view.part() {
        Part::Scalar(c) => out.push_str(&number(c)),
        Part::Array(n) => list(out, &mut (0..n).map(|i| view.element(i))),
        Part::Tuple(items) => list(out, &mut items.into_iter()),
        Part::Constructor(name, items) => {
            out.push_str(&format!("{{\"{name}\": "));
            list(out, &mut items.into_iter());
            out.push('}');
        }
        Part::Record(fields) => {
            out.push('{');
            for (i, (name, field)) in fields.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                // Names are identifiers, so that nothing in them needs an escape.
                out.push_str(&format!("\"{name}\": "));
                write(out, field);
            }
            out.push('}');
        }
    }
}

fn number(value: Const) -> String {
    match value.as_f64() {
        Some(x) if !x.is_finite() => format!("\"{}\"", scalar_text(value)),
        _ => scalar_text(value),
    }
}
