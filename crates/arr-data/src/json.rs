//! Values as JSON: tuples are arrays, records objects, constructors objects of one field, `{"Circle": [1.0]}`, and what
//! JSON has no number for is a string.

use crate::EdgeValue;
use crate::print::{Part, View, scalar_text};
use arr_ir::Const;

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
                // Names are identifiers, so nothing in them needs an escape.
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
