//! Values as flat lists of their leaves, whatever these are: arrays of NumPy, tensors, or the values that JAX traces.

use crate::arguments::Fault;
use crate::array;
use crate::shape::{Shape, ShapeKind};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

impl Shape {
    /// Adds the leaves of a value. Sums have none that are the same for all values: with one it fails, and where the value lacks
    /// a field or an item of its type.
    pub fn flatten<'py>(&self, value: &Bound<'py, PyAny>, flat: &mut Vec<Bound<'py, PyAny>>) -> Result<(), Fault> {
        let py = value.py();
        match &self.kind {
            ShapeKind::Leaf(_) => flat.push(value.clone()),
            ShapeKind::Tuple(items) => {
                for (at, item) in items.iter().enumerate() {
                    item.flatten(&value.get_item(at)?, flat)?;
                }
            }
            ShapeKind::Record(record) => {
                let dict = value.cast::<PyDict>().ok();
                for (name, field) in record.names.iter().zip(&record.fields) {
                    let part = match dict {
                        Some(dict) => dict.as_any().get_item(name.bind(py))?,
                        None => value.getattr(name.bind(py))?,
                    };
                    field.flatten(&part, flat)?;
                }
            }
            ShapeKind::Sum(_) => return Err(self.without_leaves()),
        }
        Ok(())
    }

    fn without_leaves(&self) -> Fault {
        let text = format!("a value of the type `{}` has no leaves for other programs", self.text);
        Fault::Mismatch { path: String::new(), text }
    }

    /// The value with the next leaves.
    pub fn unflatten<'py>(
        &self,
        py: Python<'py>,
        leaves: &mut impl Iterator<Item = Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.kind {
            ShapeKind::Leaf(_) => {
                let missing = || pyo3::exceptions::PyValueError::new_err("there are fewer leaves than the type has");
                leaves.next().ok_or_else(missing)
            }
            ShapeKind::Tuple(items) => Ok(together(py, items, leaves)?.into_any()),
            ShapeKind::Record(record) => {
                let fields = together(py, &record.fields, leaves)?;
                array::instance(record.class.bind(py), fields.into_any())
            }
            ShapeKind::Sum(_) => Err(pyo3::exceptions::PyTypeError::new_err("sums have no leaves for other programs")),
        }
    }
}

fn together<'py>(
    py: Python<'py>,
    shapes: &[Shape],
    leaves: &mut impl Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let made = shapes.iter().map(|shape| shape.unflatten(py, leaves));
    PyTuple::new(py, made.collect::<PyResult<Vec<_>>>()?)
}
