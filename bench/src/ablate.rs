//! The worth of each optional step of the compiler: every workload with all steps, compared with the same without one
//! of them.
//!
//! Two functions with the same loops as text have the same machine code, unless the step works on machine code; they
//! are not timed. Others take turns in two processes, as peers do in the benchmark, and their results are compared.

mod table;

use crate::measure::{Effort, turns};
use crate::options::{Ablate, Statistic};
use crate::peers::{Peer, Peers};
use crate::process::{Function, Process};
use crate::suite::{cache, chosen, write};
use crate::{report, statistics::Times};
use arr_bench::compare;
use arr_bench::workloads::{self, Case, Workload};
use arr_pipeline::{Stage, When};
use std::path::{Path, PathBuf};

/// A step, or a part of one, to leave out.
#[derive(Clone, Copy, Debug)]
pub struct Omitted {
    pub name: &'static str,
    /// Whether it works on stages after loops, so that equal loops prove nothing.
    in_code: bool,
}

/// One function of one case without one step, compared with the same with all.
#[derive(Clone, Debug)]
pub struct Effect {
    pub step: &'static str,
    pub case: String,
    pub function: Function,
    /// The compilation time in seconds with all steps, and without the one.
    pub compile: (f64, f64),
    /// The change; nothing if the code is the same.
    pub change: Option<Change>,
}

/// Ratios of the cost without the step to the cost with it. Above 1 the step is worth something.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub time: f64,
    /// Of the peak memory; none if one of the two uses none.
    pub memory: Option<f64>,
}

/// Leaves out the requested steps. Returns whether all results agree.
pub fn run(options: &Ablate) -> Result<bool, String> {
    let all = workloads::all();
    let cases = chosen(&all, &options.selection, false)?;
    let steps = steps(&options.steps)?;
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let cache = cache(&root);
    let mut race = Race {
        peers: Peers::none(&root, &cache)?,
        threads: options.threads,
        effort: if options.selection.quick {
            Effort { seconds: 0.0, rounds: 2 }
        } else {
            Effort { seconds: options.seconds, rounds: options.rounds.max(1) }
        },
        directory: cache.join(format!("ablate-{}", std::process::id())),
        effects: Vec::new(),
        faults: Vec::new(),
    };
    for (workload, case) in cases {
        race.case(workload, case, &steps)?;
        println!("{} {}", workload.name, case.sizes);
    }
    let _ = std::fs::remove_dir_all(&race.directory);
    let names: Vec<&str> = steps.iter().map(|step| step.name).collect();
    let report = table::markdown(&names, &race.effects, &race.faults, options.threads);
    println!("\n{report}");
    let output = options.output.clone().unwrap_or_else(|| cache.join("results"));
    write(&output, "ablation.md", &report)?;
    println!("written to {}", output.display());
    Ok(race.faults.is_empty())
}

/// The optional steps and parts of relaxed code for processors, or those with these names among all. Fails for an
/// unknown name, or one that cannot be left out.
fn steps(wanted: &[String]) -> Result<Vec<Omitted>, String> {
    arr_pipeline::Without::of(wanted.iter().map(String::as_str)).map_err(|diagnostic| diagnostic.title)?;
    let elsewhere = [When::Gpu, When::Source, When::Single, When::SizesLast];
    let chosen = arr_pipeline::names().filter(|named| {
        let runs = !named.step.when.iter().any(|when| elsewhere.contains(when));
        named.optional() && if wanted.is_empty() { runs } else { wanted.iter().any(|name| name == named.name()) }
    });
    Ok(chosen.map(|named| Omitted { name: named.name(), in_code: named.step.stage == Stage::Code }).collect())
}

struct Race {
    peers: Peers,
    threads: usize,
    effort: Effort,
    directory: PathBuf,
    effects: Vec<Effect>,
    faults: Vec<String>,
}

impl Race {
    fn case(&mut self, workload: &Workload, case: &Case, steps: &[Omitted]) -> Result<(), String> {
        let directory = self.directory.clone();
        std::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        let args = case.inputs.iter().map(|input| input.argument(&directory)).collect::<Result<Vec<String>, _>>()?;
        let mut whole = self.start(workload, &args, None)?;
        for function in whole.functions.clone() {
            let (code, _) = whole.code(function, None)?;
            let result = saved(&mut whole, function, &directory)?;
            for step in steps {
                // Compiled again next to each other, so that both times are measured under the same conditions.
                let (_, before) = whole.code(function, None)?;
                let (other, after) = whole.code(function, Some(step.name))?;
                let case = format!("{} {}", workload.name, case.sizes);
                let mut effect = Effect { step: step.name, case, function, compile: (before, after), change: None };
                if other != code || step.in_code {
                    let mut without = self.start(workload, &args, Some(step.name))?;
                    let found = saved(&mut without, function, &directory)?;
                    self.compare(&effect, workload, &found, &result)?;
                    effect.change = self.change(&mut whole, &mut without, function);
                }
                self.effects.push(effect);
            }
        }
        Ok(())
    }

    /// Records a result that is off without a step.
    fn compare(
        &mut self,
        effect: &Effect,
        workload: &Workload,
        found: &compare::Arrays,
        result: &compare::Arrays,
    ) -> Result<(), String> {
        let off = compare::difference(found, result, workload.tolerance)?;
        if off > workload.tolerance.allowed() {
            let Effect { step, case, function, .. } = effect;
            self.faults.push(format!("{case}: without `{step}` the {} is off by {off:.1e}", function.name()));
        }
        Ok(())
    }

    fn start(&self, workload: &Workload, args: &[String], without: Option<&str>) -> Result<Process, String> {
        let mut command = self.peers.command(Peer::Arr, workload.name, self.threads)?.ok_or("no program")?;
        if let Some(step) = without {
            command.arg("--without").arg(step);
        }
        Process::start(command, self.threads, args)
    }

    fn change(&mut self, whole: &mut Process, without: &mut Process, function: Function) -> Option<Change> {
        let mut processes = [("with", &mut *whole), ("without", &mut *without)];
        let times = turns(&mut processes, function, self.effort, &mut self.faults);
        let [Some(with), Some(less)] = times.as_slice() else { return None };
        let median = |times: &Times| report::of(times, Statistic::Median);
        let bytes = whole.counted_peak().zip(without.counted_peak()).filter(|(a, b)| *a > 0 && *b > 0);
        let memory = bytes.map(|(with, without)| without as f64 / with as f64);
        Some(Change { time: median(less) / median(with), memory })
    }
}

fn saved(process: &mut Process, function: Function, directory: &Path) -> Result<compare::Arrays, String> {
    let path = directory.join("result.bin");
    process.save(function, &path)?;
    compare::read(&path)
}
