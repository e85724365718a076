//! One definition (or expression) elaborated to core IR, and the questions about it.

use crate::Failure;
use crate::cache::{CacheEntry, Keep};
use crate::execution::{Backend, Execution, Floats, Stop};
use arr_base::{Diagnostic, Listening, SourceMap};
use arr_cpu::{Lent, Owned};
use arr_data::EdgeValue;
use arr_ir::interp::{Limits, Trap, Watching};
use arr_ir::{Const, Data, Edge, Func, RunError, RunErrorKind, Value};
use arr_loops::LoopFunc;
use arr_pipeline::{Made, Report, STEPS, Settings, Stage, Step, Target, Until, Unwatched, Watcher, Without};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The result of a run, and its cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub value: EdgeValue,
    /// The counters, in the order of display.
    pub statistics: Statistics,
}

/// A program in core IR.
#[derive(Clone, Debug)]
pub struct Program {
    /// Verify after every pass in release builds too.
    pub verify: bool,
    /// Differentiate loops in logarithmic memory.
    pub checkpoint: bool,
    /// Steps of the compiler that are left out, besides those of an execution.
    pub without: Without,
    /// The steps that compile it; tests replace them.
    pub steps: &'static [Step],
    core: Func,
    /// The program before its floats were narrowed: its interface.
    declared: Option<Box<Func>>,
    /// The program as it is printed.
    pub(crate) readable: Option<arr_check::Readable>,
    /// The texts of its spans, for comments.
    pub(crate) sources: SourceMap,
    reports: Vec<Report>,
    /// Code that was compiled before.
    ready: Option<Ready>,
    /// How to keep the code that will be compiled.
    pub(crate) keep: Option<Keep>,
    /// What to keep.
    pub(crate) to_store: Vec<CacheEntry>,
}

/// Machine code, and the sizes that it is for, if not for all.
#[derive(Clone, Debug)]
struct Ready {
    code: Arc<arr_cpu::Compiled>,
    sizes: Option<Vec<i64>>,
}

impl Program {
    pub fn new(core: Func) -> Program {
        Program {
            verify: false,
            checkpoint: false,
            without: Without::default(),
            steps: STEPS,
            core,
            declared: None,
            readable: None,
            sources: SourceMap::new(),
            reports: Vec::new(),
            ready: None,
            keep: None,
            to_store: Vec::new(),
        }
    }

    /// Adds code that was compiled before, for these sizes if given.
    pub(crate) fn make_ready(&mut self, code: arr_cpu::Compiled, sizes: Option<&[i64]>, report: Report) {
        self.ready = Some(Ready { code: Arc::new(code), sizes: sizes.map(<[i64]>::to_vec) });
        self.reports = vec![report];
    }

    /// The function as elaborated, to which arguments are bound.
    pub fn func(&self) -> &Func {
        self.declared.as_deref().unwrap_or(&self.core)
    }

    /// Sets the type of floats. To be called before any question about the program; it cannot be undone. Fails only
    /// with a [`Failure::Bug`], if the narrowed function breaks an invariant.
    pub fn with_floats(&mut self, floats: Floats) -> Result<(), Failure> {
        if floats == Floats::F32 && self.declared.is_none() {
            self.declared = Some(Box::new(self.core.clone()));
            demote_f64(&mut self.core)?;
        }
        Ok(())
    }

    /// Whether it computes in single precision.
    pub(crate) fn is_narrow(&self) -> bool {
        self.declared.is_some()
    }

    /// An argument in the form that the remaining steps take.
    pub(crate) fn argument(&self, leaf: &Value) -> Value {
        if self.is_narrow() { rounded(leaf) } else { leaf.clone() }
    }

    /// The program before the remaining steps.
    pub(crate) fn core(&self) -> &Func {
        &self.core
    }

    pub fn entry(&self) -> &str {
        &self.core.name
    }

    pub fn result_type(&self) -> &Edge {
        &self.core.edge_result
    }

    /// The steps that the last question took.
    pub fn reports(&self) -> &[Report] {
        &self.reports
    }

    pub(crate) fn forget_reports(&mut self) {
        self.reports.clear();
    }

    /// The function at a stage of the IR, independent of any execution. Fails with E0902, or E0504 from [`Stage::Ad`]
    /// on, if a step cannot compile the program.
    pub fn lowered(&mut self, stage: Stage) -> Result<Func, Failure> {
        Ok(self.take(&self.plain_settings(Target::Source), Until::Stage(stage), &mut Unwatched)?.func()?)
    }

    /// Runs the steps that these settings select.
    pub(crate) fn take(
        &mut self,
        settings: &Settings,
        until: Until,
        watcher: &mut dyn Watcher,
    ) -> Result<Made, Failure> {
        self.reports.clear();
        Ok(arr_pipeline::run(self.steps, self.with_zeros(settings), settings, until, &mut self.reports, watcher)?)
    }

