//! Arguments: from objects of Python to the leaves of a call.

use crate::array;
use crate::shape::{Record, Shape, ShapeKind, Sum};
use arr_driver::{Dims, Lent, LentArray};
use arr_ir::{Const, Scalar};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyTuple};
use smallvec::SmallVec;

/// A leaf of an argument, and what keeps its memory.
pub enum Leaf<'py> {
    Scalar(Const),
    Array {
        elem: Scalar,
        dims: Dims,
        data: *const u8,
        len: usize,
        _owner: Bound<'py, PyAny>,
    },
    /// An array that only a constructor carries that was not chosen: zeros, as many as the sizes say.
    Open {
        elem: Scalar,
        dims: Dims,
        zeros: Vec<u64>,
    },
}

pub type Leaves<'py> = SmallVec<[Leaf<'py>; 8]>;

/// Why a value does not fit: inside of what, and in words.
pub enum Fault {
    Mismatch { path: String, text: String },
    Python(PyErr),
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Fault {
        Fault::Python(error)
    }
}

impl Fault {
    fn new(text: impl Into<String>) -> Fault {
        Fault::Mismatch { path: String::new(), text: text.into() }
    }

    fn inside(self, step: &str) -> Fault {
        match self {
            Fault::Mismatch { path, text } => Fault::Mismatch { path: format!("{step}{path}"), text },
            python => python,
        }
    }
}

type Done = Result<(), Fault>;

impl Leaf<'_> {
    /// The leaf as the call takes it. An open one has no extents yet.
    pub fn lent(&self) -> Lent<'_> {
        match self {
            Leaf::Scalar(c) => Lent::Scalar(*c),
            // SAFETY: `array::elements` has checked the memory, which its owner keeps while this is borrowed.
            Leaf::Array { elem, dims, data, len, .. } => {
                Lent::Array(unsafe { LentArray::new(*elem, dims, *data, *len) })
            }
            Leaf::Open { elem, dims, zeros } => {
                let len = arr_base::element_count(dims).unwrap_or(0).min(zeros.len());
                // SAFETY: zeros are values of every type, and there are eight bytes for each element.
                Lent::Array(unsafe { LentArray::new(*elem, dims, zeros.as_ptr().cast(), len) })
            }
        }
    }
}

