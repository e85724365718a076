//! Random programs: the back ends agree, forward mode, reverse mode and finite differences agree, and the printed gradient
//! is accepted and runs. `generator::ProgramKind` has the kinds of programs.
//!
//! A fixed set of seeds runs by default; `ARR_RANDOM=1000-9000` runs others.

use arr_tests::generator::{self, ProgramKind};
use arr_tests::trial::{Trial, asked_seeds};
use arr_tests::values::{Tolerance, same};
use arr_tests::{Outcome, arr, files};
use std::path::Path;

const SEEDS: std::ops::Range<u64> = 0..14;

pub fn trials() -> Vec<Trial> {
    let seeds = asked_seeds().unwrap_or(SEEDS);
    let mut trials = Vec::new();
    for seed in seeds {
        for kind in ProgramKind::ALL {
            trials.push(Trial::test(format!("{}::{seed}", kind.name), move || Ok(check(seed, kind)?)));
        }
    }
    trials
}

/// Terms of sums may cancel.
const SUMS: Tolerance = Tolerance { relative: 1e-9, absolute: 1e-9 };

fn check(seed: u64, kind: ProgramKind) -> Outcome {
    let case = generator::case(seed, kind);
    let directory = files::scratch()?;
    files::write(&directory.path().join("p.arr"), &case.source)?;
    formatted(&case.source, directory.path())
        .and_then(|()| agree(&case, directory.path()))
        .map_err(|complaint| format!("{complaint}\n\n{}arguments: {}", case.source, case.arguments.join(" ")))
}

/// Formatting a program gives the same program, and formatting it again the same text.
fn formatted(source: &str, directory: &Path) -> Outcome {
    let path = directory.join("q.arr");
    files::write(&path, source)?;
    let tree = |name: &str| arr::run(&["run", name, "--emit", "ast"], directory).map(|output| output.stdout);
    let before = tree("q.arr")?;
    let mut texts = Vec::new();
    for _ in 0..2 {
        let output = arr::run(&["fmt", "q.arr"], directory)?;
        if output.status != Some(0) {
            return Err(format!("arr fmt ended with {:?}:\n{}", output.status, output.stderr));
        }
        texts.push(files::read(&path)?);
    }
    match texts.as_slice() {
        [first, again] if first != again => Err(format!("arr fmt gives\n{first}and then\n{again}")),
        [first, _] if tree("q.arr")? != before => Err(format!("arr fmt makes another program of it:\n{first}")),
        _ => Ok(()),
    }
}

fn agree(case: &generator::Case, directory: &Path) -> Outcome {
    let command = |words: &[&str], needed: bool| -> Result<arr::Output, String> {
        let [x, a, s] = &case.arguments;
        let all: Vec<&str> = words.iter().copied().chain([x.as_str(), a, s]).collect();
        let output = arr::run(&all, directory)?;
        match output.status {
            Some(0) => Ok(output),
            Some(1) if !needed => Ok(output),
            status => Err(format!("{} ended with {status:?}:\n{}{}", words.join(" "), output.stdout, output.stderr)),
        }
    };
    let cpu = command(&["run", "p.arr", "--entry", "f", "--backend", "cpu", "--strict"], false)?;
    let interp = command(&["run", "p.arr", "--entry", "f", "--backend", "interp"], false)?;
    // The sign of a zero is unspecified.
    let plain = |text: &str| text.replace("-0.0\n", "0.0\n");
    if plain(&cpu.stdout) != plain(&interp.stdout) || arr::codes(&cpu.stderr) != arr::codes(&interp.stderr) {
        return Err(format!("cpu gives {}{}\ninterp gives {}{}", cpu.stdout, cpu.stderr, interp.stdout, interp.stderr));
    }
    let relaxed = command(&["run", "p.arr", "--entry", "f"], false)?;
    if !same(&relaxed.stdout, &interp.stdout, SUMS) || arr::codes(&relaxed.stderr) != arr::codes(&interp.stderr) {
        return Err(format!("relaxed gives {}{}\ninterp gives {}", relaxed.stdout, relaxed.stderr, interp.stdout));
    }
    if cpu.status != Some(0) {
        return Ok(());
    }
    command(&["check-grad", "p.arr", "--entry", "f"], true)?;
    let gradient = arr::run(&["grad", "p.arr", "--entry", "f", "--wrt", "x,a,s", "-o", "g.arr"], directory)?;
    if gradient.status != Some(0) {
        return Err(format!("`arr grad` fails:\n{}", gradient.stderr));
    }
    command(&["run", "g.arr", "--entry", "f_grad"], true).map(|_| ())
}
