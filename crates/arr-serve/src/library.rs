//! Loaded modules, and their functions as far as they were compiled.

use crate::{Options, Refusal};
use arr_base::Diagnostic;
use arr_check::Checked;
use arr_data::EdgeValue;
use arr_driver::{Derive, Executable, Execution, Failure, Program, Session, World};
use arr_ir::{Const, Data, EdgeParam, Func, Scalar, Value};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The modules of a session.
pub struct Library {
    pub(crate) session: Session,
    directory: String,
    pub(crate) execution: Execution,
    modules: BTreeMap<String, Module>,
}

struct Module {
    path: String,
    checked: Checked,
    functions: Vec<Rc<Function>>,
}

/// A definition, or its derivative, compiled for all sizes or for those of one call.
#[derive(Debug)]
pub struct Function {
    entry: String,
    derive: Derive,
    program: RefCell<Program>,
    /// The interface of the program.
    func: Func,
    code: RefCell<Option<CompiledCode>>,
}

#[derive(Clone, Debug)]
struct CompiledCode {
    executable: Rc<Executable>,
    /// The sizes that it is compiled for, or `None` for all.
    sizes: Option<Vec<i64>>,
}

/// The inputs of a function call, converted and checked.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    sizes: Vec<i64>,
    leaves: Vec<Value>,
}

impl Library {
    pub fn new(world: impl World + 'static, options: Options) -> Library {
        Library {
            session: Session::new(world),
            directory: options.directory,
            execution: options.execution,
            modules: BTreeMap::new(),
        }
    }

    /// Loads a module from its file in the directory unless it is loaded, and returns how long that took. Fails if the name is
    /// none of a module, or with the diagnostics of the file.
    pub fn require(&mut self, name: &str) -> Result<Option<Duration>, Refusal> {
        if self.modules.contains_key(name) {
            return Ok(None);
        }
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || !name.chars().all(plain) {
            return Err(format!("`{name}` is not the name of a module").into());
        }
        let path = match self.directory.trim_end_matches('/') {
            "." => format!("{name}.arr"),
            directory => format!("{directory}/{name}.arr"),
        };
        self.load(name, &path).map(Some)
    }

    /// Loads a file as a module, replacing one of the same name. Fails as [`Session::checked`] does; a module with the
    /// name then does not change.
    pub fn load(&mut self, name: &str, path: &str) -> Result<Duration, Refusal> {
        let start = Instant::now();
        let checked = self.session.checked(path);
        let checked = checked.map_err(|failure| self.refusal(&failure))?;
        self.modules.insert(name.to_string(), Module { path: path.to_string(), checked, functions: Vec::new() });
        Ok(start.elapsed())
    }

    /// Unloads a module; returns whether there was one.
    pub fn unload(&mut self, name: &str) -> bool {
        self.modules.remove(name).is_some()
    }

    /// The names of a module's definitions, in source order.
    pub fn definitions(&self, module: &str) -> Vec<String> {
        self.modules.get(module).map_or_else(Vec::new, |m| m.checked.entry_names())
    }

    /// The definitions of a module, as written; without the bodies.
    pub fn signatures(&self, module: &str) -> Vec<String> {
        self.modules.get(module).map_or_else(Vec::new, |m| arr_driver::signatures(m.checked.module()))
    }

    /// A definition of a module, or its derivative, not yet compiled. Fails if there is no such module, or as
    /// [`Session::definition`] does.
    pub fn program(&self, module: &str, entry: &str, derive: &Derive) -> Result<Program, Refusal> {
        let Some(found) = self.modules.get(module) else { return Err(format!("there is no module `{module}`").into()) };
        self.session.definition(&found.checked, &found.path, entry, derive).map_err(|failure| self.refusal(&failure))
    }

    /// A compiled function, and its compilation time if it was compiled now. Fails as [`Library::definition`] does, or
    /// if it cannot be compiled ([`Program::executable`]).
    pub fn function(
        &mut self,
        module: &str,
        entry: &str,
        derive: &Derive,
    ) -> Result<(Rc<Function>, Option<Duration>), Refusal> {
        let start = Instant::now();
        let function = self.definition(module, entry, derive)?;
        if function.code.borrow().is_some() {
            return Ok((function, None));
        }
        self.code(&function, None)?;
        Ok((function, Some(start.elapsed())))
    }

    /// A function that is yet to be compiled, or was before. Fails as [`Library::program`] does.
    pub fn definition(&mut self, module: &str, entry: &str, derive: &Derive) -> Result<Rc<Function>, Refusal> {
        let known = self.modules.get(module).map_or(&[][..], |m| &m.functions);
        if let Some(function) = known.iter().find(|f| f.entry == entry && f.derive == *derive) {
            return Ok(function.clone());
        }
        let mut program = self.program(module, entry, derive)?;
        program.with_floats(self.execution.floats).map_err(|failure| self.refusal(&failure))?;
        let func = program.func().clone();
        let (entry, derive) = (entry.to_string(), derive.clone());
        let (program, code) = (RefCell::new(program), RefCell::new(None));
        let function = Rc::new(Function { entry, derive, program, func, code });
        if let Some(found) = self.modules.get_mut(module) {
            found.functions.push(function.clone());
        }
        Ok(function)
    }

