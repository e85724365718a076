//! Tests by name: a suite says which it has, and all suites are run together.

use libtest_mimic::Failed;

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

    /// As the runner takes it, under the suite's name.
    pub fn of(self, suite: &str) -> libtest_mimic::Trial {
        libtest_mimic::Trial::test(format!("{suite}::{}", self.name), self.run)
    }
}
