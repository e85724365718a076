//! The lines and points of a picture, taken from the vectors of a value.

use arr_data::EdgeValue;
use arr_ir::{Const, Edge, Value};

/// How the points of a series are marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    Line,
    Points,
}

/// A line, or points.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What a legend calls it.
    pub name: String,
    pub mark: Mark,
    /// A point that is not finite interrupts a line.
    pub points: Vec<(f64, f64)>,
}

/// An array of a value that can be drawn, under its path of fields.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Drawable {
    pub path: String,
    pub dims: Vec<usize>,
    pub numbers: Vec<f64>,
}

impl Drawable {
    pub(crate) fn is_vector(&self) -> bool {
        self.dims.len() == 1
    }

    /// Whether it is an array `[n][2]`, of the two coordinates of points.
    pub(crate) fn is_points(&self) -> bool {
        matches!(self.dims.as_slice(), [_, 2])
    }
}

/// The vectors and matrices of a value, in the order of its fields.
pub(crate) fn drawables(value: &EdgeValue) -> Vec<Drawable> {
    let mut found = Vec::new();
    collect(value, String::new(), &mut found);
    found
}

/// The paths of what can be drawn of values of a type.
pub(crate) fn drawable_names(edge: &Edge) -> Vec<String> {
    let mut found = Vec::new();
    collect_names(edge, 0, String::new(), &mut found);
    found
}

fn collect_names(edge: &Edge, axes: usize, path: String, found: &mut Vec<String>) {
    let below = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    match edge {
        Edge::Scalar(_) if matches!(axes, 1 | 2) => found.push(path),
        Edge::Scalar(_) | Edge::Sum { .. } => {}
        Edge::Array(_, inner) => collect_names(inner, axes + 1, path, found),
        Edge::Tuple(items) => {
            items.iter().enumerate().for_each(|(at, item)| collect_names(item, axes, below(&at.to_string()), found));
        }
        Edge::Record(fields) => {
            fields.iter().for_each(|(name, field)| collect_names(field, axes, below(name), found));
        }
    }
}

fn collect(value: &EdgeValue, path: String, found: &mut Vec<Drawable>) {
    let below = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    match value {
        EdgeValue::Leaf(Value::Array(array)) if matches!(array.dims.len(), 1 | 2) => {
            let dims = array.dims.iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect();
            let numbers = (0..array.data.len()).filter_map(|at| array.data.get(at)).map(number).collect();
            found.push(Drawable { path, dims, numbers });
        }
        // Constructors are not numbers.
        EdgeValue::Leaf(_) | EdgeValue::Sum { .. } => {}
        EdgeValue::Array { element, .. } => collect(element, path, found),
        EdgeValue::Tuple(items) => {
            items.iter().enumerate().for_each(|(at, item)| collect(item, below(&at.to_string()), found));
        }
        EdgeValue::Record(fields) => fields.iter().for_each(|(name, field)| collect(field, below(name), found)),
    }
}

fn number(value: Const) -> f64 {
    let whole = value.as_i64().or(value.as_bool().map(i64::from)).unwrap_or(0);
    value.as_f64().unwrap_or(whole as f64)
}
