//! The words of every diagnostic of this crate.

use crate::error::{Fact, Problem, Role};
use crate::{builtins, elsewhere};
use arr_base::{Code, Diagnostic, Span};
use arr_ir::Scalar;

impl From<Problem> for Diagnostic {
    fn from(problem: Problem) -> Diagnostic {
        match problem {
            Problem::UnknownName { .. }
            | Problem::UnknownType { .. }
            | Problem::Duplicate { .. }
            | Problem::Recursion { .. }
            | Problem::UnknownField { .. }
            | Problem::NotARecord { .. }
            | Problem::NoProjection { .. }
            | Problem::UnknownModule { .. }
            | Problem::NotImported { .. }
            | Problem::NoAlias { .. }
            | Problem::DuplicateImport { .. }
            | Problem::ModuleValue { .. }
            | Problem::NoMember { .. }
            | Problem::NoEntry { .. } => names(problem),
            Problem::UnknownSize { .. }
            | Problem::NoExtent { .. }
            | Problem::Irregular { .. }
            | Problem::ExtentConflict { .. }
            | Problem::UndeterminedSize { .. }
            | Problem::SizeMismatch { .. }
            | Problem::Unsolved { .. }
            | Problem::RankMismatch { .. } => sizes(problem),
            Problem::NotScalar { .. }
            | Problem::NotDifferentiable { .. }
            | Problem::BadStep { .. }
            | Problem::BadDerivative { .. }
            | Problem::BadWrt { .. }
            | Problem::Unsupported { .. }
            | Problem::Broken { .. }
            | Problem::TooDeep { .. }
            | Problem::TooLarge { .. } => others(problem),
            Problem::Sums(problem) => problem.into(),
            _ => types(problem),
        }
    }
}

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

/// With the hint that another name was meant, and that name as the text for `span`.
pub(crate) fn did_you_mean(diagnostic: Diagnostic, span: Span, suggestion: Option<String>) -> Diagnostic {
    match suggestion {
        Some(s) => diagnostic.hint(format!("did you mean `{s}`?")).fix(span, s),
        None => diagnostic,
    }
}

fn list(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// "1 argument", "2 arguments".
fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// The name nearest to `name`, if one is near enough to be a slip.
pub(crate) fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let limit = if name.len() <= 2 { 1 } else { 1 + name.len() / 4 };
    names
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.len().max(name.len()))
        .min()
        .map(|(_, candidate)| candidate.to_string())
}

fn with_facts(mut diagnostic: Diagnostic, facts: Vec<Fact>) -> Diagnostic {
    for (span, text) in facts {
        diagnostic = diagnostic.because(span, text);
    }
    diagnostic
}

/// The program's own names are likelier than those of other languages, and these than a built-in function of near name.
fn unknown_name(name: &str, span: Span, suggestion: Option<String>) -> Diagnostic {
    let d = Diagnostic::error(Code::UNKNOWN_NAME, format!("nothing is called `{name}` here")).at(span, "unknown name");
    let own = name.len() > 2 && suggestion.as_deref().is_some_and(|s| builtins::lookup(s).is_none());
    match elsewhere::hint(name).filter(|_| !own) {
        Some(hint) => d.hint(hint),
        None => did_you_mean(d, span, suggestion),
    }
}

