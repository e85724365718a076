//! The traces of running programs, on standard error.

use crate::options::Tracing;
use crate::output;
use arr_base::{Listener, Listening, Trace};

struct ToStderr {
    every: bool,
}

impl Listener for ToStderr {
    fn every(&self) -> bool {
        self.every
    }

    fn show(&self, trace: &Trace<'_>) {
        output::to_stderr(&arr_data::trace_line(trace));
    }

    fn missed(&self, label: &str, count: u64) {
        output::to_stderr(&arr_data::missed_line(label, count));
    }
}

static FEW: ToStderr = ToStderr { every: false };
static EVERY: ToStderr = ToStderr { every: true };

/// Who listens, by the options.
pub fn listening(options: Tracing) -> Option<Listening> {
    (!options.no_trace).then_some(Listening(if options.trace_all { &EVERY } else { &FEW }))
}
