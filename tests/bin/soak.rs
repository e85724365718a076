//! Runs large random programs for the given time: `cargo xtask soak --minutes N [--seed S]`; with `--wrong` the
//! repository's programs with deliberate errors.

use arr_tests::large::random::Random;
use arr_tests::large::soak::{self, Source, new_seed};
use arr_tests::large::wrong::{Order, Wrong};
use arr_tests::large::{is_worker, work};
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
soak [--wrong [--all]] [--minutes N] [--seed S] [--count N] [--workers N] [--print | --jobs]

  --wrong       in the place of random programs, the repository's own, each with an index made wrong, an array without
                elements or an argument that holds no place
  --all         all of these, one after the other, from the first or from number S on, each compiled in two ways in
                turn: four to six hours of one core
  --minutes N   how long to run, 1 if not given
  --seed S      the first seed; a new one in every run if not given
  --count N     how many programs at most
  --workers N   processes, as many as cores if not given
  --print       print the program of the seed, and run nothing
  --jobs        print what workers would be asked, one job per line, and run nothing

The environment variable ARR_SOAK_SKIP holds parts of signatures of failures that are known, with semicolons between, in the place
of the list in tests/harness/large/soak.rs; empty, all failures are reported.
";

fn main() -> ExitCode {
    if is_worker() {
        work();
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let after = |name: &str| arguments.get(arguments.iter().position(|a| a == name)? + 1);
    let whole = |name: &str| after(name).and_then(|text| text.parse::<u64>().ok());
    let asked = |name: &str| arguments.iter().any(|a| a == name);
    if asked("--help") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let first = whole("--seed").unwrap_or(if asked("--all") { 0 } else { new_seed() });
    let mut count = whole("--count");
    let source: Box<dyn Source> = if asked("--wrong") {
        let wrong = Wrong::new(if asked("--all") { Order::All } else { Order::Sampled });
        eprintln!("{}", wrong.summary());
        if asked("--all") {
            let rest = wrong.count().saturating_sub(first);
            count = Some(count.unwrap_or(rest).min(rest));
        }
        Box::new(wrong)
    } else {
        Box::new(Random)
    };
    if asked("--jobs") || asked("--print") {
        for seed in first..first + count.filter(|_| whole("--count").is_some()).unwrap_or(1) {
            match asked("--print") {
                true => println!("{}", source.print(seed)),
                false => println!("{}", serde_json::to_string(&source.job(seed)).unwrap_or_default()),
            }
        }
        return ExitCode::SUCCESS;
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let plan = soak::Plan {
        first,
        count,
        time: Duration::from_secs_f64(60.0 * after("--minutes").and_then(|text| text.parse().ok()).unwrap_or(1.0)),
        reduction: Duration::from_secs(120),
        limit: Duration::from_secs(240),
        workers: whole("--workers").map_or(cores, |n| n as usize),
        skip: soak::known(&*source),
        each: 3,
    };
    println!("seeds from {first}");
    let report = soak::soak(&plan, &*source, &|text| println!("{text}"));
    println!(
        "{} programs, {} passed over, {} of known kinds, {} failures",
        report.programs,
        report.skipped,
        report.known,
        report.failures.len()
    );
    for (why, count) in &report.why {
        println!("  {count:>4}  passed over: {why}");
    }
    for (signature, count) in &report.met {
        println!("  {count:>4}  {signature}");
    }
    if report.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
