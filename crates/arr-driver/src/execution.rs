//! How a program is run.

use crate::memory;
use arr_base::Listening;
use arr_ir::interp::{Limits, Trap};
use arr_pipeline::{Target, Without};
use std::sync::atomic::AtomicBool;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// The reference interpreter, on core IR as far as possible.
    Interp,
    Cpu,
    /// A graphics device.
    Gpu,
}

impl Backend {
    /// Whose steps lead to its loops; the interpreter, which has none, shows those of machine code.
    pub(crate) fn target(self) -> Target {
        match self {
            Backend::Interp | Backend::Cpu => Target::Cpu,
            Backend::Gpu => Target::Gpu,
        }
    }
}

/// What a program's floats are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Floats {
    /// As declared in the program.
    #[default]
    Declared,
    /// `f32` instead of `f64`. Arguments are rounded, and results are `f32`.
    F32,
}

/// A flag that outlives all runs, and stops one once it is set.
#[derive(Clone, Copy, Debug)]
pub struct Stop(pub &'static AtomicBool);

impl PartialEq for Stop {
    fn eq(&self, other: &Stop) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Stop {}

/// How to run a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Execution {
    pub backend: Backend,
    /// The limit on loop iterations; by default none.
    pub max_steps: Option<u64>,
    /// The limit on memory in bytes; by default a part of the machine's memory.
    pub max_memory: Option<u64>,
    /// Whether loops keep few states for their reverse sweep and recompute the others.
    pub checkpoint: bool,
    /// Whether compiled code adds in the order of the program and rounds every product, to equal the interpreter bit for bit.
    pub strict: bool,
    /// Threads of compiled code; by default the number of the machine's cores. Results do not depend on it.
    pub threads: Option<usize>,
    pub floats: Floats,
    /// The number of the graphics device; by default the best one.
    pub device: Option<usize>,
    /// Whether machine code is compiled for all sizes, rather than for those of its arguments where they are known
    /// before.
    pub any_size: bool,
    /// Whether the device is restricted to the features of every WebGPU device.
    pub portable: bool,
    /// Steps of the compiler that are left out.
    pub without: Without,
    /// Whether machine code checks every access against its buffer, and results are searched for unwritten memory.
    pub sanitize: bool,
    /// Whether machine code can be stopped while it runs ([`Executable::run_lent`]).
    pub interruptible: bool,
    /// Stops the interpreter, and machine code that is interruptible, with E0609, once it is set.
    pub stop: Option<Stop>,
    /// Whether machine code can be profiled ([`Program::profile`]).
    pub profile: bool,
    /// Floats that stop the program where they come from, with E0610. The interpreter alone looks for them, and runs the
    /// program in place of another back end.
    pub trap: Option<Trap>,
    /// Who is shown what the program traces, if anybody; a graphics device shows nothing.
    pub listening: Option<Listening>,
}

impl Default for Execution {
    fn default() -> Self {
        Execution {
            backend: Backend::Cpu,
            max_steps: None,
            max_memory: None,
            checkpoint: false,
            strict: false,
            threads: None,
            floats: Floats::Declared,
            device: None,
            any_size: false,
            portable: false,
            without: Without::default(),
            sanitize: false,
            interruptible: false,
            stop: None,
            profile: false,
            trap: None,
            listening: None,
        }
    }
}

impl Execution {
    /// Whether compiled code may reorder sums and contract products into them.
    pub(crate) fn relaxed(&self) -> bool {
        !self.strict
    }

    /// Who runs the program.
    pub fn runner(&self) -> Backend {
        if self.trap.is_some() { Backend::Interp } else { self.backend }
    }

    /// Whether the program keeps its traces.
    pub(crate) fn traces(&self) -> bool {
        self.listening.is_some() && self.runner() != Backend::Gpu
    }

    /// Whether zeros keep their signs.
    pub(crate) fn keeps_zeros(&self) -> bool {
        match self.runner() {
            Backend::Interp => true,
            Backend::Cpu => self.strict,
            Backend::Gpu => false,
        }
    }

    /// The sizes of a call to compile for, unless it is for all.
    pub(crate) fn fixed<'s>(&self, sizes: &'s [i64]) -> Option<&'s [i64]> {
        let fixes = self.runner() == Backend::Cpu && !self.any_size && !sizes.is_empty();
        fixes.then_some(sizes)
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { max_steps: self.max_steps, max_bytes: self.max_memory.or_else(memory::default_limit) }
    }
}
