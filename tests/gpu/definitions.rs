//! The table of definitions whose printed gradients are tested, on a device: values and first derivatives in both modes, and those
//! of the gradient.

use super::programs::Test;
use arr_driver::{OsWorld, Session};
use arr_tests::asking::{both_modes, meaning};
use arr_tests::definitions::{DEFINITIONS, Definition, question};
use arr_tests::trial::Trial;
use arr_tests::{Outcome, files};
use std::path::Path;

pub fn trials(name: &str, test: Test) -> Vec<Trial> {
    let trial = |row: &'static Definition| {
        let name = format!("{name}::definition::{}::{}", files::stem(Path::new(row.0)), row.1);
        Trial::test(name, move || Ok(super::deep(move || derived(test, row))?))
    };
    DEFINITIONS.iter().map(trial).collect()
}

fn derived(test: Test, (file, entry, point): &Definition) -> Outcome {
    let path = files::root().join(file);
    let name = path.to_string_lossy();
    let mut session = Session::new(OsWorld);
    let at = |(name_, at): &(&'static str, &str)| Ok((*name_, meaning(&mut session, &name, at)?.to_string()));
    let values: Result<Vec<(&str, String)>, String> = point.iter().map(at).collect();
    let asked = question(entry, &values?);
    let gradient = format!("grad({})", asked.function);
    // Second derivatives are large programs; the first derivatives test that kernels bind few arrays.
    let functions = if test.portable { &[&asked.function] as &[&String] } else { &[&asked.function, &gradient] };
    for function in functions {
        for expression in both_modes(&mut session, &name, function, &asked.at)? {
            test.question(&mut session, &path, &expression)?;
        }
    }
    Ok(())
}
