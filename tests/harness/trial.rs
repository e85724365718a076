//! Tests by name: a suite lists its tests, and all suites are run together.

use crate::Outcome;
use arr_driver::with_stack;
use libtest_mimic::Failed;
use std::ops::Range;
use std::time::Instant;

type Run = Box<dyn FnOnce() -> Result<(), Failed> + Send>;

/// One test of a suite.
pub struct Trial {
    name: String,
    run: Run,
}

impl Trial {
    pub fn test(name: impl Into<String>, run: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
        Trial { name: name.into(), run: Box::new(run) }
    }

    /// In the runner's form, under the suite's name. `ARR_TIMES=1` prints how long each test takes.
    pub fn of(self, suite: &str) -> libtest_mimic::Trial {
        let name = format!("{suite}::{}", self.name);
        if std::env::var_os("ARR_TIMES").is_none() {
            return libtest_mimic::Trial::test(name, self.run);
        }
        libtest_mimic::Trial::test(name.clone(), move || {
            let start = Instant::now();
            let outcome = (self.run)();
            eprintln!("{:>8.2} s  {name}", start.elapsed().as_secs_f64());
            outcome
        })
    }
}

/// The work with a large stack for deep programs and for compilers of shaders; a panic is its failure.
pub fn deep(work: impl FnOnce() -> Outcome + Send) -> Outcome {
    with_stack(work).unwrap_or_else(|_| Err("it panicked".to_string()))
}

/// The two numbers of an environment variable, as in `40x3`.
pub fn asked_pair(name: &str, between: char) -> Option<(u64, u64)> {
    let text = std::env::var(name).ok()?;
    let (from, to) = text.split_once(between)?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

/// The seeds that `ARR_RANDOM=1000-9000` asks for.
pub fn asked_seeds() -> Option<Range<u64>> {
    asked_pair("ARR_RANDOM", '-').map(|(from, to)| from..to)
}
