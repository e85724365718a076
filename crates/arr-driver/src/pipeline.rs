//! The stages in order, with the verifier in between.

use crate::Failure;
use arr_ir::{Func, Level};
use arr_passes::PASSES;
use std::time::{Duration, Instant};

/// A stage whose result can be looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    Ast,
    /// As elaborated: anything nests, derivatives are operations.
    Core,
    /// No user code under `build`.
    Bulk,
    /// Bulk without derivatives.
    Ad,
    Fused,
    Loops,
    Clif,
    /// Shaders, and the steps of their host.
    Wgsl,
}

/// What one pass took and left.
#[derive(Clone, PartialEq, Debug)]
pub struct PassReport {
    pub name: &'static str,
    pub time: Duration,
    /// Statements in the function afterwards, if it took and left IR.
    pub stmts: Option<usize>,
}

/// The passes in the order they run, each with the stage that it leads to.
const PIPELINE: &[(&str, Stage)] = &[
    ("simplify", Stage::Bulk),
    ("bot", Stage::Bulk),
    ("simplify", Stage::Bulk),
    (DIFFERENTIATE, Stage::Ad),
    ("bot", Stage::Ad),
    ("simplify", Stage::Ad),
    ("recheck", Stage::Ad),
    ("fuse", Stage::Fused),
    (INTERCHANGE, Stage::Fused),
    ("hoist", Stage::Fused),
    ("simplify", Stage::Fused),
    ("layout", Stage::Fused),
];

/// What is done to fused code for processors that may be off by rounding errors (`docs/reference.md`, "Numbers").
pub(crate) const RELAXED: &[&str] = &["factor", "reciprocals", "hoist", "expand", "speculate", "roots"];

/// Those among them that decide what is in memory in most runs.
pub(crate) const RELAXED_ARRAYS: &[&str] = &["factor", "reciprocals", "hoist", "expand"];

/// Left out where steps are counted: a step of a loop over whole arrays would count once an element.
const INTERCHANGE: &str = "interchange";

/// The pass of `arr-ad`; what belongs to [`Stage::Ad`] is left out where there is nothing to differentiate.
const DIFFERENTIATE: &str = "differentiate";

/// What the passes are to heed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// Verify after every pass.
    pub verify: bool,
    /// Iterations of loops will be counted.
    pub counts_steps: bool,
    pub derivatives: arr_ad::Options,
}

/// Takes a core function to a stage of the IR (`Bulk`, `Ad` or `Fused`).
pub(crate) fn lower(
    func: &mut Func,
    to: Stage,
    options: Options,
    reports: &mut Vec<PassReport>,
) -> Result<(), Failure> {
    // Debug builds look after every pass.
    let verify = options.verify || cfg!(debug_assertions);
    let differentiates = arr_ir::has_derivatives(func);
    let mut level = Level::Core;
    if verify {
        check(func, level, "elaboration")?;
    }
    for &(name, stage) in PIPELINE.iter().filter(|(_, stage)| *stage <= to) {
        if stage == Stage::Ad && !differentiates || name == INTERCHANGE && options.counts_steps {
            continue;
        }
        let start = Instant::now();
        level = run_pass(name, func, level, options.derivatives)?;
        reports.push(PassReport { name, time: start.elapsed(), stmts: Some(count(func)) });
        if verify {
            check(func, level, name)?;
        }
    }
    Ok(())
}

/// Runs passes of relaxed code on a fused function.
pub(crate) fn relax(
    func: &mut Func,
    passes: &[&'static str],
    verify: bool,
    reports: &mut Vec<PassReport>,
) -> Result<(), Failure> {
    for &name in passes {
        let start = Instant::now();
        run_pass(name, func, Level::Fused, arr_ad::Options::default())?;
        reports.push(PassReport { name, time: start.elapsed(), stmts: Some(count(func)) });
        if verify || cfg!(debug_assertions) {
            check(func, Level::Fused, name)?;
        }
    }
    Ok(())
}

/// Runs a pass on a function of one level and returns the level afterwards.
fn run_pass(name: &str, func: &mut Func, level: Level, derivatives: arr_ad::Options) -> Result<Level, Failure> {
    let pass = PASSES.iter().chain(arr_ad::PASSES).find(|p| p.name == name);
    let pass = pass.ok_or_else(|| Failure::Bug(format!("there is no pass `{name}`")))?;
    if name == DIFFERENTIATE {
        arr_ad::differentiate_with(func, derivatives).map_err(|e| e.to_diagnostic())?;
    } else {
        (pass.run)(func).map_err(|e| e.to_diagnostic())?;
    }
    // Derivatives are replaced by core code; every other pass keeps or raises the level.
    Ok(if name == DIFFERENTIATE { pass.level_after } else { level.max(pass.level_after) })
}

fn check(func: &Func, level: Level, after: &str) -> Result<(), Failure> {
    arr_ir::verify(func, level).map_err(|errors| {
        let report = arr_ir::report(func, &errors);
        Failure::Bug(format!("the program is not well formed after {after}:\n{report}"))
    })
}

fn count(func: &Func) -> usize {
    fn block(b: &arr_ir::Block) -> usize {
        b.stmts.iter().map(|s| 1 + s.op.blocks().iter().map(|b| block(b)).sum::<usize>()).sum()
    }
    block(&func.body)
}
