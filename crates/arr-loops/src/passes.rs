//! The passes over finished loops: one table, in the order in which they run.
//!
//! [`crate::lower_unoptimized`] lowers a function to loops, [`run_passes`] improves them, [`crate::lower_with`] does
//! both. A driver that wants to verify, time, print or leave out a step by its name calls the first two itself: a
//! callback receives the name and the loops after every step. Each pass maps a well-formed function ([`crate::verify`])
//! to a well-formed one.

use crate::{LoopFunc, LowerError, LowerOptions};

/// When a pass runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    Always,
    /// Unless a back end divides nests itself ([`LowerOptions::nested`]).
    Whole,
    /// As `Whole`, and where loops of the program may run in blocks of points ([`LowerOptions::blocks`]).
    Blocks,
}

impl When {
    /// Whether a pass runs under these options.
    pub fn holds(self, options: &LowerOptions) -> bool {
        match self {
            When::Always => true,
            When::Whole => !options.nested,
            When::Blocks => !options.nested && options.blocks,
        }
    }
}

/// A pass over loops.
#[derive(Clone, Copy, Debug)]
pub struct LoopPass {
    pub name: &'static str,
    pub when: When,
    /// Its purpose, and the reason for its position.
    pub why: &'static str,
    pub run: fn(&mut LoopFunc, &LowerOptions) -> Result<(), LowerError>,
}

/// All passes, in the order in which they run.
pub const PASSES: &[LoopPass] = &[
    LoopPass {
        name: "fuse-loops",
        when: When::Whole,
        why: "neighbouring loops over one range that share an array become one pass over memory (loop fusion)",
        run: |func, _| {
            crate::fuse_loops::fuse_loops(func);
            Ok(())
        },
    },
    LoopPass {
        name: "reuse-buffers",
        when: When::Whole,
        why: "a buffer that dies in a loop serves as the one that the loop fills; fused loops have made such pairs",
        run: |func, _| {
            crate::reuse_buffers::reuse_buffers(func);
            Ok(())
        },
    },
    LoopPass {
        name: "dead-fills",
        when: When::Whole,
        why: "arrays that a loop wholly overwrites, tapes above all, are not filled before (dead-store elimination)",
        run: |func, _| {
            crate::dead_fills::remove_fills(func);
            Ok(())
        },
    },
    LoopPass {
        name: "strip-mine",
        when: When::Blocks,
        why: "a loop of the program whose points are independent runs for one block of points after another, in the \
              cache; what stands side by side in a block then is fused",
        run: |func, _| {
            if crate::strip_mine::strip_mine(func) {
                crate::fuse_loops::fuse_loops(func);
            }
            Ok(())
        },
    },
    LoopPass {
        name: "short-circuit",
        when: When::Whole,
        why: "a state that each iteration copies into its tape is built there directly (array short-circuiting)",
        run: |func, _| {
            crate::short_circuit::short_circuit(func);
            Ok(())
        },
    },
    LoopPass {
        name: "parallelize",
        when: When::Whole,
        why: "loops of the program, and kernels that add to data-dependent places, are marked as parallel if their \
              iterations are independent; last of the passes that move statements, as it relies on their positions",
        run: |func, options| {
            crate::parallelize::parallelize(func, options.relaxed, options.counts);
            Ok(())
        },
    },
    LoopPass {
        name: "bounds-checks",
        when: When::Whole,
        why: "accesses that the range analysis does not prove are checked; after all passes that move statements",
        run: |func, _| {
            crate::bounds_checks::insert(func);
            Ok(())
        },
    },
    LoopPass {
        name: "mark-scans",
        when: When::Always,
        why: "loops that carry scalars by an associative step say how they run in chunks; it only adds information \
              to loops",
        run: |func, options| {
            crate::scan::mark(func, options.relaxed);
            Ok(())
        },
    },
];

/// Runs the passes enabled by these options, except those that `leave_out` names, and calls `after` behind each with
/// its name and its output. An error of `after` ends the run.
pub fn run_passes(
    loops: &mut LoopFunc,
    options: &LowerOptions,
    leave_out: &dyn Fn(&str) -> bool,
    after: &mut dyn FnMut(&'static str, &LoopFunc) -> Result<(), LowerError>,
) -> Result<(), LowerError> {
    for pass in PASSES.iter().filter(|pass| pass.when.holds(options) && !leave_out(pass.name)) {
        (pass.run)(loops, options)?;
        after(pass.name, loops)?;
    }
    Ok(())
}
