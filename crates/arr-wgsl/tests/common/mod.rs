//! Programs taken to the device's form.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, dead_code)]

use arr_base::{Id, SourceId, Span};
use arr_ir::{Func, Level, verify};
use arr_loops::{LoopFunc, LowerOptions};
use arr_wgsl::{CompileError, Integers, Options, Program};

/// The passes up to fused IR, as the driver runs them.
const PASSES: &[&str] = &[
    "simplify",
    "bot",
    "simplify",
    "differentiate",
    "bot",
    "simplify",
    "recheck",
    "fuse",
    "interchange",
    "hoist",
    "simplify",
];

/// An entry of a program as fused IR.
pub fn fused(source: &str, entry: &str) -> Func {
    let parsed = arr_syntax::parse_module(SourceId::from_index(0), source);
    assert!(parsed.diagnostics.is_empty(), "{:?}\n{source}", parsed.diagnostics);
    let checked = arr_check::check_module(parsed.module);
    assert!(checked.diagnostics.is_empty(), "{:?}\n{source}", checked.diagnostics);
    let mut func = arr_check::elaborate(&checked, entry).unwrap_or_else(|d| panic!("{d:?}\n{source}"));
    for name in PASSES {
        let pass = arr_passes::PASSES.iter().chain(arr_ad::PASSES).find(|p| p.name == *name);
        let pass = pass.unwrap_or_else(|| panic!("no pass {name}"));
        (pass.run)(&mut func).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    }
    verify(&func, Level::Fused).unwrap_or_else(|e| panic!("{}", arr_ir::report(&func, &e)));
    func
}

/// An entry of a program as loops for a device.
pub fn loops(source: &str, entry: &str) -> LoopFunc {
    let options = LowerOptions { relaxed: true, nested: true, ..LowerOptions::default() };
    arr_loops::lower_with(&fused(source, entry), options).unwrap()
}

pub fn options(integers: Integers) -> Options {
    Options { integers, storage_buffers: 24, ..Options::default() }
}

/// An entry of a program, compiled and validated.
pub fn compile(source: &str, entry: &str, options: &Options) -> Result<Program, CompileError> {
    let lines = |span: Span| line(source, span);
    // Debug builds validate what they make.
    arr_wgsl::compile(loops(source, entry), options, &lines)
}

/// The line that a span begins in.
fn line(source: &str, span: Span) -> Option<String> {
    let start = span.start as usize;
    let before = source.get(..start)?.rfind('\n').map_or(0, |k| k + 1);
    source.get(before..)?.lines().next().map(str::to_string)
}
