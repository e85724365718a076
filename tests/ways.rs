//! Every way of running a program gives the interpreter's results: code for its sizes and for all, strict and relaxed,
//! on one thread and on two, and sanitized; its gradient in the same ways, with and without checkpoints, and beside
//! dual numbers.
//!
//! The programs are random ones that change arrays in loops (`sweeps`) or compute with numbers of every type
//! (`numbers`), and the definitions of the repository's own, whose arguments are random. A fixed set of seeds runs by
//! default; `ARR_RANDOM=1000-9000` runs others, with definitions of more files. `ARR_SIZES=40x3` gives loops these
//! sizes.

use arr_data::Arg;
use arr_driver::{Backend, Derive, Execution, Failure, MemoryWorld, Mode, OsWorld, Program, Session};
use arr_ir::interp::Limits;
use arr_ir::symbolic::Symbol;
use arr_ir::{Func, RunError, Value, VarId};
use arr_oracle::{Method, Stop};
use arr_tests::asking::told;
use arr_tests::trial::{Trial, asked_pair, asked_seeds, deep};
use arr_tests::{Outcome, files, numbers, samples, sweeps};
use std::path::Path;

const SEEDS: std::ops::Range<u64> = 0..24;
/// Directories and files whose definitions are run.
const FILES: &[&str] = &["bench/workloads", "examples/gradbench"];
const MORE_FILES: &[&str] = &[
    "examples",
    "stdlib",
    "tests/programs/costs",
    "tests/programs/branches",
    "tests/programs/language",
    "tests/programs/builtins",
    "tests/programs/ragged",
    "tests/programs/dual_numbers",
    "tests/papers/accelerate",
    "tests/papers/chad",
    "tests/papers/tensor_language",
    "tests/papers/working_notes",
];
/// The maximal number of statements of the oracle for a gradient; a longer one is compared without it.
const LIMIT: u64 = 300_000;

/// The maximal number of iterations of a program; a longer one is skipped.
const STEPS: u64 = 20_000;

/// How code is compiled and run.
#[derive(Clone, Copy, Debug)]
struct Way {
    strict: bool,
    /// For the sizes of the call.
    sized: bool,
    threads: usize,
    checkpoint: bool,
    /// Every access is checked.
    sanitize: bool,
}

/// The ways of a seed: two seeds cover all. Sanitized code is made in the two ways that a seed leaves out.
fn ways(seed: u64) -> Vec<Way> {
    let sized = seed.is_multiple_of(2);
    let mut ways = vec![
        Way { strict: true, sized, threads: 1, checkpoint: false, sanitize: false },
        Way { strict: false, sized: !sized, threads: 2, checkpoint: false, sanitize: false },
        Way { strict: true, sized: !sized, threads: 2, checkpoint: false, sanitize: true },
        Way { strict: false, sized, threads: 2, checkpoint: false, sanitize: true },
    ];
    if seed % 4 == 3 {
        ways.push(Way { strict: true, sized, threads: 1, checkpoint: true, sanitize: true });
    }
    ways
}

pub fn trials() -> Vec<Trial> {
    let asked = asked_seeds();
    let seeds = asked.clone().unwrap_or(SEEDS);
    let sizes = asked_pair("ARR_SIZES", 'x').map(|(n, m)| (n as usize, m as usize));
    let trial = |seed: u64| Trial::test(format!("sweeps::{seed}"), move || Ok(deep(|| random(seed, sizes))?));
    let mut trials: Vec<Trial> = seeds.clone().map(trial).collect();
    trials.extend(
        seeds.clone().map(|seed| Trial::test(format!("numbers::{seed}"), move || Ok(deep(|| of_numbers(seed))?))),
    );
    let (more, rounds) = if asked.is_some() { (MORE_FILES, seeds) } else { (&[][..], 0..1) };
    for directory in FILES.iter().chain(more) {
        for path in files::list(directory, ".arr") {
            for seed in rounds.clone() {
                let (name, path) = (format!("{directory}/{}::{seed}", files::stem(&path)), path.clone());
                trials.push(Trial::test(name, move || Ok(deep(|| definitions(&path, seed))?)));
            }
        }
    }
    trials
}

fn random(seed: u64, sizes: Option<(usize, usize)>) -> Outcome {
    let case = sweeps::case(seed, sizes);
    compare(&case, &ways(seed))
        .map_err(|complaint| format!("{complaint}\n\n{}arguments: {}", case.source, case.arguments.join(" ")))
}

