//! Compares values: exactly, or within a tolerance.

use arr_data::EdgeValue;
use arr_driver::Floats;
use arr_ir::{Const, Value, index_text};

/// The largest difference between two values.
#[derive(Clone, PartialEq, Debug)]
pub enum Difference {
    /// They do not have the same structure, shape or constructors.
    Shape,
    Element {
        /// The path to the element, `.x[2, 1]`; empty for a scalar.
        place: String,
        left: Const,
        right: Const,
    },
}

/// The expected accuracy of floats if `f32` replaces `f64`.
const SINGLE: f64 = 1e-4;

/// The tolerance of a test: the stated one, which is meant for the program's own types.
pub(crate) fn of_test(stated: Option<f64>, floats: Floats) -> Option<f64> {
    match floats {
        Floats::Declared => stated,
        Floats::F32 => stated.map(|e| e.max(SINGLE)),
    }
}

/// The tolerance of an example. The digits that it shows are those of the program's own types.
pub(crate) fn of_example(stated: Option<f64>, floats: Floats) -> Option<f64> {
    match floats {
        Floats::Declared => stated,
        Floats::F32 => Some(stated.unwrap_or(0.0).max(SINGLE)),
    }
}

/// Whether two numbers are the same: exactly, or within `tolerance` times the larger of them and 1. NaNs count as
/// equal, since outputs of programs are compared.
pub(crate) fn same(a: Const, b: Const, tolerance: Option<f64>) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (a.as_f64(), b.as_f64()) else { return false };
    x == y || (x.is_nan() && y.is_nan()) || tolerance.is_some_and(|e| distance(x, y) <= e)
}

/// The difference relative to the larger of the two, and to 1 if both are smaller.
fn distance(x: f64, y: f64) -> f64 {
    (x - y).abs() / x.abs().max(y.abs()).max(1.0)
}

/// The distance of two numbers, for finding the largest one.
fn gap(a: Const, b: Const) -> f64 {
    let number = |c: Const| c.as_f64().or(c.as_i64().map(|i| i as f64));
    match (number(a), number(b)) {
        (Some(x), Some(y)) if (x - y).is_nan() => f64::INFINITY,
        (Some(x), Some(y)) => (x - y).abs(),
        _ => 1.0,
    }
}

/// The elements that differ most, or `None` if the values are the same.
pub fn difference(left: &EdgeValue, right: &EdgeValue, tolerance: Option<f64>) -> Option<Difference> {
    let mut worst = Worst { tolerance, found: None };
    worst.compare(left, right, String::new());
    worst.found.map(|(_, difference)| difference)
}

/// Like [`difference`], for the two sides of a comparison, of which one may be a scalar and the other an array.
pub(crate) fn sides(left: &Value, right: &Value, tolerance: Option<f64>) -> Option<Difference> {
    let mut worst = Worst { tolerance, found: None };
    match (left, right) {
        (Value::Scalar(a), Value::Array(array)) => {
            worst.elements(String::new(), &array.dims, |i| Some((*a, array.data.get(i)?)));
        }
        (Value::Array(array), Value::Scalar(b)) => {
            worst.elements(String::new(), &array.dims, |i| Some((array.data.get(i)?, *b)));
        }
        _ => worst.leaves(left, right, String::new()),
    }
    worst.found.map(|(_, difference)| difference)
}

struct Worst {
    tolerance: Option<f64>,
    found: Option<(f64, Difference)>,
}

impl Worst {
    fn keep(&mut self, gap: f64, difference: Difference) {
        if self.found.as_ref().is_none_or(|(least, _)| gap > *least) {
            self.found = Some((gap, difference));
        }
    }

