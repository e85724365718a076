//! Types, shapes and sizes in the user's syntax.

use crate::EdgeValue;
use arr_base::tuple_text;
use arr_ir::{Edge, Func, Poly, Value};

/// `[3][2]f64`
pub(crate) fn shape_text(dims: &[i64], elem: &str) -> String {
    let mut text = String::new();
    for &d in dims {
        if d < 0 {
            text.push_str("[?]");
        } else {
            text.push_str(&format!("[{d}]"));
        }
    }
    text.push_str(elem);
    text
}

/// A size as a polynomial over the function's names: `2 * n + 1`.
pub fn size_text(func: &Func, poly: &Poly) -> String {
    // Terms of higher degree first, the constant last.
    let mut terms: Vec<_> = poly.terms.iter().collect();
    terms.sort_by_key(|(monomial, _)| std::cmp::Reverse(monomial.len()));
    let mut text = String::new();
    for (monomial, &c) in terms {
        let names: Vec<&str> = monomial.iter().map(|&v| func.name(v)).collect();
        let magnitude = c.unsigned_abs();
        let body = match (names.is_empty(), magnitude) {
            (true, _) => magnitude.to_string(),
            (false, 1) => names.join(" * "),
            (false, _) => format!("{magnitude} * {}", names.join(" * ")),
        };
        match (text.is_empty(), c < 0) {
            (true, true) => text.push('-'),
            (true, false) => {}
            (false, true) => text.push_str(" - "),
            (false, false) => text.push_str(" + "),
        }
        text.push_str(&body);
    }
    if text.is_empty() { "0".to_string() } else { text }
}

/// A type, its sizes named as in the function.
pub fn edge_text(func: &Func, edge: &Edge) -> String {
    match edge {
        Edge::Scalar(elem) => elem.name().to_string(),
        Edge::Array(size, inner) => {
            format!("[{}]{}", size_text(func, func.types.poly(*size)), edge_text(func, inner))
        }
        Edge::Tuple(items) => tuple_text(items.iter().map(|i| edge_text(func, i))),
        Edge::Record(fields) => record_text(fields.iter().map(|(n, f)| (n.as_str(), edge_text(func, f)))),
        Edge::Sum { name, .. } => name.clone(),
    }
}

/// The type of a value, with numbers for sizes.
pub fn found_text(value: &EdgeValue) -> String {
    inner_text(value, 0)
}

fn inner_text(value: &EdgeValue, outer: usize) -> String {
    match value {
        EdgeValue::Leaf(Value::Scalar(c)) => c.scalar().name().to_string(),
        EdgeValue::Leaf(Value::Array(a)) => shape_text(a.dims.get(outer..).unwrap_or(&[]), a.data.elem().name()),
        EdgeValue::Tuple(items) => tuple_text(items.iter().map(|i| inner_text(i, outer))),
        EdgeValue::Record(fields) => record_text(fields.iter().map(|(n, f)| (n.as_str(), inner_text(f, outer)))),
        EdgeValue::Sum { name, .. } => name.clone(),
        EdgeValue::Array { dims, element } => shape_text(dims, &inner_text(element, outer + dims.len())),
    }
}

pub(crate) fn record_text<'a>(fields: impl Iterator<Item = (&'a str, String)>) -> String {
    let fields: Vec<String> = fields.map(|(name, ty)| format!("{name}: {ty}")).collect();
    if fields.is_empty() { "{}".to_string() } else { format!("{{ {} }}", fields.join(", ")) }
}

/// A type with `?` for sizes: for messages without access to the declaration.
pub(crate) fn rank_text(edge: &Edge) -> String {
    match edge {
        Edge::Scalar(elem) => elem.name().to_string(),
        Edge::Array(_, inner) => format!("[_]{}", rank_text(inner)),
        Edge::Tuple(items) => tuple_text(items.iter().map(rank_text)),
        Edge::Record(fields) => record_text(fields.iter().map(|(n, f)| (n.as_str(), rank_text(f)))),
        Edge::Sum { name, .. } => name.clone(),
    }
}
