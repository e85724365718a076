//! One size of one workload in all peers, which take turns.

use crate::peers::{Peer, Peers};
use crate::process::{Function, Process};
use crate::statistics::Times;
use arr_bench::compare;
use arr_bench::input::Input;
use arr_bench::workloads::{Case, Workload};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Between turns, so that threads of the previous peer, which may wait for work in a busy loop, have gone to sleep.
const PAUSE: Duration = Duration::from_millis(5);

/// The time and the number of rounds.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Seconds for each function of each peer.
    pub seconds: f64,
    /// Turns that the peers take.
    pub rounds: usize,
}

/// The results of a case.
#[derive(Debug)]
pub struct Row {
    pub workload: &'static str,
    pub sizes: String,
    pub threads: usize,
    pub peers: BTreeMap<Peer, Figures>,
    /// Faults: peers that failed, results that differ.
    pub faults: Vec<String>,
}

/// The measurements of one peer.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    pub value: Option<Times>,
    pub gradient: Option<Times>,
    /// Seconds from the start of the process until the first gradient (or value, if there is none).
    pub first: Option<f64>,
    /// The peak growth of the process after its inputs were read, in bytes.
    pub grown: Option<u64>,
    /// The peak memory of the program itself in bytes, if it is counted.
    pub counted: Option<u64>,
    /// The distance of value and gradient from those of Arr, relative to the largest element.
    pub off: Option<f64>,
}

impl Figures {
    pub fn times(&self, function: Function) -> Option<&Times> {
        match function {
            Function::Value => self.value.as_ref(),
            Function::Gradient => self.gradient.as_ref(),
        }
    }
}

/// A peer in the race.
struct Runner {
    peer: Peer,
    process: Process,
    figures: Figures,
}

/// Runs a case in all peers. A failure in one of them is a fault of the row.
pub fn case(
    peers: &Peers,
    workload: &Workload,
    case: &Case,
    threads: usize,
    effort: Effort,
    directory: &Path,
) -> Result<Row, String> {
    std::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    let args: Vec<String> =
        case.inputs.iter().map(|input: &Input| input.argument(directory)).collect::<Result<_, _>>()?;
    let (name, sizes) = (workload.name, case.sizes.clone());
    let mut row = Row { workload: name, sizes, threads, peers: BTreeMap::new(), faults: Vec::new() };
    let mut runners = Vec::new();
    for &peer in &peers.found {
        let started = peers.command(peer, workload.name, threads).and_then(|command| match command {
            Some(command) => Process::start(command, threads, &args).and_then(|process| begin(peer, process)).map(Some),
            None => Ok(None),
        });
        match started {
            Ok(Some(runner)) => runners.push(runner),
            Ok(None) => {}
            Err(why) => row.faults.push(format!("{}: {why}", peer.name())),
        }
    }
    check(&mut runners, workload, directory, &mut row.faults);
    for function in [Function::Value, Function::Gradient] {
        race(&mut runners, function, effort, &mut row.faults);
    }
    for mut runner in runners {
        runner.figures.counted = runner.process.counted_peak();
        row.peers.insert(runner.peer, runner.figures);
    }
    let _ = std::fs::remove_dir_all(directory);
    Ok(row)
}

/// The first call: the time from the start of the process, and the memory.
fn begin(peer: Peer, mut process: Process) -> Result<Runner, String> {
    let last = *process.functions.last().ok_or("it has no functions")?;
    process.run(last, 1)?;
    let figures = Figures { first: Some(process.age().as_secs_f64()), grown: process.grown(), ..Figures::default() };
    Ok(Runner { peer, process, figures })
}

/// Compares the results of the peers with those of Arr.
fn check(runners: &mut [Runner], workload: &Workload, directory: &Path, faults: &mut Vec<String>) {
    for function in [Function::Value, Function::Gradient] {
        let mut own: Option<compare::Arrays> = None;
        for runner in runners.iter_mut().filter(|r| r.process.functions.contains(&function)) {
            let path = directory.join("result.bin");
            let result = runner.process.save(function, &path).and_then(|()| compare::read(&path));
            let off = match (result, &own) {
                (Ok(arrays), None) if runner.peer == Peer::Arr => {
                    own = Some(arrays);
                    continue;
                }
                (Ok(arrays), Some(own)) => compare::difference(&arrays, own, workload.tolerance),
                (Ok(_), None) => continue,
                (Err(why), _) => Err(why),
            };
            let what = format!("{}: the {}", runner.peer.name(), function.name());
            match off {
                Ok(off) => {
                    runner.figures.off = Some(runner.figures.off.map_or(off, |before| before.max(off)));
                    let allowed = workload.tolerance.allowed();
                    if off > allowed {
                        faults.push(format!("{what} is off by {off:.1e}, more than {allowed:.1e}"));
                    }
                }
                Err(why) => faults.push(format!("{what}: {why}")),
            }
        }
    }
}

/// Calls one function of all peers in turns.
fn race(runners: &mut [Runner], function: Function, effort: Effort, faults: &mut Vec<String>) {
    let mut processes: Vec<(&str, &mut Process)> =
        runners.iter_mut().map(|runner| (runner.peer.name(), &mut runner.process)).collect();
    let times = turns(&mut processes, function, effort, faults);
    for (runner, times) in runners.iter_mut().zip(times) {
        match function {
            Function::Value => runner.figures.value = times,
            Function::Gradient => runner.figures.gradient = times,
        }
    }
}

/// Calls one function of some named processes in turns; returns the times of each, if it has the function and did not
/// fail.
pub fn turns(
    processes: &mut [(&str, &mut Process)],
    function: Function,
    effort: Effort,
    faults: &mut Vec<String>,
) -> Vec<Option<Times>> {
    let mut plans: Vec<Option<Plan>> = Vec::new();
    for (_, process) in processes.iter_mut() {
        let has = process.functions.contains(&function);
        plans.push(if has { Plan::new(process, function, effort, faults) } else { None });
    }
    for round in 0..effort.rounds {
        for ((name, process), plan) in processes.iter_mut().zip(&mut plans) {
            let Some(plan) = plan.as_mut().filter(|plan| round < plan.rounds) else { continue };
            std::thread::sleep(PAUSE);
            match process.run(function, plan.batch) {
                Ok(times) => plan.times.seconds.extend(times),
                Err(why) => {
                    faults.push(format!("{name}: {}: {why}", function.name()));
                    plan.rounds = 0;
                }
            }
        }
    }
    let times = |plan: Option<Plan>| plan.map(|plan| plan.times).filter(|times| !times.seconds.is_empty());
    plans.into_iter().map(times).collect()
}

/// The number of calls of a function in each of its turns.
struct Plan {
    batch: usize,
    rounds: usize,
    times: Times,
}

impl Plan {
    fn new(process: &mut Process, function: Function, effort: Effort, faults: &mut Vec<String>) -> Option<Plan> {
        // The first call of a function compiles it, in Arr and in JAX; the second gives the duration of a call.
        let once = process.run(function, 1).and_then(|_| process.run(function, 1));
        let seconds = match once {
            Ok(times) => times.first().copied().unwrap_or(0.0).max(1e-7),
            Err(why) => {
                faults.push(format!("{}: {why}", function.name()));
                return None;
            }
        };
        let share = effort.seconds / effort.rounds as f64;
        let batch = (share / seconds).clamp(1.0, 2000.0) as usize;
        // A function that takes much longer than planned is called three times.
        let rounds =
            if seconds * effort.rounds as f64 > 4.0 * effort.seconds { effort.rounds.min(3) } else { effort.rounds };
        Some(Plan { batch, rounds, times: Times::default() })
    }
}
