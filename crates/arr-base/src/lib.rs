//! The foundation of every other crate of Arr: typed ids over dense tables, source files and spans, diagnostics as
//! data, and threads with large stacks for recursion.
//!
//! Nothing here knows about the language. A diagnostic is a value (code, title, labels, hint); who draws it,
//! and how, is decided by `arr-cli`.

mod codes;
mod diagnostic;
mod extents;
mod id;
mod id_map;
mod polynomial;
mod run_error;
mod scalar;
mod self_check;
mod solve_sizes;
mod source;
mod stack;
mod terms;
mod trace;
mod written;

/// Serialisation of ids, for [`define_id!`].
#[doc(hidden)]
pub use serde;

pub use codes::{CODES, Code, CodeInfo, Family};
pub use diagnostic::{Diagnostic, Fix, Label, Severity};
pub use extents::{MAX_SIZE, count_elements, element_count, made_count};
pub use id::{Id, IndexVec};
pub use id_map::IdMap;
pub use polynomial::Polynomial;
pub use run_error::{NotFinite, RunError, RunErrorKind};
pub use scalar::Scalar;
pub use self_check::checks_itself;
pub use solve_sizes::{AxisFault, NamedSize, NamedSizes, SizeError, SizedAxis, SolvedSizes, solve_sizes};
pub use source::{SourceFile, SourceId, SourceMap, Span};
pub use stack::{Crashed, is_quiet, on_large_stack, quietly, with_stack};
pub use terms::{Monomial, Terms};
pub use trace::{Listener, Listening, Trace, TracePlace, Traced, Traces};
pub use written::{tuple_end, tuple_text};
