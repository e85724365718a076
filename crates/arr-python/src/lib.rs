//! The native part of the Python package: loads programs, and calls their functions on objects of Python.
//!
//! What a caller of another language needs as well is in `arr_serve::host`; here values and errors are translated. The
//! classes of records and the messages about arguments that take a search are in Python, in `python/arr`.
#![allow(unsafe_code)]

mod arguments;
mod array;
mod callable;
mod command;
mod errors;
mod ffi;
mod flat;
mod interrupt;
mod module;
mod options;
mod results;
mod shape;

use pyo3::prelude::*;

#[pymodule]
fn _arr(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(is_main_interpreter, module)?)?;
    module.add_class::<module::Module>()?;
    module.add_class::<module::Lowered>()?;
    module.add_class::<callable::Callable>()?;
    module.add_class::<array::Owner>()?;
    module.add_function(wrap_pyfunction!(command::command, module)?)?;
    module.add_function(wrap_pyfunction!(ffi::xla_handler, module)?)?;
    module.add_function(wrap_pyfunction!(command::format_text, module)?)?;
    Ok(())
}

/// Whether the caller is in the main interpreter of the process. Objects of one interpreter are of no use to another, and
/// some versions of Python hand a module that one has loaded to the next.
#[pyfunction]
fn is_main_interpreter(_py: Python<'_>) -> bool {
    // SAFETY: the caller is attached to an interpreter.
    unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) == 0 }
}
