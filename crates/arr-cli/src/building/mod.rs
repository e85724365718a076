//! `arr build`: objects and libraries for other languages, with their headers.

mod archive;
mod runtime;
mod shared;

use crate::commands::Result;
use crate::options::{Artifact, Build, Cpu};
use arr_base::{Code, Diagnostic};
use arr_driver::{Export, Exported, Failure, Session};
use std::path::Path;

/// The name of the runtime library beside an object.
const RUNTIME: &str = "libarr_runtime.a";

/// The kind of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OutputKind {
    Header,
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
    let mut entries = options.entry.clone();
    if entries.is_empty() && options.gradients.0.is_empty() {
        entries.push("main".to_string());
    }
    let export = Export {
        entries,
        gradients: options.gradients.0.clone(),
        cpu: match options.cpu {
            Cpu::Any => arr_driver::Cpu::Any,
            Cpu::Baseline => arr_driver::Cpu::Baseline,
            Cpu::Native => arr_driver::Cpu::Native,
        },
        strict: options.strict,
        checkpoint: options.checkpoint,
        floats: crate::commands::floats(options.float),
    };
    if kind == OutputKind::Shaders {
        let name = Path::new(&options.output).file_name().and_then(|n| n.to_str()).unwrap_or("module.wgsl");
        let shaders = session.shaders(&options.file, &export, name)?;
        session.write_text(&options.output, &shaders.wgsl)?;
        return session.write_text(&beside(&options.output, &format!("{}.json", stem(name))), &shaders.manifest);
    }
    if kind == OutputKind::StableHlo {
        let made = session.stablehlo(&options.file, &export, &options.sizes, options.max_steps)?;
        session.write_text(&options.output, &made.text)?;
        return session
            .write_text(&beside(&options.output, &format!("{}.json", stem(&options.output))), &made.manifest);
    }
    if kind == OutputKind::C {
        let stem = stem(&options.output);
        let made = session.c99(&options.file, &stem, &export, &options.sizes, options.max_steps)?;
        session.write_text(&options.output, &made.source)?;
        return session.write_text(&beside(&options.output, &format!("{stem}.h")), &made.header);
    }
    let exported = session.export(&options.file, &export, kind != OutputKind::Header)?;
    write(session, kind, &options.output, &exported)
}

fn write(session: &Session, kind: OutputKind, path: &str, exported: &Exported) -> Result<()> {
    match kind {
        OutputKind::Header | OutputKind::Shaders | OutputKind::StableHlo | OutputKind::C => {
            return session.write_text(path, &exported.header);
        }
        OutputKind::Object => {
            session.write_bytes(path, &exported.object)?;
            session.write_bytes(&beside(path, RUNTIME), &archive::runtime(&runtime::library()?)?)?;
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
    let header = beside(path, &format!("{}.h", stem(path)));
    warn_of_other(path, &header, &exported.header);
    session.write_text(&header, &exported.header)
}

/// Says that the header of another library of the same name is replaced by one that declares something else.
fn warn_of_other(path: &str, header: &str, text: &str) {
    let same = std::fs::read_to_string(header).is_ok_and(|before| before == text);
    if same || !Path::new(header).exists() {
        return;
    }
    let stem = stem(path);
    let names = [format!("{stem}.o"), format!("lib{stem}.a"), format!("lib{stem}.so"), format!("lib{stem}.dylib")];
    let other = names.iter().map(|name| beside(path, name)).find(|other| other != path && Path::new(other).exists());
    if let Some(other) = other {
        crate::output::to_stderr(&format!(
            "warning: `{header}` declared something else before, for `{other}`, which it no longer fits: build that \
             with the same definitions, or give one of them another name\n"
        ));
    }
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
            "say `--emit obj`, `--emit lib`, `--emit header`, `--emit c`, `--emit wgsl` or `--emit mlir`, or end the name in `.o`, `.a`, `.so`, `.h`, `.c`, `.wgsl` or `.mlir`",
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
