//! Seeds run one after the other, failures reduced, and what is said of them.

use super::job::{Failure, Job, Verdict, ways};
use super::pool::Worker;
use super::reduce::{Reduced, reduce};
use super::{Program, program};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

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
    /// Those of known kinds.
    pub known: u64,
    /// How often each signature was met.
    pub met: BTreeMap<String, usize>,
    pub failures: Vec<String>,
}

/// Failures that are known and not mended yet: parts of their signatures. A row goes when its fault is mended.
const KNOWN: &[&str] = &[
    // An axis without points makes the stride of what is around it 0, which the verifier of loops takes for one place.
    "the loops are not well formed after",
    // An index that is kept in an array is no longer proved to be inside.
    "the program is not well formed after `expand`",
];

/// Known kinds of failures: those above, or the environment's, with semicolons between (none if it is empty).
pub fn known() -> Vec<String> {
    let text = std::env::var("ARR_SOAK_SKIP").unwrap_or_else(|_| KNOWN.join(";"));
    text.split(';').map(str::trim).filter(|part| !part.is_empty()).map(str::to_string).collect()
}

/// Runs seeds until the programs or the time are over, and tells each failure when it is reduced.
pub fn soak(plan: &Plan, tell: &(dyn Fn(&str) + Sync)) -> Report {
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
                    one(plan, plan.first.wrapping_add(k), &mut worker, &report, tell);
                }
            });
        }
    });
    report.into_inner().unwrap_or_default()
}

fn one(plan: &Plan, seed: u64, worker: &mut Worker, report: &Mutex<Report>, tell: &(dyn Fn(&str) + Sync)) {
    let made = program(seed);
    let ways = ways(seed);
    let verdict = worker.ask(&Job::new(&made, &ways, true));
    let Ok(mut report_now) = report.lock() else { return };
    report_now.programs += 1;
    let failure = match verdict {
        Ok(Verdict::Passed) => return,
        Ok(Verdict::Skipped(_)) => {
            report_now.skipped += 1;
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
        true => describe(&reduce(made, failure, &ways, worker, plan.reduction)),
        false => format!("seed {seed}: {signature} (as before)\n"),
    };
    tell(&text);
    if let Ok(mut report) = report.lock() {
        report.failures.push(text);
    }
}

/// The failure of a reduced program, with all that it takes to see it again.
fn describe(reduced: &Reduced) -> String {
    let Reduced { program, failure, ways, trials } = reduced;
    let mut text = String::new();
    let Program { seed, single, sizes, .. } = program;
    let sizes: Vec<String> = sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    let entry =
        if failure.entry.is_empty() { program.entries.last().map_or("f", |e| e.name()) } else { &failure.entry };
    let way = failure.way.or_else(|| ways.first().copied()).map_or(" --backend interp".to_string(), |way| way.flags());
    let arguments: Vec<String> = program.arguments(0).iter().map(|a| format!("'{a}'")).collect();
    let _ = writeln!(text, "==== seed {seed}: {} ({}, {trials} trials)", failure.signature(), sizes.join(", "));
    let _ = writeln!(text, "{}", program.source(*single));
    let _ = writeln!(text, "arr run p.arr --entry {entry}{way} {}", arguments.join(" "));
    let _ = writeln!(text, "{}", failure.told);
    text
}