    fn compare(&mut self, left: &EdgeValue, right: &EdgeValue, place: String) {
        match (left, right) {
            (EdgeValue::Leaf(a), EdgeValue::Leaf(b)) => self.leaves(a, b, place),
            (EdgeValue::Tuple(a), EdgeValue::Tuple(b)) if a.len() == b.len() => {
                for (i, (a, b)) in a.iter().zip(b).enumerate() {
                    self.compare(a, b, format!("{place}.{i}"));
                }
            }
            (EdgeValue::Record(a), EdgeValue::Record(b)) if a.iter().map(|f| &f.0).eq(b.iter().map(|f| &f.0)) => {
                for ((name, a), (_, b)) in a.iter().zip(b) {
                    self.compare(a, b, format!("{place}.{name}"));
                }
            }
            (EdgeValue::Array { dims: m, element: a }, EdgeValue::Array { dims: n, element: b }) if m == n => {
                self.compare(a, b, place);
            }
            (
                EdgeValue::Sum { tag: Some(a), constructors: x, .. },
                EdgeValue::Sum { tag: Some(b), constructors: y, .. },
            ) => {
                // The payloads of different constructors are not compared.
                match a == b {
                    true => self.carried(x, y, &place),
                    false => self.keep(f64::INFINITY, Difference::Shape),
                }
            }
            (EdgeValue::Sum { constructors: x, .. }, EdgeValue::Sum { constructors: y, .. }) => {
                self.carried(x, y, &place);
            }
            _ => self.keep(f64::INFINITY, Difference::Shape),
        }
    }

    fn carried(&mut self, x: &[(String, Vec<EdgeValue>)], y: &[(String, Vec<EdgeValue>)], place: &str) {
        for ((name, a), (_, b)) in x.iter().zip(y) {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                self.compare(a, b, format!("{place}.{name}.{i}"));
            }
        }
    }

    fn leaves(&mut self, left: &Value, right: &Value, place: String) {
        match (left, right) {
            (Value::Scalar(a), Value::Scalar(b)) => self.elements(place, &[], |_| Some((*a, *b))),
            (Value::Array(a), Value::Array(b)) if a.dims == b.dims => {
                self.elements(place, &a.dims, |i| Some((a.data.get(i)?, b.data.get(i)?)));
            }
            _ => self.keep(f64::INFINITY, Difference::Shape),
        }
    }

    fn elements(&mut self, place: String, dims: &[i64], at: impl Fn(usize) -> Option<(Const, Const)>) {
        let count = dims.iter().map(|d| usize::try_from(*d).unwrap_or(0)).product();
        for i in 0..count {
            let Some((left, right)) = at(i) else { return };
            if !same(left, right, self.tolerance) {
                let place =
                    if dims.is_empty() { place.to_string() } else { format!("{place}[{}]", index_text(dims, i)) };
                self.keep(gap(left, right), Difference::Element { place, left, right });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(data: &[f64]) -> EdgeValue {
        EdgeValue::Leaf(Value::f64s(&[data.len() as i64], data))
    }

    #[test]
    fn the_worst_element_is_named() {
        let (a, b) = (vector(&[1.0, 2.0, 3.0]), vector(&[1.1, 4.0, 3.0]));
        let found = difference(&a, &b, None);
        let expected = Difference::Element { place: "[1]".into(), left: Const::F64(2.0), right: Const::F64(4.0) };
        assert_eq!(found, Some(expected));
        assert_eq!(difference(&a, &vector(&[1.0, 2.0]), None), Some(Difference::Shape));
    }

    #[test]
    fn single_precision_has_a_least_tolerance() {
        assert_eq!(of_test(Some(1e-12), Floats::Declared), Some(1e-12));
        assert_eq!(of_test(Some(1e-12), Floats::F32), Some(1e-4));
        assert_eq!(of_test(Some(0.1), Floats::F32), Some(0.1));
        // A test with `==` alone is exact.
        assert_eq!(of_test(None, Floats::F32), None);
        assert_eq!(of_example(None, Floats::F32), Some(1e-4));
        assert_eq!(of_example(None, Floats::Declared), None);
    }

    #[test]
    fn tolerances_are_relative_above_one() {
        let near = |x: f64, y: f64, e: f64| difference(&vector(&[x]), &vector(&[y]), Some(e)).is_none();
        assert!(near(0.0, 1e-9, 1e-9));
        assert!(!near(0.0, 2e-9, 1e-9));
        assert!(near(1e6, 1e6 + 1e-4, 1e-9));
        assert!(near(f64::INFINITY, f64::INFINITY, 1e-9));
        assert!(!near(f64::INFINITY, 1.0, 1e-9));
        assert!(near(f64::NAN, f64::NAN, 1e-9));
        assert!(!near(f64::NAN, 1.0, 1e9));
        assert!(difference(&vector(&[0.0]), &vector(&[-0.0]), None).is_none());
    }
}
