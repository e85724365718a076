//! Checks in a program's comments, and random programs, on a device beside the interpreter.

use super::exceptions;
use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Failure, Floats, MemoryWorld, Mode, OsWorld, Program, Session};
use arr_ir::Value;
use arr_tests::asking::both_modes;
pub use arr_tests::asking::told;
use arr_tests::checks::{self, Check};
use arr_tests::generator::{self, ProgramKind};
use arr_tests::values::{Tolerance, same};
use arr_tests::{Outcome, files};
use std::path::Path;

/// Sums may be reordered, and elementary functions differ in the last digits.
pub const SINGLE: Tolerance = Tolerance { relative: 2e-4, absolute: 2e-5 };
pub const DOUBLE: Tolerance = Tolerance { relative: 1e-9, absolute: 1e-12 };

/// One way to run programs on the device.
#[derive(Clone, Copy)]
pub struct Test {
    pub floats: Floats,
    pub device: usize,
    /// With only the features of every device.
    pub portable: bool,
}

impl Test {
    pub fn execution(self) -> Execution {
        let Test { floats, device, portable } = self;
        Execution { backend: Backend::Gpu, floats, device: Some(device), portable, ..Execution::default() }
    }

    pub fn tolerance(self) -> Tolerance {
        if self.floats == Floats::F32 { SINGLE } else { DOUBLE }
    }

    pub fn file(self, path: &Path) -> Outcome {
        let mut session = Session::new(OsWorld);
        let mut complaints = Vec::new();
        for (line, check) in checks::read(&files::read(path)?) {
            let outcome = match &check {
                Check::Value { expression, .. } if checks::is_for_machine_code(path, expression) => Ok(()),
                Check::Value { expression, .. } => self.question(&mut session, path, expression),
                Check::Error { expression, code } => self.error(&mut session, path, expression, code),
                Check::Gradient { function, point } => self.gradients(&mut session, path, function, point),
            };
            if let Err(complaint) = outcome {
                complaints.push(format!("line {line}: {complaint}"));
            }
        }
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
    }

    /// The device gives the interpreter's results.
    pub fn question(self, session: &mut Session, path: &Path, expression: &str) -> Outcome {
        let program = session.expression(Some(&path.to_string_lossy()), expression).map_err(told)?;
        let reason = exceptions::reason(self, path, expression);
        let execution = Execution { max_steps: reason.map(|_| exceptions::ENDLESS), ..self.execution() };
        let outcome = exceptions::judged(reason, self.compare(program, (&[], &[]), &execution));
        outcome.map_err(|complaint| format!("{expression}\n{complaint}"))
    }

    fn compare(self, program: Program, (sizes, leaves): (&[i64], &[Value]), execution: &Execution) -> Outcome {
        let run = |mut program: Program, execution: &Execution| {
            let outcome = program.run(sizes, leaves, execution).map_err(told)?;
            Ok::<String, String>(arr_data::to_literal(&outcome.value))
        };
        let interpreter = Execution { backend: Backend::Interp, ..Execution::default() };
        let expected = run(program.clone(), &interpreter);
        let found = run(program, execution);
        match (&found, &expected) {
            (Ok(found), Ok(expected)) if same(found, expected, self.tolerance()) => Ok(()),
            // The same code; which place fails first may differ.
            (Err(found), Err(expected)) if found.get(..5) == expected.get(..5) => Ok(()),
            _ => Err(format!("  interpreter {expected:?}\n  device      {found:?}")),
        }
    }

    fn error(self, session: &mut Session, path: &Path, expression: &str, code: &str) -> Outcome {
        // A program that is refused before it runs does not concern a back end.
        let Ok(mut program) = session.expression(Some(&path.to_string_lossy()), expression) else { return Ok(()) };
        match program.run(&[], &[], &self.execution()) {
            Err(Failure::Diagnostics(list)) if list.first().is_some_and(|d| d.code.to_string() == code) => Ok(()),
            Err(failure) => Err(format!("{expression}\n  expected {code}, found {}", told(failure))),
            Ok(found) => Err(format!("{expression}\n  expected {code}, found {}", arr_data::to_literal(&found.value))),
        }
    }

    /// Both modes at the point, in one direction.
    fn gradients(self, session: &mut Session, path: &Path, function: &str, point: &str) -> Outcome {
        let questions = both_modes(session, &path.to_string_lossy(), function, point)?;
        questions.iter().try_for_each(|expression| self.question(session, path, expression))
    }

    pub fn random(self, seed: u64, kind: ProgramKind) -> Outcome {
        let case = generator::case(seed, kind);
        let complain =
            |complaint: String| format!("{complaint}\n\n{}arguments: {}", case.source, case.arguments.join(" "));
        let mut session = Session::new(MemoryWorld::new([("p.arr", case.source.as_bytes())]));
        let wrt = ["x", "a", "s"].map(str::to_string).to_vec();
        for derive in [Derive::Nothing, Derive::Gradient { wrt, mode: Mode::Reverse }] {
            let program = session.program("p.arr", "f", &derive).map_err(|failure| complain(told(failure)))?;
            let arguments: Vec<Arg> = case.arguments.iter().map(|text| Arg::parse(text)).collect();
            let (sizes, leaves) = session.arguments(&program, &arguments).map_err(|failure| complain(told(failure)))?;
            self.compare(program, (&sizes, &leaves), &self.execution()).map_err(complain)?;
        }
        Ok(())
    }
}
