//! Seeds run one after the other, failures reduced, and what is said of them.

use super::job::{Failure, Job, Verdict};
use super::pool::Worker;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Where programs come from.
pub trait Source: Sync {
    /// What a seed asks; none if it asks for nothing.
    fn job(&self, seed: u64) -> Option<Job>;

    /// The failure of a seed, as small as it can be made in this time, with all that it takes to see it again.
    fn describe(&self, seed: u64, failure: Failure, worker: &mut Worker, time: Duration) -> String;

    /// The program of a seed, to be read.
    fn print(&self, seed: u64) -> String;

    /// Failures that are known and not mended yet: parts of their signatures. A row goes when its fault is mended.
    fn known(&self) -> &'static [&'static str] {
        &[]
    }
}

/// What to run.
#[derive(Clone, Debug)]
pub struct Plan {
    pub first: u64,
    /// Programs, if they are counted.
    pub count: Option<u64>,
    pub time: Duration,
    /// How long a failure may be reduced.
    pub reduction: Duration,
    /// How long a program may take.
    pub limit: Duration,
    pub workers: usize,
    /// Kinds of failures that are known, and not told: parts of their signatures.
    pub skip: Vec<String>,
    /// Failures of one signature that are reduced.
    pub each: usize,
}

/// What came of it.
#[derive(Clone, Default, Debug)]
pub struct Report {
    pub programs: u64,
    pub skipped: u64,
    /// Why, and how often.
    pub why: BTreeMap<String, usize>,
    /// Those of known kinds.
    pub known: u64,
    /// How often each signature was met.
    pub met: BTreeMap<String, usize>,
    pub failures: Vec<String>,
}

/// Known kinds of failures: the source's, or the environment's, with semicolons between (none if it is empty).
pub fn known(source: &dyn Source) -> Vec<String> {
    let text = std::env::var("ARR_SOAK_SKIP").unwrap_or_else(|_| source.known().join(";"));
    text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_string).collect()
}

/// A first seed that no run had before.
pub fn new_seed() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    since.map_or(1, |time| time.as_secs() * 1000)
}

/// Runs seeds until the programs or the time are over, and tells each failure when it is reduced.
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
