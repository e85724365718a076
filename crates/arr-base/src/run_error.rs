//! Run-time errors as data: the same value comes from the interpreter and from every back end.

use crate::{Code, Diagnostic, Span};

/// The reason why a program stopped at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunErrorKind {
    /// An index and the extent that it exceeds.
    Index {
        index: i64,
        extent: i64,
    },
    Slice {
        lo: i64,
        hi: i64,
        extent: i64,
    },
    DivisionByZero,
    /// A failed `:>`.
    SizeAssertion {
        found: i64,
        expected: i64,
    },
    NegativeSize {
        size: i64,
    },
    /// The requested bytes, and the limit.
    OutOfMemory {
        bytes: i64,
        limit: i64,
    },
    EmptyReduction,
    /// The step of a slice, which is not positive.
    Step {
        step: i64,
    },
    TooManySteps {
        limit: i64,
    },
    /// Whoever runs the program wants it to stop.
    Interrupted,
    /// A float that the program is watched for.
    NotFinite(Box<NotFinite>),
    /// The IR is not well formed. Never caused by a verified program.
    Internal(String),
}

/// An operation that made a NaN, or an infinity, out of operands that are none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotFinite {
    /// As a program has it: `0.0 / 0.0`.
    pub operation: String,
    /// `nan`, `inf` or `-inf`.
    pub result: String,
    /// Whether it belongs to the derivative of the place, and not to the place itself.
    pub derivative: bool,
    /// The indices of the loops and kernels around it, outermost first, with their values.
    pub at: Vec<(String, i64)>,
}

impl NotFinite {
    fn title(&self) -> String {
        let Self { operation, result, derivative, .. } = self;
        let place = if *derivative { "in a derivative, " } else { "" };
        format!("{place}`{operation}` is {result}")
    }

    /// `at step = 3, i = 0`
    fn place(&self) -> Option<String> {
        let indices: Vec<String> = self.at.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        (!indices.is_empty()).then(|| format!("at {}", indices.join(", ")))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunError {
    pub kind: RunErrorKind,
    pub span: Option<Span>,
}

impl RunError {
    pub fn new(kind: RunErrorKind, span: Option<Span>) -> Self {
        Self { kind, span }
    }

    /// The indices at which it happened, where they are known.
    fn place(&self) -> Option<String> {
        if let RunErrorKind::NotFinite(what) = &self.kind { what.place() } else { None }
    }

    pub fn to_diagnostic(&self) -> Diagnostic {
        let (code, title, label, hint) = match &self.kind {
            RunErrorKind::Index { index, extent } => (
                Code::INDEX_OUT_OF_RANGE,
                format!("index {index} is out of range for an axis of size {extent}"),
                format!("this index is {index}"),
                Some(if *extent > 0 {
                    format!("indices run from 0 to {}", extent - 1)
                } else {
                    "the axis is empty".to_string()
                }),
            ),
            RunErrorKind::Slice { lo, hi, extent } => (
                Code::INDEX_OUT_OF_RANGE,
                format!("slice {lo}:{hi} is out of range for an axis of size {extent}"),
                format!("this slice is {lo}:{hi}"),
                Some(format!("a slice lo:hi needs 0 <= lo <= hi <= {extent}")),
            ),
            RunErrorKind::DivisionByZero => (
                Code::DIVISION_BY_ZERO,
                "integer division by zero".to_string(),
                "the divisor is 0 here".to_string(),
                None,
            ),
            RunErrorKind::SizeAssertion { found, expected } => (
                Code::ASSERTION_FAILED,
                format!("the asserted size is {expected}, but the value has size {found}"),
                "this assertion fails".to_string(),
                None,
            ),
            RunErrorKind::NegativeSize { size } => (
                Code::NEGATIVE_SIZE,
                format!("an array would have size {size}"),
                "the size is negative here".to_string(),
                None,
            ),
            RunErrorKind::OutOfMemory { bytes, limit } => {
                let (title, hint) = too_large(*bytes, *limit);
                (Code::OUT_OF_MEMORY, title, "this array is too large".to_string(), hint)
            }
            RunErrorKind::EmptyReduction => (
                Code::EMPTY_REDUCTION,
                "an empty array has no maximum or minimum".to_string(),
                "the array is empty here".to_string(),
                None,
            ),
            RunErrorKind::Step { step } => (
                Code::BAD_STEP,
                format!("a slice cannot go in steps of {step}"),
                format!("the step is {step}"),
                Some("a step is 1 or more; `reverse(a)` is the array backwards".to_string()),
            ),
            RunErrorKind::TooManySteps { limit } => (
                Code::TOO_MANY_STEPS,
                format!("the program ran past {limit} loop iterations"),
                "in this loop".to_string(),
                Some("`--max-steps` raises the limit".to_string()),
            ),
            RunErrorKind::Interrupted => {
                (Code::INTERRUPTED, "the program was interrupted".to_string(), "in this loop".to_string(), None)
            }
            RunErrorKind::NotFinite(what) => {
                let label = if what.derivative { "in the derivative of this" } else { "here" };
                (Code::NOT_FINITE, what.title(), label.to_string(), None)
            }
            RunErrorKind::Internal(what) => (
                Code::UNSUPPORTED,
                format!("internal error: {what}"),
                "while running this".to_string(),
                Some("this is a bug in the compiler; please report it with the program".to_string()),
            ),
        };
        let diagnostic = Diagnostic::error(code, title).hint_opt(hint);
        let diagnostic = match self.place() {
            Some(place) => diagnostic.note(place),
            None => diagnostic,
        };
        match self.span {
            Some(span) => diagnostic.at(span, label),
            None => diagnostic,
        }
    }
}

/// The title of [`RunErrorKind::OutOfMemory`] and its hint. `i64::MAX` bytes stand for more than can be counted, and as a
/// limit for none.
fn too_large(bytes: i64, limit: i64) -> (String, Option<String>) {
    match (bytes, limit) {
        (i64::MAX, _) => ("an array would be larger than any memory".to_string(), None),
        (_, i64::MAX) => (format!("there is no memory for an array of {bytes} bytes"), None),
        _ => (
            format!("an array of {bytes} bytes does not fit in the {limit} bytes the program may use"),
            Some("`--max-memory` raises the limit".to_string()),
        ),
    }
}
