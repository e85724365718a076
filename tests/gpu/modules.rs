//! Modules on a device: the examples and tests of the standard library and of `examples/gradbench`, and the answers of
//! all functions of the latter to a small input.

use super::exceptions;
use super::programs::{Test, told};
use arr_driver::{OsWorld, Session};
use arr_serve::gradbench::Gradbench;
use arr_serve::{Answer, Options};
use arr_tests::trial::Trial;
use arr_tests::{Outcome, files, gradbench};
use serde_json::Value;
use std::path::Path;

/// The number of arguments on which a property is tried; every one of them takes a run.
const CASES: u32 = 3;

pub fn trials(name: &str, test: Test) -> Vec<Trial> {
    let mut trials = Vec::new();
    for directory in ["stdlib", gradbench::MODULES] {
        let group = directory.rsplit('/').next().unwrap_or(directory);
        for module in files::list(directory, ".arr") {
            let name = format!("{name}::{group}::{}", files::stem(&module));
            trials.push(Trial::test(name, move || Ok(super::deep(move || module_tests(test, &module))?)));
        }
    }
    trials.push(Trial::test(format!("{name}::gradbench"), move || Ok(super::deep(move || answers(test))?)));
    trials
}

/// The examples and tests of a module.
fn module_tests(test: Test, module: &Path) -> Outcome {
    if exceptions::is_too_long(module, "") {
        return Ok(());
    }
    let (execution, skip) = (test.execution(), exceptions::long_to_compile(module));
    let options = arr_testing::Options { cases: CASES, skip, execution, ..arr_testing::Options::default() };
    let mut session = Session::new(OsWorld);
    let findings = arr_testing::run_file(&mut session, &module.to_string_lossy(), &options).map_err(told)?;
    let mut complaints = Vec::new();
    for finding in findings {
        let outcome = finding.failure.map_or(Ok(()), |failure| Err(told(failure.into())));
        // An example has the name of the definition below it.
        let is_test = finding.kind != arr_testing::FindingKind::Example;
        let reason = exceptions::reason(test, module, &finding.name).filter(|_| is_test);
        if let Err(complaint) = exceptions::judged(reason, outcome) {
            complaints.push(format!("{}: {complaint}", finding.name));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// The requests of the suite.
fn answers(test: Test) -> Outcome {
    let directory = files::root().join(gradbench::MODULES);
    let options = Options { directory: directory.to_string_lossy().into_owned(), execution: test.execution() };
    let mut server = Gradbench::new(OsWorld, options);
    let mut complaints = Vec::new();
    let table = Path::new("gradbench.json");
    for case in gradbench::cases()?.iter().filter(|case| !exceptions::is_too_long(table, &gradbench::name(case))) {
        let reply = server.answer(&gradbench::request(case));
        let reply: Value = serde_json::from_str(&reply).map_err(|error| format!("{error}: {reply}"))?;
        let outcome = gradbench::judge(case, &reply, test.tolerance());
        let reason = exceptions::reason(test, table, &gradbench::name(case));
        complaints.extend(exceptions::judged(reason, outcome).err());
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}