fn compare(case: &sweeps::Case, ways: &[Way]) -> Outcome {
    let mut session = Session::new(MemoryWorld::new([("p.arr", case.source.as_bytes())]));
    let gradient = Derive::Gradient { wrt: case.wrt.clone(), mode: Mode::Reverse };
    let arguments: Vec<Arg> = case.arguments.iter().map(|text| Arg::parse(text)).collect();
    for (entry, derive) in [("f", Derive::Nothing), ("g", gradient)] {
        let program = session.program("p.arr", entry, &derive).map_err(told)?;
        let (sizes, leaves) = session.arguments(&program, &arguments).map_err(told)?;
        every_way(ways, &program, &sizes, &leaves, case.single)
            .map_err(|complaint| format!("`{entry}`: {complaint}"))?;
    }
    Ok(())
}

/// Only strict code: a rounding error can become any other number after `floor` or a comparison.
fn of_numbers(seed: u64) -> Outcome {
    let case = numbers::case(seed);
    let mut session = Session::new(MemoryWorld::new([("p.arr", case.source.as_bytes())]));
    let arguments: Vec<Arg> = case.arguments.iter().map(|text| Arg::parse(text)).collect();
    let way = Way { strict: true, sized: true, threads: 1, checkpoint: false, sanitize: false };
    let ways = [way, Way { sized: false, ..way }, Way { sized: seed.is_multiple_of(2), sanitize: true, ..way }];
    let outcome = session.program("p.arr", "f", &Derive::Nothing).and_then(|program| {
        let (sizes, leaves) = session.arguments(&program, &arguments)?;
        Ok(every_way(&ways, &program, &sizes, &leaves, false))
    });
    let told = outcome.map_err(told).and_then(|outcome| outcome);
    told.map_err(|complaint| format!("{complaint}\n\n{}arguments: {}", case.source, case.arguments.join(" ")))
}

/// All definitions of a file that can be called with numbers, and the gradients of those that have one.
fn definitions(path: &Path, seed: u64) -> Outcome {
    let name = path.to_string_lossy();
    let mut session = Session::new(OsWorld);
    let checked = session.checked(&name).map_err(told)?;
    for entry in checked.entry_names() {
        let Ok(program) = session.definition(&checked, &name, &entry, &Derive::Nothing) else { continue };
        let wrt: Vec<String> =
            program.func().edge_params.iter().filter(|p| p.ty.has_float()).map(|p| p.name.clone()).collect();
        let mut random = arr_testing::Random::new(seed, &entry, 0);
        let Some((sizes, mut leaves)) = arr_testing::arguments(program.func(), &mut random, 4 * (seed % 9)) else {
            continue;
        };
        let least = sizes.iter().copied().min().unwrap_or(2).max(1);
        leaves.iter_mut().for_each(|leaf| samples::make_small(leaf, least, 100));
        let single = leaves.iter().any(|leaf| leaf.elem() == arr_ir::Scalar::F32);
        // Polynomials are compared at larger sizes.
        let larger = (0..20).find_map(|round| {
            let mut random = arr_testing::Random::new(seed, &entry, round);
            let (sizes, mut leaves) = arr_testing::arguments(program.func(), &mut random, 12 + round)?;
            let least = sizes.iter().copied().min().unwrap_or(LEAST);
            leaves.iter_mut().for_each(|leaf| samples::make_small(leaf, least, 100));
            (least >= LEAST).then_some((sizes, leaves))
        });
        if let Some((sizes, leaves)) = &larger {
            predicted(&program, sizes, leaves).map_err(|what| told_of(&entry, program.func(), leaves, &what))?;
        }
        let way = &ways(seed);
        every_way(way, &program, &sizes, &leaves, single)
            .map_err(|what| told_of(&entry, program.func(), &leaves, &what))?;
        let derive = Derive::Gradient { wrt, mode: Mode::Reverse };
        let Ok(gradient) = session.definition(&checked, &name, &entry, &derive) else { continue };
        if let Some((sizes, leaves)) = &larger {
            predicted(&gradient, sizes, leaves).map_err(|what| told_of(&entry, program.func(), leaves, &what))?;
        }
        every_way(way, &gradient, &sizes, &leaves, single)
            .map_err(|what| told_of(&format!("gradient of {entry}"), program.func(), &leaves, &what))?;
    }
    Ok(())
}

