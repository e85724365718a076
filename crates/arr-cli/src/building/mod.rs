//! `arr build`: objects and libraries for other languages, with their headers.

mod archive;
mod outputs;
mod runtime;
mod shared;

use crate::commands::Result;
use crate::options::{Artifact, Build, Cpu, Machine, Runtime};
use arr_base::{Code, Diagnostic};
use arr_driver::{Export, Exported, Failure, Session};
use std::path::Path;

/// The name of the runtime library beside an object.
const RUNTIME: &str = "libarr_runtime.a";

/// The kind of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OutputKind {
    Header,
    Cpp,
    Rust,
    Object,
    Static,
    Shared,
    Shaders,
    StableHlo,
    C,
}

/// Builds the requested output. Fails with the diagnostics of the file and of its compilation, with E0707 if the name
/// of the output does not determine its kind, or if the runtime library, the linker or a file to write fails.
pub fn run(session: &mut Session, options: &Build) -> Result<()> {
    let kind = kind(options)?;
    check_runtime(options, kind)?;
    check_target(options, kind)?;
    check_sizes(options, kind)?;
    check_names(options)?;
    let mut entries = options.entry.clone();
    if entries.is_empty() && options.gradients.0.is_empty() {
        entries.push("main".to_string());
    }
    let export = Export {
        entries,
        gradients: options.gradients.0.clone(),
        cpu: match (options.target, options.cpu) {
            (Machine::Aarch64Linux, _) => arr_driver::Cpu::Aarch64Linux,
            (Machine::Host, Cpu::Any) => arr_driver::Cpu::Any,
            (Machine::Host, Cpu::Baseline) => arr_driver::Cpu::Baseline,
            (Machine::Host, Cpu::Native) => arr_driver::Cpu::Native,
        },
        strict: options.strict,
        checkpoint: options.checkpoint,
        without: crate::commands::without(&options.without)?,
        floats: crate::commands::floats(options.float),
        header_name: format!("{}.h", stem(&options.output)),
    };
    match kind {
        OutputKind::Shaders => {
            let name = Path::new(&options.output).file_name().and_then(|n| n.to_str()).unwrap_or("module.wgsl");
            let shaders = session.shaders(&options.file, &export, name)?;
            write_pair(session, options, (&shaders.wgsl, &shaders.manifest), "json")
        }
        OutputKind::StableHlo => {
            let made = session.stablehlo(&options.file, &export, &options.sizes, options.max_steps)?;
            write_pair(session, options, (&made.text, &made.manifest), "json")
        }
        OutputKind::C => {
            let name = stem(&options.output);
            let made = session.c99(&options.file, &name, &export, &options.sizes, options.max_steps)?;
            write_pair(session, options, (&made.source, &made.header), "h")
        }
        _ => {
            let with_object = matches!(kind, OutputKind::Object | OutputKind::Static | OutputKind::Shared);
            let exported = session.export(&options.file, &export, with_object)?;
            write(session, kind, options, &exported)
        }
    }
}

/// Writes a text, and what is put beside it in a file of this ending.
fn write_pair(session: &Session, options: &Build, (text, other): (&str, &str), ending: &str) -> Result<()> {
    let path = options.output.as_str();
    let companion = beside(path, &format!("{}.{ending}", stem(path)));
    outputs::check(session, path, Some(&companion))?;
    session.write_text(path, text)?;
    if ending == "h" {
        outputs::warn_of_other(path, &companion, other);
    }
    session.write_text(&companion, other)
}

