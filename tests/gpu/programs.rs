//! What a program says of itself in comments, and random programs, on a device beside the interpreter.

use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Failure, Floats, MemoryWorld, Mode, OsWorld, Program, Session};
use arr_ir::Value;
use arr_tests::checks::{self, Check};
use arr_tests::derivative::Random;
use arr_tests::generator::{self, Kind};
use arr_tests::tree::Tree;
use arr_tests::values::{Tolerance, same};
use arr_tests::{Outcome, files};
use std::path::Path;

/// Sums may be taken in another order, and elementary functions differ in the last digits.
pub const SINGLE: Tolerance = Tolerance { relative: 2e-4, absolute: 2e-5 };
pub const DOUBLE: Tolerance = Tolerance { relative: 1e-9, absolute: 1e-12 };

/// What `f32` is not enough for, by a part of the question or the program's name, and why.
const NOT_IN_SINGLE: &[(&str, &str)] = &[
    ("newton", "iterates until it is as near as 1e-13, which f32 never is"),
    ("root", "likewise"),
    ("loss, [1.5, 2.0, 0.5]", "likewise, in declared.arr"),
    ("linear_maps", "compares with 1e-12"),
];

/// What needs more arrays in a kernel than every device has, by a part of the question.
const NOT_PORTABLE: &[&str] = &["jacrev(scanned_rows)", "jacrev(jacfwd(total))"];

pub fn told(failure: Failure) -> String {
    match failure {
        Failure::Bug(what) => what,
        Failure::Diagnostics(list) => {
            let notes = |d: &arr_base::Diagnostic| d.notes.join("\n").chars().take(2000).collect::<String>();
            list.iter().map(|d| format!("{} {}\n{}", d.code, d.title, notes(d))).collect()
        }
    }
}

/// One way to run programs on the device.
#[derive(Clone, Copy)]
pub struct Test {
    pub floats: Floats,
    pub device: usize,
    /// With no more of the device than every one has.
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

    fn leaves_out(self, text: &str) -> bool {
        let in_single = self.floats == Floats::F32 && NOT_IN_SINGLE.iter().any(|(part, _)| text.contains(part));
        in_single || self.portable && NOT_PORTABLE.iter().any(|part| text.contains(part))
    }

    pub fn file(self, path: &Path) -> Outcome {
        let name = path.to_string_lossy();
        let mut session = Session::new(OsWorld);
        let mut complaints = Vec::new();
        for (line, check) in checks::read(&files::read(path)?) {
            let outcome = match &check {
                Check::Value { expression, .. } => self.question(&mut session, &name, expression),
                Check::Error { expression, code } => self.error(&mut session, &name, expression, code),
                Check::Gradient { function, point } => self.gradients(&mut session, &name, function, point),
            };
            if let Err(complaint) = outcome {
                complaints.push(format!("line {line}: {complaint}"));
            }
        }
        if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
    }

    /// The device gives what the interpreter gives.
    fn question(self, session: &mut Session, path: &str, expression: &str) -> Outcome {
        if self.leaves_out(expression) || self.leaves_out(path) {
            return Ok(());
        }
        let program = session.expression(Some(path), expression).map_err(told)?;
        self.compare(program, &[], &[]).map_err(|complaint| format!("{expression}\n{complaint}"))
    }

    fn compare(self, program: Program, sizes: &[i64], leaves: &[Value]) -> Outcome {
        let run = |mut program: Program, execution: &Execution| {
            let outcome = program.run(sizes, leaves, execution).map_err(told)?;
            Ok::<String, String>(arr_data::to_literal(&outcome.value))
        };
        let interpreter = Execution { backend: Backend::Interp, ..Execution::default() };
        let expected = run(program.clone(), &interpreter);
        let found = run(program, &self.execution());
        match (&found, &expected) {
            (Ok(found), Ok(expected)) if same(found, expected, self.tolerance()) => Ok(()),
            // The same code; which place fails first may differ.
            (Err(found), Err(expected)) if found.get(..5) == expected.get(..5) => Ok(()),
            _ => Err(format!("  interpreter {expected:?}\n  device      {found:?}")),
        }
    }

    fn error(self, session: &mut Session, path: &str, expression: &str, code: &str) -> Outcome {
        // What is refused before it runs is no matter of a back end.
        let Ok(mut program) = session.expression(Some(path), expression) else { return Ok(()) };
        match program.run(&[], &[], &self.execution()) {
            Err(Failure::Diagnostics(list)) if list.first().is_some_and(|d| d.code.to_string() == code) => Ok(()),
            Err(failure) => Err(format!("{expression}\n  expected {code}, found {}", told(failure))),
            Ok(found) => Err(format!("{expression}\n  expected {code}, found {}", arr_data::to_literal(&found.value))),
        }
    }

    /// Both modes at the point, in one direction.
    fn gradients(self, session: &mut Session, path: &str, function: &str, point: &str) -> Outcome {
        let mut random = Random::new();
        let mut value = |expression: &str| {
            let mut program = session.expression(Some(path), expression).map_err(told)?;
            let outcome = program.run(&[], &[], &Execution { backend: Backend::Interp, ..Execution::default() });
            Tree::parse(&arr_data::to_literal(&outcome.map_err(told)?.value))
        };
        let x = value(point)?;
        let y = value(&format!("({function})({x})"))?;
        let (dx, dy) = (x.map(&mut |_| random.next()), y.map(&mut |_| random.next()));
        if self.leaves_out(function) {
            return Ok(());
        }
        self.question(session, path, &format!("let (y, back) = vjp({function}, {x}) in (y, back({dy}))"))?;
        self.question(session, path, &format!("jvp({function}, {x}, {dx})"))
    }

    pub fn random(self, seed: u64, kind: Kind) -> Outcome {
        let case = generator::case(seed, kind);
        let complain =
            |complaint: String| format!("{complaint}\n\n{}arguments: {}", case.source, case.arguments.join(" "));
        let mut session = Session::new(MemoryWorld::new([("p.arr", case.source.as_bytes())]));
        let wrt = ["x", "a", "s"].map(str::to_string).to_vec();
        for derive in [Derive::Nothing, Derive::Gradient { wrt, mode: Mode::Reverse }] {
            let program = session.program("p.arr", "f", &derive).map_err(|failure| complain(told(failure)))?;
            let arguments: Vec<Arg> = case.arguments.iter().map(|text| Arg::parse(text)).collect();
            let (sizes, leaves) = session.arguments(&program, &arguments).map_err(|failure| complain(told(failure)))?;
            match self.compare(program, &sizes, &leaves) {
                // A device may have too little for a program, and says so.
                Err(complaint) if self.portable && complaint.contains("E1003 a kernel needs") => {}
                outcome => outcome.map_err(complain)?,
            }
        }
        Ok(())
    }
}
