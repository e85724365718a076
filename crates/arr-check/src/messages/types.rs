//! The words for what is wrong with types.

use crate::data::problem::Problem;
use crate::messages::others::others;
use crate::messages::phrases::{count, list, with_facts};
use arr_base::{Code, Diagnostic};
use arr_ir::Scalar;

pub(crate) fn types(problem: Problem) -> Diagnostic {
    match problem {
        Problem::Mismatch { role, span, expected, found, hint, facts } => {
            let title = format!("{} has the wrong type", role.phrase());
            let d = Diagnostic::error(Code::TYPE_MISMATCH, title)
                .at(span, format!("this has type `{found}`"))
                .expected_found(expected, found)
                .hint_opt(hint);
            with_facts(d, facts)
        }
        Problem::Operator { op, span, left, right, hint } => {
            Diagnostic::error(Code::OPERATOR_TYPES, format!("`{op}` is not defined on `{}` and `{}`", left.1, right.1))
                .at(span, format!("the operands of `{op}` differ in type"))
                .because(left.0, format!("`{}`", left.1))
                .because(right.0, format!("`{}`", right.1))
                .hint_opt(hint)
        }
        Problem::Operand { op, span, ty, needs, hint } => {
            Diagnostic::error(Code::OPERATOR_TYPES, format!("`{op}` is not defined on `{ty}`"))
                .at(span, format!("this has type `{ty}`"))
                .expected_found(needs, ty)
                .hint_opt(hint)
        }
        Problem::Text { span, text } => {
            Diagnostic::error(Code::OPERATOR_TYPES, format!("the text \"{text}\" is no value"))
                .at(span, "text in quotes")
                .hint("text is the label of a trace, `trace(\"loss\", x)`, and stands after `import` and `test`")
        }
        Problem::Label { name, span } => {
            Diagnostic::error(Code::OPERATOR_TYPES, format!("the label of `{name}` is no text in quotes"))
                .at(span, "this is no text")
                .hint(format!("write `{name}(\"x\", x)`; the label is known when the program is compiled"))
        }
        Problem::Untraceable { name, span, ty } => {
            Diagnostic::error(Code::OPERATOR_TYPES, format!("`{name}` does not show `{ty}`"))
                .at(span, format!("this has type `{ty}`"))
                .hint("numbers and bools are shown, and arrays, tuples and records of them")
        }
        Problem::NotAFunction { span, ty, called, hint } => {
            let title = match called {
                true => "this is called, but it is not a function",
                false => "a function is needed here, and this is not one",
            };
            Diagnostic::error(Code::NOT_A_FUNCTION, title).at(span, format!("this has type `{ty}`")).hint_opt(hint)
        }
        Problem::ArgumentCount { name, span, expected, found, declared, hint } => {
            let d = Diagnostic::error(
                Code::WRONG_ARGUMENT_COUNT,
                format!("{name} takes {expected}, and {found} {} given", if found == 1 { "is" } else { "are" }),
            )
            .at(span, format!("{} here", count(found, "argument")))
            .hint_opt(hint.map(str::to_string));
            match declared {
                Some(span) => d.because(span, "declared here"),
                None => d,
            }
        }
        Problem::NotAnArray { span, ty, doing } => {
            let hint = match (doing, ty.as_str()) {
                ("`for .. in`", "i64" | "i32" | "u32") => Some("indices are written `for i < n => e`".to_string()),
                ("indexing", ty) if Scalar::from_name(ty).is_some() => {
                    Some("this is one number already: leave the index out".to_string())
                }
                ("indexing", "function") => Some(
                    "a function is called, `f(x)`; brackets behind a derivative hold names of parameters, `grad[w, b](f)`"
                        .to_string(),
                ),
                ("`map`", ty) if Scalar::from_name(ty).is_some() => {
                    Some("of one value a function is called: `f(x)`".to_string())
                }
                ("`concat`", ty) if Scalar::from_name(ty).is_some() => {
                    Some("an array of one element is `[x]`: `concat(xs, [x])`".to_string())
                }
                ("indexing", ty) if ty.starts_with('{') => Some("a field of a record is `r.x`".to_string()),
                ("indexing", ty) if ty.starts_with('(') => Some("a part of a tuple is `t.0`".to_string()),
                _ => None,
            };
            Diagnostic::error(Code::NOT_AN_ARRAY, format!("{doing} needs an array"))
                .at(span, format!("this has type `{ty}`"))
                .hint_opt(hint)
        }
        Problem::TooManyIndices { span, ty, rank, given } => {
            let title =
                format!("{} for an array with {}", count(given, "index").replace("indexs", "indices"), axes(rank));
            let one = "a vector has one index, `x[i]`; a matrix is `[n][m]f64`".to_string();
            let hint = if rank == 1 { one } else { format!("leave out all but {rank} indices") };
            Diagnostic::error(Code::TOO_MANY_INDICES, title).at(span, format!("the array has type `{ty}`")).hint(hint)
        }
        Problem::FunctionValue { span, place, hint } => {
            Diagnostic::error(Code::FUNCTION_VALUE, format!("a function cannot be {place}"))
                .at(span, "this is a function")
                .note("functions are known when the program is compiled: they can be passed and called")
                .hint_opt(hint)
        }
        Problem::Pattern { span, pattern, ty } => {
            let tuple = ty.starts_with('(').then(|| format!("the value is taken apart by {}", tuple_pattern(&ty)));
            Diagnostic::error(Code::PATTERN_MISMATCH, format!("{pattern} does not fit the value it takes apart"))
                .at(span, format!("the value has type `{ty}`"))
                .hint_opt(tuple)
        }
        Problem::MissingAnnotation { span, name } => {
            Diagnostic::error(Code::MISSING_ANNOTATION, format!("the parameter `{name}` needs a type"))
                .at(span, "no type is given")
                .hint(format!("write `{name}: f64`, or whatever type it has"))
        }
        Problem::NoConversion { span, param, ty } => {
            Diagnostic::error(Code::BOUND, format!("nothing is converted to `{ty}`"))
                .at(span, format!("`{param}` stands for this type here"))
                .hint(format!(
                    "`{param}` is a conversion where it stands for a scalar type: bound it by `num` or `float`"
                ))
        }
        Problem::Bound { span, param, bound, ty, def } => {
            let each = ty.starts_with('[').then(|| "apply it to each element, in a `for x in xs => ..`".to_string());
            Diagnostic::error(Code::BOUND, format!("`{def}` is not defined for `{ty}`"))
                .at(span, format!("this makes `{param}` the type `{ty}`"))
                .note(format!("`{param}` is bounded by `{bound}`, which is {}", bound_members(bound)))
                .hint_opt(each)
        }
        Problem::LiteralType { span, text, ty, decimal } => {
            let d = Diagnostic::error(Code::LITERAL_TYPE, format!("the number `{text}` cannot have type `{ty}`"))
                .at(span, format!("`{ty}` is needed here"));
            if decimal { d.hint("a decimal is a float; convert the other side with `f64(..)`") } else { d }
        }
        Problem::LiteralRange { span, text, ty } => {
            let decimal = text.contains(['.', 'e', 'E']);
            Diagnostic::error(Code::BAD_NUMBER, format!("the number `{text}` does not fit in `{ty}`"))
                .at(span, "out of range")
                .note(match (range_of(ty), ty) {
                    (Some((low, high)), _) => format!("`{ty}` holds the integers from {low} to {high}"),
                    (None, Scalar::F32) if decimal => format!("the largest `f32` is {:e}", f32::MAX),
                    (None, _) if decimal => format!("the largest `f64` is {:e}", f64::MAX),
                    (None, _) => {
                        format!("the nearest `{ty}` is another number; write it with a point to have it rounded")
                    }
                })
        }
        Problem::BadNumber { span, text } => {
            Diagnostic::error(Code::BAD_NUMBER, format!("`{text}` is not a number")).at(span, "not a number")
        }
        Problem::Fields { role, span, missing, extra, expected, found } => {
            let title = match (missing.as_slice(), extra.as_slice()) {
                ([], extra) => format!("{} has a field too many: {}", role.phrase(), list(extra)),
                (missing, []) => format!("{} lacks a field: {}", role.phrase(), list(missing)),
                (missing, extra) => {
                    format!("{} has field {} in place of {}", role.phrase(), list(extra), list(missing))
                }
            };
            let lacks = (!missing.is_empty() && extra.is_empty())
                .then(|| "the fields of another record `r` are kept by `{ r with x = a }`".to_string());
            Diagnostic::error(Code::MISSING_FIELD, title)
                .at(span, format!("this has type `{found}`"))
                .expected_found(expected, found)
                .hint_opt(lacks)
        }
        Problem::TestBody { span, what, ty } => {
            let label = ty.map_or_else(|| "here".to_string(), |ty| format!("this has type `{ty}`"));
            // A number is one side of a comparison; what a gradient test differentiates is none.
            let numbers = ["f64", "f32", "i64"].iter().any(|number| label.contains(number));
            let compared = (numbers && what.starts_with("a test says"))
                .then(|| "compare it: `test \"name\" = a == b`".to_string());
            Diagnostic::error(Code::TEST_BODY, what).at(span, label).hint_opt(compared)
        }
        Problem::Ambiguous { span, what } => Diagnostic::error(
            Code::AMBIGUOUS,
            format!("the type of {what} cannot be told from the context"),
        )
        .at(span, "of which type?")
        .hint("say it: `e :> [0]f64`; what a loop is to fill begins as `zeros(n)`, and is filled by `c with [i] = v`"),
        other => others(other),
    }
}

/// A pattern with as many names as the tuple type of this text has parts.
fn tuple_pattern(ty: &str) -> String {
    let mut depth = 0;
    let commas = ty.chars().filter(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        *c == ',' && depth == 1
    });
    match commas.count() {
        0 => "its whole".to_string(),
        1 => "`(a, b)`".to_string(),
        2 => "`(a, b, c)`".to_string(),
        more => format!("a tuple pattern of {}", more + 1),
    }
}

/// The least and the greatest number of an integer type.
fn range_of(ty: Scalar) -> Option<(i64, i64)> {
    Some(match ty {
        Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
        Scalar::U32 => (0, u32::MAX.into()),
        Scalar::I64 => (i64::MIN, i64::MAX),
        Scalar::Bool | Scalar::F32 | Scalar::F64 => return None,
    })
}

fn axes(rank: usize) -> String {
    if rank == 1 { "1 axis".to_string() } else { format!("{rank} axes") }
}

fn bound_members(bound: &str) -> &'static str {
    match bound {
        "num" => "`i32 i64 u32 f32 f64`",
        "float" => "`f32 f64`",
        _ => "every type but functions",
    }
}
