//! Where the time of a run goes, by the lines of the program.
//!
//! The code writes which of its sections it begins, and another thread looks many times what is written there: a store
//! for every array operation is all that it costs. Inside of kernels nothing is written, so that they are as fast as ever.

use crate::execution::Execution;
use crate::program::{BackendCode, Executable, Outcome};
use crate::{Failure, Program, Session, SourceLine};
use arr_base::{Diagnostic, Id};
use arr_data::Arg;
use arr_ir::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The time in a section: in what is computed together, most often in one nest of loops.
#[derive(Clone, PartialEq, Debug)]
pub struct SectionTime {
    /// The name of the first array or number that it makes.
    pub name: String,
    /// The lines it comes from, its own first; none for what comes from no line.
    pub lines: Vec<SourceLine>,
    /// Whether differentiation made it.
    pub derivative: bool,
    /// In one run.
    pub time: Duration,
}

/// Where the time of a run goes.
#[derive(Clone, PartialEq, Debug)]
pub struct Profile {
    pub runs: usize,
    /// Of one run, as the mean over all.
    pub time: Duration,
    /// The longest first; sections that took no time are left out.
    pub sections: Vec<SectionTime>,
    /// In one run, outside of all sections: numbers, memory, arguments and results.
    pub elsewhere: Duration,
}

/// What is written while no run is active.
const IDLE: u32 = u32::MAX;
/// How often the other thread looks.
const PAUSE: Duration = Duration::from_micros(50);
/// Short runs are repeated for about this long.
const LONG_ENOUGH: Duration = Duration::from_millis(600);
/// The greatest number of runs.
const MOST_RUNS: usize = 100_000;

/// A place for one piece of code to write to. It is never freed, as code may outlive whoever asks for it.
pub(crate) fn new_watch() -> &'static AtomicU32 {
    Box::leak(Box::new(AtomicU32::new(IDLE)))
}

impl Session {
    /// Reads the arguments and profiles the program. Fails as [`Session::arguments`] and [`Program::profile`] do.
    pub fn profile(
        &mut self,
        program: &mut Program,
        args: &[Arg],
        execution: &Execution,
    ) -> Result<(Outcome, Profile), Failure> {
        let (sizes, leaves) = self.arguments_within(program, args, execution)?;
        program.profile(&sizes, &leaves, execution)
    }
}

impl Program {
    /// Runs the program as machine code on bound sizes and leaf values, several times if it is short, and finds where
    /// the time goes. Fails as [`Program::run`] does, and with E0901 on another back end.
    pub fn profile(
        &mut self,
        sizes: &[i64],
        leaves: &[Value],
        execution: &Execution,
    ) -> Result<(Outcome, Profile), Failure> {
        let execution = Execution { profile: true, ..*execution };
        let executable = self.executable_for(sizes, &execution)?;
        let (results, statistics, profile) = executable.profile(sizes, leaves)?;
        Ok((Outcome { value: self.value_of(&results)?, statistics }, profile))
    }
}

impl Executable {
    fn profile(&self, sizes: &[i64], leaves: &[Value]) -> Result<(Vec<Value>, crate::Statistics, Profile), Failure> {
        let watch = match &self.code {
            BackendCode::Cpu(compiled) => compiled.watch(),
            _ => None,
        };
        let Some(watch) = watch else { return Err(not_machine_code()) };
        let done = AtomicBool::new(false);
        let (ran, times) = std::thread::scope(|scope| {
            let watcher = scope.spawn(|| look(watch, &done));
            let ends = Ends(&done);
            let ran = self.run_watched(sizes, leaves, watch);
            drop(ends);
            (ran, watcher.join().unwrap_or_default())
        });
        let (results, statistics, runs, time) = ran?;
        Ok((results, statistics, self.account(&times, runs, time)))
    }

    /// The results of the first run, and how many there were in which time.
    fn run_watched(
        &self,
        sizes: &[i64],
        leaves: &[Value],
        watch: &AtomicU32,
    ) -> Result<(Vec<Value>, crate::Statistics, usize, Duration), Failure> {
        let mut total = Duration::ZERO;
        let mut call = || {
            let start = Instant::now();
            watch.store(0, Relaxed);
            let ran = self.run(sizes, leaves);
            watch.store(IDLE, Relaxed);
            total += start.elapsed();
            ran.map(|ran| (ran, total))
        };
        let ((results, statistics), mut time) = call()?;
        let mut runs = 1;
        while time < LONG_ENOUGH && runs < MOST_RUNS {
            let ((again, _), so_far) = call()?;
            self.recycle(again);
            (runs, time) = (runs + 1, so_far);
        }
        Ok((results, statistics, runs, time))
    }

