//! The `arr` command, and what it does with texts.

use crate::errors;
use arr_driver::{OsWorld, Session, Snapshot};
use arr_serve::host::Refused;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// Does what a command line says and returns the status. The first word is the name of the program.
#[pyfunction]
pub fn command(py: Python<'_>, line: Vec<OsString>) -> u8 {
    let status = py.detach(|| arr_cli::command(line.into_iter()));
    // A status can be compared, and not read.
    (0..=u8::MAX).find(|&number| ExitCode::from(number) == status).unwrap_or(u8::MAX)
}

/// A program's text as `arr fmt` lays it out.
#[pyfunction]
pub fn format_text(py: Python<'_>, text: &str) -> PyResult<String> {
    const NAME: &str = "text.arr";
    let made = py.detach(|| {
        let mut session = Session::new(Snapshot::new(OsWorld).with_text(NAME, text));
        session
            .formatted(NAME)
            .map(|(_, text)| text)
            .map_err(|failure| Refused { failure, sources: session.sources().clone() })
    });
    made.map_err(|why| errors::refused(py, &why))
}
