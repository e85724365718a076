//! Random programs as a source of programs.

use super::job::{Failure, Job, ways};
use super::pool::Worker;
use super::reduce::{Reduced, reduce};
use super::soak::Source;
use super::{Program, program};
use std::fmt::Write;
use std::time::Duration;

/// The known kinds of failures.
const KNOWN: &[&str] = &[
    // A check that is inlined behind the same unchecked access is made there, with the position of the element's
    // operand.
    "an error is elsewhere / derivative",
];

/// A different program for every seed.
pub struct Random;

impl Source for Random {
    fn job(&self, seed: u64) -> Option<Job> {
        Some(Job::new(&program(seed), &ways(seed), true))
    }

    fn describe(&self, seed: u64, failure: Failure, worker: &mut Worker, time: Duration) -> String {
        describe(reduce(program(seed), failure, &ways(seed), worker, time))
    }

    fn known(&self) -> &'static [&'static str] {
        KNOWN
    }

    fn print(&self, seed: u64) -> String {
        let made = program(seed);
        format!("-- seed {seed}, {:?}\n{}\n-- {}", made.sizes, made.source(made.single), made.arguments(0).join(" "))
    }
}

fn describe(reduced: Reduced) -> String {
    let Reduced { program, mut failure, ways, trials } = reduced;
    let mut text = String::new();
    let Program { seed, single, sizes, .. } = &program;
    let sizes: Vec<String> = sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    let _ = writeln!(text, "==== seed {seed}: {} ({}, {trials} trials)", failure.signature(), sizes.join(", "));
    let _ = writeln!(text, "{}", program.source(*single));
    if failure.entry.is_empty() {
        failure.entry = program.entries.last().map_or("f", |e| e.name()).to_string();
    }
    let _ = writeln!(text, "{}", Job::new(&program, &ways, false).command(&failure));
    let _ = writeln!(text, "{}", failure.told);
    text
}
