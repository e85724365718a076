//! The words for names that are known, but not for the use that is made of them.

use crate::data::use_problem::{NotASize, UseProblem};
use arr_base::{Code, Diagnostic};

const CONSTANT: &str = "a constant is a size where it is an `i64` that is known when the program is checked, as in `def k = 3`; a size that arguments fix has a name of its own";

impl From<UseProblem> for Diagnostic {
    fn from(problem: UseProblem) -> Diagnostic {
        match problem {
            UseProblem::NotASize { name, span, why, declared } => {
                let (what, hint) = match why {
                    NotASize::TypeParameter => {
                        ("it is a type".to_string(), "give the size a name of its own, as in `[n]f64`".to_string())
                    }
                    NotASize::Value(ty) => (
                        format!("it has type `{ty}`"),
                        format!("a size is an `i64`: make it `{name}: i64`, or give the size a name of its own"),
                    ),
                    NotASize::Constant(ty) => (format!("it has type `{ty}`"), CONSTANT.to_string()),
                    NotASize::Computed => {
                        ("its value is not known when the program is checked".to_string(), CONSTANT.to_string())
                    }
                };
                let d = Diagnostic::error(Code::UNKNOWN_SIZE, format!("`{name}` is no size: {what}"))
                    .at(span, "a size is needed here")
                    .hint(hint);
                match declared.filter(|declared| *declared != span) {
                    Some(declared) => d.because(declared, "declared here"),
                    None => d,
                }
            }
            UseProblem::Private { module, name, span } => Diagnostic::error(
                Code::NO_MEMBER,
                format!("`{name}` of the module `{module}` is for its own file"),
            )
            .at(span, "not for other files")
            .hint("a name that begins with `_` is used in its own file only: call what uses it there, or rename it"),
        }
    }
}
