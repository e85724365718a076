//! Definitions as shaders, for a browser or another host.

use crate::execution::{Backend, Execution};
use crate::export::{Export, one};
use crate::program::Program;
use crate::{Failure, Session};
use arr_base::{Code, Diagnostic, IndexVec, SourceMap, Span};
use arr_loops::{LoopFunc, SpanId};
use arr_wgsl::{CompileError, Integers, Options};

/// A module, and the data that a host needs to run it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shaders {
    pub wgsl: String,
    /// JSON.
    pub manifest: String,
}

impl Session {
    /// Compiles one definition, or its value and gradient, to shaders that use only features of every WebGPU device,
    /// except that `f64` needs a device that has it. Fails as [`Session::export`] does for a header. Further errors:
    /// E0901 where not exactly one definition was requested, or kernels do not support it; E0504 or E0902 where a step
    /// cannot compile it; E1003 where a kernel has too many buffers or points.
    pub fn shaders(&mut self, path: &str, export: &Export, module: &str) -> Result<Shaders, Failure> {
        let checked = self.checked(path)?;
        let wanted = match (export.entries.as_slice(), export.gradients.as_slice()) {
            ([name], []) => one(&checked, path, name, None)?,
            ([], [(name, wrt)]) => one(&checked, path, name, Some(wrt))?,
            _ => {
                let title = "a module of shaders is one program, and several definitions were asked for";
                let hint = "build one at a time, with `--entry` or with `--grad`";
                return Err(Diagnostic::error(Code::UNSUPPORTED, title).hint(hint).into());
            }
        };
        let mut program = Program::new(wanted.func);
        let execution = Execution { backend: Backend::Gpu, floats: export.floats, ..export.execution() };
        let loops = program.loops(&execution)?;
        let options = Options { integers: Integers::Narrow, ..Options::default() };
        let compiled = compile(loops, &options, &self.sources)?;
        arr_wgsl::validate(&compiled.wgsl, compiled.needs).map_err(Failure::Bug)?;
        let mut manifest = arr_wgsl::manifest(&compiled);
        if let Some(object) = manifest.as_object_mut() {
            object.insert("module".to_string(), module.into());
        }
        Ok(Shaders { wgsl: compiled.wgsl, manifest: format!("{manifest:#}\n") })
    }
}

/// The line of a source in which a span begins.
fn line(sources: &SourceMap, span: Span) -> Option<String> {
    let file = sources.get(span.file)?;
    let (line, _) = file.line_column(span.start as usize);
    file.text.lines().nth(line.saturating_sub(1)).map(str::to_string)
}

/// The module of a program, and the host's steps in comments after it.
pub(crate) fn text(loops: LoopFunc, sources: &SourceMap) -> Result<String, Failure> {
    let options = Options { integers: Integers::Narrow, ..Options::default() };
    let program = compile(loops, &options, sources)?;
    let steps: String = arr_wgsl::print(&program).lines().map(|line| format!("// {line}\n")).collect();
    Ok(format!("{}\n// The host:\n{steps}", program.wgsl))
}

/// The program for a device.
pub(crate) fn compile(loops: LoopFunc, options: &Options, sources: &SourceMap) -> Result<arr_wgsl::Program, Failure> {
    let spans = loops.spans.clone();
    arr_wgsl::compile(loops, options, &|span| line(sources, span)).map_err(|error| refused(&error, &spans))
}

pub(crate) fn refused(error: &CompileError, spans: &IndexVec<SpanId, Option<Span>>) -> Failure {
    let span = error.span().and_then(|span| spans.get(span).copied().flatten());
    let diagnostic = match error {
        CompileError::Invalid(_) | CompileError::Broken(_) => return Failure::Bug(error.to_string()),
        CompileError::Unsupported { .. } => Diagnostic::error(Code::UNSUPPORTED, error.to_string()),
        CompileError::TooManyBuffers { .. } | CompileError::TooManyPoints { .. } => {
            Diagnostic::error(Code::DEVICE_LIMIT, error.to_string())
        }
    };
    let diagnostic = diagnostic.hint("`--backend cpu` runs the program");
    match span {
        Some(span) => diagnostic.at(span, "needed here").into(),
        None => diagnostic.into(),
    }
}
