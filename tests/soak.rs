//! Runs large random programs for as long as it is told: `cargo xtask soak --minutes N [--seed S]`.

use arr_tests::large::job::{Job, ways};
use arr_tests::large::{is_worker, program, soak, work};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

const HELP: &str = "\
soak [--minutes N] [--seed S] [--count N] [--workers N] [--print]

  --minutes N   how long to run, 1 if not given
  --seed S      the first seed; a new one in every run if not given
  --count N     how many programs at most
  --workers N   processes, as many as cores if not given
  --print       print the program of the seed, and run nothing
  --jobs        print what workers would be asked, a line each, and run nothing

The environment variable ARR_SOAK_SKIP holds parts of signatures of failures that are known, with semicolons between, in the place
of the list in tests/harness/large/soak.rs; empty, all failures are told.
";

fn main() -> ExitCode {
    if is_worker() {
        work();
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| -> Option<f64> {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1)?.parse().ok()
    };
    let whole = |name: &str| -> Option<u64> {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1)?.parse().ok()
    };
    if arguments.iter().any(|a| a == "--help") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |t| t.as_secs() * 1000);
    let first = whole("--seed").unwrap_or(clock);
    if arguments.iter().any(|a| a == "--jobs") {
        for seed in first..first + whole("--count").unwrap_or(1) {
            let job = Job::new(&program(seed), &ways(seed), true);
            println!("{}", serde_json::to_string(&job).unwrap_or_default());
        }
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|a| a == "--print") {
        for seed in first..first + whole("--count").unwrap_or(1) {
            let made = program(seed);
            println!(
                "-- seed {seed}, {:?}\n{}\n-- {}",
                made.sizes,
                made.source(made.single),
                made.arguments(0).join(" ")
            );
        }
        return ExitCode::SUCCESS;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = soak::Plan {
        first,
        count: whole("--count"),
        time: Duration::from_secs_f64(60.0 * number("--minutes").unwrap_or(1.0)),
        reduction: Duration::from_secs(120),
        limit: Duration::from_secs(240),
        workers: whole("--workers").map_or(cores, |n| n as usize),
        skip: soak::known(),
        each: 3,
    };
    println!("seeds from {first}");
    let report = soak::soak(&plan, &|text| println!("{text}"));
    println!(
        "{} programs, {} passed over, {} of known kinds, {} failures",
        report.programs,
        report.skipped,
        report.known,
        report.failures.len()
    );
    for (signature, count) in &report.met {
        println!("  {count:>4}  {signature}");
    }
    if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