    /// Compiles a function for the sizes of a call; returns how long that took, unless they are those of the last
    /// compilation. Fails if it cannot be compiled ([`Program::executable_for`]).
    pub fn fit(&self, function: &Function, call: &Call) -> Result<Option<Duration>, Refusal> {
        let sizes = if self.execution.any_size { None } else { Some(call.sizes.as_slice()) };
        if function.code.borrow().as_ref().is_some_and(|code| code.sizes.as_deref() == sizes) {
            return Ok(None);
        }
        let start = Instant::now();
        self.code(function, sizes)?;
        Ok(Some(start.elapsed()))
    }

    /// Compiles a function for these sizes, or for all.
    fn code(&self, function: &Function, sizes: Option<&[i64]>) -> Result<CompiledCode, Refusal> {
        let mut program = function.program.borrow_mut();
        let made = match sizes {
            Some(sizes) => program.executable_for(sizes, &self.execution),
            None => program.executable(&self.execution),
        };
        let executable = Rc::new(made.map_err(|failure| self.refusal(&failure))?);
        let code = CompiledCode { executable, sizes: sizes.map(<[i64]>::to_vec) };
        let before = function.code.borrow_mut().replace(code.clone());
        if let Some(before) = before {
            code.executable.inherit(&before.executable);
        }
        Ok(code)
    }

    /// The code for a call, compiled for all sizes if the function was for others.
    fn code_for(&self, function: &Function, call: &Call) -> Result<CompiledCode, Refusal> {
        if let Some(code) = function.code.borrow().as_ref()
            && code.sizes.as_ref().is_none_or(|own| *own == call.sizes)
        {
            return Ok(code.clone());
        }
        self.code(function, None)
    }

    /// Checks the arguments and computes the sizes from them. Fails with E0703 or E0704 if they do not fit the
    /// parameters or one another, with E0605 if an array is too large.
    pub fn bind(&self, function: &Function, args: &[EdgeValue]) -> Result<Call, Refusal> {
        let bound = arr_data::bind(function.func(), args).map_err(|list| self.refusal(&list.into()))?;
        Ok(Call { sizes: bound.sizes, leaves: bound.leaves })
    }

    /// Runs a function and returns how long the run took. Fails with E06xx if it stops, with E10xx if a device fails,
    /// and if it has to be recompiled and cannot be.
    pub fn run(&self, function: &Function, call: &Call) -> Result<(EdgeValue, Duration), Refusal> {
        let (leaves, time) = self.run_leaves(function, call)?;
        Ok((self.value(function, &leaves)?, time))
    }

    /// As [`Library::run`], repeatedly while `more` allows it, which gets the number of runs and their total time;
    /// returns the time of each run with the value of the last. A run writes into the memory of the previous result.
    /// Fails as [`Library::run`] does, at the first run that fails.
    pub fn repeat(
        &self,
        function: &Function,
        call: &Call,
        more: impl Fn(u64, Duration) -> bool,
    ) -> Result<(EdgeValue, Vec<Duration>), Refusal> {
        let (mut leaves, time) = self.run_leaves(function, call)?;
        let (mut times, mut total) = (vec![time], time);
        while more(times.len() as u64, total) {
            if let Some(code) = function.code.borrow().as_ref() {
                code.executable.recycle(std::mem::take(&mut leaves));
            }
            let (again, time) = self.run_leaves(function, call)?;
            leaves = again;
            times.push(time);
            total += time;
        }
        Ok((self.value(function, &leaves)?, times))
    }

    fn value(&self, function: &Function, leaves: &[Value]) -> Result<EdgeValue, Refusal> {
        let declared = function.result_type().leaves();
        let leaves: Vec<Value> =
            leaves.iter().zip(&declared).map(|(v, leaf)| widened(v.clone(), leaf.ty.elem)).collect();
        let value = EdgeValue::from_leaves(function.result_type(), &leaves);
        value.ok_or_else(|| Refusal::from("a result of another type".to_string()))
    }

    fn run_leaves(&self, function: &Function, call: &Call) -> Result<(Vec<Value>, Duration), Refusal> {
        let code = self.code_for(function, call)?;
        let start = Instant::now();
        let ran = code.executable.run(&call.sizes, &call.leaves);
        let time = start.elapsed();
        let (leaves, _) = ran.map_err(|failure| self.refusal(&failure))?;
        Ok((leaves, time))
    }

    pub(crate) fn refusal(&self, failure: &Failure) -> Refusal {
        Refusal::of(failure, self.session.sources())
    }

    pub(crate) fn refused(&self, diagnostic: &Diagnostic) -> Refusal {
        Refusal::of_diagnostic(diagnostic, self.session.sources())
    }
}

impl Function {
    pub fn name(&self) -> &str {
        &self.entry
    }

    pub fn func(&self) -> &Func {
        &self.func
    }

    pub fn params(&self) -> &[EdgeParam] {
        &self.func().edge_params
    }

    pub fn result_type(&self) -> &arr_ir::Edge {
        &self.func.edge_result
    }
}

/// A result in its declared type, where the program computed with `f32` instead of `f64`.
fn widened(value: Value, declared: Scalar) -> Value {
    match (declared, value) {
        (Scalar::F64, Value::Scalar(Const::F32(x))) => Value::Scalar(Const::F64(x.into())),
        (Scalar::F64, Value::Array(array)) if array.data.elem() == Scalar::F32 => {
            let data = Value::Array(array.clone()).to_f64s();
            Value::array(array.dims.clone(), Data::F64(data))
        }
        (_, value) => value,
    }
}
