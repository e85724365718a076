//! Keywords as the options of an execution.

use crate::module::failed;
use arr_driver::{Backend, Execution, Floats, Trap, Without, find_device};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The execution that the options of `arr.load` say.
pub fn execution(py: Python<'_>, options: &Bound<'_, PyDict>) -> PyResult<Execution> {
    let mut execution = Execution { interruptible: true, ..Execution::default() };
    for (key, value) in options {
        let key: String = key.extract()?;
        match key.as_str() {
            "backend" => {
                execution.backend = match value.extract::<String>()?.as_str() {
                    "cpu" => Backend::Cpu,
                    "gpu" => Backend::Gpu,
                    "interp" => Backend::Interp,
                    other => {
                        return Err(PyValueError::new_err(format!(
                            "no back end is called `{other}`: cpu, gpu, interp"
                        )));
                    }
                }
            }
            "float" => {
                execution.floats = match value.extract::<String>()?.as_str() {
                    "f64" => Floats::Declared,
                    "f32" => Floats::F32,
                    other => return Err(PyValueError::new_err(format!("`float` is f64 or f32, not `{other}`"))),
                }
            }
            "threads" => execution.threads = threads(value.extract()?)?,
            "strict" => execution.strict = value.extract()?,
            "checkpoint" => execution.checkpoint = value.extract()?,
            "trap_nan" => execution.trap = trap(&value)?,
            "any_size" => execution.any_size = value.extract()?,
            "portable" => execution.portable = value.extract()?,
            "max_steps" => execution.max_steps = value.extract()?,
            "max_memory" => execution.max_memory = value.extract()?,
            "device" => {
                let name: Option<String> = value.extract()?;
                execution.device = name.map(|name| find_device(&name)).transpose().map_err(|e| failed(py, e))?;
            }
            "without" => {
                let steps: Vec<String> = value.extract()?;
                let found = Without::of(steps.iter().map(String::as_str));
                execution.without = found.map_err(|e| failed(py, e.into()))?;
            }
            other => return Err(PyTypeError::new_err(format!("there is no option `{other}`"))),
        }
    }
    Ok(execution)
}

/// `True` for NaNs and infinities, `"nan"` for NaNs alone.
fn trap(value: &Bound<'_, PyAny>) -> PyResult<Option<Trap>> {
    if let Ok(all) = value.extract::<bool>() {
        return Ok(all.then_some(Trap::NotFinite));
    }
    match value.extract::<String>() {
        Ok(text) if text == "nan" => Ok(Some(Trap::Nan)),
        _ => Err(PyValueError::new_err("`trap_nan` is True, False or \"nan\"")),
    }
}

fn threads(count: Option<usize>) -> PyResult<Option<usize>> {
    if count == Some(0) {
        return Err(PyValueError::new_err("`threads` is at least 1"));
    }
    Ok(count)
}
