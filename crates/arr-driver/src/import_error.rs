//! The errors of imports, in words.

use crate::stdlib::STANDARD_MODULES;
use arr_base::{Code, Diagnostic, Span};

/// No module of the standard library has the name. `beside`: a file of the name lies beside the importing one.
pub(crate) fn unknown_module(name: &str, span: Span, beside: bool) -> Diagnostic {
    let names: Vec<&str> = STANDARD_MODULES.iter().map(|m| m.name).collect();
    let near = |candidate: &&&str| strsim::damerau_levenshtein(name, candidate) <= 1 + name.len() / 4;
    let nearest = names.iter().filter(near).min_by_key(|candidate| strsim::damerau_levenshtein(name, candidate));
    let title = format!("the standard library has no module `{name}`");
    let diagnostic = Diagnostic::error(Code::UNKNOWN_MODULE, title)
        .at(span, "unknown module")
        .note(format!("its modules are {}", list(&names)));
    match nearest {
        _ if beside => {
            let path = format!("\"./{name}.arr\"");
            diagnostic.hint(format!("a file is imported by its path: `import {path}`")).fix(span, path)
        }
        Some(nearest) => diagnostic.hint(format!("did you mean `{nearest}`?")).fix(span, *nearest),
        None => diagnostic
            .hint("a file is imported by its path: `import \"./model.arr\"`; built-in functions need no import"),
    }
}

fn list(names: &[&str]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

/// A file that an import names cannot be read, for the reason given. `other`: a path that leads to a file.
pub(crate) fn no_file(why: Diagnostic, span: Span, other: Option<String>) -> Diagnostic {
    let code = if why.code == Code::FILE_NOT_READ { Code::UNKNOWN_MODULE } else { why.code };
    let diagnostic = Diagnostic { code, ..why }.at(span, "imported here");
    match other {
        Some(other) => diagnostic.hint(format!("did you mean `import \"{other}\"`?")).fix(span, format!("\"{other}\"")),
        None if code == Code::UNKNOWN_MODULE => {
            diagnostic.note("the path of an import is relative to the file that it is written in")
        }
        None => diagnostic,
    }
}

/// An import that leads back to its own file, over the files given.
pub(crate) fn cycle(span: Span, files: &[&str]) -> Diagnostic {
    let (title, label) = match files {
        [file, _] => (format!("`{file}` imports itself"), "this file"),
        [file, ..] => (format!("`{file}` imports itself through others"), "this import leads back"),
        [] => ("an import leads back to its own file".to_string(), "this import leads back"),
    };
    let diagnostic = Diagnostic::error(Code::IMPORT_CYCLE, title).at(span, label);
    let diagnostic =
        if files.len() > 2 { diagnostic.note(format!("the cycle is {}", files.join(" -> "))) } else { diagnostic };
    diagnostic.hint("move what both need to a file that both import")
}
