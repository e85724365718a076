//! Runs the examples in doc comments, tests, properties and gradient tests of programs.
//!
//! [`run_file`] takes a checked file and returns one [`Finding`] for each of them, with the diagnostic of a failure. It
//! prints nothing. Everything is deterministic: the arguments of properties depend only on [`Options::seed`] and the
//! name of the test.

// A failure occurs once per test; its size does not matter.
#![allow(clippy::result_large_err)]

mod compare;
mod error;
mod example;
mod generate;
mod literal;
mod property;
mod run;
mod shrink;

pub use compare::{Difference, difference};
pub use example::{Example, Piece, examples, pieces, run_example};
pub use generate::{Random, arguments};
pub use run::{file_findings, run_file};

use arr_base::{Diagnostic, Span};
use arr_driver::Execution;

/// Options for running tests.
#[derive(Clone, PartialEq, Debug)]
pub struct Options {
    /// Run only those with this text in their names.
    pub filter: Option<String>,
    /// Leave out those with one of these names.
    pub skip: &'static [&'static str],
    /// The seed of the arguments of properties.
    pub seed: u64,
    /// The number of arguments on which a property is tried.
    pub cases: u32,
    pub execution: Execution,
}

impl Default for Options {
    fn default() -> Self {
        Options { filter: None, skip: &[], seed: 0, cases: 100, execution: Execution::default() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FindingKind {
    Example,
    Test,
    Property,
    Gradient,
}

/// One thing that was run.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    /// The test's name; for an example, that of the definition below it.
    pub name: String,
    pub span: Span,
    /// The error; nothing if it passed.
    pub failure: Option<Diagnostic>,
}

impl Finding {
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }
}
