//! Programs for callers in the same process: a module whose functions are compiled for the sizes of their arguments, read
//! these where they lie, and may be called by several threads at once.

use crate::sizes::SizePlan;
use arr_base::{Diagnostic, SourceMap};
use arr_driver::{
    Backend, Derivation, Dims, Executable, Execution, Failure, Lent, Mode, OsWorld, Owned, Program, Question, Session,
    Site, Snapshot, Stage, Statistics, Store, derivation,
};
pub use arr_driver::{Declaration, Definition};
use arr_ir::{EdgeParam, Func, Value};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

/// Why something was refused, with the texts that it points into.
#[derive(Clone, Debug)]
pub struct Refused {
    pub failure: Failure,
    pub sources: SourceMap,
}

type Result<T> = std::result::Result<T, Refused>;

/// A program that was loaded and is right.
pub struct Module {
    world: Arc<Snapshot>,
    path: String,
    execution: Execution,
    store: Option<Arc<dyn Store>>,
    definitions: Vec<Definition>,
    types: Vec<Declaration>,
    sources: SourceMap,
}

/// A definition of a module or one that is derived from it, by its name.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Named {
    pub name: String,
    /// The texts of the derived definitions that it needs, in their order.
    pub derived: String,
}

impl Module {
    /// Loads a file, or a text in the place of one. Fails with every error of the program.
    pub fn load(path: &str, text: Option<&str>, execution: Execution, store: Option<Arc<dyn Store>>) -> Result<Module> {
        let world = Snapshot::new(OsWorld);
        let world = Arc::new(if let Some(text) = text { world.with_text(path, text) } else { world });
        on_stack(|| {
            let mut session = Session::new(world.clone());
            let checked = session.checked(path);
            let sources = session.sources().clone();
            match checked {
                Ok(checked) => {
                    let definitions = arr_driver::definitions(checked.module(), &sources);
                    let types = arr_driver::declarations(checked.module());
                    Ok(Module { world, path: path.to_string(), execution, store, definitions, types, sources })
                }
                Err(failure) => Err(Refused { failure, sources }),
            }
        })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// The texts that the module was made of.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Its definitions, in source order.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// The types that it declares, in source order.
    pub fn types(&self) -> &[Declaration] {
        &self.types
    }

    fn session(&self) -> Session {
        let session = Session::new(self.world.clone());
        match &self.store {
            Some(store) => session.with_store(store.clone()),
            None => session,
        }
    }

    /// What is derived from a definition, as a definition. Fails as [`derivation`] and [`Module::function`] do.
    pub fn derive(&self, from: &Named, how: Derivation, wrt: &[String]) -> Result<Named> {
        let function = self.function(from)?;
        let refused = |failure| Refused { failure, sources: self.sources.clone() };
        let (name, text) = derivation(&function.func, how, wrt).map_err(refused)?;
        Ok(Named { name, derived: format!("{}{text}", from.derived) })
    }

    /// A function, which is compiled when it is called. Fails with the errors of the definition, E0206 where there is
    /// none of the name.
    pub fn function(&self, named: &Named) -> Result<Function> {
        on_stack(|| {
            let mut session = self.session();
            let program = self.program(&mut session, named);
            let made = program.and_then(|mut program| program.with_floats(self.execution.floats).map(|()| program));
            match made {
                Ok(program) => Ok(Function::new(named, program, session, self.execution)),
                Err(failure) => Err(Refused { failure, sources: session.sources().clone() }),
            }
        })
    }

    /// The program of a function, from the store if it is kept there.
    fn program(&self, session: &mut Session, named: &Named) -> std::result::Result<Program, Failure> {
        let question = self.question(named);
        let declared = self.execution.floats == arr_driver::Floats::Declared;
        if declared && self.execution.runner() == arr_driver::Backend::Cpu {
            session.program_cached(&question, &self.execution)
        } else {
            session.program_for(&question)
        }
    }

    fn question(&self, named: &Named) -> Question {
        let (path, name) = (self.path.clone(), named.name.clone());
        match named.derived.as_str() {
            "" => Question::Entry { path, name },
            text => Question::Derived { path, definitions: text.to_string(), name },
        }
    }

    /// A definition after a stage of the compiler, as text. Fails as [`Module::function`] and [`Program::emit`] do.
    pub fn emit(&self, named: &Named, stage: Stage) -> Result<String> {
        self.answer(|session| {
            let mut program = session.program_for(&self.question(named))?;
            program.emit(stage, &self.execution)
        })
    }

    /// What a call costs, counted by the interpreter: the operations of the program, whatever machine code makes of them.
    /// Fails as [`Module::function`] and [`Program::run`] do.
    pub fn cost(&self, named: &Named, sizes: &[i64], leaves: &[Lent<'_>]) -> Result<Statistics> {
        let execution = Execution { backend: Backend::Interp, ..self.execution };
        self.answer(|session| {
            let mut program = session.program_for(&self.question(named))?;
            let leaves: Vec<Value> = leaves.iter().map(Lent::to_value).collect();
            Ok(program.run(sizes, &leaves, &execution)?.statistics)
        })
    }

    /// A definition as a StableHLO module for arguments with leaves of these shapes, of which those in `known` are these integers
    /// and no parameters. Its function is called `main`. Fails as [`Module::function`], [`Function::sizes`] and
    /// [`Program::stablehlo`] do.
    pub fn stablehlo(&self, named: &Named, shapes: &[Vec<i64>], known: &[(usize, i64)]) -> Result<Lowered> {
        self.answer(|session| {
            let mut program = session.program_for(&self.question(named))?;
            let sizes = SizePlan::of(program.func()).of_shapes(program.func(), shapes)?;
            let function = program.stablehlo("main", &sizes, known, &self.execution)?;
            let text = arr_driver::stablehlo_module(&named.name, std::slice::from_ref(&function));
            Ok(Lowered { text, sites: function.sites, sources: session.sources().clone() })
        })
    }

    /// The gradient of a definition as source. Fails as [`Session::program`] does.
    pub fn gradient_source(&self, name: &str, wrt: &[String], mode: Mode) -> Result<String> {
        self.answer(|session| session.printed(&self.path, name, wrt, mode)?.to_source())
    }

    /// The value of an expression in the scope of the module, as a literal. Fails as [`Session::expression`] and
    /// [`Session::run`] do.
    pub fn evaluate(&self, text: &str) -> Result<String> {
        self.answer(|session| {
            let mut program = session.expression(Some(&self.path), text)?;
            let outcome = session.run(&mut program, &[], &self.execution)?;
            Ok(arr_data::to_literal(&outcome.value))
        })
    }

    fn answer<T: Send>(
        &self,
        question: impl FnOnce(&mut Session) -> std::result::Result<T, Failure> + Send,
    ) -> Result<T> {
        on_stack(|| {
            let mut session = Session::new(self.world.clone());
            question(&mut session).map_err(|failure| Refused { failure, sources: session.sources().clone() })
        })
    }
}

/// A function as a StableHLO module.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub text: String,
    /// The places that can fail. If there are any, the last result says which did.
    sites: Vec<Site>,
    sources: SourceMap,
}

impl Lowered {
    /// Whether the last result says which place failed.
    pub fn can_fail(&self) -> bool {
        !self.sites.is_empty()
    }

