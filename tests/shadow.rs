//! Loops in shadow memory: after lowering, and after every pass over loops, a program has no fault (an access outside
//! an array, a read of unwritten or released memory, a conflict between iterations of a parallel loop), and gives the
//! interpreter's results.
//!
//! Every access of the lowered loops, and of those after all passes, is proved inside its array, except in a few
//! definitions (`CHECKED`), where `bounds-checks` adds a check for each; after it the pipeline refuses unproved
//! accesses.
//!
//! The programs are the definitions of the files below and their gradients, with random arguments; code for their sizes
//! and for all, strict and relaxed, in one chunk and in three. Each runs in one of these ways by default;
//! `ARR_RANDOM=0-9` runs each in all, with other arguments for every seed.

use arr_driver::{Backend, Derive, Execution, Failure, Mode, OsWorld, Program, Session};
use arr_ir::Value;
use arr_loops::{ShadowOptions, ShadowRun, ShadowStop};
use arr_pipeline::{At, STEPS, Settings, Stage, Target, Until, View, Watcher};
use arr_tests::asking::told;
use arr_tests::trial::{Trial, asked_seeds, deep};
use arr_tests::{Outcome, checks, files, samples};
use std::path::Path;

const MORE_FILES: &[&str] = &["bench/workloads", "examples", "examples/gradbench", "stdlib", "tests/programs/costs"];

/// Limits on iterations of the interpreter, and on statements of the evaluator: longer programs are skipped.
const STEPS_OF_INTERPRETER: u64 = 5_000;
const STEPS_OF_SHADOW: u64 = 200_000;

/// The first step with loops, and the last that moves their statements.
const LOWERED: &str = "lower";
const DONE: &str = "parallelize";

/// Definitions with accesses that hold for reasons that the range analysis does not see, and that machine code checks:
/// sizes that a program computes (from a stride, as a square), quotients of indices by such sizes, conditions kept in
/// arrays. An entry that is no longer needed fails a test, too; the list is for the ways that are run by default.
const CHECKED: &[&str] = &[
    "bench/workloads/bag.arr::value",
    "bench/workloads/conv.arr::gradient",
    "bench/workloads/conv.arr::layer",
    "bench/workloads/conv.arr::value",
    "bench/workloads/graph.arr::gradient",
    "bench/workloads/lstm.arr::value",
    "bench/workloads/transformer.arr::value",
    "examples/bundle.arr::sightings",
    "examples/heat.arr::influence",
    "stdlib/linalg.arr::_cofactors",
    "stdlib/linalg.arr::_francis_step",
    "stdlib/linalg.arr::det",
    "stdlib/linalg.arr::eig",
    "stdlib/linalg.arr::eigvals",
    "stdlib/linalg.arr::logm",
    "stdlib/linalg.arr::pinv",
    "stdlib/linalg.arr::schur",
    "stdlib/linalg.arr::sqrtm",
    "stdlib/nn.arr::_spread2d",
    "stdlib/nn.arr::conv1d",
    "stdlib/nn.arr::conv2d",
    "stdlib/nn.arr::conv3d",
    "stdlib/nn.arr::conv_transpose2d",
    "stdlib/nn.arr::ctc_loss",
    "stdlib/poly.arr::polyfit",
    "stdlib/poly.arr::roots",
    "stdlib/random.arr::orthogonal",
    "stdlib/signal.arr::istft",
    "stdlib/signal.arr::stft",
    "tests/papers/accelerate/edges.arr::tuple3_rest",
    "tests/papers/accelerate/primitives.arr::circulant",
    "tests/programs/costs/ragged_kinds.arr::f",
    "tests/programs/language/every_size.arr::column",
    "tests/programs/language/in_place_columns.arr::written",
    "tests/programs/language/indexing.arr::smeared",
    "tests/programs/language/nested_updates.arr::around",
    "tests/programs/language/nested_updates.arr::places",
    "tests/programs/language/products_of_indices.arr::beyond",
    "tests/programs/language/square.arr::kept",
    "tests/programs/language/use_types.arr::nested",
    "tests/programs/language/stacked.arr::chosen_grad",
    "tests/programs/language/stacked.arr::shared",
    "tests/programs/language/stacked.arr::shared_grad",
    "tests/programs/ragged/reductions.arr::chosen",
    "tests/programs/ragged/reductions.arr::largest",
];

