//! Messages: the words of every diagnostic of this crate, and the text of types and patterns in them.
//!
//! A message is made from a problem, which is data (`data/problem.rs`).
//!
//! Depends on `data`.

pub(crate) mod counts;
pub(crate) mod elsewhere;
mod names;
pub(crate) mod nearest;
mod others;
mod phrases;
mod sizes;
mod sums;
mod types;
mod uses;
pub(crate) mod written;

use crate::data::problem::Problem;
use arr_base::Diagnostic;

impl From<Problem> for Diagnostic {
    fn from(problem: Problem) -> Diagnostic {
        match problem {
            Problem::UnknownName { .. }
            | Problem::UnknownType { .. }
            | Problem::Duplicate { .. }
            | Problem::BuiltInType { .. }
            | Problem::Recursion { .. }
            | Problem::NoParameter { .. }
            | Problem::UnknownField { .. }
            | Problem::NotARecord { .. }
            | Problem::NoProjection { .. }
            | Problem::UnknownModule { .. }
            | Problem::NotImported { .. }
            | Problem::NoAlias { .. }
            | Problem::DuplicateImport { .. }
            | Problem::ModuleValue { .. }
            | Problem::NoMember { .. }
            | Problem::NoNewAxis { .. }
            | Problem::TypeValue { .. }
            | Problem::NoEntry { .. } => names::names(problem),
            Problem::UnknownSize { .. }
            | Problem::ComputedSize { .. }
            | Problem::NoExtent { .. }
            | Problem::Irregular { .. }
            | Problem::ExtentConflict { .. }
            | Problem::UndeterminedSize { .. }
            | Problem::SizeMismatch { .. }
            | Problem::Unsolved { .. }
            | Problem::Outside { .. }
            | Problem::RankMismatch { .. } => sizes::sizes(problem),
            Problem::NotScalar { .. }
            | Problem::NotDifferentiable { .. }
            | Problem::BadStep { .. }
            | Problem::BadDerivative { .. }
            | Problem::BadWrt { .. }
            | Problem::Unsupported { .. }
            | Problem::Broken { .. }
            | Problem::TooDeep { .. }
            | Problem::TooLarge { .. } => others::others(problem),
            Problem::Sums(problem) => problem.into(),
            Problem::Uses(problem) => problem.into(),
            _ => types::types(problem),
        }
    }
}

/// Source order, without repetitions: of several diagnostics with one code at one place the first stays.
pub(crate) fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    Diagnostic::sort(diagnostics);
    diagnostics.dedup_by(|a, b| a.code == b.code && a.primary_span() == b.primary_span());
}
