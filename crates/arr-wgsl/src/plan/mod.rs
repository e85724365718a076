//! From a loop function to a program: the division of statements between the host and kernels.

mod alias;
mod moves;
mod persistent;
mod place;
mod rows;
mod run;
mod schedule;
pub(crate) mod short;
mod size;
mod steps;
mod wide;

pub(crate) use place::{Placement, local_of};

use crate::builder::Builder;
use crate::error::CompileError;
use crate::program::{Integers, MOST_POINTS, Options, Program};
use crate::ranges::Ranges;
use arr_base::Span;
use arr_loops::LoopFunc;

/// Compiles a function that was lowered with [`arr_loops::LowerOptions::nested`] to a program. `source` gives the
/// source line of a span, for comments. Fails where kernels lack an operation, or need more buffers or points than a device has.
pub fn compile(
    func: LoopFunc,
    options: &Options,
    source: &dyn Fn(Span) -> Option<String>,
) -> Result<Program, CompileError> {
    let mut func = func;
    moves::make(&mut func.body, &func.outputs);
    short::in_order(&mut func.body);
    let mut builder = Builder::new(func, *options, source);
    let body = std::mem::take(&mut builder.func.body);
    let outputs = builder.func.outputs.clone();
    let placement = Placement::find(&builder.func, &body);
    if options.integers == Integers::Narrow {
        builder.ranges = Ranges::find(&builder.func, &body, &placement);
    }
    let steps = steps::plan(&mut builder, &placement, &body, &outputs)?;
    let steps = builder.packs.insert(&builder.kernels, steps);
    if let Some(&what) = builder.func.broken.first() {
        return Err(CompileError::Broken(what));
    }
    let wgsl = builder.finish();
    let needs = builder.needs(&wgsl);
    check_limits(&builder, options)?;
    if arr_base::checks_itself() {
        crate::validate(&wgsl, needs).map_err(CompileError::Invalid)?;
    }
    let Builder { func, kernels, slots, places, .. } = builder;
    Ok(Program { func, integers: options.integers, needs, wgsl, kernels, steps, slots, places })
}

fn check_limits(builder: &Builder<'_>, options: &Options) -> Result<(), CompileError> {
    for (_, kernel) in builder.kernels.iter() {
        let count = kernel.buffers.len() + usize::from(kernel.slots) + usize::from(kernel.faults);
        let found = u32::try_from(count).unwrap_or(u32::MAX);
        if found > options.storage_buffers {
            return Err(CompileError::TooManyBuffers { found, most: options.storage_buffers, span: kernel.span });
        }
        // Limits that the program's text exceeds; the host checks those that depend on sizes.
        let known = kernel.groups.points.iter().filter_map(|points| u64::try_from(points.as_int()?).ok());
        let found = known.fold(1, u64::saturating_mul);
        if found > MOST_POINTS {
            return Err(CompileError::TooManyPoints { found, span: kernel.span });
        }
    }
    Ok(())
}