fn write(session: &Session, kind: OutputKind, options: &Build, exported: &Exported) -> Result<()> {
    let path = options.output.as_str();
    let header = beside(path, &format!("{}.h", stem(path)));
    let alone = matches!(kind, OutputKind::Header | OutputKind::Rust);
    outputs::check(session, path, Some(header.as_str()).filter(|_| !alone))?;
    match kind {
        OutputKind::Header | OutputKind::Shaders | OutputKind::StableHlo | OutputKind::C => {
            return session.write_text(path, &exported.header);
        }
        OutputKind::Rust => return session.write_text(path, &exported.rust),
        OutputKind::Cpp => session.write_text(path, &exported.cpp)?,
        OutputKind::Object => {
            session.write_bytes(path, &exported.object)?;
            write_runtime(session, options)?;
        }
        OutputKind::Static if options.runtime == Some(Runtime::Beside) => {
            session.write_bytes(path, &archive::object_alone(&format!("{}.o", stem(path)), &exported.object)?)?;
            write_runtime(session, options)?;
        }
        OutputKind::Static => {
            let member = format!("{}.o", stem(path));
            let bytes = archive::with_object(&runtime::library()?, &member, &exported.object)?;
            session.write_bytes(path, &bytes)?;
        }
        OutputKind::Shared => {
            let runtime = archive::runtime(&runtime::library()?)?;
            session.write_bytes(path, &shared::link(path, &exported.object, &runtime, &exported.symbols)?)?;
        }
    }
    outputs::warn_of_other(path, &header, &exported.header);
    session.write_text(&header, &exported.header)
}

/// Writes the runtime library beside the output, unless it is there: all objects in a directory share it. That of another
/// machine is not part of the compiler.
fn write_runtime(session: &Session, options: &Build) -> Result<()> {
    let path = &beside(&options.output, RUNTIME);
    if options.target != Machine::Host {
        if !Path::new(path).exists() {
            crate::output::to_stderr(&format!(
                "note: `{path}` for this machine is not part of the compiler; docs/ahead-of-time.md says how to make it\n"
            ));
        }
        return Ok(());
    }
    let runtime = archive::runtime(&runtime::library()?)?;
    let same = std::fs::metadata(path).is_ok_and(|file| file.len() == runtime.len() as u64)
        && std::fs::read(path).is_ok_and(|before| before == runtime);
    if same { Ok(()) } else { session.write_bytes(path, &runtime) }
}

/// Fails with E0707 where `--runtime` is given for what holds no runtime, or has to hold one.
fn check_runtime(options: &Build, kind: OutputKind) -> Result<()> {
    let title = match (options.runtime, kind) {
        (None, _) | (Some(_), OutputKind::Static) | (Some(Runtime::Inside), OutputKind::Shared) => return Ok(()),
        (Some(Runtime::Beside), OutputKind::Object) => return Ok(()),
        (Some(Runtime::Beside), OutputKind::Shared) => "a shared library holds the runtime library",
        (Some(Runtime::Inside), OutputKind::Object) => "the runtime library is put beside an object",
        _ => "`--runtime` is for libraries and objects",
    };
    Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title.to_string()).hint("leave `--runtime` out").into())
}

/// Fails with E0707 where `--target` names another machine for what is not for one, or needs its runtime library or linker.
fn check_target(options: &Build, kind: OutputKind) -> Result<()> {
    let wrong = |title: &str, hint: &str| -> Result<()> {
        Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title.to_string()).hint(hint).into())
    };
    match kind {
        _ if options.target == Machine::Host => Ok(()),
        OutputKind::Object if options.cpu != Cpu::Native => Ok(()),
        OutputKind::Static if options.runtime == Some(Runtime::Beside) && options.cpu != Cpu::Native => Ok(()),
        OutputKind::Object | OutputKind::Static if options.cpu == Cpu::Native => {
            wrong("`--cpu native` is this machine's processor, and `--target` another machine", "leave `--cpu` out")
        }
        OutputKind::Static | OutputKind::Shared => wrong(
            "the runtime library for that machine is not part of the compiler",
            "make an object, `-o model.o`, or a library without it, `-o libmodel.a --runtime beside`",
        ),
        _ => wrong("`--target` is for objects and libraries", "the other outputs are the same for all machines"),
    }
}

/// Fails with E0707 where sizes or room for them are given for what is for all sizes.
fn check_sizes(options: &Build, kind: OutputKind) -> Result<()> {
    let given = match (options.sizes.is_empty(), options.max_steps) {
        (false, _) => "--sizes",
        (true, Some(_)) => "--max-steps",
        (true, None) => return Ok(()),
    };
    if matches!(kind, OutputKind::C | OutputKind::StableHlo) {
        return Ok(());
    }
    let title = format!("`{given}` is for C source and StableHLO");
    let hint = format!("leave `{given}` out: the other outputs are for all sizes");
    Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint(hint).into())
}