fn names(problem: Problem) -> Diagnostic {
    match problem {
        Problem::UnknownName { name, span, suggestion } => unknown_name(&name, span, suggestion),
        Problem::UnknownType { name, span, suggestion } => {
            let d = Diagnostic::error(Code::UNKNOWN_TYPE, format!("no type is called `{name}`"));
            did_you_mean(d.at(span, "unknown type"), span, suggestion)
        }
        Problem::Duplicate { what, name, span, first } => {
            let d = Diagnostic::error(Code::DUPLICATE_NAME, format!("the {what} `{name}` is given twice"))
                .at(span, "given again here");
            match first {
                Some(first) => d.because(first, "first given here"),
                None => d,
            }
        }
        Problem::Recursion { name, span, cycle } => {
            let d = Diagnostic::error(Code::RECURSION, format!("`{name}` uses itself"))
                .at(span, "this use leads back to the definition")
                .hint("definitions are specialised at each use, so recursion has no end; write a `loop`");
            if cycle.len() > 2 { d.note(format!("the cycle is {}", cycle.join(" -> "))) } else { d }
        }
        Problem::UnknownField { field, span, ty, fields } => {
            let suggestion = nearest(&field, fields.iter().map(String::as_str));
            let d = Diagnostic::error(Code::UNKNOWN_FIELD, format!("the record has no field `{field}`"))
                .at(span, format!("not a field of `{ty}`"))
                .hint(format!("its fields are {}", list(&fields)));
            did_you_mean(d, span, suggestion)
        }
        Problem::NotARecord { field, span, ty } => {
            let array = ty.starts_with('[');
            let d = Diagnostic::error(Code::UNKNOWN_FIELD, format!("`.{field}` needs a record, and this is not one"))
                .at(span, format!("the value has type `{ty}`"));
            if array { d.hint(format!("take the field of each element: `for x in xs => x.{field}`")) } else { d }
        }
        Problem::NoProjection { index, span, ty, len } => match len {
            Some(len) => Diagnostic::error(
                Code::UNKNOWN_FIELD,
                format!("the tuple has {}, so there is no `.{index}`", count(len, "component")),
            )
            .at(span, format!("the value has type `{ty}`"))
            .hint("components are counted from 0"),
            None => Diagnostic::error(Code::UNKNOWN_FIELD, format!("`.{index}` needs a tuple, and this is not one"))
                .at(span, format!("the value has type `{ty}`")),
        },
        Problem::NoEntry { name, names } => {
            let d = Diagnostic::error(Code::NO_ENTRY, format!("there is no definition `{name}` to run"));
            let d = match nearest(&name, names.iter().map(String::as_str)) {
                Some(s) => d.hint(format!("did you mean `{s}`?")),
                None => d,
            };
            if names.is_empty() {
                d.note("the file has no definitions")
            } else {
                d.note(format!("the definitions are {}", list(&names)))
            }
        }
        other => modules(other),
    }
}

fn modules(problem: Problem) -> Diagnostic {
    match problem {
        Problem::UnknownModule { name, span } => {
            Diagnostic::error(Code::UNKNOWN_MODULE, format!("there is no module `{name}`")).at(span, "not found")
        }
        Problem::NotImported { module, span, standard, suggestion } => {
            let hint = match suggestion {
                _ if standard => format!("`import {module}` imports it from the standard library"),
                Some(s) => format!("did you mean `{s}`?"),
                None => format!("a file is imported by its path: `import \"./{module}.arr\"`"),
            };
            Diagnostic::error(Code::UNKNOWN_MODULE, format!("no module is called `{module}` in this file"))
                .at(span, "not imported")
                .hint(hint)
        }
        Problem::NoAlias { path, span } => {
            let title = format!("`{path}` does not say what the module is to be called");
            Diagnostic::error(Code::NO_MODULE_NAME, title)
                .at(span, "the file's name is not a name of the language")
                .hint(format!("give it one: `import \"{path}\" as m`"))
        }
        Problem::DuplicateImport { name, span, first } => {
            let title = format!("`{name}` is the name of an import and of something else");
            let d = Diagnostic::error(Code::DUPLICATE_NAME, title)
                .at(span, "given again here")
                .hint("call the module something else with `as`");
            match first {
                Some(first) => d.because(first, "first given here"),
                None => d,
            }
        }
        Problem::ModuleValue { name, span } => {
            Diagnostic::error(Code::UNKNOWN_NAME, format!("`{name}` is a module, and no value"))
                .at(span, "a value is needed here")
                .hint(format!("what it defines is called `{name}.` and its name"))
        }
        Problem::NoMember { module, name, what, is_type, span, suggestion } => {
            let d = Diagnostic::error(Code::NO_MEMBER, format!("the module `{module}` has no {what} `{name}`"))
                .at(span, format!("not in `{module}`"));
            match suggestion {
                _ if is_type => d.hint(format!("`{name}` is a type of `{module}`")),
                Some(s) => {
                    // The place is the member alone, or the whole of what is written.
                    let text = if span.len() == name.len() { s.clone() } else { format!("{module}.{s}") };
                    d.hint(format!("did you mean `{module}.{s}`?")).fix(span, text)
                }
                None => d,
            }
        }
        other => others(other),
    }
}

