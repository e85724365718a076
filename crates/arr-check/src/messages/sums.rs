//! The words for what is wrong with sums and `match`.

use crate::data::sum_problem::SumProblem;
use crate::messages::phrases::did_you_mean;
use arr_base::{Code, Diagnostic};

impl From<SumProblem> for Diagnostic {
    fn from(problem: SumProblem) -> Diagnostic {
        match problem {
            SumProblem::NotExhaustive { .. }
            | SumProblem::Unreachable { .. }
            | SumProblem::Refutable { .. }
            | SumProblem::OtherSum { .. }
            | SumProblem::PatternArity { .. }
            | SumProblem::UnknownConstructor { .. }
            | SumProblem::TooHard { .. }
            | SumProblem::TooManyArms { .. } => patterns(problem),
            other => types(other),
        }
    }
}

fn arguments(n: usize) -> String {
    if n == 1 { "1 argument".to_string() } else { format!("{n} arguments") }
}

fn patterns(problem: SumProblem) -> Diagnostic {
    match problem {
        SumProblem::NotExhaustive { span, missing, ty } => {
            Diagnostic::error(Code::NOT_EXHAUSTIVE, format!("this `match` has no arm for `{missing}`"))
                .at(span, format!("a value of type `{ty}`"))
                .hint(format!("add an arm: `{missing} => ..`"))
        }
        SumProblem::Unreachable { span, first } => {
            let d = Diagnostic::error(Code::UNREACHABLE_ARM, "this arm is never taken")
                .at(span, "the arms before it match everything that it does");
            match first {
                Some(first) => d.because(first, "this arm matches every value"),
                None => d.hint("remove it, or move it up"),
            }
        }
        SumProblem::Refutable { span, missing } => {
            let d = Diagnostic::error(Code::REFUTABLE_PATTERN, "this pattern may not match")
                .hint("where there is one pattern it must match every value; use `match`");
            match missing {
                Some(missing) => d.at(span, format!("the value may be `{missing}`")),
                None => d.at(span, "the value may be another"),
            }
        }
        SumProblem::OtherSum { constructor, span, ty, of } => Diagnostic::error(
            Code::PATTERN_MISMATCH,
            format!("the pattern `{constructor}` does not fit the value it takes apart"),
        )
        .at(span, format!("the value has type `{ty}`"))
        .note(format!("`{constructor}` is a constructor of `{of}`")),
        SumProblem::PatternArity { constructor, span, expected, found, declared } => {
            let verb = if found == 1 { "is" } else { "are" };
            let title =
                format!("the constructor `{constructor}` takes {}, and {found} {verb} given", arguments(expected));
            let d = Diagnostic::error(Code::WRONG_ARGUMENT_COUNT, title).at(span, format!("{} here", arguments(found)));
            match declared {
                Some(declared) => d.because(declared, "declared here"),
                None => d,
            }
        }
        SumProblem::UnknownConstructor { name, span, suggestion } => {
            let d = Diagnostic::error(Code::UNKNOWN_NAME, format!("no constructor is called `{name}` here"))
                .at(span, "unknown constructor")
                .hint("a name that a pattern binds starts with a small letter");
            did_you_mean(d, span, suggestion)
        }
        SumProblem::TooManyArms { span } => {
            Diagnostic::error(Code::TOO_DEEP, "this `match` has more arms than the compiler follows")
                .at(span, "too many arms")
                .hint("look the value up in an array, or split the `match`")
        }
        SumProblem::TooHard { span } => {
            Diagnostic::error(Code::UNSUPPORTED, "whether this `match` is complete takes too long to find out")
                .at(span, "too many combinations of patterns")
                .hint("match one part at a time, or end with `_ => ..`")
        }
        other => Diagnostic::error(Code::UNSUPPORTED, format!("{other:?}")),
    }
}

fn types(problem: SumProblem) -> Diagnostic {
    match problem {
        SumProblem::Recursive { name, span, cycle } => {
            let d = Diagnostic::error(Code::RECURSION, format!("the type `{name}` contains itself"))
                .at(span, "this use leads back to the definition")
                .hint("every value has a fixed number of parts; keep nodes in an array and refer to them by index");
            if cycle.len() > 2 { d.note(format!("the cycle is {}", cycle.join(" -> "))) } else { d }
        }
        SumProblem::FreeSize { name, ty, span } => {
            Diagnostic::error(Code::UNKNOWN_SIZE, format!("`{name}` is no parameter of the type `{ty}`"))
                .at(span, "unknown size")
                .note("the sizes of what a constructor carries are part of the sum's type")
                .hint(format!("give it the parameter: `type {ty}[{name}] = ..`"))
        }
        SumProblem::UnusedParameter { param, ty, span } => {
            Diagnostic::error(Code::UNDETERMINED_SIZE, format!("no constructor of `{ty}` mentions `{param}`"))
                .at(span, "cannot be told from a value")
                .hint("remove it")
        }
        SumProblem::Open { constructor, param, ty, params, span } => {
            let title = format!("of which type `{constructor}` is cannot be told from the context");
            Diagnostic::error(Code::AMBIGUOUS, title)
                .at(span, format!("nothing says what `{param}` of `{ty}` is"))
                .hint(format!("say it: `let x: {ty}[{}] = {constructor}..`", params.join(", ")))
        }
        SumProblem::Jacobian { span, result, argument } => {
            let title = "a Jacobian cannot hold numbers where a constructor holds one";
            Diagnostic::error(Code::UNSUPPORTED, title)
                .at(span, format!("the result has type `{result}`, the argument `{argument}`"))
                .hint("take the sum apart with `match` and differentiate what it carries, or use `jvp` and `vjp`")
        }
        other => Diagnostic::error(Code::UNSUPPORTED, format!("{other:?}")),
    }
}
