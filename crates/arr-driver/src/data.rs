//! Arguments in, results out.

use crate::memory::default_limit;
use crate::{Execution, Failure, World};
use arr_base::{Code, Diagnostic, SourceMap, Span};
use arr_data::{Arg, ArgSource, CellRules, DataError, EdgeValue, Format, NotFinite, Notes, Origin, Reading, Source};
use arr_ir::interp::Trap;
use arr_ir::{Edge, EdgeParam};
use std::io::{Error, ErrorKind};

/// Reads arguments from their sources, in a limited amount of memory.
pub(crate) struct Reader<'a> {
    world: &'a dyn World,
    sources: &'a mut SourceMap,
    max_memory: Option<u64>,
    /// Whether pipes and devices are refused: a server does not wait for those that its clients name.
    pub files_only: bool,
    cells: &'a CellRules,
    /// The floats that the program stops at: arguments that bring them are named.
    trap: Option<Trap>,
    /// What was done beyond what was asked for.
    pub notes: Notes,
    /// The parameters whose values were read from files, and these.
    files: Vec<(String, String)>,
}

impl<'a> Reader<'a> {
    pub fn new(world: &'a dyn World, sources: &'a mut SourceMap, cells: &'a CellRules, execution: &Execution) -> Self {
        Reader {
            world,
            sources,
            max_memory: execution.max_memory,
            files_only: false,
            cells,
            trap: execution.trap,
            notes: Notes::new(),
            files: Vec::new(),
        }
    }

    /// The maximal size of a file, and of the additional memory for reading it, in bytes.
    fn most(&self) -> u64 {
        self.max_memory.or_else(default_limit).unwrap_or(u64::MAX)
    }

