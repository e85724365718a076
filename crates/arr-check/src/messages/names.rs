//! The words for what is wrong with names and modules.

use crate::data::builtins;
use crate::data::problem::{Elsewhere, Problem};
use crate::messages::elsewhere::{self, Here};
use crate::messages::nearest::nearest;
use crate::messages::others::others;
use crate::messages::phrases::{count, did_you_mean, list};
use arr_base::{Code, Diagnostic, Span};

/// The program's own names are likelier than those of the standard library and of other languages, and these are
/// likelier than a built-in function with a similar name.
fn unknown_name(name: &str, span: Span, suggestion: Option<String>, library: &[Elsewhere]) -> Diagnostic {
    let d = Diagnostic::error(Code::UNKNOWN_NAME, format!("nothing is called `{name}` here")).at(span, "unknown name");
    let own = name.len() > 2 && suggestion.as_deref().is_some_and(|s| builtins::lookup(s).is_none());
    if name == "_" {
        return d.hint("`_` is a pattern, for what is not used; the last value in a session of `arr repl`");
    }
    if name.contains(['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹']) {
        return d.hint("a power is written `x ** 2`");
    }
    if name.len() > 1 && name.ends_with('\'') && suggestion.as_deref() == name.strip_suffix('\'') {
        let base = name.trim_end_matches('\'');
        return d.hint(format!(
            "a matrix is transposed by `transpose({base})`, a function differentiated by `grad({base})`"
        ));
    }
    if own {
        return did_you_mean(d, span, suggestion);
    }
    match elsewhere::here(name) {
        Some(Here::Builtin(here)) => d.hint(format!("it is called `{here}`")).fix(span, here),
        Some(Here::Advice(advice)) => d.hint(advice),
        Some(Here::Library(..)) | None if !library.is_empty() => in_library(d, span, library),
        Some(Here::Library(..)) | None => did_you_mean(d, span, suggestion),
    }
}

/// With the hint that the standard library has it.
fn in_library(d: Diagnostic, span: Span, library: &[Elsewhere]) -> Diagnostic {
    let names: Vec<String> = library.iter().map(|other| format!("`{}`", other.name)).collect();
    let mut modules: Vec<&str> = library.iter().filter_map(|other| other.import.as_deref()).collect();
    modules.dedup();
    match (library, modules.as_slice()) {
        ([only], []) => d.hint(format!("it is `{}`", only.name)).fix(span, &only.name),
        (_, []) => d.hint(format!("it is {}", names.join(" or "))),
        (_, [module]) => {
            d.hint(format!("it is {} of the standard library, after `import {module}`", names.join(" or ")))
        }
        _ => d.hint(format!("it is {} of the standard library, after an `import` of the module", names.join(" or "))),
    }
}