/// Whether sums may be reordered, whether the code is for the sizes of the call, and the chunks of parallel loops.
type Way = (bool, bool, usize);

const WAYS: [Way; 6] =
    [(false, false, 1), (true, true, 3), (true, false, 3), (false, true, 1), (true, true, 1), (true, false, 1)];

pub fn trials() -> Vec<Trial> {
    let seeds = asked_seeds();
    let all = seeds.is_some();
    let folders = checks::DIRECTORIES.iter().map(|folder| format!("tests/{folder}"));
    let folders = folders.chain(MORE_FILES.iter().map(ToString::to_string));
    let mut trials = Vec::new();
    for folder in folders {
        for path in files::list(&folder, ".arr") {
            for seed in seeds.clone().unwrap_or(1..2) {
                let (name, path) = (format!("{folder}/{}::{seed}", files::stem(&path)), path.clone());
                trials.push(Trial::test(name, move || Ok(deep(|| definitions(&path, seed, all))?)));
            }
        }
    }
    trials
}

/// All definitions of a file that can be called with random arguments, and the gradients of those that have one.
fn definitions(path: &Path, seed: u64, all: bool) -> Outcome {
    let name = path.to_string_lossy();
    let mut session = Session::new(OsWorld);
    let checked = session.checked(&name).map_err(told)?;
    let mut complaints = Vec::new();
    let mut unproved = Vec::new();
    for (turn, entry) in checked.entry_names().into_iter().enumerate() {
        let Ok(program) = session.definition(&checked, &name, &entry, &Derive::Nothing) else { continue };
        let wrt: Vec<String> =
            program.func().edge_params.iter().filter(|p| p.ty.has_float()).map(|p| p.name.clone()).collect();
        let mut random = arr_testing::Random::new(seed, &entry, 0);
        let Some((sizes, mut leaves)) = arr_testing::arguments(program.func(), &mut random, 3 * (seed % 5)) else {
            continue;
        };
        let least = sizes.iter().copied().min().unwrap_or(2).max(1);
        leaves.iter_mut().for_each(|leaf| samples::make_small(leaf, least, 20));
        let count = if all { WAYS.len() } else { 1 };
        let ways: Vec<Way> = WAYS.iter().cycle().skip(turn).take(count).copied().collect();
        let gradient = Derive::Gradient { wrt, mode: Mode::Reverse };
        let gradient = session.definition(&checked, &name, &entry, &gradient).ok();
        let mut unproved_here = Vec::new();
        for (what, program) in [("", Some(program)), ("the gradient of ", gradient)] {
            let Some(program) = program else { continue };
            let found = every_way(&program, &sizes, &leaves, &ways, &mut unproved_here)?;
            complaints.extend(found.into_iter().map(|complaint| format!("{what}{entry}{sizes:?}: {complaint}")));
        }
        if !unproved_here.is_empty() {
            unproved.push((entry.clone(), unproved_here));
        }
    }
    if !all {
        complaints.extend(unknown(path, &unproved));
    }
    complaints.truncate(20);
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// Results, or the code of the error.
type Ran = Result<Vec<Value>, String>;

/// Deviations from `CHECKED`.
fn unknown(path: &Path, unproved: &[(String, Vec<String>)]) -> Vec<String> {
    let file = path.strip_prefix(files::root()).unwrap_or(path).display().to_string();
    let name = |entry: &str| format!("{file}::{entry}");
    let known = |entry: &str| CHECKED.contains(&name(entry).as_str());
    let new = unproved.iter().filter(|(entry, _)| !known(entry));
    let new = new.map(|(entry, found)| format!("{}: {}", name(entry), found.join("; ")));
    let own = CHECKED.iter().filter(|known| known.starts_with(&name("")));
    let gone = own.filter(|known| !unproved.iter().any(|(entry, _)| name(entry) == **known));
    new.chain(gone.map(|known| format!("{known}: all accesses are proved, take it off the list"))).collect()
}

fn every_way(
    program: &Program,
    sizes: &[i64],
    leaves: &[Value],
    ways: &[Way],
    unproved: &mut Vec<String>,
) -> Result<Vec<String>, String> {
    let interp = Execution { backend: Backend::Interp, max_steps: Some(STEPS_OF_INTERPRETER), ..Execution::default() };
    let ran = program.clone().executable(&interp).and_then(|code| code.run(sizes, leaves));
    let meant: Ran = match ran {
        Ok((results, _)) => Ok(results),
        Err(Failure::Diagnostics(found)) => Err(found.first().map_or_else(String::new, |d| d.code.to_string())),
        Err(failure) => return Err(told(failure)),
    };
    // With random arguments a search may never end.
    if meant == Err("E0607".to_string()) {
        return Ok(Vec::new());
    }
    let mut complaints = Vec::new();
    for &(relaxed, sized, chunks) in ways {
        let settings = Settings { relaxed, sizes: sized.then(|| sizes.to_vec()), ..Settings::new(Target::Cpu) };
        let options = ShadowOptions { most_steps: STEPS_OF_SHADOW, chunks, ..ShadowOptions::default() };
        let bits = !relaxed;
        let mut shadows =
            Shadows { call: (sizes, leaves), options, meant: &meant, bits, found: Vec::new(), unproved: Vec::new() };
        let until = Until::Stage(Stage::Loops);
        let made = arr_pipeline::run(STEPS, program.func().clone(), &settings, until, &mut Vec::new(), &mut shadows);
        let way = format!("relaxed {relaxed}, sized {sized}, {chunks} chunks");
        unproved.append(&mut shadows.unproved);
        complaints.extend(shadows.found.into_iter().map(|found| format!("{way}, {found}")));
        if let Err(failure) = made {
            complaints.push(format!("{way}: {failure:?}"));
        }
    }
    Ok(complaints)
}

/// Runs the loops that each step leaves.
struct Shadows<'a> {
    call: (&'a [i64], &'a [Value]),
    options: ShadowOptions,
    meant: &'a Ran,
    /// Whether the results equal the interpreter's to the bit.
    bits: bool,
    found: Vec<String>,
    /// Unproved accesses, after the first and after the last such step.
    unproved: Vec<String>,
}

