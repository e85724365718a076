//! The compiler's derivatives beside two independent methods: the rules of CHAD, and scalar dual numbers
//! (`arr-oracle`).
//!
//! Every question and every `check-grad` in `tests/programs` and `tests/papers`, and the gradients of random programs, are
//! evaluated by both and run on every back end; all must agree. `ARR_RANDOM=1000-9000` runs other random programs.

use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Failure, MemoryWorld, Mode, OsWorld, Program, Session};
use arr_ir::{RunError, Value};
use arr_oracle::{Method, Stop};
use arr_tests::asking::{both_modes, told};
use arr_tests::checks::{self, Check};
use arr_tests::generator::{self, ProgramKind};
use arr_tests::trial::{Trial, asked_seeds, deep};
use arr_tests::{Outcome, files};
use std::path::Path;

const SEEDS: std::ops::Range<u64> = 0..14;
/// The maximal number of statements of an oracle for one question. A longer one is skipped, and must be listed.
const LIMIT: u64 = 3_000_000;
/// Files with a question that is too long for the oracles.
const LONG: &[&str] = &[];
/// The allowed distance of numbers, relative to the largest of their array or to 1.
const TOLERANCE: f64 = 1e-8;

pub fn trials() -> Vec<Trial> {
    let seeds = asked_seeds().unwrap_or(SEEDS);
    let mut trials = Vec::new();
    for directory in checks::DIRECTORIES {
        for program in files::list(&format!("tests/{directory}"), ".arr") {
            let group = directory.rsplit('/').next().unwrap_or(directory);
            trials
                .push(Trial::test(format!("{group}::{}", files::stem(&program)), move || Ok(deep(|| file(&program))?)));
        }
    }
    for seed in seeds {
        for kind in ProgramKind::ALL {
            trials.push(Trial::test(format!("{}::{seed}", kind.name), move || Ok(deep(|| random(seed, kind))?)));
        }
    }
    trials
}

fn file(path: &Path) -> Outcome {
    let name = path.to_string_lossy();
    let mut session = Session::new(OsWorld);
    let mut complaints = Vec::new();
    for (line, check) in checks::read(&files::read(path)?) {
        let outcome = match &check {
            Check::Value { expression, .. } if checks::is_for_machine_code(path, expression) => Ok(()),
            Check::Value { expression, .. } => question(&mut session, &name, expression),
            // A refused question has no meaning to compare.
            Check::Error { expression, .. } if session.expression(Some(&name), expression).is_err() => Ok(()),
            Check::Error { expression, .. } => question(&mut session, &name, expression),
            Check::Gradient { function, point } => gradients(&mut session, &name, function, point),
        };
        if let Err(complaint) = outcome {
            complaints.push(format!("line {line}: {complaint}"));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// Both modes at the point, in one direction.
fn gradients(session: &mut Session, path: &str, function: &str, point: &str) -> Outcome {
    let questions = both_modes(session, path, function, point)?;
    questions.iter().try_for_each(|expression| question(session, path, expression))
}

fn question(session: &mut Session, path: &str, expression: &str) -> Outcome {
    let program = session.expression(Some(path), expression).map_err(told)?;
    let long = LONG.iter().any(|name| path.ends_with(name));
    compare(program, &[], &[], long).map_err(|complaint| format!("{expression}\n{complaint}"))
}

fn random(seed: u64, kind: ProgramKind) -> Outcome {
    let case = generator::case(seed, kind);
    let complain = |complaint: String| format!("{complaint}\n\n{}arguments: {}", case.source, case.arguments.join(" "));
    let mut session = Session::new(MemoryWorld::new([("p.arr", case.source.as_bytes())]));
    let wrt = ["x", "a", "s"].map(str::to_string).to_vec();
    let program = session.program("p.arr", "f", &Derive::Gradient { wrt, mode: Mode::Reverse });
    let program = program.map_err(|failure| complain(told(failure)))?;
    let arguments: Vec<Arg> = case.arguments.iter().map(|text| Arg::parse(text)).collect();
    let (sizes, leaves) = session.arguments(&program, &arguments).map_err(|failure| complain(told(failure)))?;
    compare(program, &sizes, &leaves, false).map_err(complain)
}

type Ran = Result<Vec<Value>, String>;

/// The results of the oracles and of the back ends.
fn compare(mut program: Program, sizes: &[i64], leaves: &[Value], long: bool) -> Outcome {
    let mut all: Vec<(String, Ran)> = Vec::new();
    let methods: &[Method] = match arr_ir::has_derivatives(program.func()) {
        true => &[Method::Dual, Method::Chad],
        false => &[Method::Dual],
    };
    for &method in methods {
        let ran = match arr_oracle::run(program.func(), sizes, leaves, method, LIMIT) {
            Ok(outcome) => Ok(outcome.results),
            Err(Stop::TooLong) if long => return Ok(()),
            Err(Stop::TooLong) => return Err(format!("{method:?} takes too long")),
            Err(Stop::Failed(kind)) => Err(RunError::new(kind, None).to_diagnostic().code.to_string()),
        };
        all.push((format!("{method:?}"), ran));
    }
    for backend in [Backend::Interp, Backend::Cpu] {
        let execution = Execution { backend, strict: true, ..Execution::default() };
        let ran = program.executable(&execution).and_then(|code| code.run(sizes, leaves)).map(|(results, _)| results);
        let ran = match ran {
            Err(Failure::Diagnostics(diagnostics)) => {
                Err(diagnostics.first().map_or_else(String::new, |d| d.code.to_string()))
            }
            Err(failure) => return Err(told(failure)),
            Ok(results) => Ok(results),
        };
        all.push((format!("{backend:?}"), ran));
    }
    let Some(((first, expected), others)) = all.split_first() else { return Ok(()) };
    let differs = others.iter().find(|(_, ran)| !same(expected, ran));
    differs.map_or(Ok(()), |(name, found)| Err(format!("  {first} {expected:?}\n  {name} {found:?}")))
}

fn same(a: &Ran, b: &Ran) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b)),
        (Err(a), Err(b)) => a == b,
        _ => false,
    }
}

/// Whether a value equals the oracle's. Where the plain rules compute `0 * inf`, the compiler may know that the zero
/// was not selected.
fn near(a: &Value, b: &Value) -> bool {
    if a.dims() != b.dims() || a.elem() != b.elem() {
        return false;
    }
    let (xs, ys) = (a.to_f64s(), b.to_f64s());
    let scale = xs.iter().chain(&ys).filter(|x| x.is_finite()).fold(1.0f64, |m, x| m.max(x.abs()));
    let tolerance = if a.elem() == arr_ir::Scalar::F32 { 1e-4 } else { TOLERANCE };
    xs.iter().zip(&ys).all(|(x, y)| x == y || x.is_nan() || (x - y).abs() <= tolerance * scale)
}
