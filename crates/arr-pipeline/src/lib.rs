//! The pipeline: every step of the compiler, from core IR to the input of a back end, in one table, and its runner.
//!
//! ```text
//! STEPS ──► run(func, settings, until)      in order, verified and timed step by step
//!       ──► Watcher::after(step, function)  printing, comparing, bisecting
//!       ──► Without                         leaving optional steps out
//!       ──► markdown()                      the table in ARCHITECTURE.md
//! ```
//!
//! A row of [`STEPS`] says which pass runs, when, at what level it leaves the function, which steps it relies on, and
//! its purpose. This is the only place: drivers, tests and documents read the table. **Invariant**: every
//! transformation of a function is a row of the table, or a part of one ([`Part`]); a test compares the table with the
//! public functions of the crates below.
//!
//! Settings ([`Settings`]) describe the purpose of a run; they select rows by their conditions ([`When`]).
// Diagnostics occur once per run, so their size does not matter.
#![allow(clippy::result_large_err)]

mod names;
mod page;
mod run;
mod settings;
mod table;

pub use arr_passes::Part;
pub use names::{Named, Without, find, names};
pub use page::markdown;
pub use run::{At, Failure, Made, Report, Until, Unwatched, View, Watcher, count_statements, run};
pub use settings::{Parts, Settings, Target};
pub use table::{Context, Run, STEPS, Stage, Step, When};
