//! Project tasks, run as `cargo xtask TASK`. `cargo xtask test` runs everything that continuous integration demands.

mod compilers;
mod device;
mod features;
mod layers;
mod packages;
mod python;
mod sources;
mod steps;
mod unrun;

use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask TASK

  test      format, clippy, layers, features, sources, a device, C compilers, then every test, those of the Python package last; a
            summary at the end
  fmt       is every file formatted as rustfmt would?
  clippy    no warning of clippy in any target
  compilers are there the C compilers and emulators for the tests? installs them where it can
  device    is there a graphics device for the tests? installs a software one where it can
  layers    does every crate depend only on crates below it?
  features  is what is built alone built from the same libraries as the whole workspace?
  sources   memory safety, module documentation, the length of files, words in pages and messages
  parquet   the reader of Parquet files, a feature that is off by default: its lints and tests
  python    builds the Python package's wheel and runs its tests; skipped without Python
  bench     the benchmarks, see docs/benchmarks.md; `cargo xtask bench --help` lists its options
  ablate    what each optional step of the compiler is worth on the benchmark's workloads; `cargo xtask ablate --help`
  soak      large random programs for --minutes N, from --seed S on; failures are reduced; with --wrong the repository's
            own programs made wrong on purpose
  fuzz      mutated programs, files and messages for --minutes N, from --seed S on
  bless     run the tests and rewrite their golden files (read the diff)
";

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let root = root();
    let rest: Vec<String> = std::env::args().skip(2).collect();
    let passed = match task.as_deref() {
        Some("test") => steps::all(&root),
        Some("fmt") => steps::one(&root, "fmt"),
        Some("clippy") => steps::one(&root, "clippy"),
        Some("compilers") => steps::one(&root, "compilers"),
        Some("device") => steps::one(&root, "device"),
        Some("layers") => steps::one(&root, "layers"),
        Some("features") => steps::one(&root, "features"),
        Some("sources") => steps::one(&root, "sources"),
        Some("parquet") => steps::one(&root, "parquet"),
        Some("python") => steps::one(&root, "python"),
        Some("bench") => steps::bench(&root, &rest),
        Some("ablate") => steps::bench(&root, &[vec!["ablate".to_string()], rest].concat()),
        Some("soak") => steps::program(&root, &["-p", "arr-tests", "--bin", "soak"], &rest),
        Some("fuzz") => steps::program(&root, &["-p", "arr-fuzz"], &rest),
        Some("bless") => steps::bless(&root),
        None | Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            true
        }
        Some(other) => {
            eprintln!("no task `{other}`\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The root of the workspace: the directory above this package.
fn root() -> PathBuf {
    let package = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    package.parent().map(PathBuf::from).unwrap_or(package)
}