    /// Shares the time of the runs out as the looks saw it.
    fn account(&self, times: &BTreeMap<u32, Duration>, runs: usize, time: Duration) -> Profile {
        let BackendCode::Cpu(compiled) = &self.code else {
            return Profile { runs, time, sections: Vec::new(), elsewhere: time };
        };
        let seen: Duration = times.iter().filter(|(id, _)| **id != IDLE).map(|(_, t)| *t).sum();
        let one = time / u32::try_from(runs).unwrap_or(u32::MAX).max(1);
        let share = |part: Duration| one.mul_f64(part.as_secs_f64() / seen.as_secs_f64().max(1e-12));
        let mut sections = Vec::new();
        for (id, section) in compiled.sections() {
            let Some(&looked) = u32::try_from(id.index()).ok().and_then(|id| times.get(&id)) else { continue };
            let mut lines: Vec<SourceLine> = Vec::new();
            for line in section.spans.iter().filter_map(|&span| SourceLine::of(&self.sources, span)) {
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
            let (name, derivative) = (section.name.clone(), section.derivative);
            sections.push(SectionTime { name, lines, derivative, time: share(looked) });
        }
        sections.sort_by_key(|section| std::cmp::Reverse(section.time));
        let elsewhere = share(times.get(&0).copied().unwrap_or_default());
        Profile { runs, time: one, sections, elsewhere }
    }
}

/// Ends the looking, also where a run ends in a panic.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Looks again and again what is written, until it is done: for each number, for how long it was there.
fn look(watch: &AtomicU32, done: &AtomicBool) -> BTreeMap<u32, Duration> {
    let mut times: BTreeMap<u32, Duration> = BTreeMap::new();
    let mut last = Instant::now();
    while !done.load(Relaxed) {
        std::thread::sleep(PAUSE);
        let (found, now) = (watch.load(Relaxed), Instant::now());
        *times.entry(found).or_default() += now - last;
        last = now;
    }
    times
}

fn not_machine_code() -> Failure {
    Diagnostic::error(arr_base::Code::UNSUPPORTED, "only machine code for this processor is profiled")
        .hint("leave `--backend` and `--trap-nan` out")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Derive, MemoryWorld};

    const TEXT: &str = "def f(x: [n]f64, k: i64) -> f64 =
  let y = for i < n => sum(for j < k => sin(x[i] * f64(j)))
  let z = for v in y => v * 2.0
  in sum(z * y)
def g(x: [n]f64, k: i64) -> [n]f64 = grad(f)(x, k)
";

    fn profiled(entry: &str, execution: &Execution) -> Result<(Outcome, Profile), Failure> {
        let mut session = Session::new(MemoryWorld::new([("p.arr", TEXT.as_bytes())]));
        let mut program = session.program("p.arr", entry, &Derive::Nothing)?;
        let args = [Arg::parse("[0.5, 1.5, 2.5]"), Arg::parse("20000")];
        session.profile(&mut program, &args, execution)
    }

    #[test]
    fn the_time_goes_to_the_line_that_takes_it() -> Result<(), Failure> {
        let (_, profile) = profiled("f", &Execution::default())?;
        let first = profile.sections.first().ok_or_else(|| Failure::Bug("no section took time".to_string()))?;
        assert!(first.lines.iter().any(|line| line.number == 2), "{profile:?}");
        assert!(first.time > profile.time / 2 && !first.derivative, "{profile:?}");
        Ok(())
    }

    #[test]
    fn times_add_up_and_derivatives_are_apart() -> Result<(), Failure> {
        let (outcome, profile) = profiled("g", &Execution::default())?;
        let mut session = Session::new(MemoryWorld::new([("p.arr", TEXT.as_bytes())]));
        let mut program = session.program("p.arr", "g", &Derive::Nothing)?;
        let args = [Arg::parse("[0.5, 1.5, 2.5]"), Arg::parse("20000")];
        assert_eq!(outcome.value, session.run(&mut program, &args, &Execution::default())?.value);
        let sum: Duration = profile.sections.iter().map(|section| section.time).sum();
        let sum = (sum + profile.elsewhere).as_secs_f64();
        assert!((sum / profile.time.as_secs_f64() - 1.0).abs() < 1e-3, "{profile:?}");
        assert!(profile.sections.iter().any(|section| section.derivative), "{profile:?}");
        Ok(())
    }

    #[test]
    fn other_back_ends_are_refused() {
        let execution = Execution { backend: Backend::Interp, ..Execution::default() };
        assert!(matches!(profiled("f", &execution), Err(Failure::Diagnostics(_))));
    }
}
