//! Serves programs: to other processes, with requests in and replies out, one JSON object per line, and to callers in the
//! same process ([`host`]).
//!
//! Two protocols answer the same questions about the same [`library::Library`] of modules: [`gradbench::Gradbench`] is
//! that of the GradBench suite, [`json::Host`] one for any program that wants to call Arr. Both turn a line into a line
//! and know nothing of processes; [`serve`] reads and writes. A malformed line gets an error as its reply, and so does
//! one whose answer panics; the session continues.

// A failure occurs once per request; its size does not matter.
#![allow(clippy::result_large_err)]

mod arguments;
mod convention;
mod fields;
pub mod gradbench;
pub mod host;
mod id;
pub mod json;
pub mod library;
mod lines;
mod refusal;
mod sizes;

pub use lines::{Answer, serve};
pub use refusal::Refusal;

use arr_driver::Execution;

/// The location of modules, and the execution of their functions.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory whose files are the modules: `name.arr` is the module `name`.
    pub directory: String,
    pub execution: Execution,
}