    /// The error that the last result tells of, if it tells of one.
    pub fn refused(&self, words: [i64; 4]) -> Option<Refused> {
        let error = arr_driver::stablehlo_failure(&self.sites, words)?;
        Some(Refused { failure: error.to_diagnostic().into(), sources: self.sources.clone() })
    }
}

/// Runs a question on a stack that is large enough for every program.
fn on_stack<T: Send>(question: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let crashed = |_| {
        let failure = Failure::Bug("the compiler has panicked".to_string());
        Err(Refused { failure, sources: SourceMap::new() })
    };
    arr_driver::with_stack(question).unwrap_or_else(crashed)
}

/// The number of choices of sizes that a function is compiled for; others run the code for all sizes.
const MOST_CODES: usize = 32;

/// The code of a function for some sizes, or for all.
#[derive(Debug)]
pub struct FunctionCode {
    sizes: Option<SmallVec<[i64; 8]>>,
    executable: Executable,
    /// Whether the time of a run follows from the sizes.
    steady: bool,
    /// Whether a run is known to be short.
    short: AtomicBool,
}

impl FunctionCode {
    /// Whether a run is known to take too little time for anybody to want it to stop.
    pub fn is_short(&self) -> bool {
        self.short.load(Relaxed)
    }

    /// Takes note of the time of a run.
    pub fn took(&self, time: Duration) {
        const SHORT: Duration = Duration::from_millis(1);
        if self.steady && self.sizes.is_some() && time < SHORT {
            self.short.store(true, Relaxed);
        }
    }
}

/// A function and the code that was made for it.
pub struct Function {
    func: Func,
    plan: SizePlan,
    execution: Execution,
    /// What makes code. One thread at a time does.
    maker: Mutex<(Session, Program)>,
    sources: SourceMap,
    codes: RwLock<Vec<Arc<FunctionCode>>>,
}

impl Function {
    fn new(named: &Named, program: Program, session: Session, execution: Execution) -> Function {
        let mut func = program.func().clone();
        func.name.clone_from(&named.name);
        let plan = SizePlan::of(&func);
        let sources = session.sources().clone();
        let maker = Mutex::new((session, program));
        Function { func, plan, execution, maker, sources, codes: RwLock::new(Vec::new()) }
    }