    /// The function, with the information whether its zeros keep their signs.
    fn with_zeros(&self, settings: &Settings) -> Func {
        Func { signed_zeros: settings.signed_zeros, ..self.core.clone() }
    }

    fn has_traces(&self) -> bool {
        arr_ir::walk::has_traces(&self.core.body.stmts)
    }

    /// The settings for this target, without an execution.
    pub(crate) fn plain_settings(&self, target: Target) -> Settings {
        let (checkpoint, verify, without) = (self.checkpoint, self.verify, self.without);
        Settings { checkpoint, verify, without, ..Settings::new(target) }
    }

    /// The settings for this target and execution, and these sizes if given.
    pub(crate) fn settings(&self, target: Target, sizes: Option<&[i64]>, execution: &Execution) -> Settings {
        Settings {
            relaxed: execution.relaxed(),
            counts_steps: execution.max_steps.is_some(),
            signed_zeros: execution.keeps_zeros(),
            sizes: sizes.map(<[i64]>::to_vec),
            checkpoint: self.checkpoint || execution.checkpoint,
            without: self.without | execution.without,
            profile: execution.profile,
            traces: execution.traces(),
            ..self.plain_settings(target)
        }
    }

    pub(crate) fn loops(&mut self, execution: &Execution) -> Result<LoopFunc, Failure> {
        self.loops_for(None, execution)
    }

    pub(crate) fn loops_for(&mut self, sizes: Option<&[i64]>, execution: &Execution) -> Result<LoopFunc, Failure> {
        self.with_floats(execution.floats)?;
        let settings = self.settings(execution.runner().target(), sizes, execution);
        Ok(self.take(&settings, Until::Stage(Stage::Loops), &mut Unwatched)?.loops()?)
    }

    /// The program in the form that the back end runs. Fails with E0504 or E0902 if a step cannot compile the program,
    /// with E0901 if there is no code for it; on a device also with E1001 to E1006, for missing or refused features.
    pub fn executable(&mut self, execution: &Execution) -> Result<Executable, Failure> {
        self.made(None, execution)
    }

    /// As [`Program::executable`], for calls with these sizes alone, unless `execution` says for every size.
    pub fn executable_for(&mut self, sizes: &[i64], execution: &Execution) -> Result<Executable, Failure> {
        self.made(execution.fixed(sizes), execution)
    }

    fn made(&mut self, sizes: Option<&[i64]>, execution: &Execution) -> Result<Executable, Failure> {
        self.checkpoint |= execution.checkpoint;
        self.without |= execution.without;
        self.with_floats(execution.floats)?;
        let code = match execution.runner() {
            // Traces are shown in the order that they have for all back ends.
            Backend::Interp if arr_ir::has_derivatives(&self.core) || execution.traces() && self.has_traces() => {
                let traces = execution.traces();
                let settings = Settings { signed_zeros: true, traces, ..self.plain_settings(Target::Source) };
                BackendCode::Interp(Box::new(self.take(&settings, Until::Stage(Stage::Ad), &mut Unwatched)?.func()?))
            }
            Backend::Interp => BackendCode::Interp(Box::new(self.core.clone())),
            Backend::Cpu => match &self.ready {
                Some(ready) if ready.sizes.as_deref() == sizes => BackendCode::Cpu(ready.code.clone()),
                _ => BackendCode::Cpu(Arc::new(self.compile(sizes, execution)?)),
            },
            #[cfg(feature = "gpu")]
            Backend::Gpu => BackendCode::Gpu(Box::new(self.compile_gpu(execution)?)),
            #[cfg(not(feature = "gpu"))]
            Backend::Gpu => return Err(crate::gpu::missing()),
        };
        let sizes = sizes.map(<[i64]>::to_vec);
        Ok(Executable {
            code,
            limits: execution.limits(),
            trap: execution.trap,
            listening: execution.listening,
            stop: execution.stop,
            rounds: self.declared.is_some(),
            sizes,
            sources: self.sources.clone(),
        })
    }

    pub(crate) fn compile_options(&self, execution: &Execution) -> arr_cpu::CompileOptions {
        arr_cpu::CompileOptions {
            count_steps: execution.max_steps.is_some(),
            verify: self.verify || arr_base::checks_itself(),
            relaxed: execution.relaxed(),
            threads: execution.threads,
            isa: arr_cpu::host_isa(),
            record: self.keep.is_some(),
            sanitize: execution.sanitize,
            interruptible: execution.interruptible,
            watch: execution.profile.then(crate::profile::new_watch),
        }
    }