impl Watcher for Shadows<'_> {
    fn after(&mut self, at: At, program: View<'_>) -> Result<(), arr_pipeline::Failure> {
        if let View::Loops(loops) = program
            && [LOWERED, DONE].contains(&at.name())
        {
            self.unproved.extend(arr_loops::unproved_accesses(loops).into_iter().map(|fault| fault.message));
        }
        // A fault of one step remains after the next.
        if let View::Loops(loops) = program
            && self.found.is_empty()
        {
            let ShadowRun { results, faults } = arr_loops::shadow(loops, self.call.0, self.call.1, &self.options);
            let after = at.name();
            self.found.extend(faults.iter().map(|fault| format!("after {after}: {fault}")));
            let found: Ran = match results {
                Ok(results) => Ok(results),
                Err(ShadowStop::Failed(error)) => Err(error.to_diagnostic().code.to_string()),
                Err(ShadowStop::TooLong) => return Ok(()),
                Err(ShadowStop::Malformed(what)) => {
                    self.found.push(format!("after {after}: {what}"));
                    return Ok(());
                }
            };
            let alike = match (self.meant, &found) {
                (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.alike(a, b)),
                (a, b) => a == b,
            };
            if !alike {
                self.found.push(format!("after {after}: {found:?} is not {:?}", self.meant));
            }
        }
        Ok(())
    }
}

impl Shadows<'_> {
    fn alike(&self, a: &Value, b: &Value) -> bool {
        let (xs, ys) = (a.to_f64s(), b.to_f64s());
        let scale = xs.iter().chain(&ys).filter(|x| x.is_finite()).fold(1.0f64, |m, x| m.max(x.abs()));
        let single = [a, b].iter().any(|v| v.elem() == arr_ir::Scalar::F32);
        let tolerance = if self.bits {
            0.0
        } else if single {
            1e-3
        } else {
            1e-8
        };
        // Where a quotient of zeros is due, rounding gives an arbitrary number.
        let free = |x: f64| !self.bits && !x.is_finite();
        let close = |(&x, &y): (&f64, &f64)| {
            x == y || x.is_nan() && y.is_nan() || free(x) || (x - y).abs() <= tolerance * scale
        };
        a.dims() == b.dims() && a.elem() == b.elem() && xs.iter().zip(&ys).all(close)
    }
}