fn types(problem: Problem) -> Diagnostic {
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
        Problem::NotAFunction { span, ty, hint } => {
            Diagnostic::error(Code::NOT_A_FUNCTION, "this is called, but it is not a function")
                .at(span, format!("this has type `{ty}`"))
                .hint_opt(hint)
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
            Diagnostic::error(Code::NOT_AN_ARRAY, format!("{doing} needs an array"))
                .at(span, format!("this has type `{ty}`"))
        }
        Problem::TooManyIndices { span, ty, rank, given } => {
            let title =
                format!("{} for an array with {}", count(given, "index").replace("indexs", "indices"), axes(rank));
            Diagnostic::error(Code::TOO_MANY_INDICES, title).at(span, format!("the array has type `{ty}`"))
        }
        Problem::FunctionValue { span, place, hint } => {
            Diagnostic::error(Code::FUNCTION_VALUE, format!("a function cannot be {place}"))
                .at(span, "this is a function")
                .note("functions are known when the program is compiled: they can be passed and called")
                .hint_opt(hint)
        }
        Problem::Pattern { span, pattern, ty } => {
            Diagnostic::error(Code::PATTERN_MISMATCH, format!("{pattern} does not fit the value it takes apart"))
                .at(span, format!("the value has type `{ty}`"))
        }
        Problem::MissingAnnotation { span, name } => {
            Diagnostic::error(Code::MISSING_ANNOTATION, format!("the parameter `{name}` needs a type"))
                .at(span, "no type is given")
                .hint(format!("write `{name}: f64`, or whatever type it has"))
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
            Diagnostic::error(Code::MISSING_FIELD, title)
                .at(span, format!("this has type `{found}`"))
                .expected_found(expected, found)
        }
        Problem::TestBody { span, what, ty } => {
            let label = ty.map_or_else(|| "here".to_string(), |ty| format!("this has type `{ty}`"));
            Diagnostic::error(Code::TEST_BODY, what).at(span, label)
        }
        Problem::Ambiguous { span, what } => {
            Diagnostic::error(Code::AMBIGUOUS, format!("the type of {what} cannot be told from the context"))
                .at(span, "of which type?")
                .hint("say it: `e :> [0]f64`")
        }
        other => others(other),
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
        _ => "every scalar type",
    }
}

fn sizes(problem: Problem) -> Diagnostic {
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
        Problem::UnknownSize { name, span, suggestion } => {
            let hint =
                format!("a size is a name in a parameter's type, as in `x: [{name}]f64`, or a parameter `{name}: i64`");
            let d = Diagnostic::error(Code::UNKNOWN_SIZE, format!("no size is called `{name}` here"));
            did_you_mean(d.at(span, "unknown size").hint(hint), span, suggestion)
        }
        Problem::NoExtent { index, span } => {
            Diagnostic::error(Code::NO_EXTENT, format!("the extent of `{index}` cannot be inferred"))
                .at(span, format!("no array from outside is read at the bare index `{index}`"))
                .hint(format!("write the extent: `{index} < n`"))
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
                    "a size is fixed by a parameter whose type mentions it, as in `x: [{name}]f64`, or is a parameter `{name}: i64`"
                )),
            }
        }
        Problem::RankMismatch { op, span, left, right } => Diagnostic::error(
            Code::RANK_MISMATCH,
            format!("`{op}` needs equal shapes, and `{}` and `{}` differ in rank", left.1, right.1),
        )
        .at(span, "the ranks differ")
        .because(left.0, format!("`{}`", left.1))
        .because(right.0, format!("`{}`", right.1))
        .hint("only a scalar combines with an array of any shape; write a `for` to say which axes go together"),
        other => others(other),
    }
}

fn others(problem: Problem) -> Diagnostic {
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
                    "the derivative is taken with respect to the first argument: convert it with `f64(..)`, or put a float first, as in `\\y => f(n, y)`"
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
