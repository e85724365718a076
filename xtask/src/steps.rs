//! The steps of `cargo xtask test`, in order, and the final summary.

use crate::packages::succeed;
use crate::{compilers, device, features, layers, python, sources};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A step: its name, and its action. An error is its complaint.
struct Step {
    name: &'static str,
    run: fn(&Path) -> Result<String, String>,
}

const STEPS: &[Step] = &[
    Step { name: "fmt", run: |root| cargo(root, &["fmt", "--all", "--check"], false) },
    Step { name: "layers", run: layers::check },
    Step { name: "features", run: features::check },
    Step { name: "sources", run: sources::check },
    Step { name: "clippy", run: |root| cargo(root, CLIPPY, false) },
    Step { name: "device", run: device::provide },
    Step { name: "compilers", run: compilers::provide },
    Step { name: "tests", run: |root| tests(root, false) },
    Step { name: "parquet", run: parquet },
    Step { name: "python", run: python::test },
];

const CLIPPY: &[&str] =
    &["clippy", "--profile", TESTED, "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];

/// The profile of what is tested, see `Cargo.toml`.
pub const TESTED: &str = "bench";

/// Lints and tests what the default build does not compile.
fn parquet(root: &Path) -> Result<String, String> {
    const DATA: &[&str] = &["--profile", TESTED, "-p", "arr-data", "--features", "parquet", "--quiet"];
    cargo(root, &[&["clippy"], DATA, &["--all-targets", "--", "-D", "warnings"]].concat(), false)?;
    cargo(root, &[&["test"], DATA].concat(), false)
}

/// Runs every step, even after one has failed, and prints a line about each at the end.
pub fn all(root: &Path) -> bool {
    let results: Vec<_> = STEPS.iter().map(|step| (step.name, timed(root, step))).collect();
    println!("\nsummary");
    for (name, (result, time)) in &results {
        let (word, note) = match result {
            Ok(note) => ("ok", note.as_str()),
            Err(_) => ("FAILED", ""),
        };
        println!("  {name:<8} {word:<6} {:>6.1} s  {note}", time.as_secs_f64());
    }
    let failed = results.iter().filter(|(_, (result, _))| result.is_err()).count();
    println!(
        "{}",
        if failed == 0 { "all steps passed".to_string() } else { format!("{failed} of {} steps failed", STEPS.len()) }
    );
    failed == 0
}

pub fn one(root: &Path, name: &str) -> bool {
    let Some(step) = STEPS.iter().find(|step| step.name == name) else { return false };
    match timed(root, step).0 {
        Ok(note) => {
            println!("{name}: ok {note}");
            true
        }
        Err(_) => false,
    }
}

/// Rewrites the golden files of every test.
pub fn bless(root: &Path) -> bool {
    println!("== bless");
    tests(root, true).is_ok()
}

fn tests(root: &Path, bless: bool) -> Result<String, String> {
    cargo(root, &["test", "--profile", TESTED, "--workspace", "--quiet", "--no-fail-fast"], bless)
}

/// Runs the benchmark programme, in a release build, with the options given.
pub fn bench(root: &Path, options: &[String]) -> bool {
    let mut args = vec!["run", "--release", "--quiet", "-p", "arr-bench", "--"];
    args.extend(options.iter().map(String::as_str));
    succeed(cargo_command().args(&args).current_dir(root)).inspect_err(|complaint| eprintln!("{complaint}")).is_ok()
}

/// Runs a slow program of the workspace, with a compiler that checks itself, with the options given.
pub fn program(root: &Path, which: &[&str], options: &[String]) -> bool {
    let mut args = vec!["run", "--quiet", "--profile", TESTED];
    args.extend(which);
    args.push("--");
    args.extend(options.iter().map(String::as_str));
    cargo(root, &args, false).is_ok()
}

fn timed(root: &Path, step: &Step) -> (Result<String, String>, Duration) {
    println!("== {}", step.name);
    let start = Instant::now();
    let result = (step.run)(root);
    if let Err(complaint) = &result {
        eprintln!("{complaint}");
    }
    (result, start.elapsed())
}

/// Runs cargo on what is tested, with its output going to ours.
fn cargo(root: &Path, args: &[&str], bless: bool) -> Result<String, String> {
    let mut command = tested_cargo(root);
    if bless {
        command.env("ARR_BLESS", "1");
    }
    succeed(command.args(args)).map(|()| String::new())
}

/// Cargo for what is tested, which is what users get: the compiler is asked to check what it makes.
pub fn tested_cargo(root: &Path) -> Command {
    let mut command = cargo_command();
    command.env("ARR_VERIFY", "1").current_dir(root);
    command
}

fn cargo_command() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
