//! The words for what is wrong with derivatives and slices, and for what the checker does not do.

use crate::data::problem::Problem;
use crate::messages::nearest::nearest;
use crate::messages::phrases::list;
use arr_base::{Code, Diagnostic};

const NO_FLOAT: &str = "integers and booleans have no derivative: let the function give a float, such as the value before it is rounded or compared";

/// What to write for a function that has no gradient.
fn other_than_gradient(what: &str, ty: &str, has_float: bool) -> &'static str {
    if !has_float {
        NO_FLOAT
    } else if what == "`hessian`" {
        "reduce the result to one number, `sum(..)`; `jacfwd(jacrev(f))` gives all second derivatives of any result"
    } else if ty.starts_with('[') {
        "reduce the result to one number: `sum(..)`, or `sum(flatten(..))` where there are more axes; `vjp` takes any result, and `jacrev` gives all derivatives"
    } else {
        "take one part of the result, as in `\\x => f(x).0`; `vjp` takes any result, and `jacrev` gives all derivatives"
    }
}

pub(crate) fn others(problem: Problem) -> Diagnostic {
    match problem {
        Problem::NotScalar { span, ty, what, has_float } => {
            Diagnostic::error(Code::NOT_SCALAR, format!("{what} needs a function whose result is one float"))
                .at(span, format!("the result has type `{ty}`"))
                .hint(other_than_gradient(what, &ty, has_float))
        }
        Problem::NotDifferentiable { span, ty, is_result, is_function } => {
            let what = if is_result { "the function's result" } else { "the argument" };
            let title = if is_result {
                "there is nothing to differentiate"
            } else {
                "there is nothing to differentiate with respect to"
            };
            let hint = match (is_result, is_function) {
                (true, _) => NO_FLOAT,
                (_, true) => {
                    "a derivative is taken with respect to numbers, not functions: pass what the function is made from"
                }
                _ => {
                    "derivatives are with respect to floats: convert it with `f64(..)`, or name other parameters, as in `grad[y](f)(n, y)`"
                }
            };
            Diagnostic::error(Code::NOT_DIFFERENTIABLE, title)
                .at(span, format!("{what} has type `{ty}`, which holds no float"))
                .hint(hint)
        }
        Problem::BadStep { span, step } => {
            Diagnostic::error(Code::BAD_STEP, format!("a slice cannot go in steps of {step}"))
                .at(span, "a step is 1 or more")
                .hint_opt((step < 0).then(|| match step {
                    -1 => "the array backwards is `reverse(a)`".to_string(),
                    step => format!("backwards in steps is `reverse(a)[::{}]`", step.unsigned_abs()),
                }))
        }
        Problem::BadDerivative { span, title, label, declared, hint } => {
            let d = Diagnostic::error(Code::BAD_DERIVATIVE, title).at(span, label).hint_opt(hint);
            match declared {
                Some(declared) => d.because(declared, "declared here"),
                None => d,
            }
        }
        Problem::BadWrt { name, params, def } if params.contains(&name) => {
            Diagnostic::error(Code::BAD_WRT, format!("`{name}` of `{def}` is given twice"))
                .hint("each parameter has one derivative: name it once")
        }
        Problem::BadWrt { name, params, def } => {
            let d = Diagnostic::error(Code::BAD_WRT, format!("`{def}` has no parameter `{name}`"));
            match nearest(&name, params.iter().map(String::as_str)) {
                Some(s) => d.hint(format!("did you mean `{s}`?")),
                None => d.note(format!("its parameters are {}", list(&params))),
            }
        }
        Problem::Unsupported { span, what } => {
            Diagnostic::error(Code::UNSUPPORTED, format!("{what} not supported yet")).at(span, "not supported yet")
        }
        Problem::Broken { span, what } => {
            Diagnostic::error(Code::UNSUPPORTED, format!("internal error of the checker: {what}"))
                .at(span, "while elaborating this")
                .hint("this is a bug in the compiler; please report it with the program")
        }
        Problem::TooDeep { span } => {
            Diagnostic::error(Code::TOO_DEEP, "this is nested deeper than the compiler follows")
                .at(span, "too deep")
                .hint("name an inner part with `let`, or write a `loop`")
        }
        Problem::TooLarge { span } => {
            Diagnostic::error(Code::UNSUPPORTED, "the program is too large once its definitions are inlined")
                .at(span, "reached here")
                .hint("definitions are specialised at each use; a `loop` or a `for` keeps one copy")
        }
        // Every variant is in one of the functions above.
        other => Diagnostic::error(Code::UNSUPPORTED, format!("{other:?}")),
    }
}
