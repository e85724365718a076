//! The verifier of the loop IR.
//!
//! Checked, on every path through a function:
//! - **Types** of every expression and statement.
//! - **Locals** are bound once, are read where they are visible, and mutable ones after they were set (see `scope`).
//!   The code of a scan binds the locals of its loop again, as only one of the two runs.
//! - **References**: each is released, handed on or returned once; nothing is accessed after that; arguments belong to
//!   the caller and are not released (see `ownership`). Paths that end in a failed check are not followed: a run that
//!   fails gives all its memory back.
//! - **Stores** go to no argument, no constant, and no array that is known to have a second reference.
//! - **Parallel loops** change no local from outside but their partial results, manage no memory unless they say so,
//!   and store to no place from outside that is the same in all iterations, except in arrays that chunks have copies of
//!   (see `race`).
//!
//! [`unproved_accesses`] checks more, and takes longer: that every access is inside its array (see `access`). It cannot
//! always prove indices that programs compute from several sizes at run time; a pass checks such accesses
//! (`crate::bounds_checks`), and after it the pipeline refuses a function with any that is not proved.
//!
//! Not checked here, as it depends on values: that elements are written before they are
//! read, that the iterations of a parallel loop touch distinct elements where their places vary, that arrays of unknown
//! history (the state of a loop) have one reference when they are stored to, and that elements stored under one name of
//! an array are not reached under another in the same kernel. [`crate::shadow`] checks these while a function runs, and
//! accesses once more.

mod access;
mod ownership;
mod race;
mod scope;

use crate::{LocalId, LoopFunc, Operand};
use rustc_hash::FxHashSet;

/// A fault of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopFault {
    pub message: String,
}

impl std::fmt::Display for LoopFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// The maximal number of faults reported per function.
const MOST: usize = 20;

/// The accesses of a well-formed function that nothing proves inside their arrays.
pub fn unproved_accesses(func: &LoopFunc) -> Vec<LoopFault> {
    access::check(func).faults.into_iter().map(|message| LoopFault { message }).collect()
}

/// The number of statements that [`unproved_accesses`] walks: what it costs, for tests. A loop is walked once for each
/// guess about what it changes.
pub fn access_steps(func: &LoopFunc) -> usize {
    access::check(func).steps
}

/// The addresses and offsets of these accesses; of a matrix product, the addresses at 0.
pub(crate) fn unproved(func: &LoopFunc) -> FxHashSet<(LocalId, Operand)> {
    access::check(func).accesses
}

/// Checks that a function is well formed. Fails with its faults, at most the first 20.
pub fn verify(func: &LoopFunc) -> Result<(), Vec<LoopFault>> {
    let mut faults = scope::check(func);
    // The following checks rely on types and scopes.
    if faults.is_empty() {
        faults.extend(ownership::check(func));
        let mut races = race::check(func, &FxHashSet::default());
        if !races.is_empty() {
            races = race::check(func, &access::check(func).nowhere);
        }
        faults.extend(races);
    }
    faults.truncate(MOST);
    if faults.is_empty() { Ok(()) } else { Err(faults.into_iter().map(|message| LoopFault { message }).collect()) }
}
