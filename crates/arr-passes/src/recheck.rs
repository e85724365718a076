//! Checks every access that the range analysis does not prove inside.
//!
//! ```text
//! i: i64 = i64 b                 i: i64 = i64 b
//! c: f64 = read! t[i]       =>   c: f64 = read t[i]
//! ```
//!
//! A check may be dropped only where `arr_ir::bounds` derives that it cannot fail. Reverse mode recomputes values of
//! the program under fewer checks; fusion moves kernels; relaxed code may round an index computed from floats
//! differently the second time. However an index came about, an access that nothing at its place proves inside is
//! checked there.
//!
//! Assumes:      a function of any level, well formed except for its accesses.
//! Guarantees:   every unchecked access is proved; nothing else is changed.
//! Leaves alone: accesses that are proved, and those that are checked already.
//! Cost:         O(accesses x facts in scope).
//! Tests:        tests/recheck/

use arr_ir::Func;

/// Marks such reads and scatters as checked, in place.
pub fn recheck(func: &mut Func) {
    arr_ir::bounds::check_unproved(func);
}
