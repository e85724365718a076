//! Runs seeds one after the other, reduces failures, and reports them.

use super::job::{Failure, Job, Verdict};
use super::pool::Worker;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The source of programs.
pub trait Source: Sync {
    /// The job of a seed; none if it is empty.
    fn job(&self, seed: u64) -> Option<Job>;

    /// The failure of a seed, reduced as far as possible in this time, with everything needed to reproduce it.
    fn describe(&self, seed: u64, failure: Failure, worker: &mut Worker, time: Duration) -> String;

    /// The program of a seed, for reading.
    fn print(&self, seed: u64) -> String;

    /// Known failures that are not fixed yet: parts of their signatures. A row is removed when its fault is fixed.
    fn known(&self) -> &'static [&'static str] {
        &[]
    }
}

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub first: u64,
    /// The number of programs, if it is limited.
    pub count: Option<u64>,
    pub time: Duration,
    /// The time limit for reducing a failure.
    pub reduction: Duration,
    /// The time limit for a program.
    pub limit: Duration,
    pub workers: usize,
    /// Known kinds of failures, which are not reported: parts of their signatures.
    pub skip: Vec<String>,
    /// The number of failures of one signature that are reduced.
    pub each: usize,
}

/// The outcome.
#[derive(Clone, Default, Debug)]
pub struct Report {
    pub programs: u64,
    pub skipped: u64,
    /// The reasons, with their counts.
    pub why: BTreeMap<String, usize>,
    /// Those of known kinds.
    pub known: u64,
    /// The count of each signature.
    pub met: BTreeMap<String, usize>,
    pub failures: Vec<String>,
}

/// Known kinds of failures: the source's, or the environment's, separated by semicolons (none if it is empty).
pub fn known(source: &dyn Source) -> Vec<String> {
    let text = std::env::var("ARR_SOAK_SKIP").unwrap_or_else(|_| source.known().join(";"));
    text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_string).collect()
}

/// A first seed that no earlier run had.
pub fn new_seed() -> u64 {
    if let Some(seed) = std::env::var("ARR_SEED").ok().and_then(|text| text.parse().ok()) {
        return seed;
    }
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.map_or(1, |time| time.as_secs() * 1000)
}

/// Runs seeds until the programs or the time are used up, and reports each failure after its reduction.
pub fn soak(plan: &Plan, source: &dyn Source, tell: &(dyn Fn(&str) + Sync)) -> Report {
    let report = Mutex::new(Report::default());
    let next = AtomicU64::new(0);
    let end = Instant::now() + plan.time;
    std::thread::scope(|scope| {
        for _ in 0..plan.workers.max(1) {
            scope.spawn(|| {
                let mut worker = Worker::new(plan.limit);
                loop {
                    let k = next.fetch_add(1, Ordering::Relaxed);
                    if plan.count.is_some_and(|count| k >= count) || Instant::now() >= end {
                        return;
                    }
                    one(plan, source, plan.first.wrapping_add(k), &mut worker, &report, tell);
                }
            });
        }
    });
    report.into_inner().unwrap_or_default()
}

fn one(
    plan: &Plan,
    source: &dyn Source,
    seed: u64,
    worker: &mut Worker,
    report: &Mutex<Report>,
    tell: &(dyn Fn(&str) + Sync),
) {
    let verdict = match source.job(seed) {
        Some(job) => worker.ask(&job),
        None => Ok(Verdict::Skipped("there are no such arguments".to_string())),
    };
    let Ok(mut report_now) = report.lock() else { return };
    report_now.programs += 1;
    let failure = match verdict {
        Ok(Verdict::Passed) => return,
        Ok(Verdict::Skipped(why)) => {
            report_now.skipped += 1;
            *report_now.why.entry(why).or_default() += 1;
            return;
        }
        Ok(Verdict::Failed(failure)) => failure,
        Err(text) => Failure { kind: text, entry: String::new(), way: None, told: String::new() },
    };
    let signature = failure.signature();
    let met = report_now.met.entry(signature.clone()).or_default();
    *met += 1;
    if plan.skip.iter().any(|part| signature.contains(part.as_str())) {
        report_now.known += 1;
        return;
    }
    let again = *met <= plan.each;
    drop(report_now);
    let text = match again {
        true => source.describe(seed, failure, worker, plan.reduction),
        false => format!("seed {seed}: {signature} (as before)\n"),
    };
    tell(&text);
    if let Ok(mut report) = report.lock() {
        report.failures.push(text);
    }
}