impl Shape {
    /// Adds the leaves of a value.
    pub fn read<'py>(&self, value: &Bound<'py, PyAny>, leaves: &mut Leaves<'py>) -> Done {
        match &self.kind {
            ShapeKind::Leaf(elem) if self.axes == 0 => {
                leaves.push(Leaf::Scalar(self.scalar(*elem, value)?));
                Ok(())
            }
            ShapeKind::Leaf(elem) => self.array(*elem, value, leaves),
            ShapeKind::Tuple(items) => self.tuple(items, value, leaves),
            ShapeKind::Record(record) => self.record(record, value, leaves),
            ShapeKind::Sum(sum) => self.sum(sum, value, leaves),
        }
    }

    fn scalar(&self, elem: Scalar, value: &Bound<'_, PyAny>) -> Result<Const, Fault> {
        if elem == Scalar::F64
            && let Ok(x) = value.cast_exact::<PyFloat>()
        {
            return Ok(Const::F64(x.value()));
        }
        if elem == Scalar::I64
            && let Ok(n) = value.cast_exact::<PyInt>()
            && let Ok(n) = n.extract::<i64>()
        {
            return Ok(Const::I64(n));
        }
        // Whatever else may stand for a number is made one of Python's.
        let helper = value.py().import("arr._values")?;
        let made = helper.call_method1("scalar", (value, elem.name())).map_err(|e| mismatch(value.py(), e))?;
        Ok(match elem {
            Scalar::Bool => Const::Bool(made.cast::<PyBool>().map_err(PyErr::from)?.is_true()),
            Scalar::I32 => Const::I32(made.extract()?),
            Scalar::I64 => Const::I64(made.extract()?),
            Scalar::U32 => Const::U32(made.extract()?),
            Scalar::F32 => Const::F32(made.extract::<f64>()? as f32),
            Scalar::F64 => Const::F64(made.extract()?),
        })
    }

    fn array<'py>(&self, elem: Scalar, value: &Bound<'py, PyAny>, leaves: &mut Leaves<'py>) -> Done {
        let mut owner = value.clone();
        let mut found = if array::is_plain_array(value) { array::elements(value, elem, self.axes) } else { None };
        if found.is_none() {
            let py = value.py();
            let helper = py.import("arr._values")?;
            owner = helper.call_method1("array", (value, elem.name(), self.axes)).map_err(|e| mismatch(py, e))?;
            found = array::elements(&owner, elem, self.axes);
        }
        let Some(array::Elements { dims, data, len }) = found else {
            return Err(PyTypeError::new_err("an array could not be brought into the form of the parameter").into());
        };
        leaves.push(Leaf::Array { elem, dims, data, len, _owner: owner });
        Ok(())
    }

    fn tuple<'py>(&self, items: &[Shape], value: &Bound<'py, PyAny>, leaves: &mut Leaves<'py>) -> Done {
        let value = &self.as_columns(value)?;
        let parts = match value.cast::<PyTuple>() {
            Ok(tuple) if !is_record(value)? => tuple.clone(),
            _ => match value.cast::<PyList>() {
                Ok(list) if self.axes == 0 => list.to_tuple(),
                _ => return Err(self.unlike(value)),
            },
        };
        if parts.len() != items.len() {
            return Err(Fault::new(format!("expected `{}`, found a tuple of {}", self.text, parts.len())));
        }
        for (at, (item, part)) in items.iter().zip(parts.iter()).enumerate() {
            item.read(&part, leaves).map_err(|fault| fault.inside(&format!(".{at}")))?;
        }
        Ok(())
    }

    fn record<'py>(&self, record: &Record, value: &Bound<'py, PyAny>, leaves: &mut Leaves<'py>) -> Done {
        let py = value.py();
        if value.get_type().is(record.class.bind(py)) {
            let fields = value.cast::<PyTuple>().map_err(PyErr::from)?;
            for (at, field) in record.fields.iter().enumerate() {
                let part = fields.get_borrowed_item(at)?;
                let read = field.read(&part, leaves);
                read.map_err(|fault| fault.inside(&dotted(record, at, py)))?;
            }
            return Ok(());
        }
        let value = &self.as_columns(value)?;
        let dict = value.cast::<PyDict>().ok();
        if let Some(extra) = dict.map(|dict| extra_key(record, dict)).transpose()?.flatten() {
            return Err(Fault::new(format!("`{}` has no field `{extra}`", self.text)));
        }
        for (at, (name, field)) in record.names.iter().zip(&record.fields).enumerate() {
            let part = match dict {
                Some(dict) => dict.get_item(name.bind(py))?,
                None => value.getattr_opt(name.bind(py))?,
            };
            let Some(part) = part else {
                return Err(match dict {
                    Some(_) => Fault::new(format!("the field `{}` of `{}` is missing", name.bind(py), self.text)),
                    None => self.unlike(value),
                });
            };
            field.read(&part, leaves).map_err(|fault| fault.inside(&dotted(record, at, py)))?;
        }
        Ok(())
    }

    fn sum<'py>(&self, sum: &Sum, value: &Bound<'py, PyAny>, leaves: &mut Leaves<'py>) -> Done {
        let py = value.py();
        if self.axes > 0 {
            return self.sums(sum, value, leaves);
        }
        // A constructor that carries nothing stands for its value, as in the program.
        let alone = |(class, fields): &(Py<PyAny>, Vec<Shape>)| fields.is_empty() && value.is(class.bind(py));
        let value = &if sum.constructors.iter().any(alone) { value.call0()? } else { value.clone() };
        let class = value.get_type();
        let Some(own) = sum.constructors.iter().position(|(constructor, _)| class.is(constructor.bind(py))) else {
            return Err(self.unlike(value));
        };
        if sum.has_tag {
            leaves.push(Leaf::Scalar(Const::I64(own as i64)));
        }
        let carried = value.cast::<PyTuple>().map_err(PyErr::from)?;
        for (k, (_, fields)) in sum.constructors.iter().enumerate() {
            for (at, field) in fields.iter().enumerate() {
                if k == own {
                    let part = carried.get_borrowed_item(at)?;
                    field.read(&part, leaves).map_err(|fault| fault.inside(&format!(".{at}")))?;
                } else {
                    field.zeros(leaves);
                }
            }
        }
        Ok(())
    }

    /// An array of sums: the tags and what every constructor carries, or a list of values.
    fn sums<'py>(&self, sum: &Sum, value: &Bound<'py, PyAny>, leaves: &mut Leaves<'py>) -> Done {
        let py = value.py();
        let class = sum.class.bind(py);
        let columns = if value.get_type().is(class) {
            value.clone()
        } else {
            class.call_method1("_of", (value,)).map_err(|e| mismatch(py, e))?
        };
        let columns = columns.cast::<PyTuple>().map_err(PyErr::from)?;
        let mut next = columns.iter();
        let mut part = || next.next().ok_or_else(|| self.unlike(value));
        if sum.has_tag {
            let tags = part()?;
            let tag = Shape { kind: ShapeKind::Leaf(Scalar::I64), axes: self.axes, text: self.text.clone() };
            tag.read(&tags, leaves)?;
            let count = sum.constructors.len();
            py.import("arr._values")?.call_method1("check_tags", (tags, count)).map_err(|e| mismatch(py, e))?;
        }
        for (_, fields) in &sum.constructors {
            let carried = part()?;
            let carried = carried.cast::<PyTuple>().map_err(PyErr::from)?;
            for (at, field) in fields.iter().enumerate() {
                let part = carried.get_item(at)?;
                if part.is_none() {
                    field.zeros(leaves);
                } else {
                    field.read(&part, leaves)?;
                }
            }
        }
        Ok(())
    }

    /// Zeros for what is not there.
    fn zeros(&self, leaves: &mut Leaves<'_>) {
        let each = |shape: &Shape, leaves: &mut Leaves<'_>| shape.zeros(leaves);
        match &self.kind {
            ShapeKind::Leaf(elem) if self.axes == 0 => leaves.push(Leaf::Scalar(Const::zero(*elem))),
            ShapeKind::Leaf(elem) => {
                let dims = Dims::from_elem(OPEN, self.axes);
                leaves.push(Leaf::Open { elem: *elem, dims, zeros: Vec::new() });
            }
            ShapeKind::Tuple(items) => items.iter().for_each(|item| each(item, leaves)),
            ShapeKind::Record(record) => record.fields.iter().for_each(|field| each(field, leaves)),
            ShapeKind::Sum(sum) => {
                if sum.has_tag {
                    let tag = Shape { kind: ShapeKind::Leaf(Scalar::I64), axes: self.axes, text: String::new() };
                    tag.zeros(leaves);
                }
                sum.constructors.iter().flat_map(|(_, fields)| fields).for_each(|field| each(field, leaves));
            }
        }
    }

    /// A list or a structured array of records, or a list of tuples, as a record or tuple of arrays.
    fn as_columns<'py>(&self, value: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, Fault> {
        if self.axes == 0 || !(value.is_instance_of::<PyList>() || array::is_array(value)) {
            return Ok(value.clone());
        }
        let py = value.py();
        let fields = match &self.kind {
            ShapeKind::Record(record) => PyTuple::new(py, record.names.iter().map(|name| name.bind(py)))?.into_any(),
            ShapeKind::Tuple(items) => items.len().into_pyobject(py).map_err(PyErr::from)?.into_any(),
            _ => return Ok(value.clone()),
        };
        let helper = py.import("arr._values")?;
        helper.call_method1("columns", (value, fields, self.axes)).map_err(|e| mismatch(py, e))
    }

    fn unlike(&self, value: &Bound<'_, PyAny>) -> Fault {
        let found = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        Fault::new(format!("expected `{}`, found a value of the class `{found}`", self.text))
    }
}

