//! Target processors and their settings.

use crate::CompileError;
use crate::codegen::Result;
use cranelift_codegen::isa::{self, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};

/// A target processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Processor {
    /// The present one, with all its features.
    Native,
    /// Any one of this architecture.
    Baseline,
    /// Any 64-bit ARM, with Linux.
    Aarch64,
    /// x86-64 with the features of `arr_capi::table::Level::V3`.
    V3,
}

/// Functions with more locals than this are given registers in one pass: the usual allocator takes more than linear time
/// in long straight-line code (8 s against 0.1 s for the second derivative of a chain of 2,000 operations).
const LONG: usize = 10_000;

/// The code generator's name for 64-bit ARM with Linux.
const AARCH64: &str = "aarch64-unknown-linux-gnu";

/// The features of `x86-64-v3` beyond the baseline, under the code generator's names.
const V3: &[&str] = &[
    "has_sse3",
    "has_ssse3",
    "has_cmpxchg16b",
    "has_sse41",
    "has_sse42",
    "has_popcnt",
    "has_avx",
    "has_avx2",
    "has_fma",
    "has_bmi1",
    "has_bmi2",
    "has_lzcnt",
];

/// The code generator's target, for a function with this many locals. `movable` code may be linked to any address.
pub(crate) fn target(processor: Processor, movable: bool, verify: bool, locals: usize) -> Result<OwnedTargetIsa> {
    let wrong = |e: &dyn std::fmt::Display| CompileError::Target(e.to_string());
    let mut flags = settings::builder();
    let allocator = if locals > LONG { "single_pass" } else { "backtracking" };
    for (name, value) in [
        ("opt_level", "speed"),
        ("regalloc_algorithm", allocator),
        ("enable_verifier", if verify { "true" } else { "false" }),
        ("is_pic", if movable { "true" } else { "false" }),
        ("use_colocated_libcalls", "false"),
        // Large frames touch every page of the stack, so that an overflow is detected at once.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
    ] {
        flags.set(name, value).map_err(|e| wrong(&e))?;
    }
    let native = cranelift_native::builder().map_err(|e| wrong(&e))?;
    let mut builder = match processor {
        Processor::Native => native,
        Processor::Aarch64 => isa::lookup_by_name(AARCH64).map_err(|e| wrong(&e))?,
        Processor::Baseline | Processor::V3 => isa::lookup(native.triple().clone()).map_err(|e| wrong(&e))?,
    };
    if processor == Processor::V3 {
        V3.iter().try_for_each(|feature| builder.enable(feature).map_err(|e| wrong(&e)))?;
    }
    builder.finish(settings::Flags::new(flags)).map_err(|e| wrong(&e))
}
