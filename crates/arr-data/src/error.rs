//! Errors in data, and their messages.

use crate::reading::names_text;
use crate::tables::{field_name, is_near};
use arr_base::{Code, Diagnostic};
use std::ops::Range;

/// The place where an argument was given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    CommandLine,
    File(String),
    Stdin,
}

impl Source {
    fn words(&self) -> String {
        match self {
            Source::CommandLine => "the command line".to_string(),
            Source::File(name) => format!("`{name}`"),
            Source::Stdin => "standard input".to_string(),
        }
    }
}

/// An argument, its type as the user wrote it, and the source of its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    pub argument: String,
    pub declared: String,
    pub source: Source,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Problem {
    /// The text is not a value.
    Syntax(String),
    /// The file is not of its format, or is cut short.
    Damaged {
        format: &'static str,
        why: String,
    },
    /// The value has another type.
    Type {
        expected: String,
        found: String,
    },
    /// The number is of the right kind, but the type cannot hold it.
    Lossy {
        number: String,
        ty: String,
    },
    /// A rank or an extent differs.
    Shape {
        expected: String,
        found: String,
    },
    /// Rows of one array have different lengths.
    Ragged {
        first: i64,
        other: i64,
    },
    MissingField {
        field: String,
        available: Vec<String>,
    },
    ExtraField {
        field: String,
        available: Vec<String>,
    },
    /// A file has no part, or no column, of a name.
    NoPart {
        part: String,
        kind: &'static str,
        available: Vec<String>,
        /// Whether naming another one helps.
        choice: bool,
    },
    /// Not a constructor of the type.
    UnknownConstructor {
        constructor: String,
        ty: String,
        available: Vec<String>,
    },
    /// A constructor with too many or too few values.
    ConstructorCount {
        constructor: String,
        expected: usize,
        found: usize,
    },
    /// The file format cannot hold a value of this type.
    FormatType {
        format: &'static str,
        ty: String,
        hint: String,
    },
    /// A column of a file has values for which no type of a program has any.
    ColumnType {
        column: String,
        /// In the plural.
        holds: String,
    },
    /// This build cannot read the format: it was made without a feature.
    NotBuilt {
        format: &'static str,
        feature: &'static str,
    },
    /// Reading it takes more memory than allowed.
    TooLarge {
        bytes: u64,
        limit: u64,
    },
    /// No reader for the file's name.
    UnknownFormat {
        name: String,
    },
    /// No writer for the file's name, or for a value of this type.
    NotWritable {
        name: String,
        why: String,
    },
}

/// A problem, and its position in the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataError {
    pub problem: Problem,
    /// `.mean[2]`, from the argument on.
    pub path: String,
    /// The bytes of the text in question, if it came as text.
    pub at: Option<Range<usize>>,
    /// `line 3, column 5`, for files.
    pub place: Option<String>,
    /// What to do about it, if that is known.
    pub hint: Option<String>,
}

impl From<Problem> for DataError {
    fn from(problem: Problem) -> Self {
        DataError { problem, path: String::new(), at: None, place: None, hint: None }
    }
}

impl DataError {
    pub(crate) fn damaged(format: &'static str, why: impl Into<String>) -> Self {
        Problem::Damaged { format, why: why.into() }.into()
    }

    pub(crate) fn at_path(mut self, path: &str) -> Self {
        self.path.insert_str(0, path);
        self
    }

    pub(crate) fn at_line(mut self, line: u64) -> Self {
        self.place = Some(format!("line {line}"));
        self
    }