/// An extent that the argument does not show.
pub const OPEN: i64 = -1;

fn dotted(record: &Record, at: usize, py: Python<'_>) -> String {
    record.names.get(at).map_or(String::new(), |name| format!(".{}", name.bind(py)))
}

/// A key that is no field.
fn extra_key(record: &Record, dict: &Bound<'_, PyDict>) -> PyResult<Option<String>> {
    for key in dict.keys() {
        let mut known = false;
        for name in &record.names {
            known |= key.eq(name.bind(dict.py()))?;
        }
        if !known {
            return Ok(Some(key.to_string()));
        }
    }
    Ok(None)
}

/// Whether a tuple is a record or a constructor's value, which stand for no tuples.
fn is_record(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    // SAFETY: the object is alive.
    if unsafe { ffi::PyTuple_CheckExact(value.as_ptr()) } != 0 {
        return Ok(false);
    }
    value.hasattr("_arr_key")
}

/// A complaint of the helpers in Python; other exceptions stay what they are.
fn mismatch(py: Python<'_>, error: PyErr) -> Fault {
    let ours = py.import("arr._errors").and_then(|errors| errors.getattr("ShapeError"));
    match ours {
        Ok(class) if error.matches(py, &class).unwrap_or(false) => Fault::new(error.value(py).to_string()),
        _ => Fault::Python(error),
    }
}
