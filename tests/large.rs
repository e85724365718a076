//! Large random programs, with new seeds in every run: each way of compiling them gives what the interpreter gives, and so do their
//! derivatives.
//!
//! `ARR_SEED=S` runs the programs from seed `S` on, as the failure of an earlier run is told; `ARR_COUNT=N` so many of them.

use arr_tests::large::{is_worker, soak, work};
use libtest_mimic::{Arguments, Trial};
use std::time::{Duration, SystemTime};

const PROGRAMS: u64 = 100;

fn main() {
    if is_worker() {
        work();
        return;
    }
    let trial = Trial::test("programs", || {
        let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |t| t.as_secs() * 1000);
        let plan = soak::Plan {
            first: asked("ARR_SEED").unwrap_or(clock),
            count: Some(asked("ARR_COUNT").unwrap_or(PROGRAMS)),
            time: Duration::from_secs(600),
            reduction: Duration::from_secs(60),
            limit: Duration::from_secs(240),
            workers: std::thread::available_parallelism().map_or(1, usize::from),
            skip: soak::known(),
            each: 1,
        };
        println!("seeds from {}", plan.first);
        let report = soak::soak(&plan, &|_| {});
        if report.failures.is_empty() {
            return Ok(());
        }
        Err(format!("seeds from {}\n\n{}", plan.first, report.failures.join("\n")).into())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}
