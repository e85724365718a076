//! The operation counts that *Differentiating a Tensor Language* prints for its examples, and ours: those of compiled
//! definitions, in that paper's accounting (see `arr_oracle::Operations`).
//!
//! ```text
//! -- operations: conv x=[8] c=[3] is 30 (paper 30)
//! ```
//!
//! names a definition, the shapes of its arguments, the actual count, and the paper's. It may not be exceeded without a
//! reason: `(paper 10, because ..)`.

use arr_data::Arg;
use arr_driver::{Derive, IrStage, OsWorld, Session};
use arr_oracle::Method;
use arr_tests::trial::Trial;
use arr_tests::{Outcome, files};
use std::path::Path;

const LIMIT: u64 = 10_000_000;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for program in files::list("tests/papers/tensor_language", ".arr") {
        trials.push(Trial::test(files::stem(&program), move || Ok(check(&program)?)));
    }
    trials
}

fn check(path: &Path) -> Outcome {
    let mut session = Session::new(OsWorld);
    let mut complaints = Vec::new();
    let mut claims = 0;
    for claim in files::read(path)?.lines().filter_map(|line| line.strip_prefix("-- operations: ")) {
        claims += 1;
        if let Err(complaint) = hold(&mut session, path, claim) {
            complaints.push(format!("{claim}: {complaint}"));
        }
    }
    if claims == 0 {
        return Err("no line `-- operations: ..`".to_string());
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// Whether the claim of a line holds.
fn hold(session: &mut Session, path: &Path, claim: &str) -> Outcome {
    let malformed = || "not of the form `f x=[8] is 30 (paper 30)`".to_string();
    let (call, numbers) = claim.split_once(" is ").ok_or_else(malformed)?;
    let (ours, paper) = numbers.trim_end_matches(')').split_once(" (paper ").ok_or_else(malformed)?;
    let (paper, reason) = paper.split_once(", because ").unwrap_or((paper, ""));
    let number = |text: &str| text.parse::<u64>().map_err(|_| malformed());
    let (ours, paper) = (number(ours)?, number(paper)?);
    let (entry, arguments) = call.split_once(' ').unwrap_or((call, ""));
    let found = count(session, path, entry, arguments)?;
    match found {
        _ if found != ours => Err(format!("found {found}")),
        _ if found > paper && reason.is_empty() => Err("more than the paper's".to_string()),
        _ => Ok(()),
    }
}

fn count(session: &mut Session, path: &Path, entry: &str, arguments: &str) -> Result<u64, String> {
    let mut program =
        session.program(&path.to_string_lossy(), entry, &Derive::Nothing).map_err(|f| format!("{f:?}"))?;
    let mut made = 0;
    let arguments: Option<Vec<Arg>> = arguments
        .split_whitespace()
        .map(|word| {
            let (name, shape) = word.split_once('=')?;
            let dims: Option<Vec<usize>> =
                shape.trim_matches(['[', ']']).split("][").filter(|d| !d.is_empty()).map(|d| d.parse().ok()).collect();
            Some(Arg::parse(&format!("{name}={}", literal(&dims?, &mut made))))
        })
        .collect();
    let arguments = arguments.ok_or("arguments are written `x=[8]`")?;
    let (sizes, leaves) = session.arguments(&program, &arguments).map_err(|f| format!("{f:?}"))?;
    let code = program.lowered(IrStage::Fused).map_err(|f| format!("{f:?}"))?;
    let outcome = arr_oracle::run(&code, &sizes, &leaves, Method::Dual, LIMIT).map_err(|stop| format!("{stop:?}"))?;
    Ok(outcome.operations.total())
}

/// An array of numbers that are neither 0 nor 1 and differ.
fn literal(dims: &[usize], made: &mut usize) -> String {
    match dims.split_first() {
        Some((&n, rest)) => {
            let items: Vec<String> = (0..n).map(|_| literal(rest, made)).collect();
            format!("[{}]", items.join(", "))
        }
        None => {
            *made += 1;
            format!("{:?}", 1.25 + (*made * 37 % 101) as f64 / 64.0)
        }
    }
}
