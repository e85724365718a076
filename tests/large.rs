//! Large random programs: each way of compiling them gives what the interpreter gives, and so do their derivatives.
//!
//! As many as there is time for, 300 at most, always the same, so that a failure comes from a change; `cargo xtask soak` looks for
//! new ones. `ARR_SEED=S` runs the programs from seed `S` on, as the failure of an earlier run is told; `ARR_COUNT=N` exactly so
//! many of them. `ARR_SOAK_SKIP` names failures that are known.

use arr_tests::large::random::Random;
use arr_tests::large::{is_worker, soak, work};
use libtest_mimic::{Arguments, Trial};
use std::time::Duration;

const FIRST: u64 = 2_026_000;
const PROGRAMS: u64 = 300;
const TIME: Duration = Duration::from_secs(50);

fn main() {
    if is_worker() {
        work();
        return;
    }
    let trial = Trial::test("programs", || {
        let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let plan = soak::Plan {
            first: asked("ARR_SEED").unwrap_or(FIRST),
            count: Some(asked("ARR_COUNT").unwrap_or(PROGRAMS)),
            time: if asked("ARR_COUNT").is_some() { Duration::from_secs(3600) } else { TIME },
            reduction: Duration::from_secs(60),
            limit: Duration::from_secs(240),
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            skip: soak::known(),
            each: 1,
        };
        let report = soak::soak(&plan, &Random, &|_| {});
        println!("{} programs, seeds from {}", report.programs, plan.first);
        if report.failures.is_empty() {
            return Ok(());
        }
        Err(format!("seeds from {}\n\n{}", plan.first, report.failures.join("\n")).into())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}