    /// Reads the values of the parameters, each from its argument's source. Errors: E0705 where arguments and
    /// parameters do not match, or several arguments are standard input; else those of [`Reader::argument`], of all
    /// arguments at once.
    pub fn arguments(&mut self, entry: &str, params: &[EdgeParam], args: &[Arg]) -> Result<Vec<EdgeValue>, Failure> {
        let args = arr_data::assign(entry, params, args)?;
        if args.iter().filter(|a| a.source == ArgSource::Stdin).count() > 1 {
            let title = "standard input can be one argument only";
            return Err(Diagnostic::error(Code::ARGUMENT_MISSING, title).into());
        }
        let mut values = Vec::new();
        let mut errors = Vec::new();
        for (param, arg) in params.iter().zip(&args) {
            match self.argument(param, &arg.source) {
                Ok(value) => {
                    if !matches!(arg.source, ArgSource::File { .. }) {
                        self.note_not_finite(param, &value, None);
                    }
                    values.push(value);
                }
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(values) } else { Err(Failure::Diagnostics(errors)) }
    }

    /// The numbers of a file, or of the part behind a colon; columns that are needed have nothing else. Errors: as
    /// [`Reader::argument`], and E0709 where there is no such part.
    pub fn numbers_of(&mut self, file: &str, needed: &[&str]) -> Result<EdgeValue, Diagnostic> {
        let ArgSource::File { path, part } = ArgSource::file(file) else {
            return Err(Diagnostic::error(Code::BAD_FILE, format!("`{file}` is no file")));
        };
        let (source, most) = (Source::File(path.clone()), self.most());
        let origin = Origin { argument: String::new(), declared: String::new(), source: source.clone() };
        let format = Format::of(&path).map_err(|e| e.to_diagnostic(&origin))?;
        let bytes = self.world.read_at_most(&path, most).map_err(|e| unread(&path, &source, most, &e))?;
        let how = Reading { limit: most, parameter: "", part: part.as_deref(), cells: self.cells };
        let (value, notes) =
            arr_data::numbers_of(&bytes, format, &how, needed).map_err(|e| e.to_diagnostic(&origin))?;
        self.notes.extend(notes.into_iter().map(|note| format!("`{path}`: {note}")));
        Ok(value)
    }

    /// Says in the diagnostics of arguments that do not fit each other from which files those were read that they name.
    pub fn name_files(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let each = |diagnostic: Diagnostic| {
            let named = |name: &str| diagnostic.title.contains(&format!("`{name}`"));
            let files: Vec<&(String, String)> = self.files.iter().filter(|(name, _)| named(name)).collect();
            let note = |(name, file): &(String, String)| format!("`{name}` was read from `{file}`");
            files.into_iter().map(note).fold(diagnostic, Diagnostic::note)
        };
        diagnostics.into_iter().map(each).collect()
    }

    /// Reads the value of one parameter. Errors: E0701 where its source cannot be read; E0702 where that is damaged
    /// or of no known format; E0703, E0704 or E0706 where the value is not one of the type; E0605 where it does not fit
    /// the memory.
    pub fn argument(&mut self, param: &EdgeParam, source: &ArgSource) -> Result<EdgeValue, Diagnostic> {
        let origin = |source| Origin { argument: param.name.clone(), declared: param.text.clone(), source };
        match source {
            ArgSource::Literal(text) => arr_data::from_text(text, &param.ty)
                .map_err(|e| point_into(&e, e.to_diagnostic(&origin(Source::CommandLine)), text, self.sources, param)),
            ArgSource::File { path: name, part } => {
                let source = Source::File(name.clone());
                let format = Format::of(name).map_err(|e| e.to_diagnostic(&origin(source.clone())))?;
                let most = self.most();
                let read = if self.files_only { World::read_file } else { World::read_at_most };
                let bytes = read(self.world, name, most).map_err(|e| unread(name, &source, most, &e))?;
                let how = Reading { limit: most, parameter: &param.name, part: part.as_deref(), cells: self.cells };
                let (value, notes) = arr_data::from_file(&bytes, format, &param.ty, &how)
                    .map_err(|e| e.to_diagnostic(&origin(source)))?;
                self.files.push((param.name.clone(), name.clone()));
                self.notes.extend(notes.into_iter().map(|note| format!("`{name}`: {note}")));
                let line = |row| arr_data::line_of_row(&bytes, format, &param.ty, &how, row);
                self.note_not_finite(param, &value, Some((name, &line)));
                Ok(value)
            }
            ArgSource::Stdin => {
                let most = self.most();
                let bytes = self.world.read_stdin(most);
                let bytes = bytes.map_err(|e| unread("standard input", &Source::Stdin, most, &e))?;
                let text = String::from_utf8(bytes).map_err(|e| {
                    let offset = e.utf8_error().valid_up_to();
                    Diagnostic::error(Code::BAD_FILE, format!("standard input is not UTF-8: byte {offset}"))
                })?;
                arr_data::from_text_within(&text, &param.ty, most).map_err(|e| e.to_diagnostic(&origin(Source::Stdin)))
            }
        }
    }
}

/// The name of a file, and the lines of its rows.
type Lines<'l> = (&'l str, &'l dyn Fn(usize) -> Option<u64>);

impl Reader<'_> {
    /// Notes the NaNs and infinities that an argument holds, where a program is to stop at them: those of arguments are
    /// passed on, and stop nothing.
    fn note_not_finite(&mut self, param: &EdgeParam, value: &EdgeValue, file: Option<Lines<'_>>) {
        let Some(trap) = self.trap else { return };
        let Some(found) = NotFinite::of(&param.ty, value, trap == Trap::NotFinite) else { return };
        let line = file.and_then(|(name, line)| Some(format!(", in line {} of `{name}`", line(found.row)?)));
        let (name, words, line) = (&param.name, found.words(), line.unwrap_or_default());
        self.notes.push(format!("argument `{name}` holds {words}, the first as `{name}{}`{line}", found.place));
    }
}

