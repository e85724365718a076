//! Results: from the leaves of a call to objects of Python.

use crate::array;
use crate::shape::{Shape, ShapeKind, Sum};
use arr_driver::Owned;
use arr_ir::{Const, Scalar};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyTuple};

impl Shape {
    /// The object for the next leaves.
    pub fn make<'py>(&self, py: Python<'py>, leaves: &mut impl Iterator<Item = Owned>) -> PyResult<Bound<'py, PyAny>> {
        match &self.kind {
            ShapeKind::Leaf(_) => leaf(py, leaves.next()),
            ShapeKind::Tuple(items) => Ok(tuple(py, items, leaves)?.into_any()),
            ShapeKind::Record(record) => {
                let fields = tuple(py, &record.fields, leaves)?;
                array::instance(record.class.bind(py), fields.into_any())
            }
            ShapeKind::Sum(sum) if self.axes == 0 => one(py, sum, leaves),
            ShapeKind::Sum(sum) => many(py, sum, leaves),
        }
    }
}

fn tuple<'py>(
    py: Python<'py>,
    items: &[Shape],
    leaves: &mut impl Iterator<Item = Owned>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut made = smallvec::SmallVec::<[Bound<'py, PyAny>; 8]>::new();
    for item in items {
        made.push(item.make(py, leaves)?);
    }
    PyTuple::new(py, made)
}

fn leaf(py: Python<'_>, value: Option<Owned>) -> PyResult<Bound<'_, PyAny>> {
    match value {
        Some(Owned::Scalar(c)) => scalar(py, c),
        Some(Owned::Array { elem, dims, block }) => Ok(array::owned(py, elem, &dims, block)?.into_bound(py)),
        None => Err(PyRuntimeError::new_err("a function of Arr gave fewer results than its type says")),
    }
}

/// Python's own number, or a scalar of NumPy for the widths that Python does not have.
fn scalar(py: Python<'_>, value: Const) -> PyResult<Bound<'_, PyAny>> {
    Ok(match value {
        Const::F64(x) => PyFloat::new(py, x).into_any(),
        Const::I64(n) => PyInt::new(py, n).into_any(),
        Const::Bool(b) => PyBool::new(py, b).to_owned().into_any(),
        Const::F32(x) => class(py, Scalar::F32)?.call1((x,))?,
        Const::I32(n) => class(py, Scalar::I32)?.call1((n,))?,
        Const::U32(n) => class(py, Scalar::U32)?.call1((n,))?,
    })
}

fn class(py: Python<'_>, elem: Scalar) -> PyResult<&Bound<'_, PyAny>> {
    static CLASSES: [PyOnceLock<Py<PyAny>>; 3] = [const { PyOnceLock::new() }; 3];
    let [float, signed, unsigned] = &CLASSES;
    let (cell, name) = match elem {
        Scalar::F32 => (float, "float32"),
        Scalar::I32 => (signed, "int32"),
        _ => (unsigned, "uint32"),
    };
    let found = cell.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.getattr(name)?.unbind()))?;
    Ok(found.bind(py))
}

/// A sum: what its own constructor carries.
fn one<'py>(py: Python<'py>, sum: &Sum, leaves: &mut impl Iterator<Item = Owned>) -> PyResult<Bound<'py, PyAny>> {
    let own = match sum.has_tag.then(|| leaves.next()) {
        Some(Some(Owned::Scalar(Const::I64(tag)))) => usize::try_from(tag).unwrap_or(usize::MAX),
        _ => 0,
    };
    let mut found = None;
    for (k, (class, fields)) in sum.constructors.iter().enumerate() {
        let carried = tuple(py, fields, leaves)?;
        if k == own {
            found = Some(array::instance(class.bind(py), carried.into_any())?);
        }
    }
    found.ok_or_else(|| PyRuntimeError::new_err("a function of Arr gave a sum without a constructor"))
}

fn many<'py>(py: Python<'py>, sum: &Sum, leaves: &mut impl Iterator<Item = Owned>) -> PyResult<Bound<'py, PyAny>> {
    let mut columns = Vec::new();
    if sum.has_tag {
        columns.push(leaf(py, leaves.next())?);
    }
    for (_, fields) in &sum.constructors {
        columns.push(tuple(py, fields, leaves)?.into_any());
    }
    array::instance(sum.class.bind(py), PyTuple::new(py, columns)?.into_any())
}