/// Fails with E0206 where several definitions are named at once.
fn check_names(options: &Build) -> Result<()> {
    let names = options.entry.iter().chain(options.gradients.0.iter().map(|(name, _)| name));
    let Some(list) = names.into_iter().find(|name| name.contains(',')) else { return Ok(()) };
    let option = if options.entry.contains(list) { "--entry" } else { "--grad" };
    let each: Vec<String> = list.split(',').map(|name| format!("{option} {}", name.trim())).collect();
    let title = format!("`{list}` is no name of a definition");
    let hint = format!("each definition has its own `{option}`: `{}`", each.join(" "));
    Err(Diagnostic::error(Code::NO_ENTRY, title).hint(hint).into())
}

/// The kind given by `--emit` and the extension of the path together.
fn kind(options: &Build) -> Result<OutputKind> {
    let path = options.output.as_str();
    let ending = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or("");
    let wrong = |title: String, hint: &str| -> Result<OutputKind> {
        Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).hint(hint).into())
    };
    match (options.emit, ending) {
        (Some(Artifact::Mlir), "json") => wrong(
            format!("`{path}` would be the manifest's name"),
            "name the module `model.mlir`; the manifest is put beside it",
        ),
        (Some(Artifact::Mlir), _) | (None, "mlir") => Ok(OutputKind::StableHlo),
        (Some(Artifact::C), "h") => wrong(
            format!("`{path}` would be the header's name"),
            "name the source `model.c`; the header is put beside it",
        ),
        (Some(Artifact::C), _) | (None, "c") => Ok(OutputKind::C),
        (Some(Artifact::Wgsl), "json") => wrong(
            format!("`{path}` would be the manifest's name"),
            "name the module `model.wgsl`; the manifest is put beside it",
        ),
        (Some(Artifact::Wgsl), _) | (None, "wgsl") => Ok(OutputKind::Shaders),
        (Some(Artifact::Header), _) | (None, "h") => Ok(OutputKind::Header),
        (Some(Artifact::Cpp), "h") => wrong(
            format!("`{path}` would be the C header's name"),
            "name the C++ header `model.hpp`; the C header, which it includes, is put beside it",
        ),
        (Some(Artifact::Cpp), _) | (None, "hpp") => Ok(OutputKind::Cpp),
        (Some(Artifact::Rust), _) | (None, "rs") => Ok(OutputKind::Rust),
        (Some(Artifact::Obj), "h") | (Some(Artifact::Lib), "h") => wrong(
            format!("`{path}` would be the header's name"),
            "name the object `model.o` or the library `libmodel.a`",
        ),
        (Some(Artifact::Obj), _) | (None, "o") => Ok(OutputKind::Object),
        (Some(Artifact::Lib) | None, "a") => Ok(OutputKind::Static),
        (Some(Artifact::Lib) | None, "so" | "dylib") => Ok(OutputKind::Shared),
        (Some(Artifact::Lib), _) => wrong(
            format!("the name `{path}` does not say which kind of library to make"),
            "a static library is called `libmodel.a`, a shared one `libmodel.so`",
        ),
        (None, _) => wrong(
            format!("the name `{path}` does not say what to make"),
            "say `--emit obj`, `--emit lib`, `--emit header`, `--emit cpp`, `--emit rust`, `--emit c`, `--emit wgsl` or `--emit mlir`, or end the name in `.o`, `.a`, `.so`, `.h`, `.hpp`, `.rs`, `.c`, `.wgsl` or `.mlir`",
        ),
    }
}

/// The name of a file without its directory, its extension and the `lib` of libraries.
fn stem(path: &str) -> String {
    let stem = Path::new(path).file_stem().and_then(|s| s.to_str()).unwrap_or("out");
    let is_library = [".a", ".so", ".dylib"].iter().any(|ending| path.ends_with(ending));
    let short = stem.strip_prefix("lib").filter(|rest| is_library && !rest.is_empty());
    short.unwrap_or(stem).to_string()
}

fn beside(path: &str, name: &str) -> String {
    Path::new(path).with_file_name(name).to_string_lossy().into_owned()
}

/// A fault neither of the program nor of the compiler.
fn failed(title: String) -> Failure {
    Diagnostic::error(Code::FILE_NOT_WRITTEN, title).into()
}