    /// Its interface.
    pub fn func(&self) -> &Func {
        &self.func
    }

    pub fn params(&self) -> &[EdgeParam] {
        &self.func.edge_params
    }

    /// The sizes of a call, from the shapes of its arguments' leaves. Fails with E0704 if they do not fit one another.
    pub fn sizes(&self, leaves: &[Lent<'_>]) -> Result<SmallVec<[i64; 8]>> {
        match self.plan.quick(leaves) {
            Some(sizes) => Ok(sizes),
            None => self.plan.solve(&self.func, leaves).map_err(|list| self.refused(list.into())),
        }
    }

    /// The extents of all leaves, where some leaves do not show theirs, which are negative. Fails as [`Function::sizes`].
    pub fn extents(&self, leaves: &[Lent<'_>]) -> Result<Vec<Dims>> {
        self.plan.extents(&self.func, leaves).map_err(|list| self.refused(list.into()))
    }

    /// The code for these sizes, made now if there is none. Fails if it cannot be compiled.
    pub fn code(&self, sizes: &[i64]) -> Result<Arc<FunctionCode>> {
        let general = self.execution.any_size || sizes.is_empty();
        if let Some(found) = self.known(sizes) {
            return Ok(found);
        }
        let mut maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have made it meanwhile.
        if let Some(found) = self.known(sizes) {
            return Ok(found);
        }
        let many = self.codes.read().unwrap_or_else(PoisonError::into_inner).len() >= MOST_CODES;
        let fixed = if general || many { None } else { Some(sizes) };
        let executable = self.made(&mut maker, fixed)?;
        // Code without sizes is that for the only ones that there are.
        let fixed = if sizes.is_empty() { Some(sizes) } else { fixed };
        let (steady, short) = (executable.is_steady(), AtomicBool::new(false));
        let code = Arc::new(FunctionCode { sizes: fixed.map(SmallVec::from_slice), executable, steady, short });
        self.codes.write().unwrap_or_else(PoisonError::into_inner).push(code.clone());
        Ok(code)
    }

    /// The code for all sizes, made now if there is none. Fails if it cannot be compiled.
    pub fn general_code(&self) -> Result<()> {
        let mut maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
        let codes = || self.codes.read().unwrap_or_else(PoisonError::into_inner);
        if codes().iter().any(|code| code.sizes.is_none()) {
            return Ok(());
        }
        let executable = self.made(&mut maker, None)?;
        let code = FunctionCode { sizes: None, executable, steady: false, short: AtomicBool::new(false) };
        self.codes.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(code));
        Ok(())
    }

    /// Compiles for these sizes, or for all. Fails if that is impossible.
    fn made(&self, (session, program): &mut (Session, Program), sizes: Option<&[i64]>) -> Result<Executable> {
        on_stack(|| {
            let made = session.executable(program, sizes, &self.execution);
            made.map_err(|failure| Refused { failure, sources: session.sources().clone() })
        })
    }

    fn known(&self, sizes: &[i64]) -> Option<Arc<FunctionCode>> {
        let codes = self.codes.read().unwrap_or_else(PoisonError::into_inner);
        let fits = |code: &&Arc<FunctionCode>| code.sizes.as_ref().is_none_or(|own| own.as_slice() == sizes);
        codes.iter().find(fits).cloned()
    }

    /// Runs code of this function on the leaves of its arguments, which fit these sizes. Fails with E06xx if it stops;
    /// that is E0609 if it is because of the flag.
    pub fn run(
        &self,
        code: &FunctionCode,
        sizes: &[i64],
        leaves: &[Lent<'_>],
        stop: Option<&'static AtomicBool>,
    ) -> Result<SmallVec<[Owned; 4]>> {
        code.executable.run_lent(sizes, leaves, stop).map_err(|failure| self.refused(failure))
    }

    fn refused(&self, failure: Failure) -> Refused {
        // A program from the store knows its texts only after it has been checked again.
        let sources = match &failure {
            Failure::Diagnostics(list) if list.iter().any(|d: &Diagnostic| !d.labels.is_empty()) => {
                self.maker.lock().unwrap_or_else(PoisonError::into_inner).0.sources().clone()
            }
            _ => self.sources.clone(),
        };
        Refused { failure, sources }
    }
}
