//! Functions of Arr as callable objects.

use crate::arguments::{Fault, Leaf, Leaves};
use crate::errors;
use crate::interrupt;
use crate::module::Module;
use crate::shape::{Shape, Shapes};
use arr_driver::{Lent, Owned};
use arr_ir::Edge;
use arr_serve::host::{Function, Named};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use smallvec::SmallVec;
use std::sync::Arc;

/// A definition of a module, or one that is derived from it, which is compiled when it is called.
#[pyclass(frozen, subclass, module = "arr._arr")]
pub struct Callable {
    function: Arc<Function>,
    inputs: Vec<Input>,
    output: Shape,
    name: String,
}

struct Input {
    name: Py<PyString>,
    shape: Shape,
}

/// A parameter as Python sees it: name, type, the element types and ranks of its leaves, and their paths.
type Described = (String, String, Vec<(String, String, usize)>);

#[pymethods]
impl Callable {
    #[new]
    fn new(py: Python<'_>, module: &Module, name: &str, derived: &str) -> PyResult<Callable> {
        let named = Named { name: name.to_string(), derived: derived.to_string() };
        let host = module.host();
        let found = py.detach(|| host.function(&named));
        let function = found.map_err(|why| errors::refused(py, &why))?;
        let func = function.func();
        let text = |edge: &Edge| arr_data::edge_text(func, edge);
        let shapes = Shapes { py, registry: module.registry().bind(py), text: &text };
        let mut inputs = Vec::new();
        for param in function.params() {
            let mut shape = shapes.of(&param.ty)?;
            shape.text.clone_from(&param.text);
            inputs.push(Input { name: PyString::intern(py, &param.name).unbind(), shape });
        }
        let output = shapes.of(&func.edge_result)?;
        Ok(Callable { inputs, output, name: name.to_string(), function: Arc::new(function) })
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut leaves = Leaves::new();
        if kwargs.is_none() && args.len() == self.inputs.len() {
            for (at, input) in self.inputs.iter().enumerate() {
                let value = args.get_borrowed_item(at)?;
                input.shape.read(&value, &mut leaves).map_err(|fault| self.fault(py, input, fault))?;
            }
        } else {
            for (input, value) in self.inputs.iter().zip(self.bound(args, kwargs)?) {
                input.shape.read(&value, &mut leaves).map_err(|fault| self.fault(py, input, fault))?;
            }
        }
        let results = self.run(py, leaves)?;
        self.output.make(py, &mut results.into_iter())
    }

    /// The parameters: name, type, and for each leaf its path, its element type and its number of axes.
    #[getter]
    fn params(&self) -> Vec<Described> {
        self.function
            .params()
            .iter()
            .map(|param| (param.name.clone(), param.text.clone(), leaves_of(&param.ty)))
            .collect()
    }

    /// The result: its type, and for each leaf its path, its element type and its number of axes.
    #[getter]
    fn result(&self) -> (String, Vec<(String, String, usize)>) {
        let func = self.function.func();
        (arr_data::edge_text(func, &func.edge_result), leaves_of(&func.edge_result))
    }

    /// The names of the sizes.
    #[getter]
    fn sizes(&self) -> Vec<String> {
        let func = self.function.func();
        func.sizes.iter().map(|&size| func.name(size).to_string()).collect()
    }

    /// For each leaf of the parameters and of the result, its extents in terms of sizes.
    #[getter]
    fn extents(&self) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
        let func = self.function.func();
        let of = |edge: &Edge| {
            let text = |size| arr_data::size_text(func, func.types.poly(size));
            edge.leaves().iter().map(|leaf| leaf.ty.dims.iter().map(|&size| text(size)).collect()).collect::<Vec<_>>()
        };
        (func.edge_params.iter().flat_map(|param| of(&param.ty)).collect(), of(&func.edge_result))
    }

    /// What a call with these arguments costs, as the interpreter counts it.
    #[pyo3(signature = (module, derived, *args))]
    fn _cost(
        &self,
        py: Python<'_>,
        module: &Module,
        derived: &str,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<Vec<(&'static str, u64)>> {
        let mut leaves = Leaves::new();
        for (input, value) in self.inputs.iter().zip(self.bound(args, None)?) {
            input.shape.read(&value, &mut leaves).map_err(|fault| self.fault(py, input, fault))?;
        }
        self.close(py, &mut leaves)?;
        let lent: SmallVec<[Lent<'_>; 8]> = leaves.iter().map(Leaf::lent).collect();
        let named = Named { name: self.name.clone(), derived: derived.to_string() };
        let (host, function, lent) = (module.host(), &self.function, lent.as_slice());
        let counted = py.detach(|| host.cost(&named, &function.sizes(lent)?, lent));
        counted.map_err(|why| errors::refused(py, &why))
    }

    /// The number by which programs of XLA call the function.
    fn handle(&self) -> usize {
        crate::ffi::publish(&self.function)
    }

    /// The types of the parameters and of the result, as trees.
    fn trees<'py>(&self, py: Python<'py>) -> PyResult<(Vec<Bound<'py, PyAny>>, Bound<'py, PyAny>)> {
        let inputs = self.inputs.iter().map(|input| input.shape.tree(py)).collect::<PyResult<_>>()?;
        Ok((inputs, self.output.tree(py)?))
    }

    /// Compiles the function for these sizes.
    #[pyo3(name = "_compile")]
    fn compile(&self, py: Python<'_>, sizes: Vec<i64>) -> PyResult<()> {
        let function = &self.function;
        let general = sizes.is_empty();
        let made = py.detach(|| if general { function.general_code() } else { function.code(&sizes).map(drop) });
        made.map_err(|why| errors::refused(py, &why))
    }

    /// The leaves of arguments, as a flat tuple: numbers, and arrays of NumPy.
    #[pyo3(signature = (*args))]
    fn flatten<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut flat = Vec::new();
        for (input, value) in self.inputs.iter().zip(self.bound(args, None)?) {
            input.shape.flatten(&value, &mut flat).map_err(|fault| self.fault(py, input, fault))?;
        }
        Ok(flat)
    }

    /// The arguments that have these leaves.
    fn unflatten<'py>(&self, py: Python<'py>, leaves: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyTuple>> {
        let mut leaves = leaves.into_iter();
        let args = self.inputs.iter().map(|input| input.shape.unflatten(py, &mut leaves));
        PyTuple::new(py, args.collect::<PyResult<Vec<_>>>()?)
    }

    /// The leaves of a result.
    fn flatten_result<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut flat = Vec::new();
        let done = self.output.flatten(value, &mut flat);
        done.map_err(|_| errors::mismatch(py, &format!("a value that is no result of `{}`", self.name)))?;
        Ok(flat)
    }

    /// The result that has these leaves.
    fn unflatten_result<'py>(&self, py: Python<'py>, leaves: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        self.output.unflatten(py, &mut leaves.into_iter())
    }
}

