//! Removes all traces: for back ends that show none, and runs to which nobody listens.
//!
//! ```text
//! trace "loss", y          =>
//! custom (x) { yield x } rule (x, y, dy) { trace "dx", dy; yield dy }
//!                          =>   custom (x) { yield x } rule (x, y, dy) { yield dy }
//! ```
//!
//! Assumes:      a verified function, of any level.
//! Guarantees:   no trace is left, in rules and kernels neither. Values are unchanged.
//! Leaves alone: all other statements; what was computed for a trace alone is dead, and goes with the next simplification.
//! Cost:         O(statements). Tests: tests/drop_traces/.

use arr_ir::{Func, walk};

/// Removes the traces of a function.
pub fn drop_traces(func: &mut Func) {
    walk::drop_traces(&mut func.body.stmts);
}
