//! The purpose of a run of the compiler, and the steps that it requires.

use crate::names::Without;
use crate::table::{Step, When};
use arr_ir::walk::has_traces;
use arr_ir::{Func, has_derivatives};

/// The final consumer of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The reference interpreter.
    Interpreter,
    /// A reader: the program is printed as source.
    Source,
    /// Machine code for processors.
    Cpu,
    /// Kernels of a graphics device.
    Gpu,
    /// StableHLO, which XLA compiles.
    Xla,
    /// C source, whose loops run in order.
    C,
}

/// Parts of a program that some steps run for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    /// It takes derivatives.
    pub derivatives: bool,
    /// It shows values.
    pub traces: bool,
}

impl Parts {
    pub fn of(func: &Func) -> Parts {
        Parts { derivatives: has_derivatives(func), traces: has_traces(&func.body.stmts) }
    }
}

/// The purpose of a run of the compiler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    pub target: Target,
    /// Whether results may be off by rounding errors (`docs/reference.md`, "Numbers").
    pub relaxed: bool,
    /// Iterations of loops will be counted, as the program's text has them.
    pub counts_steps: bool,
    /// Zeros keep their signs: laws that may change them are not applied.
    pub signed_zeros: bool,
    /// Every `f64` is to become an `f32`, which has not happened yet.
    pub single: bool,
    /// The sizes that the program is compiled for, or `None` for all.
    pub sizes: Option<Vec<i64>>,
    /// Derivatives of loops keep a logarithmic number of states.
    pub checkpoint: bool,
    /// Verify after every step, as is always done where the compiler [checks itself](arr_base::checks_itself).
    pub verify: bool,
    /// Steps that are left out.
    pub without: Without,
    /// The loops say what they compute, for a profile.
    pub profile: bool,
    /// Somebody listens to the program's traces; otherwise they are removed.
    pub traces: bool,
}

impl Settings {
    /// For this target, with default settings.
    pub fn new(target: Target) -> Settings {
        Settings {
            target,
            relaxed: false,
            counts_steps: false,
            signed_zeros: false,
            single: false,
            sizes: None,
            checkpoint: false,
            verify: false,
            without: Without::default(),
            profile: false,
            traces: false,
        }
    }

    /// Whether a step runs for a program with these parts.
    pub fn take(&self, step: &Step, parts: Parts) -> bool {
        step.when.iter().all(|when| self.meets(*when, parts)) && !self.without.has(step.name)
    }

    fn meets(&self, when: When, parts: Parts) -> bool {
        let differentiates = parts.derivatives;
        match when {
            When::Derivatives => differentiates,
            When::Relaxed => self.relaxed,
            When::NoStepLimit => !self.counts_steps,
            When::SizesFirst => self.sizes.is_some() && (self.relaxed || !differentiates),
            When::SizesLast => self.sizes.is_some() && !self.relaxed && differentiates,
            When::Single => self.single,
            When::Cpu => matches!(self.target, Target::Cpu | Target::C),
            When::Native => self.target == Target::Cpu,
            When::Divided => self.target != Target::C,
            When::C => self.target == Target::C,
            When::Gpu => self.target == Target::Gpu,
            When::Xla => self.target == Target::Xla,
            When::Source => self.target == Target::Source,
            When::Unheard => parts.traces && !self.traces,
        }
    }

    /// When, and how, reverse mode may run parts of loops again. Counted iterations must be those of the program;
    /// strict derivatives of derivatives would add in another order.
    pub(crate) fn segments(&self) -> Option<arr_ad::Segments> {
        let divides = matches!(self.target, Target::Cpu | Target::C) && self.relaxed;
        (divides && !self.counts_steps).then(arr_ad::Segments::default)
    }

    pub(crate) fn lower_options(&self) -> arr_loops::LowerOptions {
        let nested = self.target == Target::Gpu;
        arr_loops::LowerOptions {
            // On a device there is only one order of sums, its own.
            relaxed: self.relaxed || nested,
            nested,
            blocks: !nested && !self.counts_steps,
            counts: self.counts_steps,
            any_product: self.target == Target::C,
            profile: self.profile,
            ..arr_loops::LowerOptions::default()
        }
    }
}
