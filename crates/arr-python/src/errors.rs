//! Refusals as exceptions. Which class an exception has is decided in Python, by the codes.

use arr_base::{Diagnostic, SourceMap, Span};
use arr_cli::render::{self, Look};
use arr_driver::Failure;
use arr_serve::host::Refused;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The width of messages, in characters.
const WIDTH: usize = 100;

/// The exception for a refusal.
pub fn refused(py: Python<'_>, refused: &Refused) -> PyErr {
    let made = match &refused.failure {
        Failure::Diagnostics(list) => exception(py, list, &refused.sources),
        Failure::Bug(what) => bug(py, what),
    };
    made.unwrap_or_else(|error| error)
}

fn exception(py: Python<'_>, list: &[Diagnostic], sources: &SourceMap) -> PyResult<PyErr> {
    let text = render::diagnostics(list, sources, Look { colors: false, width: WIDTH });
    let items = list.iter().map(|d| item(py, d, sources)).collect::<PyResult<Vec<_>>>()?;
    let made = py.import("arr._errors")?.call_method1("exception", (text.trim_end(), items))?;
    Ok(PyErr::from_value(made))
}

/// The exception for a fault of the compiler.
fn bug(py: Python<'_>, what: &str) -> PyResult<PyErr> {
    Ok(PyErr::from_value(py.import("arr._errors")?.call_method1("internal", (what,))?))
}

/// The exception for arguments that do not fit.
pub fn mismatch(py: Python<'_>, text: &str) -> PyErr {
    let made = py.import("arr._errors").and_then(|errors| errors.call_method1("ShapeError", (text,)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// A diagnostic as a dictionary.
fn item<'py>(py: Python<'py>, d: &Diagnostic, sources: &SourceMap) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("code", d.code.to_string())?;
    dict.set_item("message", &d.title)?;
    let mut labels = Vec::new();
    for label in &d.labels {
        let place = PyDict::new(py);
        if let Some((file, start, end)) = place_of(label.span, sources) {
            place.set_item("file", file)?;
            place.set_item("line", start.0)?;
            place.set_item("column", start.1)?;
            place.set_item("end_line", end.0)?;
            place.set_item("end_column", end.1)?;
            place.set_item("text", &label.text)?;
            place.set_item("primary", label.primary)?;
            labels.push(place);
        }
    }
    dict.set_item("labels", labels)?;
    dict.set_item("expected", d.expected_found.as_ref().map(|(expected, _)| expected))?;
    dict.set_item("found", d.expected_found.as_ref().map(|(_, found)| found))?;
    dict.set_item("notes", &d.notes)?;
    dict.set_item("hint", d.hint.as_ref())?;
    Ok(dict)
}

type Place = (usize, usize);

/// The file of a span, and the lines and columns of its ends, from 1.
fn place_of(span: Span, sources: &SourceMap) -> Option<(&str, Place, Place)> {
    let file = sources.get(span.file)?;
    Some((&file.name, file.line_column(span.start as usize), file.line_column(span.end as usize)))
}
