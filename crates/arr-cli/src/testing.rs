//! `arr test`.

use crate::commands::{self, Result};
use crate::options::Test;
use arr_driver::{Failure, Session};
use arr_testing::{Finding, FindingKind};

/// Runs the examples and tests of programs, and prints the failures and a summary. Returns whether everything passed.
pub fn run(session: &mut Session, options: &Test) -> Result<bool> {
    let run_options = arr_testing::Options {
        skip: &[],
        filter: options.filter.clone(),
        seed: options.seed,
        cases: options.cases,
        // Results are compared digit by digit, so that they must not differ between machines.
        execution: arr_driver::Execution {
            strict: !options.relaxed,
            ..commands::listened_to(&options.execution, options.tracing)?
        },
    };
    let mut failures = Vec::new();
    let mut findings = Vec::new();
    let mut files = 0;
    for path in &options.paths {
        for file in session.programs(path)? {
            match arr_testing::run_file(session, &file, &run_options) {
                Ok(found) => {
                    files += usize::from(!found.is_empty());
                    failures.extend(found.iter().filter_map(|f| f.failure.clone()));
                    findings.extend(found);
                }
                Err(Failure::Diagnostics(list)) => failures.extend(list),
                Err(bug) => return Err(bug),
            }
        }
    }
    commands::report(&failures, session.sources(), options.execution.json);
    commands::print(&summary(&findings, files))?;
    Ok(failures.is_empty())
}

/// "2 examples, 1 test in 1 file: 2 passed, 1 failed"
fn summary(findings: &[Finding], files: usize) -> String {
    let kinds = [
        (FindingKind::Example, "example"),
        (FindingKind::Test, "test"),
        (FindingKind::Property, "property"),
        (FindingKind::Gradient, "gradient test"),
    ];
    let counts: Vec<String> = kinds
        .iter()
        .map(|(kind, noun)| (findings.iter().filter(|f| f.kind == *kind).count(), noun))
        .filter(|(n, _)| *n > 0)
        .map(|(n, noun)| count(n, noun))
        .collect();
    if counts.is_empty() {
        return "nothing to run\n".to_string();
    }
    let passed = findings.iter().filter(|f| f.passed()).count();
    let failed = findings.len() - passed;
    format!("{} in {}: {passed} passed, {failed} failed\n", counts.join(", "), count(files, "file"))
}

pub fn count(n: usize, noun: &str) -> String {
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        _ => format!("{n} {noun}s"),
    }
}