pub(crate) fn names(problem: Problem) -> Diagnostic {
    match problem {
        Problem::UnknownName { name, span, suggestion, library } => unknown_name(&name, span, suggestion, &library),
        Problem::UnknownType { name, span, suggestion } => {
            let d = Diagnostic::error(Code::UNKNOWN_TYPE, format!("no type is called `{name}`"));
            let d = d.at(span, "unknown type");
            match elsewhere::type_hint(name.rsplit('.').next().unwrap_or(&name)) {
                Some(hint) => d.hint(hint),
                None => did_you_mean(d, span, suggestion),
            }
        }
        Problem::Duplicate { what, name, span, first } => {
            let d = Diagnostic::error(Code::DUPLICATE_NAME, format!("the {what} `{name}` is given twice"))
                .at(span, "given again here")
                .hint(match what {
                    "size" => format!("the body has the size as the number `{name}` already: leave the second out, or put `{name}: i64` first"),
                    _ => "give one of them another name".to_string(),
                });
            match first {
                Some(first) => d.because(first, "first given here"),
                None => d,
            }
        }
        Problem::BuiltInType { name, span } => {
            Diagnostic::error(Code::DUPLICATE_NAME, format!("the type `{name}` is part of the language"))
                .at(span, "given another meaning here")
                .hint("give it another name")
        }
        Problem::Recursion { name, span, cycle } => {
            let d = Diagnostic::error(Code::RECURSION, format!("`{name}` uses itself"))
                .at(span, "this use leads back to the definition")
                .hint("definitions are specialised at each use, so recursion has no end; write a `loop`");
            if cycle.len() > 2 { d.note(format!("the cycle is {}", cycle.join(" -> "))) } else { d }
        }
        Problem::NoParameter { name, span, function, names } => no_parameter(&name, span, function, names),
        Problem::UnknownField { field, span, ty, fields } => {
            let suggestion = nearest(&field, fields.iter().map(String::as_str));
            let d = Diagnostic::error(Code::UNKNOWN_FIELD, format!("the record has no field `{field}`"))
                .at(span, format!("not a field of `{ty}`"))
                .hint(format!("its fields are {}", list(&fields)));
            did_you_mean(d, span, suggestion)
        }
        Problem::NotARecord { field, span, ty, base, elements } => {
            let d = Diagnostic::error(Code::UNKNOWN_FIELD, format!("`.{field}` needs a record, and this is not one"))
                .at(span, format!("the value has type `{ty}`"));
            match elements {
                true => d.hint(format!("take the field of each element: `for x in {base} => x.{field}`")),
                false => {
                    let fields = "an array has no fields: functions stand before what they are applied to, `f(x)`";
                    let hint = elsewhere::field_hint(&field, &base);
                    d.hint_opt(hint.or_else(|| ty.starts_with('[').then(|| fields.to_string())))
                }
            }
        }
        Problem::NoProjection { index, span, ty, len } => match len {
            Some(len) => Diagnostic::error(
                Code::UNKNOWN_FIELD,
                format!("the tuple has {}, so there is no `.{index}`", count(len, "component")),
            )
            .at(span, format!("the value has type `{ty}`"))
            .hint("components are counted from 0"),
            None => {
                let element = match ty.chars().next() {
                    Some('[') => Some(format!("an element of an array is `x[{index}]`")),
                    Some('A'..='Z') => Some("a sum is taken apart with `match`".to_string()),
                    _ => None,
                };
                Diagnostic::error(Code::UNKNOWN_FIELD, format!("`.{index}` needs a tuple, and this is not one"))
                    .at(span, format!("the value has type `{ty}`"))
                    .hint_opt(element)
            }
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
        Problem::NoMember { module, name, what, is_type, span, suggestion, related, library } => {
            let d = Diagnostic::error(Code::NO_MEMBER, format!("the module `{module}` has no {what} `{name}`"))
                .at(span, format!("not in `{module}`"));
            match suggestion {
                _ if is_type => d.hint(format!("`{name}` is a type of `{module}`")),
                _ if builtins::lookup(&name).is_some() => {
                    d.hint(format!("`{name}` is a built-in function, called by its name alone"))
                }
                _ if !library.is_empty() => in_library(d, span, &library),
                Some(s) => {
                    // The place is the member alone, or the whole of what is written.
                    let text = if span.len() == name.len() { s.clone() } else { format!("{module}.{s}") };
                    d.hint(format!("did you mean `{module}.{s}`?")).fix(span, text)
                }
                None if related.is_empty() => d.hint(format!("`arr doc` lists what `{module}` has")),
                None => {
                    let names: Vec<String> = related.iter().map(|name| format!("{module}.{name}")).collect();
                    d.hint(format!("`{module}` has {}", list(&names)))
                }
            }
        }
        Problem::TypeValue { name, span } => Diagnostic::error(
            Code::UNKNOWN_NAME,
            format!("`{name}` is a type, and no value"),
        )
        .at(span, "a value is needed here")
        .hint(
            "a record is written with its fields, `{ x = a, y = b }`, and a sum by a constructor alone, `A` or `B(a)`",
        ),
        Problem::NoNewAxis { name, span, pair } => {
            let pair = pair.unwrap_or_else(|| "for a in x, b in y => a - b".to_string());
            Diagnostic::error(Code::UNKNOWN_NAME, format!("`{name}` adds no axis"))
                .at(span, "an index is a number")
                .hint(format!(
                    "all pairs are `{pair}`; `[x]` is a matrix of one row, `for a in x => [a]` of one column"
                ))
        }
        other => others(other),
    }
}

/// A derivative by a parameter that the function does not have.
fn no_parameter(name: &str, span: Span, function: Option<String>, names: Option<Vec<String>>) -> Diagnostic {
    let function = function.map_or_else(|| "the function".to_string(), |f| format!("`{f}`"));
    let all = names.unwrap_or_default();
    let named: Vec<String> = all.iter().filter(|n| !n.is_empty()).cloned().collect();
    let is_place = name.starts_with(|c: char| c.is_ascii_digit());
    let what = if is_place { format!("no parameter {name}") } else { format!("no parameter called `{name}`") };
    let d = Diagnostic::error(Code::UNKNOWN_NAME, format!("{function} has {what}"))
        .at(span, if is_place { "not one of its places" } else { "not one of its parameters" });
    let suggestion = nearest(name, named.iter().map(String::as_str)).filter(|_| !is_place);
    if suggestion.is_some() {
        return did_you_mean(d, span, suggestion);
    }
    match (named.is_empty(), is_place) {
        (false, false) => d.hint(format!("its parameters are {}", list(&named))),
        (true, false) => d.hint("its parameters have no names here: give their places, from 0, as in `grad[0, 1](f)`"),
        (_, true) => d.hint(format!("it has {}, and places are counted from 0", count(all.len(), "parameter"))),
    }
}
