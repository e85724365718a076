//! Arguments as written after `arr run FILE`, and their parameters.

use crate::Format;
use arr_base::{Code, Diagnostic};
use arr_ir::EdgeParam;

/// The source of an argument's value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgSource {
    Literal(String),
    /// `@file.npy`, or a part of a file: `@fit.json:model.w`, `@patients.csv:age`
    File {
        path: String,
        part: Option<String>,
    },
    /// `-`
    Stdin,
}

impl ArgSource {
    /// A file, with the part behind a colon. A colon in a name is one only where a file's extension stands before it,
    /// so that those of drives and folders mean nothing.
    pub fn file(text: &str) -> ArgSource {
        let mut colons = text.match_indices(':').filter_map(|(at, _)| Some((text.get(..at)?, text.get(at + 1..)?)));
        match colons.find(|(path, part)| Format::of(path).is_ok() && !part.is_empty()) {
            Some((path, part)) => ArgSource::File { path: path.to_string(), part: Some(part.to_string()) },
            None => ArgSource::File { path: text.to_string(), part: None },
        }
    }
}

/// `value` or `name=value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arg {
    pub name: Option<String>,
    pub source: ArgSource,
}

impl Arg {
    pub fn parse(text: &str) -> Arg {
        let (name, value) = match split_name(text) {
            Some((name, value)) => (Some(name.to_string()), value),
            None => (None, text),
        };
        let source = match (value.trim(), value.strip_prefix('@')) {
            ("-" | "@-", _) => ArgSource::Stdin,
            (_, Some(file)) => ArgSource::file(file),
            _ => ArgSource::Literal(value.to_string()),
        };
        Arg { name, source }
    }
}

/// A leading name and `=`; no value begins like that.
fn split_name(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let name = name.trim();
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
    (first && chars.all(|c| c.is_alphanumeric() || c == '_' || c == '\'')).then_some((name, value))
}

/// The arguments in the order of the parameters. One without a name takes the first parameter that is not named.
/// Errors: E0705 where an argument is missing, given twice or superfluous, or names no parameter.
pub fn assign(entry: &str, params: &[EdgeParam], args: &[Arg]) -> Result<Vec<Arg>, Vec<Diagnostic>> {
    let mut places: Vec<Option<&Arg>> = vec![None; params.len()];
    let mut errors = Vec::new();
    let error = |title: String| Diagnostic::error(Code::ARGUMENT_MISSING, title).note(signature(entry, params));
    for arg in args {
        let Some(name) = &arg.name else { continue };
        match params.iter().position(|p| p.name == *name).and_then(|i| places.get_mut(i)) {
            Some(place @ None) => *place = Some(arg),
            Some(Some(_)) => errors.push(error(format!("argument `{name}` is given twice"))),
            None => errors.push(error(format!("`{entry}` has no parameter `{name}`"))),
        }
    }
    let mut extra = 0;
    for arg in args.iter().filter(|a| a.name.is_none()) {
        match places.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(arg),
            None => extra += 1,
        }
    }
    if extra > 0 {
        errors.push(wrong_count(entry, params, args.len()));
    }
    // If a name is wrong, the apparently missing parameter is most likely the intended one.
    if errors.is_empty() {
        for (param, place) in params.iter().zip(&places) {
            if place.is_none() {
                errors.push(error(format!("argument `{}: {}` is missing", param.name, param.text)));
            }
        }
    }
    if errors.is_empty() { Ok(places.into_iter().flatten().cloned().collect()) } else { Err(errors) }
}

/// The diagnostic for a number of arguments that is not that of the parameters.
pub(crate) fn wrong_count(entry: &str, params: &[EdgeParam], given: usize) -> Diagnostic {
    let title = format!("`{entry}` takes {}, but {} given", count(params.len()), were(given));
    Diagnostic::error(Code::ARGUMENT_MISSING, title).note(signature(entry, params))
}

fn count(n: usize) -> String {
    match n {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        _ => format!("{n} arguments"),
    }
}

fn were(n: usize) -> String {
    if n == 1 { "1 was".to_string() } else { format!("{n} were") }
}

fn signature(entry: &str, params: &[EdgeParam]) -> String {
    let params: Vec<String> = params.iter().map(|p| format!("{}: {}", p.name, p.text)).collect();
    format!("it is `{entry}({})`", params.join(", "))
}