fn told_of(entry: &str, func: &Func, leaves: &[Value], what: &str) -> String {
    let named = func.params.iter().zip(leaves).map(|(&p, leaf)| format!("  {} = {leaf:?}\n", func.name(p)));
    format!("`{entry}`: {what}\n{}", named.collect::<String>())
}

type Ran = Result<Vec<Value>, String>;

fn every_way(ways: &[Way], program: &Program, sizes: &[i64], leaves: &[Value], single: bool) -> Outcome {
    let derived = arr_ir::has_derivatives(program.func());
    let interp = Execution { backend: Backend::Interp, max_steps: Some(STEPS), ..Execution::default() };
    let meant = run(program, sizes, leaves, &interp)?;
    // With random arguments a search may never end.
    if meant == Err("E0607".to_string()) {
        return Ok(());
    }
    if derived {
        let dual = match arr_oracle::run(program.func(), sizes, leaves, Method::Dual, LIMIT) {
            Ok(outcome) => Some(Ok(outcome.results)),
            Err(Stop::TooLong) => None,
            Err(Stop::Failed(kind)) => Some(Err(RunError::new(kind, None).to_diagnostic().code.to_string())),
        };
        if let Some(dual) = dual.filter(|dual| !same(dual, &meant, &|a, b| near_dual(a, b, single))) {
            return Err(format!("dual numbers differ\n  {dual:?}\n  {meant:?}"));
        }
    }
    trapped(program, sizes, leaves, &interp, &meant)?;
    predicted(program, sizes, leaves)?;
    for way in ways {
        let Way { strict, sized, threads, checkpoint, sanitize } = *way;
        if checkpoint && !derived {
            continue;
        }
        let threads = Some(threads);
        let execution = Execution { strict, any_size: !sized, threads, checkpoint, sanitize, ..Execution::default() };
        let found = run(program, sizes, leaves, &execution)?;
        if !same(&found, &meant, &|a, b| near(a, b, single)) {
            return Err(format!("{way:?}\n  gives {found:?}\n  not   {meant:?}"));
        }
        if !strict {
            continue;
        }
        // Checkpointed derivatives are different ones, which the interpreter evaluates too.
        let own =
            if checkpoint { Some(run(program, sizes, leaves, &Execution { checkpoint, ..interp })?) } else { None };
        let exact = own.as_ref().unwrap_or(&meant);
        if !same(&found, exact, &equal) {
            return Err(format!("{way:?}, of which the bits count,\n  gives {found:?}\n  not   {exact:?}"));
        }
    }
    Ok(())
}

/// Sizes from which on no axis of these programs is negative.
const LEAST: i64 = 4;

/// The polynomials of `arr cost` are the counts of the interpreter, or bounds where they say so. Loops that change arrays
/// are meant to have iterations, and axes to be none that is negative.
fn predicted(program: &Program, sizes: &[i64], leaves: &[Value]) -> Outcome {
    let is_small = |leaf: &Value| matches!(leaf, Value::Scalar(c) if c.as_i64().is_some_and(|i| i < LEAST));
    if sizes.iter().any(|&n| n < LEAST) || leaves.iter().any(is_small) {
        return Ok(());
    }
    let (func, prediction) = program.clone().prediction().map_err(told)?;
    let limits = Limits { max_steps: Some(STEPS), max_bytes: None };
    let Ok(outcome) = arr_ir::interp::run(&func, sizes, leaves, &limits) else { return Ok(()) };
    let value = |symbol| {
        let Symbol::Var(v) = symbol else { return None };
        let size = func.sizes.iter().zip(sizes).find_map(|(&size, &n)| (size == v).then_some(n));
        let given = |(&p, leaf): (&VarId, &Value)| match leaf {
            Value::Scalar(c) if p == v => c.as_i64(),
            _ => None,
        };
        size.or_else(|| func.params.iter().zip(leaves).find_map(given)).map(i128::from)
    };
    let (total, counts) = (prediction.total(), outcome.counts);
    let exact = prediction.doubts.is_empty();
    let rows = [
        ("primitives", total.prims(), counts.prims, exact),
        ("reads", total.reads.clone(), counts.reads, exact),
        ("writes", total.writes.clone(), counts.writes, exact),
        ("allocated", total.allocated.clone(), counts.allocated_bytes, exact),
        ("memory", prediction.peak.clone(), counts.peak_bytes, exact && prediction.peak_is_exact),
    ];
    for (what, polynomial, counted, exact) in rows {
        let Some(expected) = polynomial.eval(&value) else { continue };
        let counted = i128::from(counted);
        if expected < counted || exact && expected != counted {
            let sizes: Vec<String> =
                func.sizes.iter().zip(sizes).map(|(&v, n)| format!("{} = {n}", func.name(v))).collect();
            let text = arr_ir::print_func(&func);
            return Err(format!("{what}: predicted {expected}, counted {counted} for {}\n{text}", sizes.join(", ")));
        }
    }
    Ok(())
}

