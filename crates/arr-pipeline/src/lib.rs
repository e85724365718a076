//! Every step of the compiler, from core IR to what a back end takes, in one table, and what runs it.
//!
//! ```text
//! STEPS ──► run(func, settings, until)      in order, verified and timed step by step
//!       ──► Watcher::after(step, function)  printing, comparing, bisecting
//!       ──► Without                         leaving optional steps out
//!       ──► markdown()                      the table in ARCHITECTURE.md
//! ```
//!
//! A row of [`STEPS`] says which pass runs, for whom, at what level it leaves the function, which steps it counts on, and why it
//! is there. Nothing else says so: drivers, tests and documents read the table. **Invariant**: what takes a function to a
//! function is a row of the table, or a part of one ([`Part`]); a test compares the table with the public functions of the crates
//! below.
//!
//! Settings ([`Settings`]) are what a run of the compiler is for; they choose rows by their conditions ([`When`]).
// Diagnostics are made once a run, so their size does not matter.
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
pub use settings::{Settings, Target};
pub use table::{Context, Run, STEPS, Stage, Step, When};