    fn compile(&mut self, sizes: Option<&[i64]>, execution: &Execution) -> Result<arr_cpu::Compiled, Failure> {
        let loops = self.loops_for(sizes, execution)?;
        let start = Instant::now();
        let compiled = arr_cpu::compile_with(&loops, self.compile_options(execution)).map_err(code_generation)?;
        self.reports.push(Report::timed("cranelift", start.elapsed()));
        if let Some(keep) = self.keep.take() {
            self.to_store = keep.entries(&self.core, sizes, &compiled);
        }
        Ok(compiled)
    }

    #[cfg(feature = "gpu")]
    fn compile_gpu(&mut self, execution: &Execution) -> Result<crate::gpu::Compiled, Failure> {
        let device = crate::gpu::open(execution.device, execution.portable)?;
        let loops = self.loops(execution)?;
        let start = Instant::now();
        let program = crate::gpu::compile(loops, &device, execution.max_steps.is_some(), &self.sources)?;
        self.reports.push(Report::timed("wgsl", start.elapsed()));
        let start = Instant::now();
        let compiled = crate::gpu::Compiled::new(&device, program).map_err(crate::gpu::failed)?;
        self.reports.push(Report::timed("module", start.elapsed()));
        Ok(compiled)
    }

    /// Runs the program on bound sizes and leaf values. Fails as [`Program::executable_for`] and [`Executable::run`]
    /// do.
    pub fn run(&mut self, sizes: &[i64], leaves: &[Value], execution: &Execution) -> Result<Outcome, Failure> {
        let executable = self.executable_for(sizes, execution)?;
        let start = Instant::now();
        let (results, statistics) = executable.run(sizes, leaves)?;
        self.reports.push(Report::timed("run", start.elapsed()));
        Ok(Outcome { value: self.value_of(&results)?, statistics })
    }

    /// The value of the definition that has these leaves.
    pub(crate) fn value_of(&self, results: &[Value]) -> Result<EdgeValue, Failure> {
        EdgeValue::from_leaves(&self.core.edge_result, results)
            .ok_or_else(|| Failure::Bug("the results do not have the type of the definition".to_string()))
    }
}

/// A program ready to run, any number of times.
#[derive(Debug)]
pub struct Executable {
    pub(crate) code: BackendCode,
    limits: Limits,
    trap: Option<Trap>,
    listening: Option<Listening>,
    stop: Option<Stop>,
    /// Whether arguments are `f64` where the code has `f32`.
    rounds: bool,
    /// The sizes that the code is for, or `None` for all.
    sizes: Option<Vec<i64>>,
    /// The texts that the positions of errors refer to.
    pub(crate) sources: SourceMap,
}

#[derive(Debug)]
pub(crate) enum BackendCode {
    Interp(Box<Func>),
    Cpu(Arc<arr_cpu::Compiled>),
    #[cfg(feature = "gpu")]
    Gpu(Box<crate::gpu::Compiled>),
}

