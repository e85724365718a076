//! Loaded programs.

use crate::errors;
use crate::options;
use arr_driver::{Derivation, Failure, Mode, Stage};
use arr_serve::host::{self, Named, Refused};
use arr_serve::host::{Declaration, Definition};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::Path;
use std::sync::Arc;

/// A program whose definitions are right.
#[pyclass(frozen, subclass, module = "arr._arr")]
pub struct Module {
    host: host::Module,
    registry: Py<PyAny>,
}

#[pymethods]
impl Module {
    /// Loads a file, or a text in the place of one.
    #[new]
    fn new(
        py: Python<'_>,
        path: &str,
        text: Option<&str>,
        options: &Bound<'_, PyDict>,
        registry: Py<PyAny>,
        library: &str,
    ) -> PyResult<Module> {
        let execution = options::execution(py, options)?;
        let store = arr_cli::store::Disk::find_for(Path::new(library));
        let store = store.map(|disk| Arc::new(disk) as Arc<dyn arr_driver::Store>);
        let loaded = py.detach(|| host::Module::load(path, text, execution, store));
        let host = loaded.map_err(|why| errors::refused(py, &why))?;
        Ok(Module { host, registry })
    }

    /// Name, signature, doc comment, the names and types of the parameters (`None` for a constant), file and line of each
    /// definition.
    fn definitions(&self, py: Python<'_>) -> PyResult<Vec<Py<PyDict>>> {
        let item = |d: &Definition| {
            let dict = PyDict::new(py);
            dict.set_item("name", &d.name)?;
            dict.set_item("signature", &d.signature)?;
            dict.set_item("doc", &d.doc)?;
            dict.set_item("params", d.params.clone())?;
            dict.set_item("result", d.result.clone())?;
            dict.set_item("file", &d.file)?;
            dict.set_item("line", d.line)?;
            Ok(dict.unbind())
        };
        self.host.definitions().iter().map(item).collect()
    }

    /// Name, doc comment, fields or constructors of each declared type.
    fn types(&self, py: Python<'_>) -> PyResult<Vec<Py<PyDict>>> {
        let item = |d: &Declaration| {
            let dict = PyDict::new(py);
            dict.set_item("name", &d.name)?;
            dict.set_item("doc", &d.doc)?;
            dict.set_item("fields", d.fields.clone())?;
            dict.set_item("constructors", d.constructors.clone())?;
            dict.set_item("text", &d.text)?;
            Ok(dict.unbind())
        };
        self.host.types().iter().map(item).collect()
    }

    /// What is derived from a definition: its name, and the texts of all derived definitions that it needs.
    fn derive(
        &self,
        py: Python<'_>,
        name: &str,
        derived: &str,
        how: &str,
        wrt: Vec<String>,
    ) -> PyResult<(String, String)> {
        let Some(how) = Derivation::ALL.into_iter().find(|one| one.name() == how) else {
            return Err(PyValueError::new_err(format!("there is no derivation `{how}`")));
        };
        let from = Named { name: name.to_string(), derived: derived.to_string() };
        let made = py.detach(|| self.host.derive(&from, how, &wrt));
        made.map(|named| (named.name, named.derived)).map_err(|why| errors::refused(py, &why))
    }

    /// The gradient of a definition as source.
    fn grad_source(&self, py: Python<'_>, name: &str, wrt: Vec<String>, forward: bool) -> PyResult<String> {
        let mode = if forward { Mode::Forward } else { Mode::Reverse };
        let made = py.detach(|| self.host.gradient_source(name, &wrt, mode));
        made.map_err(|why| errors::refused(py, &why))
    }

    /// A definition after a stage of the compiler, as text.
    fn emit(&self, py: Python<'_>, name: &str, derived: &str, stage: &str) -> PyResult<String> {
        let stage = match stage {
            "core" => Stage::Core,
            "bulk" => Stage::Bulk,
            "ad" => Stage::Ad,
            "fused" => Stage::Fused,
            "loops" => Stage::Loops,
            "clif" => Stage::Clif,
            "wgsl" => Stage::Wgsl,
            other => return Err(PyValueError::new_err(format!("there is no stage `{other}`"))),
        };
        let from = Named { name: name.to_string(), derived: derived.to_string() };
        py.detach(|| self.host.emit(&from, stage)).map_err(|why| errors::refused(py, &why))
    }

    /// A definition as a StableHLO module for arguments with leaves of these shapes; those in `known`, by number, are these
    /// integers and no parameters of it.
    fn stablehlo(
        &self,
        py: Python<'_>,
        name: &str,
        derived: &str,
        shapes: Vec<Vec<i64>>,
        known: Vec<(usize, i64)>,
    ) -> PyResult<Lowered> {
        let from = Named { name: name.to_string(), derived: derived.to_string() };
        let made = py.detach(|| self.host.stablehlo(&from, &shapes, &known));
        made.map(Lowered).map_err(|why| errors::refused(py, &why))
    }

    /// The value of an expression in the scope of the module, as Arr writes it.
    fn evaluate(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        py.detach(|| self.host.evaluate(text)).map_err(|why| errors::refused(py, &why))
    }
}

/// A function as a StableHLO module.
#[pyclass(frozen, module = "arr._arr")]
pub struct Lowered(host::Lowered);

#[pymethods]
impl Lowered {
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether the last result says which place failed.
    #[getter]
    fn can_fail(&self) -> bool {
        self.0.can_fail()
    }

    /// Raises the error that the last result tells of, if it tells of one.
    fn check(&self, py: Python<'_>, words: [i64; 4]) -> PyResult<()> {
        self.0.refused(words).map_or(Ok(()), |why| Err(errors::refused(py, &why)))
    }
}

impl Module {
    pub fn host(&self) -> &host::Module {
        &self.host
    }

    pub fn registry(&self) -> &Py<PyAny> {
        &self.registry
    }
}

/// The exception for a failure without texts.
pub fn failed(py: Python<'_>, failure: Failure) -> PyErr {
    errors::refused(py, &Refused { failure, sources: arr_base::SourceMap::new() })
}