fn leaves_of(edge: &Edge) -> Vec<(String, String, usize)> {
    let leaves = edge.leaves();
    leaves.iter().map(|leaf| (leaf.path.clone(), leaf.ty.elem.name().to_string(), leaf.ty.rank())).collect()
}

impl Callable {
    /// Runs the function without the lock of the interpreter.
    fn run(&self, py: Python<'_>, mut leaves: Leaves<'_>) -> PyResult<SmallVec<[Owned; 4]>> {
        self.close(py, &mut leaves)?;
        let lent: SmallVec<[Lent<'_>; 8]> = leaves.iter().map(Leaf::lent).collect();
        interrupt::run(py, &self.function, &lent)?.map_err(|why| errors::refused(py, &why))
    }

    /// Gives arrays that no constructor carries the extents that the others say, and zeros.
    fn close(&self, py: Python<'_>, leaves: &mut Leaves<'_>) -> PyResult<()> {
        if !leaves.iter().any(|leaf| matches!(leaf, Leaf::Open { .. })) {
            return Ok(());
        }
        let lent: Vec<Lent<'_>> = leaves.iter().map(Leaf::lent).collect();
        let extents = self.function.extents(&lent).map_err(|why| errors::refused(py, &why))?;
        for (leaf, extents) in leaves.iter_mut().zip(extents) {
            if let Leaf::Open { dims, zeros, .. } = leaf {
                let count = arr_base::element_count(&extents).unwrap_or(usize::MAX);
                if zeros.try_reserve_exact(count).is_err() {
                    return Err(pyo3::exceptions::PyMemoryError::new_err("an argument is too large"));
                }
                zeros.resize(count, 0);
                *dims = extents;
            }
        }
        Ok(())
    }

    /// The arguments in the order of the parameters.
    fn bound<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = args.py();
        let refuse = |text: String| PyTypeError::new_err(format!("{}() {text}", self.name));
        if args.len() > self.inputs.len() {
            return Err(refuse(format!("takes {} arguments, and {} are given", self.inputs.len(), args.len())));
        }
        let mut bound: Vec<Bound<'py, PyAny>> = args.iter().collect();
        let named = |input: &Input| match kwargs {
            Some(kwargs) => kwargs.get_item(input.name.bind(py)),
            None => Ok(None),
        };
        let mut used = 0;
        for (at, input) in self.inputs.iter().enumerate() {
            match (named(input)?, at < args.len()) {
                (Some(_), true) => return Err(refuse(format!("has two values for `{}`", input.name.bind(py)))),
                (Some(value), false) => {
                    bound.push(value);
                    used += 1;
                }
                (None, true) => {}
                (None, false) => return Err(refuse(format!("lacks a value for `{}`", input.name.bind(py)))),
            }
        }
        match kwargs {
            Some(kwargs) if kwargs.len() != used => {
                let known = |key: &Bound<'_, PyAny>| {
                    self.inputs.iter().any(|input| key.eq(input.name.bind(py)).unwrap_or(false))
                };
                let other = kwargs.keys().iter().find(|key| !known(key)).map(|key| key.to_string());
                Err(refuse(format!("has no parameter `{}`", other.unwrap_or_default())))
            }
            _ => Ok(bound),
        }
    }

    fn fault(&self, py: Python<'_>, input: &Input, fault: Fault) -> PyErr {
        match fault {
            Fault::Python(error) => error,
            Fault::Mismatch { path, text } => {
                let (name, function) = (input.name.bind(py), &self.name);
                let whole = format!("argument `{name}{path}` of `{function}`: {text}");
                let declared = format!("\n  `{name}` is declared as `{}`", input.shape.text);
                errors::mismatch(py, &(whole + &declared))
            }
        }
    }
}
