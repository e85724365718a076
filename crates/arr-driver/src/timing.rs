//! Timing of compiled programs: repeated calls on the same inputs, without anything in between.

use crate::execution::Execution;
use crate::program::{Executable, Statistics};
use crate::{Failure, Program, Session};
use arr_data::Arg;
use arr_ir::Value;
use std::time::{Duration, Instant};

/// The number of calls.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Repeat {
    /// Exactly this many; by default as many as fit into `time`.
    pub runs: Option<usize>,
    /// For about this long, and at least three times.
    pub time: Duration,
}

/// The limits on the number of calls where it is not given.
const RUNS: std::ops::RangeInclusive<usize> = 3..=1_000_000;

/// The times of calls.
#[derive(Clone, PartialEq, Debug)]
pub struct Timing {
    /// Every call but the first, in order.
    pub runs: Vec<Duration>,
    /// The first call, whose memory is new.
    pub first: Duration,
    /// Passes and machine code.
    pub compile: Duration,
    /// The counters of the last call, as in `Outcome`.
    pub statistics: Statistics,
}

impl Timing {
    pub fn median(&self) -> Duration {
        self.quantile(1, 2)
    }

    pub fn min(&self) -> Duration {
        self.runs.iter().copied().min().unwrap_or_default()
    }

    /// The middle half of the times, from the first quartile to the third, over the median.
    pub fn spread(&self) -> f64 {
        let width = self.quantile(3, 4).saturating_sub(self.quantile(1, 4));
        width.as_secs_f64() / self.median().as_secs_f64().max(1e-9)
    }

    /// The time that `part / parts` of the calls did not exceed, between two calls the mean of both.
    fn quantile(&self, part: usize, parts: usize) -> Duration {
        let mut sorted = self.runs.clone();
        sorted.sort();
        let place = part * sorted.len().saturating_sub(1);
        let at = |i: usize| sorted.get(i).copied().unwrap_or_default();
        let (low, high) = (at(place / parts), at(place.div_ceil(parts)));
        (low + high) / 2
    }
}

impl Session {
    /// Compiles a program, reads its arguments, and calls it. Fails as [`Session::arguments`],
    /// [`Program::executable_for`] and [`Executable::run`] do.
    pub fn time(
        &mut self,
        program: &mut Program,
        args: &[Arg],
        execution: &Execution,
        repeat: Repeat,
    ) -> Result<Timing, Failure> {
        let (sizes, leaves) = self.arguments_within(program, args, execution)?;
        let start = Instant::now();
        let executable = program.executable_for(&sizes, execution)?;
        let compile = start.elapsed();
        executable.time(&sizes, &leaves, repeat).map(|timing| Timing { compile, ..timing })
    }
}

impl Executable {
    /// Calls it on bound sizes and leaf values. Results are handed back outside the timed part, so that all calls but
    /// the first write into known memory. Fails as [`Executable::run`] does, at the first call that fails.
    pub fn time(&self, sizes: &[i64], leaves: &[Value], repeat: Repeat) -> Result<Timing, Failure> {
        let call = || -> Result<(Duration, Statistics), Failure> {
            let start = Instant::now();
            let (results, statistics) = self.run(sizes, leaves)?;
            let time = start.elapsed();
            self.recycle(results);
            Ok((time, statistics))
        };
        let (first, mut statistics) = call()?;
        let mut runs = Vec::new();
        let start = Instant::now();
        let enough = |done: usize| match repeat.runs {
            Some(runs) => done >= runs,
            None => done >= *RUNS.end() || done >= *RUNS.start() && start.elapsed() >= repeat.time,
        };
        while !enough(runs.len()) {
            let (time, counted) = call()?;
            runs.push(time);
            statistics = counted;
        }
        Ok(Timing { runs, first, compile: Duration::ZERO, statistics })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Derive, MemoryWorld};

    #[test]
    fn quantiles() {
        let runs = [5, 1, 2, 4, 3].map(Duration::from_millis).to_vec();
        let timing = Timing { runs, first: Duration::ZERO, compile: Duration::ZERO, statistics: Vec::new() };
        assert_eq!(timing.median(), Duration::from_millis(3));
        assert_eq!(timing.min(), Duration::from_millis(1));
        assert!((timing.spread() - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_program_is_called_as_often_as_asked() -> Result<(), Failure> {
        let text: &[u8] = b"def f(x: [n]f64) -> f64 = sum(x * x)";
        let mut session = Session::new(MemoryWorld::new([("p.arr", text)]));
        let mut program = session.program("p.arr", "f", &Derive::Nothing)?;
        let repeat = Repeat { runs: Some(5), time: Duration::ZERO };
        let args = [Arg::parse("[1.0, 2.0]")];
        let timing = session.time(&mut program, &args, &Execution::default(), repeat)?;
        assert_eq!(timing.runs.len(), 5);
        assert!(timing.min() > Duration::ZERO && timing.min() <= timing.median());
        let repeat = Repeat { runs: None, time: Duration::from_millis(1) };
        let timing = session.time(&mut program, &args, &Execution::default(), repeat)?;
        assert!(timing.runs.len() >= 3);
        Ok(())
    }
}
