//! NumPy's arrays: those of arguments are read where they lie, those of results own what the run has made.

use arr_driver::{Block, Dims};
use arr_ir::Scalar;
use numpy::npyffi::{self, NPY_TYPES, NpyTypes, PY_ARRAY_API, PyArrayObject};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{c_int, c_void};

/// Flags of `numpy/ndarraytypes.h`.
const C_CONTIGUOUS: c_int = 0x0001;
const ALIGNED: c_int = 0x0100;
const WRITEABLE: c_int = 0x0400;

/// An array of an argument.
pub struct Elements {
    pub dims: Dims,
    pub data: *const u8,
    pub len: usize,
}

/// Holds the elements of a result for the arrays that show them.
#[pyclass(frozen, module = "arr._arr", name = "Owner")]
pub struct Owner {
    /// Only to be dropped with this.
    _block: Block,
}

/// Whether an object is an array of NumPy.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the object is alive, and the type of arrays is as long as NumPy is.
    unsafe { npyffi::PyArray_Check(object.py(), object.as_ptr()) != 0 }
}

/// Whether it is one of no other class: those of subclasses may mean something else, as masked ones do.
pub fn is_plain_array(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: as above.
    unsafe { npyffi::PyArray_CheckExact(object.py(), object.as_ptr()) != 0 }
}

/// The elements of an array, if it can be read where it lies: of this type in the order of bytes of this machine, with
/// this many axes, contiguous and aligned.
pub fn elements(object: &Bound<'_, PyAny>, elem: Scalar, rank: usize) -> Option<Elements> {
    if !is_array(object) {
        return None;
    }
    let array = object.as_ptr().cast::<PyArrayObject>();
    // SAFETY: it is an array, which is alive; its description is as long as it is.
    let (fields, descr) = unsafe { (&(*array).fields, &(*(*array).fields.descr).fields) };
    let native = descr.byteorder as u8 == b'=' || descr.byteorder as u8 == b'|' || descr.byteorder as u8 == NATIVE;
    let wanted = C_CONTIGUOUS | ALIGNED;
    let nd = usize::try_from(fields.nd).ok()?;
    if nd != rank || fields.flags & wanted != wanted || !native || !is_of(descr.type_num, elem) {
        return None;
    }
    // SAFETY: an array has as many extents as axes; with none the pointer may be null.
    let extents = if nd == 0 { &[] } else { unsafe { std::slice::from_raw_parts(fields.dimensions, nd) } };
    let dims: Dims = extents.iter().map(|&extent| extent as i64).collect();
    let len = extents.iter().product::<isize>();
    let found = Elements { dims, data: fields.data.cast_const().cast(), len: usize::try_from(len).ok()? };
    if elem == Scalar::Bool && found.len > 0 {
        // SAFETY: contiguous, and so many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(found.data, found.len) };
        // A view of other memory as bools may have other bytes.
        if bytes.iter().any(|&byte| byte > 1) {
            return None;
        }
    }
    Some(found)
}

#[cfg(target_endian = "little")]
const NATIVE: u8 = b'<';
#[cfg(target_endian = "big")]
const NATIVE: u8 = b'>';

/// Whether a type of NumPy is this one. There are two of 64 bits, of which one may be another name of the other.
fn is_of(given: c_int, elem: Scalar) -> bool {
    given == number(elem) || elem == Scalar::I64 && given == NPY_TYPES::NPY_LONGLONG as c_int
}

fn number(elem: Scalar) -> c_int {
    let long = if size_of::<std::ffi::c_long>() == 8 { NPY_TYPES::NPY_LONG } else { NPY_TYPES::NPY_LONGLONG };
    let ty = match elem {
        Scalar::Bool => NPY_TYPES::NPY_BOOL,
        Scalar::I32 => NPY_TYPES::NPY_INT,
        Scalar::U32 => NPY_TYPES::NPY_UINT,
        Scalar::I64 => long,
        Scalar::F32 => NPY_TYPES::NPY_FLOAT,
        Scalar::F64 => NPY_TYPES::NPY_DOUBLE,
    };
    ty as c_int
}

/// An array that owns a result.
pub fn owned(py: Python<'_>, elem: Scalar, dims: &Dims, block: Block) -> PyResult<Py<PyAny>> {
    let data = block.data().cast::<c_void>();
    let owner = Py::new(py, Owner { _block: block })?;
    let mut extents: smallvec::SmallVec<[npyffi::npy_intp; 4]> = dims.iter().map(|&extent| extent as _).collect();
    // SAFETY: NumPy copies the extents. The data is aligned, has as many elements of the type as the extents say, and
    // lives as long as its owner, whose reference the array takes over.
    unsafe {
        let descr = PY_ARRAY_API.PyArray_DescrFromType(py, number(elem));
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, NpyTypes::PyArray_Type),
            descr,
            extents.len() as c_int,
            extents.as_mut_ptr(),
            std::ptr::null_mut(),
            data,
            C_CONTIGUOUS | ALIGNED | WRITEABLE,
            std::ptr::null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, array)?;
        if PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), owner.into_ptr()) < 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(array.unbind())
    }
}

/// An instance of a subclass of tuples, without a call of the class.
pub fn instance<'py>(class: &Bound<'py, PyAny>, items: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    // SAFETY: `class` is a type whose layout is that of tuples, for which this slot makes instances; the arguments are
    // a tuple with one sequence.
    unsafe {
        let make = ffi::PyType_GetSlot(&raw mut ffi::PyTuple_Type, ffi::Py_tp_new);
        if make.is_null() {
            return class.call_method1("_make", (items,));
        }
        let make = std::mem::transmute::<*mut c_void, ffi::newfunc>(make);
        let args = pyo3::types::PyTuple::new(py, [items])?;
        let made = make(class.as_ptr().cast(), args.as_ptr(), std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, made)
    }
}
