//! What can be wrong with sums and `match`, as data. The words are in `messages/sums.rs`.

use arr_base::Span;

/// One thing wrong with a sum or a `match`.
#[derive(Clone, Debug)]
pub(crate) enum SumProblem {
    UnknownConstructor {
        name: String,
        span: Span,
        suggestion: Option<String>,
    },
    /// `cycle` runs from the type through others back to it.
    Recursive {
        name: String,
        span: Span,
        cycle: Vec<String>,
    },
    /// A constructor mentions a size that is not a parameter of the sum.
    FreeSize {
        name: String,
        ty: String,
        span: Span,
    },
    /// No constructor mentions the parameter.
    UnusedParameter {
        param: String,
        ty: String,
        span: Span,
    },
    /// Nothing says what the parameter of the sum is.
    Open {
        constructor: String,
        param: String,
        ty: String,
        params: Vec<String>,
        span: Span,
    },
    /// A constructor's pattern for a value of another type.
    OtherSum {
        constructor: String,
        span: Span,
        ty: String,
        of: String,
    },
    PatternArity {
        constructor: String,
        span: Span,
        expected: usize,
        found: usize,
        declared: Option<Span>,
    },
    NotExhaustive {
        span: Span,
        missing: String,
        ty: String,
    },
    Unreachable {
        span: Span,
        first: Option<Span>,
    },
    /// A pattern that may not match, where there is only one.
    Refutable {
        span: Span,
        missing: Option<String>,
    },
    TooHard {
        span: Span,
    },
    TooManyArms {
        span: Span,
    },
    Jacobian {
        span: Span,
        result: String,
        argument: String,
    },
}
