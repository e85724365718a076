//! The table of passes: one row each, run by name.

use crate::speculate;
use crate::{bot, demote_f64, drop_traces, expand, factor, fuse, hoist, layout, recheck, reciprocals, roots, simplify};
use arr_base::{Code, Diagnostic};
use arr_ir::Func;

pub use arr_ir::Level;

/// A pass: maps a function to a function of the same meaning.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub name: &'static str,
    /// One verb-first sentence.
    pub description: &'static str,
    pub run: fn(&mut Func) -> Result<(), PassError>,
    /// The level that the result is guaranteed to have. A pass with `Core` keeps the level of its input.
    pub level_after: Level,
}

/// The passes of this crate. The driver appends those of `arr-ad`.
pub const PASSES: &[Pass] = &[
    Pass { name: "bot", description: "Removes user code from under `build`.", run: run_bot, level_after: Level::Bulk },
    Pass {
        name: "simplify",
        description: "Simplifies by algebra, sharing, views and dead code.",
        run: run_simplify,
        level_after: Level::Core,
    },
    Pass {
        name: "hoist",
        description: "Moves invariant code out of kernels and loops.",
        run: run_hoist,
        level_after: Level::Fused,
    },
    Pass {
        name: "fuse",
        description: "Inlines kernels into their readers and merges loop nests.",
        run: run_fuse,
        level_after: Level::Fused,
    },
    Pass {
        name: "contract",
        description: "Makes sums over arrays of products sums of products.",
        run: run_contract,
        level_after: Level::Fused,
    },
    Pass {
        name: "interchange",
        description: "Turns loops of array passes into one kernel, point by point.",
        run: run_interchange,
        level_after: Level::Fused,
    },
    Pass { name: "drop_traces", description: "Removes all traces.", run: run_drop_traces, level_after: Level::Core },
    Pass {
        name: "demote_f64",
        description: "Turns every `f64` into an `f32`.",
        run: run_demote_f64,
        level_after: Level::Core,
    },
    Pass {
        name: "layout",
        description: "Copies arrays so that neighbouring points read neighbouring elements.",
        run: run_layout,
        level_after: Level::Fused,
    },
    Pass {
        name: "recheck",
        description: "Checks every access that the range analysis does not prove inside.",
        run: run_recheck,
        level_after: Level::Core,
    },
    Pass {
        name: "factor",
        description: "Moves factors out of sums over matrix products, in relaxed code.",
        run: run_factor,
        level_after: Level::Fused,
    },
    Pass {
        name: "reciprocals",
        description: "Divides once for several quotients, in relaxed code.",
        run: run_reciprocals,
        level_after: Level::Fused,
    },
    Pass {
        name: "expand",
        description: "Hoists expensive values that every iteration of a loop shares into an array.",
        run: run_expand,
        level_after: Level::Fused,
    },
    Pass {
        name: "speculate",
        description: "Multiplies plainly first, and recomputes where a zero has to win, in relaxed code.",
        run: run_speculate,
        level_after: Level::Fused,
    },
    Pass {
        name: "roots",
        description: "Collects powers of roots, signs and constants in products, in relaxed code.",
        run: run_roots,
        level_after: Level::Fused,
    },
];

/// Reasons why a pass did not finish. The function may be incomplete, and must not be used any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PassError {
    /// No pass has this name.
    Unknown(String),
    /// The pass cannot handle this program.
    Failed(Box<Diagnostic>),
}

impl From<Diagnostic> for PassError {
    fn from(diagnostic: Diagnostic) -> Self {
        PassError::Failed(Box::new(diagnostic))
    }
}

impl PassError {
    pub fn to_diagnostic(&self) -> Diagnostic {
        match self {
            PassError::Unknown(name) => {
                Diagnostic::error(Code::UNSUPPORTED, format!("there is no pass named `{name}`"))
                    .hint(format!("passes: {}", PASSES.iter().map(|p| p.name).collect::<Vec<_>>().join(", ")))
            }
            PassError::Failed(diagnostic) => (**diagnostic).clone(),
        }
    }
}

/// Runs the pass of this name. Errors: E0901 where there is no such pass, E0902 where `bot` cannot bring the function
/// into bulk form.
pub fn run_pass(name: &str, func: &mut Func) -> Result<(), PassError> {
    match PASSES.iter().find(|p| p.name == name) {
        Some(pass) => (pass.run)(func),
        None => Err(PassError::Unknown(name.to_string())),
    }
}

fn run_bot(func: &mut Func) -> Result<(), PassError> {
    bot::bot(func).map_err(|error| error.to_diagnostic().into())
}

fn run_drop_traces(func: &mut Func) -> Result<(), PassError> {
    drop_traces::drop_traces(func);
    Ok(())
}

fn run_demote_f64(func: &mut Func) -> Result<(), PassError> {
    demote_f64::demote_f64(func);
    Ok(())
}

fn run_simplify(func: &mut Func) -> Result<(), PassError> {
    simplify::simplify(func);
    Ok(())
}

fn run_hoist(func: &mut Func) -> Result<(), PassError> {
    hoist::hoist(func);
    Ok(())
}

fn run_contract(func: &mut Func) -> Result<(), PassError> {
    fuse::contract(func);
    Ok(())
}

fn run_interchange(func: &mut Func) -> Result<(), PassError> {
    fuse::interchange(func);
    Ok(())
}

fn run_layout(func: &mut Func) -> Result<(), PassError> {
    layout::layout(func);
    Ok(())
}

fn run_recheck(func: &mut Func) -> Result<(), PassError> {
    recheck::recheck(func);
    Ok(())
}

fn run_reciprocals(func: &mut Func) -> Result<(), PassError> {
    reciprocals::reciprocals(func);
    Ok(())
}

fn run_expand(func: &mut Func) -> Result<(), PassError> {
    expand::expand(func);
    Ok(())
}

fn run_factor(func: &mut Func) -> Result<(), PassError> {
    factor::factor(func);
    Ok(())
}

fn run_speculate(func: &mut Func) -> Result<(), PassError> {
    speculate::speculate(func);
    Ok(())
}

fn run_roots(func: &mut Func) -> Result<(), PassError> {
    roots::roots(func);
    Ok(())
}

fn run_fuse(func: &mut Func) -> Result<(), PassError> {
    fuse::fuse(func);
    Ok(())
}
