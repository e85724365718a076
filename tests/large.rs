//! Large random programs: each way of compiling them gives the interpreter's results, and so do their derivatives.
//!
//! As many as there is time for, 300 at most, different ones in every run; `cargo xtask soak` searches longer. The
//! first seed is printed: `ARR_SEED=S` runs the programs from seed `S` on, as printed by the failure of an earlier run;
//! `ARR_COUNT=N` exactly this many of them. `ARR_SOAK_SKIP` names known failures.
//!
//! `wrong` does the same with a fixed sample of the repository's programs with deliberate errors;
//! `cargo xtask soak --wrong --all` runs all of them.

use arr_tests::large::random::Random;
use arr_tests::large::soak::{self, Source};
use arr_tests::large::wrong::{Order, Wrong};
use arr_tests::large::{is_worker, work};
use arr_tests::trial::Trial;
use libtest_mimic::Failed;
use std::time::Duration;

/// Of the sample.
const FIRST: u64 = 0;
/// The maximal number, and the time limit.
const PROGRAMS: (u64, Duration) = (300, Duration::from_secs(50));
const WRONG: (u64, Duration) = (120, Duration::from_secs(40));

/// Whether this process is a worker of the search; its work is then done.
pub fn worked() -> bool {
    let worker = is_worker();
    if worker {
        work();
    }
    worker
}

pub fn trials() -> Vec<Trial> {
    vec![
        Trial::test("programs", || run(&Random, soak::new_seed(), PROGRAMS)),
        Trial::test("wrong", || run(&Wrong::new(Order::Sampled), FIRST, WRONG)),
    ]
}

fn run(source: &dyn Source, first: u64, (most, time): (u64, Duration)) -> Result<(), Failed> {
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let plan = soak::Plan {
        first: asked("ARR_SEED").unwrap_or(first),
        count: Some(asked("ARR_COUNT").unwrap_or(most)),
        time: if asked("ARR_COUNT").is_some() { Duration::from_secs(3600) } else { time },
        reduction: Duration::from_secs(60),
        limit: Duration::from_secs(240),
        workers: std::thread::available_parallelism().map_or(1, usize::from),
        skip: soak::known(source),
        each: 1,
    };
    let report = soak::soak(&plan, source, &|_| {});
    println!("{} programs, seeds from {}", report.programs, plan.first);
    if report.failures.is_empty() {
        return Ok(());
    }
    Err(format!("seeds from {}\n\n{}", plan.first, report.failures.join("\n")).into())
}
