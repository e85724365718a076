//! The meaning of a recorded failure.

use crate::{Failure, FailureCode};
use arr_base::RunErrorKind;

impl Failure {
    /// The run-time error. `max_steps` is the limit of the run.
    pub fn kind(&self, max_steps: i64) -> RunErrorKind {
        let [a, b, c] = self.values;
        match self.code {
            FailureCode::Index => RunErrorKind::Index { index: a, extent: b },
            FailureCode::Slice => RunErrorKind::Slice { lo: a, hi: b, extent: c },
            FailureCode::DivisionByZero => RunErrorKind::DivisionByZero,
            FailureCode::SizeAssertion => RunErrorKind::SizeAssertion { found: a, expected: b },
            FailureCode::NegativeSize => RunErrorKind::NegativeSize { size: a },
            FailureCode::OutOfMemory => RunErrorKind::OutOfMemory { bytes: a, limit: b },
            FailureCode::EmptyReduction => RunErrorKind::EmptyReduction,
            FailureCode::Step => RunErrorKind::Step { step: a },
            FailureCode::Outside => {
                RunErrorKind::Internal(format!("an access to element {b} of a buffer of length {c} (local {a})"))
            }
            FailureCode::Place => RunErrorKind::Internal(format!("an access to element {a} of an array of {b}")),
            FailureCode::Released => RunErrorKind::Internal(format!("a buffer is used after it was freed (local {a})")),
            FailureCode::Interrupted => RunErrorKind::Interrupted,
            FailureCode::TooManySteps => RunErrorKind::TooManySteps { limit: max_steps },
        }
    }
}
