//! Mutates the corpus of each target for some time: `cargo xtask fuzz --minutes N`.
#![allow(clippy::print_stdout)]

use arr_fuzz::runner::{Report, guarded, is_worker, run};
use arr_fuzz::{TARGETS, Target};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

const HELP: &str = "\
arr-fuzz [--minutes N] [--seed S] [--target NAME] [--input FILE]

  --minutes N     how long to run, all targets together; 1 if not given
  --seed S        a new one in every run if not given
  --target NAME   this target alone
  --input FILE    run the target on this file, once
";

fn main() -> ExitCode {
    if is_worker() {
        return ExitCode::SUCCESS;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)
    };
    let chosen: Vec<Target> =
        TARGETS.iter().copied().filter(|target| value("--target").is_none_or(|name| target.name == name)).collect();
    if arguments.iter().any(|argument| argument == "--help") || chosen.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        println!("{HELP}\ntargets: {}", names.join(" "));
        return if chosen.is_empty() { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    if let (Some(path), [target]) = (value("--input"), chosen.as_slice()) {
        return once(*target, path);
    }
    let minutes: f64 = value("--minutes").and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let seed = value("--seed").and_then(|text| text.parse().ok()).unwrap_or(clock);
    println!("seed {seed}");
    let time = Duration::from_secs_f64((60.0 * minutes).max(0.0) / chosen.len() as f64);
    let mut failed = false;
    for target in chosen {
        match run(target, seed, time) {
            Ok(Report { name, runs, failure: None }) => println!("{name:<8} {runs:>8} inputs"),
            Ok(Report { name, runs, failure: Some(failure) }) => {
                failed = true;
                let path = std::env::temp_dir().join(format!("arr-fuzz-{name}-{seed}"));
                let kept =
                    std::fs::write(&path, &failure.input).map_or("nowhere".into(), |()| path.display().to_string());
                println!("{name:<8} {runs:>8} inputs, FAILED: {}\n  the input is in {kept}:", failure.told);
                println!("{}", String::from_utf8_lossy(&failure.input));
            }
            Err(told) => {
                failed = true;
                println!("{} did not run: {told}", target.name);
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn once(target: Target, path: &str) -> ExitCode {
    match std::fs::read(path).map_err(|error| error.to_string()).and_then(|bytes| guarded(target, &bytes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(told) => {
            println!("{told}");
            ExitCode::FAILURE
        }
    }
}
