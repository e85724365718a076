//! Every optional step of the compiler can be left out: values and gradients stay those of the interpreter.

use arr_driver::{Backend, Derive, Execution, Failure, MemoryWorld, Mode, Program, Session, Without, with_stack};
use arr_ir::{Value, sample};

const PROGRAMS: &str = include_str!("without/programs.arr");

/// The definitions, and their parameters that hold floats.
const DEFINITIONS: &[(&str, &[&str])] = &[
    ("mixture", &["logw", "mean", "prec"]),
    ("bodies", &["x", "v", "m"]),
    ("plate", &["u", "rate"]),
    ("gated", &["w", "u", "v", "x"]),
    ("convolved", &["x", "f"]),
    ("pooled", &["x"]),
    ("gathered", &["x", "w"]),
    ("smoothed", &["x", "a"]),
    ("sum_of_roots", &["x"]),
    ("ensemble", &["prey", "rate"]),
    ("projected", &["x", "w", "b"]),
    ("edges", &["x", "f"]),
    ("pieces", &["x", "w"]),
    ("triangles", &["x"]),
];

fn told(failure: Failure) -> String {
    match failure {
        Failure::Bug(what) => format!("a bug: {what}"),
        Failure::Diagnostics(list) => list.iter().map(|d| format!("{} {}", d.code, d.title)).collect(),
    }
}

/// A definition, or its gradient, with arguments and the interpreter's results.
struct Case {
    name: String,
    program: Program,
    sizes: Vec<i64>,
    leaves: Vec<Value>,
    meant: Vec<Value>,
}

fn cases() -> Vec<Case> {
    let mut session = Session::new(MemoryWorld::new([("p.arr", PROGRAMS.as_bytes())]));
    let mut cases = Vec::new();
    for (at, (entry, wrt)) in DEFINITIONS.iter().enumerate() {
        let wrt = wrt.iter().map(ToString::to_string).collect();
        for derive in [Derive::Nothing, Derive::Gradient { wrt, mode: Mode::Reverse }] {
            let program = session.program("p.arr", entry, &derive).map_err(told).unwrap();
            let sizes: Vec<i64> = (0..program.func().sizes.len()).map(|k| 3 + ((at + k) % 3) as i64).collect();
            let leaves = sample::args(program.func(), &sizes, 7).unwrap();
            let execution = Execution { backend: Backend::Interp, ..Execution::default() };
            let meant = run(&program, &sizes, &leaves, &execution).unwrap_or_else(|e| panic!("{entry}: {e}"));
            let name = if derive == Derive::Nothing { entry.to_string() } else { format!("gradient of {entry}") };
            cases.push(Case { name, program, sizes, leaves, meant });
        }
    }
    cases
}

fn run(program: &Program, sizes: &[i64], leaves: &[Value], execution: &Execution) -> Result<Vec<Value>, String> {
    let code = program.clone().executable_for(sizes, execution).map_err(told)?;
    code.run(sizes, leaves).map(|(results, _)| results).map_err(told)
}

/// The same up to rounding, relative to the largest number of the array.
fn near(a: &Value, b: &Value) -> bool {
    let (xs, ys) = (a.to_f64s(), b.to_f64s());
    let scale = xs.iter().filter(|x| x.is_finite()).fold(1.0f64, |most, x| most.max(x.abs()));
    a.dims() == b.dims() && xs.iter().zip(&ys).all(|(x, y)| x == y || (x - y).abs() <= 1e-9 * scale)
}

/// Without each of the optional steps whose position in the table leaves this remainder: two tests share the work.
fn left_out(rest: usize) {
    let work = || {
        let cases = cases();
        let optional: Vec<&str> = arr_pipeline::names().filter(|n| n.optional()).map(|n| n.name()).collect();
        assert!(optional.len() > 30, "{optional:?}");
        let mut wrong = Vec::new();
        for (at, step) in optional.iter().enumerate().filter(|(at, _)| at % 2 == rest) {
            let without = Without::of([*step]).unwrap();
            // The gradients of every other program, the values of the others; half of them for their sizes, half for
            // all.
            let chosen = cases.chunks(2).enumerate().filter_map(|(k, pair)| Some((k, pair.get((at / 2 + k) % 2)?)));
            for (k, case) in chosen {
                let execution = Execution { any_size: (at / 4 + k) % 2 == 0, without, ..Execution::default() };
                match run(&case.program, &case.sizes, &case.leaves, &execution) {
                    Ok(found) if found.iter().zip(&case.meant).all(|(a, b)| near(b, a)) => {}
                    Ok(found) => wrong.push(format!("{step}: {}\n  {found:?}\n  {:?}", case.name, case.meant)),
                    Err(error) => wrong.push(format!("{step}: {}: {error}", case.name)),
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    };
    with_stack(work).unwrap();
}

#[test]
fn each_optional_step_but_those_between() {
    left_out(0);
}

#[test]
fn the_optional_steps_between() {
    left_out(1);
}

/// Strict code keeps its bits without any of them, and without all.
#[test]
fn all_optional_steps_in_strict_code() {
    let work = || {
        let optional: Vec<&str> = arr_pipeline::names().filter(|n| n.optional()).map(|n| n.name()).collect();
        let fused: Vec<&str> = optional.iter().copied().filter(|name| name.starts_with("fuse")).collect();
        let loops =
            ["fuse-loops", "reuse-buffers", "dead-fills", "strip-mine", "short-circuit", "parallelize", "mark-scans"];
        for names in [&optional, &fused, &loops.to_vec()] {
            let without = Without::of(names.iter().copied()).unwrap();
            for case in cases() {
                let execution = Execution { strict: true, any_size: true, without, ..Execution::default() };
                let found = run(&case.program, &case.sizes, &case.leaves, &execution);
                let found = found.unwrap_or_else(|e| panic!("{}: {e}", case.name));
                for (a, b) in found.iter().zip(&case.meant) {
                    let (xs, ys) = (a.to_f64s(), b.to_f64s());
                    let same = xs.iter().zip(&ys).all(|(x, y)| x == y || x.is_nan() && y.is_nan());
                    assert!(
                        same && xs.len() == ys.len(),
                        "{} without {names:?}\n{found:?}\n{:?}",
                        case.name,
                        case.meant
                    );
                }
            }
        }
    };
    with_stack(work).unwrap();
}

/// A step that was left out is not in the reports, and mandatory steps cannot be left out.
#[test]
fn what_is_left_out_does_not_run() {
    let mut session = Session::new(MemoryWorld::new([("p.arr", PROGRAMS.as_bytes())]));
    let mut program = session.program("p.arr", "gated", &Derive::Nothing).map_err(told).unwrap();
    let names = |program: &Program| program.reports().iter().map(|r| r.name).collect::<Vec<_>>();
    program.executable(&Execution::default()).map_err(told).unwrap();
    for name in ["hoist", "fuse.inline", "parallelize", "cranelift"] {
        assert!(names(&program).contains(&name), "{name}: {:?}", names(&program));
    }
    let without = Without::of(["hoist", "fuse.inline", "parallelize"]).unwrap();
    program.executable(&Execution { without, ..Execution::default() }).map_err(told).unwrap();
    for name in ["hoist", "fuse.inline", "parallelize"] {
        assert!(!names(&program).contains(&name), "{name}: {:?}", names(&program));
    }
    assert!(Without::of(["bot"]).unwrap_err().title.contains("cannot be left out"));
}
