//! Commands and their output: the examples, the README, the tour, bad programs, bad input.

use arr_tests::trial::Trial;
use arr_tests::values::{NEAR, Tolerance, same};
use arr_tests::{Outcome, arr, exists, files, page, transcript};
use std::path::{Path, PathBuf};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for program in files::list("examples", ".arr") {
        let golden = files::root().join("tests/examples").join(format!("{}.txt", files::stem(&program)));
        trials.push(trial("example", &program, golden, &["--backend", "cpu", "--strict"]));
        trials.push(interpreted(&program));
        trials.push(stages(&program));
    }
    for program in files::list("tests/bad", ".arr") {
        trials.push(trial("bad", &program, program.with_extension("txt"), &["--strict"]));
    }
    for golden in files::list("tests/commands", ".txt") {
        let name = format!("commands::{}", files::stem(&golden));
        trials.push(Trial::test(name, move || Ok(commands(&golden)?)));
    }
    for golden in files::list("tests/command_line", ".txt") {
        let name = format!("command_line::{}", files::stem(&golden));
        trials.push(Trial::test(name, move || Ok(command_line(&golden)?)));
    }
    for (name, path) in
        [("readme", "README.md"), ("tour", "docs/tour.md"), ("data", "docs/data.md"), ("plots", "docs/plots.md")]
    {
        trials.push(Trial::test(name, move || Ok(run_page(&files::root().join(path))?)));
    }
    for path in files::list("docs/tour", ".md") {
        trials.push(Trial::test(format!("tour::{}", files::stem(&path)), move || Ok(run_page(&path)?)));
    }
    trials.push(Trial::test("codes", || Ok(codes()?)));
    trials
}

/// Runs the commands that a program names, or `arr check`, and compares with its transcript.
fn trial(kind: &str, program: &Path, golden: PathBuf, extra: &'static [&'static str]) -> Trial {
    let name = format!("{kind}::{}", files::stem(program));
    let program = program.to_path_buf();
    Trial::test(name, move || {
        let text = files::read(&program)?;
        let mut commands = transcript::commands_of_program(&text);
        if commands.is_empty() {
            commands.push(format!("arr check bad/{}.arr", files::stem(&program)));
        }
        let directory = transcript::workplace()?;
        Ok(transcript::compare(&transcript::record(&commands, directory.path(), extra)?, &golden)?)
    })
}

/// The interpreter prints the same as machine code, except for the last digits; under the default arithmetic, except
/// for as many digits as an iteration to a tolerance leaves open.
fn interpreted(program: &Path) -> Trial {
    let program = program.to_path_buf();
    Trial::test(format!("example_interp::{}", files::stem(&program)), move || Ok(same_on_both(&program)?))
}

const ITERATED: Tolerance = Tolerance { relative: 1e-6, absolute: 1e-9 };

fn same_on_both(program: &Path) -> Outcome {
    let commands = transcript::commands_of_program(&files::read(program)?);
    let directory = transcript::workplace()?;
    let interp = transcript::record(&commands, directory.path(), &["--backend", "interp"])?;
    for (extra, tolerance) in [(&["--strict"][..], NEAR), (&["--backend", "cpu"], ITERATED)] {
        let cpu = transcript::record(&commands, directory.path(), extra)?;
        if !same(&interp, &cpu, tolerance) {
            return Err(format!("the interpreter prints\n{interp}\nmachine code ({}) prints\n{cpu}", extra.join(" ")));
        }
    }
    Ok(())
}

/// Every stage of a program can be printed, and every pass leaves it well formed.
fn stages(program: &Path) -> Trial {
    let program = program.to_path_buf();
    Trial::test(format!("stages::{}", files::stem(&program)), move || {
        let directory = transcript::workplace()?;
        let name = program.to_string_lossy();
        for stage in ["ast", "core", "bulk", "ad", "fused", "loops", "clif"] {
            let output = arr::run(&["run", &name, "--emit", stage, "--verify-ir"], directory.path())?;
            if output.status != Some(0) || output.stdout.is_empty() {
                return Err(format!("--emit {stage} ended with {:?}:\n{}", output.status, output.stderr).into());
            }
        }
        Ok(())
    })
}

/// A transcript that contains its own commands.
fn commands(golden: &Path) -> Outcome {
    let commands = transcript::commands(&files::read(golden)?);
    let directory = transcript::workplace()?;
    // Messages about wrong options depend on the other options.
    let extra: &[&str] = if matches!(files::stem(golden).as_str(), "usage" | "explain") { &[] } else { &["--strict"] };
    transcript::compare(&transcript::record(&commands, directory.path(), extra)?, golden)
}

