//! Runs a target on mutated inputs, on any compiler: guided by its seed instead of coverage.
//!
//! A target runs in a process of its own, which writes down each input before it runs it, so that a crash or a timeout
//! leaves the input that caused it.

use crate::mutate::{Random, mutated};
use crate::{Outcome, Target, corpus};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Names the target, the seed, the milliseconds and the file for inputs of a process that runs a target.
const VARIABLE: &str = "ARR_FUZZ_WORKER";
/// The time limit for an input.
const LONGEST: Duration = Duration::from_secs(30);

/// The outcome of a target.
#[derive(Clone, Debug)]
pub struct Report {
    pub name: &'static str,
    pub runs: u64,
    pub failure: Option<Failure>,
}

/// An input, and the violation it causes.
#[derive(Clone, Debug)]
pub struct Failure {
    pub told: String,
    pub input: Vec<u8>,
}

/// Runs a target for some time, in a process of its own.
pub fn run(target: Target, seed: u64, time: Duration) -> Result<Report, String> {
    let text = |error: std::io::Error| error.to_string();
    let input = std::env::temp_dir().join(format!("arr-fuzz-{}-{}", std::process::id(), target.name));
    let job = format!("{}\n{seed}\n{}\n{}", target.name, time.as_millis(), input.display());
    let mut child = Command::new(std::env::current_exe().map_err(text)?)
        .env(VARIABLE, job)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(text)?;
    let end = Instant::now() + time + LONGEST + LONGEST;
    let status = loop {
        match child.try_wait().map_err(text)? {
            Some(status) => break Some(status),
            None if Instant::now() > end => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let mut said = String::new();
    if let Some(mut output) = child.stdout.take() {
        let _ = std::io::Read::read_to_string(&mut output, &mut said);
    }
    let bytes = std::fs::read(&input).unwrap_or_default();
    let _ = std::fs::remove_file(&input);
    let runs = said.lines().next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let told = said.split_once('\n').map_or(String::new(), |(_, told)| told.trim_end().to_string());
    let failure = match status {
        None => Some("it takes too long".to_string()),
        Some(status) if !status.success() => Some(format!("the process ended: {status}")),
        Some(_) if !told.is_empty() => Some(told),
        Some(_) => None,
    };
    Ok(Report { name: target.name, runs, failure: failure.map(|told| Failure { told, input: bytes }) })
}

/// Whether this process is to run a target; the target has then been run.
pub fn is_worker() -> bool {
    let Ok(job) = std::env::var(VARIABLE) else { return false };
    let mut lines = job.lines();
    let (Some(name), Some(seed), Some(time), Some(input)) = (lines.next(), lines.next(), lines.next(), lines.next())
    else {
        return true;
    };
    let (Some(target), Ok(seed), Ok(time)) = (crate::target(name), seed.parse(), time.parse()) else { return true };
    work(target, seed, Duration::from_millis(time), &PathBuf::from(input));
    true
}

static PANIC: Mutex<String> = Mutex::new(String::new());

#[expect(clippy::print_stdout, reason = "it answers the process that asked")]
fn work(target: Target, seed: u64, time: Duration, file: &Path) {
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut told) = PANIC.lock() {
            *told = info.to_string();
        }
    }));
    let corpus = corpus::inputs(target);
    let mut random = Random::new(seed);
    let end = Instant::now() + time;
    let mut runs = 0u64;
    // The corpus itself comes first.
    let mut first = corpus.clone().into_iter();
    while Instant::now() < end {
        let input = first.next().unwrap_or_else(|| mutated(&corpus, target.text, &mut random));
        let _ = std::fs::write(file, &input);
        runs += 1;
        let start = Instant::now();
        if let Err(told) = guarded(target, &input) {
            let smallest = smaller(target, input, end + Duration::from_secs(10));
            let _ = std::fs::write(file, &smallest);
            println!("{runs}\n{told}");
            return;
        }
        if start.elapsed() > LONGEST {
            println!("{runs}\nit takes {:?}", start.elapsed());
            return;
        }
    }
    println!("{runs}");
}

/// Runs a target on an input; a panic is a failure.
pub fn guarded(target: Target, input: &[u8]) -> Outcome {
    arr_driver::with_stack(|| (target.run)(input)).unwrap_or_else(|_| {
        let told = PANIC.lock().map(|told| told.clone()).unwrap_or_default();
        Err(format!("it panicked: {told}"))
    })
}

/// The input without the parts that the failure does not need.
fn smaller(target: Target, mut input: Vec<u8>, end: Instant) -> Vec<u8> {
    let mut step = input.len() / 2;
    while step > 0 {
        let mut at = 0;
        while at < input.len() && Instant::now() < end {
            let rest = input.get((at + step).min(input.len())..).unwrap_or_default();
            let shorter = [input.get(..at).unwrap_or_default(), rest].concat();
            if guarded(target, &shorter).is_err() {
                input = shorter;
            } else {
                at += step;
            }
        }
        step /= 2;
    }
    input
}