/// With `--trap-nan` a program gives the same or stops with E0610; from finite numbers it always stops before its result
/// holds a NaN or an infinity.
fn trapped(program: &Program, sizes: &[i64], leaves: &[Value], interp: &Execution, meant: &Ran) -> Outcome {
    let trap = Some(arr_driver::Trap::NotFinite);
    let found = run(program, sizes, leaves, &Execution { trap, ..*interp })?;
    if found != Err("E0610".to_string()) && !same(&found, meant, &equal) {
        return Err(format!("trapped\n  gives {found:?}\n  not   {meant:?}"));
    }
    let finite = |values: &[Value]| values.iter().flat_map(Value::to_f64s).all(f64::is_finite);
    let text = arr_ir::print_func(program.func());
    let brought_in = text.split([' ', ',', '[', ']', '\n']).any(|word| matches!(word, "inf" | "-inf" | "nan"));
    match &found {
        Ok(results) if finite(leaves) && !brought_in && !finite(results) => {
            Err(format!("nothing was trapped on the way to {results:?}"))
        }
        _ => Ok(()),
    }
}

fn run(program: &Program, sizes: &[i64], leaves: &[Value], execution: &Execution) -> Result<Ran, String> {
    let ran = program.clone().executable_for(sizes, execution).and_then(|code| code.run(sizes, leaves));
    match ran {
        Ok((results, _)) => Ok(Ok(results)),
        Err(Failure::Diagnostics(diagnostics)) => {
            Ok(Err(diagnostics.first().map_or_else(String::new, |d| d.code.to_string())))
        }
        Err(failure) => Err(told(failure)),
    }
}

fn same(a: &Ran, b: &Ran, alike: &dyn Fn(&Value, &Value) -> bool) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => {
            let shaped = |(a, b): (&Value, &Value)| a.dims() == b.dims() && a.elem() == b.elem() && alike(a, b);
            a.len() == b.len() && a.iter().zip(b).all(shaped)
        }
        (Err(a), Err(b)) => a == b,
        _ => false,
    }
}

/// The same numbers; the sign of a zero is unspecified.
fn equal(a: &Value, b: &Value) -> bool {
    a.to_f64s().iter().zip(&b.to_f64s()).all(|(x, y)| x == y || x.is_nan() && y.is_nan())
}

/// As [`near`]; where dual numbers have a NaN from `0 * inf`, the derivative may have the zero, which wins in a product with
/// what was not selected. It is so where a value is no number, as the energy of an atom with itself.
fn near_dual(dual: &Value, derivative: &Value, single: bool) -> bool {
    let (xs, ys) = (dual.to_f64s(), derivative.to_f64s());
    let wins = |(x, y): (&f64, &f64)| x.is_nan() && *y == 0.0;
    let (xs, ys): (Vec<f64>, Vec<f64>) = xs.iter().zip(&ys).filter(|pair| !wins(*pair)).unzip();
    close(&xs, &ys, single)
}

/// The same up to rounding, relative to the largest number of the array.
fn near(a: &Value, b: &Value, single: bool) -> bool {
    close(&a.to_f64s(), &b.to_f64s(), single)
}

fn close(xs: &[f64], ys: &[f64], single: bool) -> bool {
    let scale = xs.iter().chain(ys).filter(|x| x.is_finite()).fold(1.0f64, |m, x| m.max(x.abs()));
    let tolerance = if single { 1e-3 } else { 1e-8 };
    xs.iter().zip(ys).all(|(x, y)| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= tolerance * scale)
}
