//! The workloads of the benchmark at their smallest sizes, values and gradients, on a device beside the interpreter.
//! Arrays are compared relative to their largest element.

use super::programs::{Test, told};
use arr_bench::compare::{Tolerance, difference};
use arr_bench::workloads::{self, Case, Level, Workload};
use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Floats, OsWorld, Session};
use arr_ir::Value;
use arr_tests::trial::Trial;
use arr_tests::{Outcome, files};

const SINGLE: f64 = 2e-4;

pub fn trials(name: &str, test: Test) -> Vec<Trial> {
    let trial = |workload: Workload| {
        let name = format!("{name}::workload::{}", workload.name);
        Trial::test(name, move || Ok(super::deep(move || run(test, &workload))?))
    };
    workloads::all().into_iter().map(trial).collect()
}

fn run(test: Test, workload: &Workload) -> Outcome {
    let case = workload.cases.iter().find(|case| case.level == Level::Quick).ok_or("it has no small case")?;
    let path = files::root().join(format!("bench/workloads/{}.arr", workload.name)).to_string_lossy().into_owned();
    let mut session = Session::new(OsWorld);
    let checked = session.checked(&path).map_err(told)?;
    let names = checked.entry_names();
    for entry in ["value", "gradient"].into_iter().filter(|entry| names.iter().any(|name| name == entry)) {
        compared(test, workload, case, &mut session, (&path, entry)).map_err(|what| format!("{entry}: {what}"))?;
    }
    Ok(())
}

fn compared(
    test: Test,
    workload: &Workload,
    case: &Case,
    session: &mut Session,
    (path, entry): (&str, &str),
) -> Outcome {
    let directory = files::scratch()?;
    let program = session.program(path, entry, &Derive::Nothing).map_err(told)?;
    let texts: Result<Vec<String>, String> = case.inputs.iter().map(|input| input.argument(directory.path())).collect();
    let args: Vec<Arg> = texts?.iter().map(|text| Arg::parse(text)).collect();
    let (sizes, leaves) = session.arguments(&program, &args).map_err(told)?;
    let arrays = |execution: &Execution| {
        let code = program.clone().executable(execution).map_err(told)?;
        let (values, _) = code.run(&sizes, &leaves).map_err(told)?;
        Ok::<_, String>(values.iter().map(Value::to_f64s).collect::<Vec<_>>())
    };
    let expected = arrays(&Execution { backend: Backend::Interp, ..Execution::default() })?;
    let tolerance = match workload.tolerance {
        Tolerance::Largest(x) if test.floats == Floats::F32 => Tolerance::Largest(x.max(SINGLE)),
        stated => stated,
    };
    let apart = difference(&arrays(&test.execution())?, &expected, tolerance)?;
    if apart <= tolerance.allowed() { Ok(()) } else { Err(format!("apart by {apart:.1e}, not {tolerance:?}")) }
}
