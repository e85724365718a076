//! The words for what is wrong with sizes.

use crate::data::problem::{Problem, Role};
use crate::messages::others::others;
use crate::messages::phrases::{did_you_mean, with_facts};
use arr_base::{Code, Diagnostic};

pub(crate) fn sizes(problem: Problem) -> Diagnostic {
    match problem {
        Problem::Unsolved { span, argument: (param, def), name, wanted, found, never, declared, facts } => {
            let title = format!("argument `{param}` of `{def}` has size `{found}` where `{wanted}` is needed");
            let note = match never {
                true => format!("no `{name}` solves the equation `{wanted} = {found}`"),
                false => format!(
                    "the equation `{wanted} = {found}`, with `{name}` of `{def}`, cannot be solved for `{name}`"
                ),
            };
            let hint = format!(
                "say what `{name}` is: `let {name} = ..` and `e :> [{wanted}]t`, checked when the program runs"
            );
            let d = Diagnostic::error(Code::SIZE_MISMATCH, title)
                .at(span, format!("an axis of size `{found}`"))
                .because(declared, format!("`{def}` needs `{wanted}` here"))
                .note(note)
                .hint_opt((!never).then_some(hint));
            with_facts(d, facts)
        }
        Problem::ComputedSize { span, name } => {
            let title =
                format!("`?{name}` is a size that a definition computes: it stands in the type of a result only");
            Diagnostic::error(Code::UNDETERMINED_SIZE, title)
                .at(span, "nothing is computed here")
                .hint(format!("a size that an argument fixes is `{name}`, and `let {name} = length(x)` names one"))
        }
        Problem::SizeMismatch { role, span, expected, found, sizes: (a, b), solution, assertion, facts } => {
            let title = match &role {
                Role::Operand(op) if assertion.is_none() => {
                    format!("`{op}` needs equal shapes, and `{a}` and `{b}` are never equal")
                }
                Role::Operand(op) => format!("`{op}` needs equal shapes, and `{a}` and `{b}` cannot be shown equal"),
                Role::Elements(op) => format!("`{op}` needs `{a}` elements, and the array has `{b}`"),
                role => format!("{} has size `{b}` where `{a}` is needed", role.phrase()),
            };
            let never = assertion.is_none();
            let hint = assertion.map(|ty| match ty.contains('?') {
                true => "give the size a name with `let` and assert it: `e :> [k]t` is checked when the program runs"
                    .to_string(),
                false => format!("if they are always equal, assert it: `e :> {ty}` is checked when the program runs"),
            });
            let axes = |ty: &str| ty.starts_with('[') && ty.matches('[').count() > 1;
            let product = matches!(&role, Role::Operand(op) if op == "*") && axes(&expected) && axes(&found);
            let matrices = "`*` multiplies element by element; the product of matrices is `a @ b`";
            let hint = if product { Some(matrices.to_string()) } else { hint };
            let kept = "the state of a loop keeps its size: begin with `zeros(n)`, and write `c with [i] = v`";
            let grows = never && matches!(role, Role::LoopState);
            let declared = never && matches!(role, Role::Result(_)) && !found.contains('?');
            let hint = hint.or_else(|| grows.then(|| kept.to_string()));
            let hint =
                hint.or_else(|| declared.then(|| format!("if that is meant, the type of the result is `{found}`")));
            let d = Diagnostic::error(Code::SIZE_MISMATCH, title)
                .at(span, format!("this has type `{found}`"))
                .expected_found(expected, found)
                .hint_opt(hint);
            let number = |text: &str| text.bytes().all(|c| c.is_ascii_digit() || c == b'-');
            let d = match solution {
                _ if number(&a) && number(&b) => d,
                Some((name, value)) => d.note(format!("the equation `{a} = {b}` holds only where `{name}` is {value}")),
                None if never => d.note(format!("the equation `{a} = {b}` never holds")),
                None => d.note(format!("the equation `{a} = {b}` does not hold for all sizes")),
            };
            with_facts(d, facts)
        }
        Problem::Outside { span, index, size, last, negative, bound } => {
            let what = if bound { "the bound" } else { "the index" };
            let hint = match (negative, bound) {
                (true, _) if size.contains('?') => "from the end one counts as `length(x) - 1`".to_string(),
                (true, false) => format!("counted from the end it is `x[{last}]`"),
                (true, true) => format!("counted from the end it is `{last}`"),
                (false, true) => format!("the last bound is `{size}`"),
                (false, false) => format!("the last index is `{last}`"),
            };
            Diagnostic::error(Code::OUTSIDE, format!("{what} `{index}` is outside of an axis of size `{size}`"))
                .at(span, "outside, whatever the sizes are")
                .hint(hint)
        }
        Problem::UnknownSize { name, span, suggestion } => {
            let hint =
                format!("a size is a name in a parameter's type, as in `x: [{name}]f64`, or a parameter `{name}: i64`");
            let d = Diagnostic::error(Code::UNKNOWN_SIZE, format!("no size is called `{name}` here"));
            did_you_mean(d.at(span, "unknown size").hint(hint), span, suggestion)
        }
        Problem::NoExtent { index, span, hint } => {
            Diagnostic::error(Code::NO_EXTENT, format!("the extent of `{index}` cannot be inferred"))
                .at(span, format!("no array from outside is read at the bare index `{index}`"))
                .hint(hint)
        }
        Problem::Irregular { size, index, span, origin, place } => {
            let title = match &index {
                Some(index) => format!("the size `{size}` varies with `{index}`, so the result would not be regular"),
                None => format!("the size `{size}` is computed inside {place}, so the result would not be regular"),
            };
            Diagnostic::error(Code::IRREGULAR, title)
                .at(span, format!("an axis of size `{size}`"))
                .because(origin.0, origin.1)
                .hint(match index {
                    Some(_) => "make all of one size and mask with `if`, or reduce the inner array in the body",
                    None => "compute the size before, with `let`, or reduce the inner array in the body",
                })
        }
        Problem::ExtentConflict { index, span, reads } => {
            let d = Diagnostic::error(Code::EXTENT_CONFLICT, format!("`{index}` reads axes of different sizes"))
                .at(span, "which extent?");
            let size = reads.first().map_or("n".to_string(), |(_, size, _)| size.clone());
            let d = reads.into_iter().fold(d, |d, (span, size, what)| {
                d.because(span, format!("`{index}` runs over an axis of size `{size}` of `{what}`"))
            });
            d.hint(format!("write the extent: `{index} < {size}`"))
        }
        Problem::UndeterminedSize { name, span, def } => {
            let d = Diagnostic::error(Code::UNDETERMINED_SIZE, format!("nothing fixes the size `{name}`"))
                .at(span, format!("`{name}` is not determined"));
            match def {
                Some(def) => d.note(format!("no argument of this call of `{def}` fixes `{name}`")),
                None => d.hint(format!(
                    "a size is fixed by a parameter whose type mentions it, as in `x: [{name}]f64`, or is a parameter `{name}: i64`; one that the body computes is `?{name}` in the result"
                )),
            }
        }
        Problem::RankMismatch { op, span, larger, smaller } => Diagnostic::error(
            Code::RANK_MISMATCH,
            format!("the axes of `{}` are not the last axes of `{}`, as `{op}` needs them", smaller.1, larger.1),
        )
        .at(span, "these shapes do not go together")
        .because(larger.0, format!("`{}`", larger.1))
        .because(smaller.0, format!("`{}`", smaller.1))
        .hint("an array goes with the last axes of a larger one; for the first axes write `for i => x[i] + y[i]`"),
        other => others(other),
    }
}
