//! Arguments in, results out.

use crate::{Failure, World};
use arr_base::{Code, Diagnostic, SourceMap, Span};
use arr_data::{Arg, ArgSource, DataError, EdgeValue, Format, Origin, Source};
use arr_ir::{Edge, EdgeParam};
use std::io::{Error, ErrorKind};

/// Reads the values of the parameters, each from where its argument says.
pub(crate) fn read_arguments(
    world: &dyn World,
    sources: &mut SourceMap,
    entry: &str,
    params: &[EdgeParam],
    args: &[Arg],
) -> Result<Vec<EdgeValue>, Failure> {
    let args = arr_data::assign(entry, params, args)?;
    if args.iter().filter(|a| a.source == ArgSource::Stdin).count() > 1 {
        let title = "standard input can be one argument only";
        return Err(Diagnostic::error(Code::ARGUMENT_MISSING, title).into());
    }
    let mut values = Vec::new();
    let mut errors = Vec::new();
    for (param, arg) in params.iter().zip(&args) {
        match read_argument(world, sources, param, &arg.source) {
            Ok(value) => values.push(value),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(Failure::Diagnostics(errors)) }
}

/// Reads the value of one parameter.
pub(crate) fn read_argument(
    world: &dyn World,
    sources: &mut SourceMap,
    param: &EdgeParam,
    source: &ArgSource,
) -> Result<EdgeValue, Diagnostic> {
    let origin = |source| Origin { argument: param.name.clone(), declared: param.text.clone(), source };
    match source {
        ArgSource::Literal(text) => arr_data::from_text(text, &param.ty)
            .map_err(|e| point_into(&e, e.to_diagnostic(&origin(Source::CommandLine)), text, sources, param)),
        ArgSource::File(name) => {
            let source = Source::File(name.clone());
            let format = Format::of(name).map_err(|e| e.to_diagnostic(&origin(source.clone())))?;
            let bytes = world.read(name).map_err(|e| unreadable(name, &e))?;
            arr_data::from_bytes(&bytes, format, &param.ty).map_err(|e| e.to_diagnostic(&origin(source)))
        }
        ArgSource::Stdin => {
            let bytes = world.read_stdin().map_err(|e| unreadable("standard input", &e))?;
            let bad = |e: DataError| e.to_diagnostic(&origin(Source::Stdin));
            let text = String::from_utf8(bytes).map_err(|e| {
                let offset = e.utf8_error().valid_up_to();
                Diagnostic::error(Code::BAD_FILE, format!("standard input is not UTF-8: byte {offset}"))
            })?;
            arr_data::from_text(&text, &param.ty).map_err(bad)
        }
    }
}

/// A label in the argument as it stands on the command line.
fn point_into(
    error: &DataError,
    diagnostic: Diagnostic,
    text: &str,
    sources: &mut SourceMap,
    param: &EdgeParam,
) -> Diagnostic {
    match &error.at {
        Some(at) => {
            let file = sources.add(format!("argument {}", param.name), text);
            diagnostic.at(Span::new(file, at.start, at.end), "here")
        }
        None => diagnostic,
    }
}

/// The diagnostic for a file that cannot be read.
pub(crate) fn unreadable(name: &str, error: &Error) -> Diagnostic {
    Diagnostic::error(Code::FILE_NOT_READ, format!("`{name}` cannot be read: {}", reason(error)))
}

/// The same words on every system for what is common.
fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_string(),
        ErrorKind::PermissionDenied => "permission is denied".to_string(),
        ErrorKind::IsADirectory => "it is a directory".to_string(),
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
    world.write(name, bytes).map_err(|e| {
        let why = match e.kind() {
            ErrorKind::NotFound => "there is no such directory".to_string(),
            _ => reason(&e),
        };
        Diagnostic::error(Code::FILE_NOT_WRITTEN, format!("`{name}` cannot be written: {why}")).into()
    })
}
