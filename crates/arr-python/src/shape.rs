//! Types of parameters and results, prepared for the translation of values.

use arr_ir::{Edge, Scalar};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// A type, with the classes of its records and sums.
pub struct Shape {
    pub kind: ShapeKind,
    /// The array axes around it.
    pub axes: usize,
    /// The type as the program has it, for messages.
    pub text: String,
}

pub enum ShapeKind {
    /// A scalar, or an array of scalars.
    Leaf(Scalar),
    Tuple(Vec<Shape>),
    Record(Record),
    Sum(Sum),
}

pub struct Record {
    pub class: Py<PyAny>,
    pub names: Vec<Py<PyString>>,
    pub fields: Vec<Shape>,
}

pub struct Sum {
    /// The class of a value; with axes that of arrays of values.
    pub class: Py<PyAny>,
    /// The classes of the constructors, and what they carry.
    pub constructors: Vec<(Py<PyAny>, Vec<Shape>)>,
    pub has_tag: bool,
}

/// Makes shapes, with the classes that a registry of Python gives.
pub struct Shapes<'a, 'py> {
    pub py: Python<'py>,
    pub registry: &'a Bound<'py, PyAny>,
    /// The text of a type.
    pub text: &'a dyn Fn(&Edge) -> String,
}

impl Shapes<'_, '_> {
    pub fn of(&self, edge: &Edge) -> PyResult<Shape> {
        self.inside(edge, 0)
    }

    fn inside(&self, edge: &Edge, outer: usize) -> PyResult<Shape> {
        let (mut inner, mut axes) = (edge, outer);
        while let Edge::Array(_, next) = inner {
            inner = next;
            axes += 1;
        }
        let kind = match inner {
            Edge::Scalar(elem) => ShapeKind::Leaf(*elem),
            Edge::Array(..) => ShapeKind::Tuple(Vec::new()),
            Edge::Tuple(items) => ShapeKind::Tuple(self.all(items.iter(), axes)?),
            Edge::Record(fields) => {
                let names: Vec<Py<PyString>> =
                    fields.iter().map(|(name, _)| PyString::intern(self.py, name).unbind()).collect();
                let tuple = PyTuple::new(self.py, names.iter().map(|name| name.bind(self.py)))?;
                let class = self.registry.call_method1("record", (tuple,))?.unbind();
                ShapeKind::Record(Record {
                    class,
                    names,
                    fields: self.all(fields.iter().map(|(_, field)| field), axes)?,
                })
            }
            Edge::Sum { name, constructors } => self.sum(name, constructors, axes)?,
        };
        Ok(Shape { kind, axes, text: (self.text)(edge) })
    }

    fn all<'e>(&self, edges: impl Iterator<Item = &'e Edge>, axes: usize) -> PyResult<Vec<Shape>> {
        edges.map(|edge| self.inside(edge, axes)).collect()
    }

    fn sum(&self, name: &str, constructors: &[(String, Vec<Edge>)], axes: usize) -> PyResult<ShapeKind> {
        let sizes: Vec<(&str, usize)> =
            constructors.iter().map(|(name, fields)| (name.as_str(), fields.len())).collect();
        let sum = self.registry.call_method1("sum", (name, sizes))?;
        let classes = sum.getattr("_constructors")?;
        let mut all = Vec::new();
        for (at, (_, fields)) in constructors.iter().enumerate() {
            all.push((classes.get_item(at)?.unbind(), self.all(fields.iter(), axes)?));
        }
        let class = if axes == 0 { sum } else { sum.getattr("Array")? };
        Ok(ShapeKind::Sum(Sum { class: class.unbind(), constructors: all, has_tag: Edge::has_tag(constructors) }))
    }
}

impl Shape {
    /// The type as a tree of tuples, for those who write types of Python: a kind, the number of axes, and what is inside.
    pub fn tree<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let all = |shapes: &[Shape]| shapes.iter().map(|shape| shape.tree(py)).collect::<PyResult<Vec<_>>>();
        let tree = match &self.kind {
            ShapeKind::Leaf(elem) => ("leaf", self.axes, elem.name()).into_pyobject(py)?,
            ShapeKind::Tuple(items) => ("tuple", self.axes, all(items)?).into_pyobject(py)?,
            ShapeKind::Record(record) => {
                ("record", self.axes, (&record.class, all(&record.fields)?)).into_pyobject(py)?
            }
            ShapeKind::Sum(sum) => {
                let carried = sum.constructors.iter().map(|(_, fields)| all(fields)).collect::<PyResult<Vec<_>>>()?;
                ("sum", self.axes, (&sum.class, carried)).into_pyobject(py)?
            }
        };
        Ok(tree.into_any())
    }
}
