//! The reference interpreter: it defines the meaning of the IR at every level, and counts the operations performed.
//!
//! Derivatives (`vjp`, `jvp`) are not interpreted: `arr-ad` eliminates them first.
//!
//! The counts, by which tests bound the cost of a program:
//!
//! - `prims`: scalar primitives evaluated; also one per element that a `reduce` combines and one per value that a
//!   `scatter add` adds.
//! - `reads`: elements read by `read`.
//! - `writes`: elements stored by `build` and `scatter`. A `scatter` whose array is still needed copies it first,
//!   which counts as many writes as it has elements; one whose array is dead writes in place.
//! - `kernels`: executions of a `build`, `reduce` or `scatter` that is not inside the body of another.
//! - `iterations`: points of `build`, `reduce` and `scatter`, and iterations of `loop`.
//! - `allocated_bytes`: total bytes of all arrays allocated.
//! - `peak_bytes`: bytes of arrays in use at one time, at most, without arguments.
//!
//! A negative extent counts as empty: where a program creates an array of a negative size there is a `check`, and an
//! array that a pass moved out of code that never runs may have any extent.

mod exec;
mod kernel;
mod memory;
pub(crate) mod plan;
mod trap;

pub(crate) use kernel::combine;

use crate::{Func, RunError, RunErrorKind, Value};
use arr_base::{Id, Listening, Traces};
use std::sync::atomic::AtomicBool;

/// Limits on the resources of a program; `None` is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Iterations of `loop`s.
    pub max_steps: Option<u64>,
    /// Bytes of arrays live at the same time, without arguments.
    pub max_bytes: Option<u64>,
}

/// Floats that stop the program where they come from: where an operation makes one out of operands that are none. See
/// the head of `interp/trap.rs`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trap {
    Nan,
    /// NaNs and infinities.
    NotFinite,
}

/// The cost of a run; see the head of this module.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub prims: u64,
    pub reads: u64,
    pub writes: u64,
    pub kernels: u64,
    pub iterations: u64,
    pub allocated_bytes: u64,
    pub peak_bytes: u64,
}

impl Counts {
    /// Primitives, reads and writes: the cost in the cheap gradient principle.
    pub fn work(&self) -> u64 {
        self.prims.saturating_add(self.reads).saturating_add(self.writes)
    }
}

/// The results of the body, in order, and the cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    pub results: Vec<Value>,
    pub counts: Counts,
}

/// Runs a function on values for its size parameters (see [`arr_base::solve_sizes`]) and parameters. Fails with the
/// program's run-time error where one of its checks fails or a limit is exceeded, and with [`RunErrorKind::Internal`]
/// where a derivative is left, the arguments do not fit or the function is not well formed.
pub fn run(func: &Func, sizes: &[i64], args: &[Value], limits: &Limits) -> Result<Outcome, RunError> {
    run_watched(func, sizes, args, limits, Watching::default())
}

/// What a run is watched for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watching {
    /// The floats that stop it where they come from.
    pub trap: Option<Trap>,
    /// Who is shown its traces, if anybody.
    pub listening: Option<Listening>,
    /// What stops it once it is set.
    pub stop: Option<&'static AtomicBool>,
}

/// As [`run`]; shows traces, and fails with [`RunErrorKind::NotFinite`] too, where an operation makes a float that is to
/// be trapped, and with [`RunErrorKind::Interrupted`] once it is stopped.
pub fn run_watched(
    func: &Func,
    sizes: &[i64],
    args: &[Value],
    limits: &Limits,
    watching: Watching,
) -> Result<Outcome, RunError> {
    let body = plan::plan(func);
    let mut machine = exec::Machine::new(func.vars.len(), *limits);
    machine.stop = watching.stop;
    machine.watch = watching.trap.map(|trap| trap::Watch::new(func, trap));
    machine.traces = watching.listening.map(|listening| Traces::new(listening, &[]));
    bind_arguments(func, &mut machine, sizes, args)?;
    machine.block(&body)?;
    let results = body.results.iter().map(|&a| machine.value(a)).collect::<Result<_, _>>()?;
    Ok(Outcome { results, counts: machine.counts })
}

/// An error that occurs only for code that is not well formed, or for arguments that were not checked.
fn internal<T>(what: impl Into<String>) -> Result<T, RunError> {
    Err(RunError::new(RunErrorKind::Internal(what.into()), None))
}

fn bind_arguments(func: &Func, machine: &mut exec::Machine<'_>, sizes: &[i64], args: &[Value]) -> Result<(), RunError> {
    if sizes.len() != func.sizes.len() || args.len() != func.params.len() {
        return internal("wrong number of arguments");
    }
    for (v, &size) in func.sizes.iter().zip(sizes) {
        machine.set(v.index(), Value::Scalar(crate::Const::I64(size)))?;
    }
    for (v, arg) in func.params.iter().zip(args) {
        machine.set(v.index(), arg.clone())?;
    }
    for (&v, arg) in func.params.iter().zip(args) {
        let Some(info) = func.vars.get(v) else { return internal("unknown parameter") };
        let ty = func.types.get(info.ty);
        let mut fits = ty.elem == arg.elem() && ty.rank() == arg.dims().len();
        for (&dim, &found) in ty.dims.iter().zip(arg.dims()) {
            fits &= machine.size(&plan::size(func, dim))? == found;
        }
        if !fits {
            return internal(format!("argument `{}` does not have the type of the parameter", info.name));
        }
    }
    Ok(())
}