    /// With what to do about it, unless that is known already.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint.get_or_insert_with(|| hint.into());
        self
    }

    /// Turns the byte range into a line and column of `text`.
    pub(crate) fn locate(mut self, text: &str) -> Self {
        if let Some(range) = &self.at {
            let before = text.get(..range.start).unwrap_or(text);
            let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |s| s.chars().count()) + 1;
            self.place = Some(format!("line {line}, column {column}"));
        }
        self
    }

    /// The diagnostic, without labels: the caller knows the sources to point into.
    pub fn to_diagnostic(&self, origin: &Origin) -> Diagnostic {
        let place = format!("{}{}", origin.argument, self.path);
        let mut diagnostic = self.describe(&place, origin);
        let source = origin.source.words();
        match (&origin.source, &self.place) {
            // The title names the file.
            _ if matches!(
                self.problem,
                Problem::UnknownFormat { .. } | Problem::NotBuilt { .. } | Problem::NoPart { .. }
            ) => {}
            _ if matches!(self.problem, Problem::ColumnType { .. }) => {}
            (Source::CommandLine, _) => {}
            (_, Some(at)) => diagnostic = diagnostic.note(format!("it was read from {source}, {at}")),
            (_, None) if matches!(self.problem, Problem::Damaged { .. } | Problem::TooLarge { .. }) => {}
            (_, None) => diagnostic = diagnostic.note(format!("it was read from {source}")),
        }
        match &self.hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        }
    }

    fn describe(&self, place: &str, origin: &Origin) -> Diagnostic {
        let declared = || format!("`{}: {}`", origin.argument, origin.declared);
        let nested = !self.path.is_empty();
        // A file that is only drawn is no parameter's.
        let given = |d: Diagnostic| match origin.argument.is_empty() {
            true => d,
            false => d.note(format!("it was given for the parameter {}", declared())),
        };
        let in_declaration =
            |d: Diagnostic| if nested { d.note(format!("the parameter is {}", declared())) } else { d };
        match &self.problem {
            Problem::Syntax(why) => {
                let title = match &origin.source {
                    Source::CommandLine => format!("argument `{place}` is not a value: {why}"),
                    other => format!("{} is not a value: {why}", other.words()),
                };
                Diagnostic::error(Code::ARGUMENT_SYNTAX, title)
                    .note(format!("the parameter is {}", declared()))
                    .hint("write `3`, `2.5`, `true`, `[1.0, 2.0]`, `(1, 2)`, `{x = 1.0}`, or `@file.npy` for a file")
            }
            Problem::Damaged { format, why } => {
                let title = format!("{} is not a readable {format} file: {why}", origin.source.words());
                given(Diagnostic::error(Code::BAD_FILE, title))
            }
            Problem::Type { expected, found } => {
                let expected = if nested { expected } else { &origin.declared };
                let title = format!("argument `{place}` has the wrong type");
                in_declaration(Diagnostic::error(Code::ARGUMENT_TYPE, title).expected_found(expected, found))
            }
            Problem::Lossy { number, ty } => {
                let title = format!("argument `{place}`: {number} does not fit `{ty}` exactly");
                let d = Diagnostic::error(Code::ARGUMENT_TYPE, title).note("only lossless conversions are made");
                in_declaration(d)
            }
            Problem::Shape { expected, found } => {
                let expected = if nested { expected } else { &origin.declared };
                let title = format!("argument `{place}` has the wrong shape");
                in_declaration(Diagnostic::error(Code::ARGUMENT_SHAPE, title).expected_found(expected, found))
            }
            Problem::Ragged { first, other } => {
                let title = format!("argument `{place}` is not regular: a row of {other} beside a row of {first}");
                Diagnostic::error(Code::ARGUMENT_SHAPE, title)
                    .note(format!("the parameter is {}", declared()))
                    .note("all rows of an array have one length")
            }
            Problem::MissingField { field, available } => {
                let title = format!("argument `{place}` has no field `{field}`");
                let d = Diagnostic::error(Code::ARGUMENT_TYPE, title);
                listing(d, "it has", available).note(format!("the parameter is {}", declared()))
            }
            Problem::ExtraField { field, available } => {
                let title = format!("argument `{place}` has a field `{field}` that its type does not have");
                let d = Diagnostic::error(Code::ARGUMENT_TYPE, title);
                listing(d, "its type has", available).note(format!("the parameter is {}", declared()))
            }
            Problem::NoPart { part, kind, available, choice } => {
                let title = format!("{} has no {kind} `{part}`", origin.source.words());
                let d = match available.as_slice() {
                    [] => Diagnostic::error(Code::NO_PART, title),
                    names => Diagnostic::error(Code::NO_PART, title)
                        .note(format!("it has {}", names_text(names.iter().map(String::as_str)))),
                };
                let d = given(d);
                let near = available.iter().find(|own| is_near(own, part));
                match (&origin.source, near, available.first()) {
                    (Source::File(file), Some(near), _) if *choice => {
                        d.hint(format!("`@{file}:{}` reads the {kind} `{}`", field_name(near), near.escape_debug()))
                    }
                    (Source::File(file), None, Some(first)) if *choice => {
                        d.hint(format!("`@{file}:{first}` reads the first {kind}"))
                    }
                    _ => d,
                }
            }
            Problem::UnknownConstructor { constructor, ty, available } => {
                let title = format!("argument `{place}`: `{constructor}` is not a constructor of `{ty}`");
                let d = Diagnostic::error(Code::ARGUMENT_TYPE, title);
                listing(d, "it has", available).note(format!("the parameter is {}", declared()))
            }
            Problem::ConstructorCount { constructor, expected, found } => {
                let values = |n: usize| if n == 1 { "1 value".to_string() } else { format!("{n} values") };
                let title = format!(
                    "argument `{place}`: `{constructor}` carries {}, and {} {} given",
                    values(*expected),
                    values(*found),
                    if *found == 1 { "is" } else { "are" }
                );
                in_declaration(Diagnostic::error(Code::ARGUMENT_TYPE, title))
            }
            Problem::FormatType { format, ty, hint } => {
                let title = match origin.argument.is_empty() {
                    true => format!("{} is a {format} file, which is not drawn", origin.source.words()),
                    false => format!("a {format} file cannot hold argument `{place}`, a `{ty}`"),
                };
                in_declaration(Diagnostic::error(Code::ARGUMENT_TYPE, title).hint(hint))
            }
            Problem::ColumnType { column, holds } => {
                let source = origin.source.words();
                let title =
                    format!("the column `{}` of {source} holds {holds}, which are not read", column.escape_debug());
                given(Diagnostic::error(Code::ARGUMENT_TYPE, title))
                    .hint("columns of numbers, `true` and `false`, texts, dates and moments are read")
            }
            Problem::NotBuilt { format, feature } => {
                let title = format!(
                    "{} is a {format} file, and this `arr` was built without their reader",
                    origin.source.words()
                );
                let install = format!("cargo install --locked --path crates/arr-cli --features {feature}");
                given(Diagnostic::error(Code::BAD_FILE, title))
                    .hint(format!("build `arr` with `{install}`, or write the table as a `.csv` file"))
            }
            Problem::TooLarge { bytes, limit } => given(too_large(&origin.source, *bytes, *limit)),
            Problem::UnknownFormat { name } => {
                let title = format!("`{name}` is of no format that can be read");
                let built = cfg!(feature = "parquet");
                let is_arrow = [".arrow", ".feather"].iter().any(|end| name.to_ascii_lowercase().ends_with(end));
                let hint = match is_arrow {
                    true => {
                        let name = if built { "`.parquet` or `.csv`" } else { "`.csv`" };
                        format!("files of Arrow are not read: write the table as a {name} file")
                    }
                    false => {
                        let name = if built { " `.parquet`," } else { "" };
                        format!("name a `.npy`, `.npz`, `.json`, `.csv`,{name} `.safetensors`, `.png` or `.txt` file")
                    }
                };
                Diagnostic::error(Code::BAD_FILE, title)
                    .note(format!("it was given for the parameter {}", declared()))
                    .hint(hint)
            }
            Problem::NotWritable { name, why } => not_writable(name, why),
        }
    }
}

/// The diagnostic for an input that takes more memory than allowed.
pub fn too_large(source: &Source, bytes: u64, limit: u64) -> Diagnostic {
    let title = format!("reading {} takes {bytes} bytes or more, over the limit of {limit}", source.words());
    Diagnostic::error(Code::OUT_OF_MEMORY, title).hint("`--max-memory` raises the limit")
}

/// The diagnostic for a result that cannot be written to the file.
pub(crate) fn not_writable(name: &str, why: &str) -> Diagnostic {
    Diagnostic::error(Code::FILE_NOT_WRITTEN, format!("the result cannot be written to `{name}`")).note(why)
}

fn listing(diagnostic: Diagnostic, what: &str, names: &[String]) -> Diagnostic {
    if names.is_empty() {
        return diagnostic.note(format!("{what} no fields"));
    }
    diagnostic.note(format!("{what} {}", names_text(names.iter().map(String::as_str))))
}
