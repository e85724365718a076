//! What can be wrong with a name that is known, but not for this use, as data. The words are in `messages/uses.rs`.

use arr_base::Span;

/// One name in a place that it is not for.
#[derive(Clone, Debug)]
pub(crate) enum UseProblem {
    /// A name that stands as a size; `declared` is where it gets its other meaning.
    NotASize { name: String, span: Span, why: NotASize, declared: Option<Span> },
    /// A name of another file that begins with `_`.
    Private { module: String, name: String, span: Span },
}

/// Why a name is no size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NotASize {
    /// It is a type parameter.
    TypeParameter,
    /// It is a value of this type.
    Value(String),
    /// It is a constant of this type.
    Constant(String),
    /// It is an `i64` constant that is computed when the program runs.
    Computed,
}
