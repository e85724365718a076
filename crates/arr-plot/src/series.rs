//! The lines and points of a picture, taken from the vectors of a value.

use arr_data::EdgeValue;
use arr_ir::{Const, Edge, Value};

/// How the points of a series are marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    Line,
    Points,
    Bars,
}

/// A line, or points.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// What a legend calls it.
    pub name: String,
    pub mark: Mark,
    /// A point that is not finite interrupts a line.
    pub points: Vec<(f64, f64)>,
    /// The ends of each point's vertical error bar, or none for all.
    pub errors: Vec<(f64, f64)>,
}

/// Whether a point has a place in a picture.
pub(crate) fn is_finite((x, y): &(f64, f64)) -> bool {
    x.is_finite() && y.is_finite()
}

/// An array of a value that can be drawn, under its path of fields.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Drawable {
    pub path: String,
    pub dims: Vec<usize>,
    pub numbers: Vec<f64>,
    /// What the numbers stand for, if they are those of constructors: such an array is only along the horizontal axis.
    pub labels: Option<Vec<String>>,
}

impl Drawable {
    pub(crate) fn is_vector(&self) -> bool {
        self.dims.len() == 1
    }

    /// Whether it has numbers of its own.
    pub(crate) fn is_numbers(&self) -> bool {
        self.labels.is_none()
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

/// What can be drawn of values of a type: the path, the number of axes, and whether it has numbers.
pub(crate) struct Kind {
    pub path: String,
    pub axes: usize,
    pub is_numbers: bool,
}

/// What can be drawn of values of a type.
pub(crate) fn kinds(edge: &Edge) -> Vec<Kind> {
    let mut found = Vec::new();
    collect_kinds(edge, 0, String::new(), &mut found);
    found
}

fn collect_kinds(edge: &Edge, axes: usize, path: String, found: &mut Vec<Kind>) {
    let below = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    match edge {
        Edge::Scalar(_) if matches!(axes, 1 | 2) => found.push(Kind { path, axes, is_numbers: true }),
        Edge::Sum { constructors, .. } if axes == 1 && is_category(constructors) => {
            found.push(Kind { path, axes, is_numbers: false });
        }
        Edge::Scalar(_) | Edge::Sum { .. } => {}
        Edge::Array(_, inner) => collect_kinds(inner, axes + 1, path, found),
        Edge::Tuple(items) => {
            items.iter().enumerate().for_each(|(at, item)| collect_kinds(item, axes, below(&at.to_string()), found));
        }
        Edge::Record(fields) => {
            fields.iter().for_each(|(name, field)| collect_kinds(field, axes, below(name), found));
        }
    }
}

fn collect(value: &EdgeValue, path: String, found: &mut Vec<Drawable>) {
    let below = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    match value {
        EdgeValue::Leaf(Value::Array(array)) if matches!(array.dims.len(), 1 | 2) => {
            let dims = array.dims.iter().map(|&n| usize::try_from(n).unwrap_or(0)).collect();
            let numbers = (0..array.data.len()).filter_map(|at| array.data.get(at)).map(number).collect();
            found.push(Drawable { path, dims, numbers, labels: None });
        }
        EdgeValue::Sum { tag: Some(Value::Array(tag)), constructors, .. }
            if tag.dims.len() == 1 && is_category(constructors) =>
        {
            let numbers: Vec<f64> = (0..tag.data.len()).filter_map(|at| tag.data.get(at)).map(number).collect();
            let labels = constructors.iter().map(|(name, _)| name.clone()).collect();
            found.push(Drawable { path, dims: vec![numbers.len()], numbers, labels: Some(labels) });
        }
        // Other constructors are not numbers.
        EdgeValue::Leaf(_) | EdgeValue::Sum { .. } => {}
        EdgeValue::Array { element, .. } => collect(element, path, found),
        EdgeValue::Tuple(items) => {
            items.iter().enumerate().for_each(|(at, item)| collect(item, below(&at.to_string()), found));
        }
        EdgeValue::Record(fields) => fields.iter().for_each(|(name, field)| collect(field, below(name), found)),
    }
}

/// Whether values of several constructors, none of which carries anything, are categories.
fn is_category<T>(constructors: &[(String, Vec<T>)]) -> bool {
    constructors.len() > 1 && constructors.iter().all(|(_, fields)| fields.is_empty())
}

fn number(value: Const) -> f64 {
    let whole = value.as_i64().or(value.as_bool().map(i64::from)).unwrap_or(0);
    value.as_f64().unwrap_or(whole as f64)
}