fn unread(name: &str, source: &Source, most: u64, error: &Error) -> Diagnostic {
    match error.kind() {
        ErrorKind::FileTooLarge => arr_data::too_large(source, most.saturating_add(1), most),
        _ => unreadable(name, error),
    }
}

/// Adds a label that points to the argument on the command line, and what to write if it is the name of a file.
fn point_into(
    error: &DataError,
    diagnostic: Diagnostic,
    text: &str,
    sources: &mut SourceMap,
    param: &EdgeParam,
) -> Diagnostic {
    let name = text.trim();
    let diagnostic = match error.problem {
        arr_data::Problem::Syntax(_) if Format::of(name).is_ok() => {
            diagnostic.hint(format!("write `@{name}` to read the file"))
        }
        arr_data::Problem::Syntax(_) if error.at.as_ref().is_some_and(|at| is_computed(text, at.start)) => diagnostic
            .note("arguments are literals, and nothing in them is computed")
            .hint("write the number itself, or compute it in the program; `arr eval` evaluates expressions"),
        _ => diagnostic,
    };
    match &error.at {
        Some(at) => {
            let file = sources.add(format!("argument {}", param.name), text);
            diagnostic.at(Span::new(file, at.start, at.end), "here")
        }
        None => diagnostic,
    }
}

/// Whether a text goes on at a place as an expression does: with an operator, or with a call.
fn is_computed(text: &str, at: usize) -> bool {
    const OPERATORS: [char; 6] = ['+', '-', '*', '/', '%', '^'];
    let (before, rest) = (text.get(..at).unwrap_or(""), text.get(at..).unwrap_or(""));
    let behind = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.').trim_start();
    let is_operator = rest.starts_with(OPERATORS) && !before.trim().is_empty();
    is_operator || (behind.len() < rest.len() && (behind.starts_with('(') || behind.starts_with(OPERATORS)))
}

/// The diagnostic for a file that cannot be read.
pub fn unreadable(name: &str, error: &Error) -> Diagnostic {
    Diagnostic::error(Code::FILE_NOT_READ, format!("`{name}` cannot be read: {}", reason(error)))
}

/// The same words on every system for common errors.
fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_string(),
        ErrorKind::PermissionDenied => "permission is denied".to_string(),
        ErrorKind::IsADirectory => "it is a directory".to_string(),
        ErrorKind::NotADirectory => "it is not a directory".to_string(),
        ErrorKind::AlreadyExists => "a file has this name".to_string(),
        ErrorKind::StorageFull => "no space is left".to_string(),
        _ => error.to_string(),
    }
}

pub(crate) fn make_directory(world: &dyn World, name: &str) -> Result<(), Failure> {
    world.make_directory(name).map_err(|e| {
        let title = format!("the directory `{name}` cannot be made: {}", reason(&e));
        Diagnostic::error(Code::FILE_NOT_WRITTEN, title).into()
    })
}

/// Writes a value to a file in the format of its name.
pub(crate) fn write_value(world: &dyn World, name: &str, value: &EdgeValue, ty: &Edge) -> Result<(), Failure> {
    let bytes = arr_data::to_bytes(name, value, ty).map_err(|e| e.to_output_diagnostic())?;
    write_bytes(world, name, &bytes)
}

pub(crate) fn write_bytes(world: &dyn World, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    world.write(name, bytes).map_err(|e| unwritten(name, &e))
}

/// Fails as [`write_bytes`] would, as far as that is known before.
pub(crate) fn check_write(world: &dyn World, name: &str) -> Result<(), Failure> {
    world.check_write(name).map_err(|e| unwritten(name, &e))
}

fn unwritten(name: &str, error: &Error) -> Failure {
    let why = match error.kind() {
        ErrorKind::NotFound => "there is no such directory".to_string(),
        _ => reason(error),
    };
    Diagnostic::error(Code::FILE_NOT_WRITTEN, format!("`{name}` cannot be written: {why}")).into()
}