/// A transcript of small cases, with comments, in a directory of its own.
fn command_line(golden: &Path) -> Outcome {
    let commands = transcript::commands_and_comments(&files::read(golden)?);
    let directory = transcript::command_line()?;
    transcript::compare(&transcript::record(&commands, directory.path(), &[])?, golden)
}

/// Codes that no program causes today: every operation has a derivative rule.
const NOT_SHOWN: [arr_base::Code; 9] = [
    arr_base::Code::NO_RULE,
    // Only a session at a terminal is interrupted and lives on: `terminal.rs`, and the tests of the Python package.
    arr_base::Code::INTERRUPTED,
    // A step of the compiler that changes results is a bug; `arr-driver`'s tests of bisection make some.
    arr_base::Code::STEP_CHANGED,
    // Those of graphics devices depend on the machine; the tests of `arr-gpu` and `gpu.rs` cover them.
    arr_base::Code::NO_DEVICE,
    arr_base::Code::NO_FLOAT64,
    arr_base::Code::DEVICE_LIMIT,
    arr_base::Code::INTEGER_RANGE,
    arr_base::Code::DEVICE_FAILED,
    arr_base::Code::NO_BACKEND,
];

/// Every diagnostic code is in a transcript, as a user sees it.
fn codes() -> Outcome {
    let folders = ["tests/bad", "tests/commands", "tests/command_line"];
    let mut shown = Vec::new();
    for path in folders.iter().flat_map(|folder| files::list(folder, ".txt")) {
        shown.extend(files::read(&path)?.lines().filter_map(|line| line.strip_prefix('E').map(str::to_string)));
    }
    let missing: Vec<String> = arr_base::CODES
        .iter()
        .filter(|row| !NOT_SHOWN.contains(&row.code) && !shown.contains(&row.code.to_string()[1..].to_string()))
        .map(|row| row.code.to_string())
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no transcript shows {}", missing.join(", "))) }
}

/// The `console` blocks of a page are transcripts, and blocks headed by the name of a file are this file, from there on.
/// Commands of Python are for the tests of the Python package (`crates/arr-python/tests/test_docs.py`).
fn run_page(path: &Path) -> Outcome {
    let text = files::read(path)?;
    let blocks = page::blocks(&text)?;
    let sessions: Vec<&str> = blocks.iter().filter(|b| b.language == "console").map(|b| b.text).collect();
    if sessions.is_empty() {
        return Err("the page has no block of commands".to_string());
    }
    if let Some(name) = page::unused_file(&blocks) {
        return Err(format!("nothing on the page uses its file {name}"));
    }
    let missing =
        |compiler: &&&str| sessions.iter().any(|s| s.contains(&format!("$ {compiler} "))) && !exists(compiler);
    if let Some(compiler) = transcript::COMPILERS.iter().find(missing) {
        println!("\n*** SKIPPED: {} needs the compiler `{compiler}`\n", path.display());
        return Ok(());
    }
    let directory = transcript::workplace()?;
    let (mut rewritten, mut copied) = (String::new(), 0);
    for block in &blocks {
        block.write(directory.path())?;
        if block.language == "console" && !block.text.starts_with("$ python ") {
            let found = transcript::record(&transcript::commands(block.text), directory.path(), &["--strict"])?;
            rewritten.push_str(&text[copied..block.place.start]);
            rewritten.push_str(&found);
            copied = block.place.end;
        }
    }
    rewritten.push_str(&text[copied..]);
    transcript::compare(&rewritten, path)?;
    pictures(&text, directory.path(), path)
}

/// The pictures that a page shows are those that its commands draw.
fn pictures(text: &str, directory: &Path, page: &Path) -> Outcome {
    for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        let Some((_, name)) = target.split_once("gallery/") else { continue };
        let drawn = files::read(&directory.join(name)).map_err(|error| format!("no command draws {name}: {error}"))?;
        let golden = page.with_file_name(target);
        if arr_tests::blessing() {
            files::write(&golden, drawn)?;
        } else if files::read(&golden).unwrap_or_default() != drawn {
            return Err(format!("{} is not what the page's command draws (ARR_BLESS=1 rewrites it)", golden.display()));
        }
    }
    Ok(())
}
