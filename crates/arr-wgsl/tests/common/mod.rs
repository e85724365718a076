//! Programs taken to the device's form.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, dead_code)]

use arr_base::{Id, SourceId, Span};
use arr_ir::Func;
use arr_loops::LoopFunc;
use arr_pipeline::{Made, STEPS, Settings, Stage, Target, Until, Unwatched};
use arr_wgsl::{CompileError, Integers, Options, Program};

/// An entry of a program as core IR.
fn elaborated(source: &str, entry: &str) -> Func {
    let parsed = arr_syntax::parse_module(SourceId::from_index(0), source);
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{source}", parsed.diagnostics);
    let checked = arr_check::check_module(parsed.module);
    assert!(checked.diagnostics.is_empty(), "{:?}\n{source}", checked.diagnostics);
    arr_check::elaborate(&checked, entry).unwrap_or_else(|d| panic!("{d:?}\n{source}"))
}

/// An entry of a program after a stage, by the steps of the driver for a device.
fn taken(source: &str, entry: &str, stage: Stage) -> Made {
    let settings = Settings { verify: true, ..Settings::new(Target::Gpu) };
    let (func, until) = (elaborated(source, entry), Until::Stage(stage));
    let made = arr_pipeline::run(STEPS, func, &settings, until, &mut Vec::new(), &mut Unwatched);
    made.unwrap_or_else(|e| panic!("{e:?}"))
}

/// An entry of a program as fused IR.
pub fn fused(source: &str, entry: &str) -> Func {
    taken(source, entry, Stage::Fused).func().unwrap_or_else(|e| panic!("{e:?}"))
}

/// An entry of a program as loops for a device.
pub fn loops(source: &str, entry: &str) -> LoopFunc {
    taken(source, entry, Stage::Loops).loops().unwrap_or_else(|e| panic!("{e:?}"))
}

pub fn options(integers: Integers) -> Options {
    Options { integers, storage_buffers: 24, ..Options::default() }
}

/// An entry of a program, compiled and validated.
pub fn compile(source: &str, entry: &str, options: &Options) -> Result<Program, CompileError> {
    let lines = |span: Span| line(source, span);
    arr_wgsl::compile(loops(source, entry), options, &lines)
}

/// The line that a span begins in.
fn line(source: &str, span: Span) -> Option<String> {
    let start = span.start as usize;
    let before = source.get(..start)?.rfind('\n').map_or(0, |k| k + 1);
    source.get(before..)?.lines().next().map(str::to_string)
}