/// The counters, with their values.
pub type Statistics = Vec<(&'static str, u64)>;

/// Results, and the counters.
type Ran = (Vec<Value>, Statistics);

impl Executable {
    /// Runs it on bound sizes and leaf values. Fails with E06xx if the program stops, of which E0609 is that of
    /// [`Execution::stop`], on a device also with E10xx; with
    /// a [`Failure::Bug`] if the sizes are not those of the code.
    pub fn run(&self, sizes: &[i64], leaves: &[Value]) -> Result<Ran, Failure> {
        if self.sizes.as_ref().is_some_and(|own| own != sizes) {
            return Err(Failure::Bug("code for some sizes was called with others".to_string()));
        }
        if self.rounds {
            return self.run_rounded(sizes, &leaves.iter().map(rounded).collect::<Vec<Value>>());
        }
        self.run_rounded(sizes, leaves)
    }

    fn run_rounded(&self, sizes: &[i64], leaves: &[Value]) -> Result<Ran, Failure> {
        let stop = self.stop.map(|stop| stop.0);
        match &self.code {
            BackendCode::Interp(func) => {
                let watching = Watching { trap: self.trap, listening: self.listening, stop };
                let outcome = arr_ir::interp::run_watched(func, sizes, leaves, &self.limits, watching);
                let outcome = outcome.map_err(stopped)?;
                let counts = outcome.counts;
                let statistics = vec![
                    ("primitives", counts.prims),
                    ("reads", counts.reads),
                    ("writes", counts.writes),
                    ("kernels", counts.kernels),
                    ("iterations", counts.iterations),
                    ("bytes allocated", counts.allocated_bytes),
                    ("bytes in use at most", counts.peak_bytes),
                ];
                Ok((outcome.results, statistics))
            }
            BackendCode::Cpu(compiled) => {
                let outcome = compiled.run_listened_to(sizes, leaves, &self.limits, self.listening, stop);
                let outcome = outcome.map_err(|e| placed(e, &self.sources))?;
                let stats = outcome.stats;
                let statistics = vec![
                    ("bytes of machine code", compiled.code_bytes() as u64),
                    ("bytes allocated", stats.allocated_bytes),
                    ("bytes in use at most", stats.peak_bytes),
                    ("allocations", stats.allocations),
                    ("parallel regions", stats.regions),
                    ("threads", stats.threads),
                ];
                Ok((outcome.results, statistics))
            }
            #[cfg(feature = "gpu")]
            BackendCode::Gpu(compiled) => {
                let outcome = compiled.run(sizes, leaves, &self.limits).map_err(crate::gpu::failed)?;
                Ok((outcome.results, crate::gpu::statistics(&outcome.stats)))
            }
        }
    }

    /// As [`Executable::run`], on memory that somebody else owns: machine code reads arguments where they lie, and
    /// results are blocks. Other back ends copy both. Fails as [`Executable::run`] does, and with E0609 if `stop` is set
    /// while machine code runs that is interruptible.
    pub fn run_lent(
        &self,
        sizes: &[i64],
        args: &[Lent<'_>],
        stop: Option<&'static AtomicBool>,
    ) -> Result<SmallVec<[Owned; 4]>, Failure> {
        if self.sizes.as_ref().is_some_and(|own| own != sizes) {
            return Err(Failure::Bug("code for some sizes was called with others".to_string()));
        }
        if let (BackendCode::Cpu(compiled), false) = (&self.code, self.rounds) {
            return compiled.run_lent(sizes, args, &self.limits, stop).map_err(|e| placed(e, &self.sources));
        }
        let values: Vec<Value> = args.iter().map(Lent::to_value).collect();
        let (results, _) = self.run(sizes, &values)?;
        let owned = results.iter().map(Owned::of_value).collect::<Option<_>>();
        owned.ok_or_else(|| Failure::Bug("there is no memory for a copy of a result".to_string()))
    }

    /// Whether the time of a run follows from its sizes.
    pub fn is_steady(&self) -> bool {
        matches!(&self.code, BackendCode::Cpu(compiled) if compiled.is_steady())
    }

    /// Takes back results that are no longer needed: machine code writes the next ones into their memory.
    pub fn recycle(&self, results: Vec<Value>) {
        if let BackendCode::Cpu(compiled) = &self.code {
            compiled.recycle(results);
        }
    }

    /// Takes over the memory that runs of other code have left, so that the first run of this one can use it.
    pub fn inherit(&self, before: &Executable) {
        if let (BackendCode::Cpu(compiled), BackendCode::Cpu(before)) = (&self.code, &before.code) {
            compiled.inherit(before);
        }
    }
}

/// Makes every `f64` of a function an `f32`, before anything else is done with it.
pub(crate) fn demote_f64(func: &mut Func) -> Result<(), Failure> {
    let settings = Settings { single: true, traces: true, ..Settings::new(Target::Interpreter) };
    let core = std::mem::replace(func, Func::new(""));
    let made = arr_pipeline::run(STEPS, core, &settings, Until::Step("demote-f64"), &mut Vec::new(), &mut Unwatched)?;
    *func = made.func()?;
    Ok(())
}

/// The value with `f32` instead of `f64`, each element the nearest.
fn rounded(value: &Value) -> Value {
    match value {
        Value::Scalar(Const::F64(x)) => Value::Scalar(Const::F32(*x as f32)),
        Value::Scalar(_) => value.clone(),
        Value::Array(array) => match &array.data {
            Data::F64(v) => Value::array(array.dims.clone(), Data::F32(v.iter().map(|x| *x as f32).collect())),
            _ => value.clone(),
        },
    }
}

fn stopped(error: RunError) -> Failure {
    match &error.kind {
        RunErrorKind::Internal(what) => Failure::Bug(what.clone()),
        _ => error.to_diagnostic().into(),
    }
}

/// As [`stopped`]; a fault of compiled code is reported with its position in the program, if that is known.
fn placed(error: RunError, sources: &SourceMap) -> Failure {
    let place = error.span.and_then(|span| {
        let file = sources.get(span.file)?;
        let (line, column) = file.line_column(span.start as usize);
        Some(format!(" ({}:{line}:{column})", file.name))
    });
    match (stopped(error), place) {
        (Failure::Bug(what), Some(place)) => Failure::Bug(what + &place),
        (failure, _) => failure,
    }
}

pub(crate) fn code_generation(error: arr_cpu::CompileError) -> Failure {
    match error {
        arr_cpu::CompileError::Internal(_) => Failure::Bug(error.to_string()),
        // Neither the program's fault nor the compiler's: the interpreter still runs it.
        other => Diagnostic::error(arr_base::Code::UNSUPPORTED, other.to_string())
            .hint("`--backend interp` runs the program without machine code")
            .into(),
    }
}
