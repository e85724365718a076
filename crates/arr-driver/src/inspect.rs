//! Looking into the compiler: the program after a stage or a step, and the reasons for its form.

use crate::execution::{Backend, Execution};
use crate::program::{Program, code_generation};
use crate::{Failure, SourceLine};
use arr_base::{Code, Diagnostic, SourceMap};
use arr_check::Readable;
use arr_ir::Func;
use arr_pipeline::{At, Named, Target, Until, View, Watcher};
use arr_syntax::ast::{Module, Type};
use arr_unparse::Label;

/// A stage whose result can be shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    Ast,
    /// As elaborated: anything nests, derivatives are operations.
    Core,
    /// No user code under `build`.
    Bulk,
    /// Bulk without derivatives.
    Ad,
    Fused,
    Loops,
    Clif,
    /// Shaders, and the steps of their host.
    Wgsl,
}

/// The last step to decide which arrays are in memory in most runs, in relaxed code for processors.
const LAST_OF_ARRAYS: &str = "expand";

impl Program {
    /// The program after a stage, as text; loops and later stages in their form for this execution. The syntax tree
    /// belongs to the session. Fails with E0504 or E0902 if a step before it cannot compile the program. After the
    /// loops also with E0901 if there is no code for it, and with E1003 if it exceeds the limits of a device on
    /// bindings or points; for [`Stage::Ast`] with a [`Failure::Bug`].
    pub fn emit(&mut self, stage: Stage, execution: &Execution) -> Result<String, Failure> {
        self.with_floats(execution.floats)?;
        self.without |= execution.without;
        match stage {
            Stage::Ast => Err(Failure::Bug("the syntax tree is not part of a program".to_string())),
            Stage::Core => {
                self.forget_reports();
                Ok(arr_ir::print_func(self.core()))
            }
            Stage::Bulk => Ok(arr_ir::print_func(&self.lowered(arr_pipeline::Stage::Bulk)?)),
            Stage::Ad => Ok(arr_ir::print_func(&self.lowered(arr_pipeline::Stage::Ad)?)),
            Stage::Fused => Ok(arr_ir::print_func(&self.lowered(arr_pipeline::Stage::Fused)?)),
            Stage::Loops => Ok(arr_loops::print(&self.loops(execution)?)),
            Stage::Clif => {
                let loops = self.loops(execution)?;
                arr_cpu::clif_text(&loops, self.compile_options(execution)).map_err(code_generation)
            }
            Stage::Wgsl => {
                let loops = self.loops(&Execution { backend: Backend::Gpu, ..*execution })?;
                crate::wgsl::text(loops, &self.sources)
            }
        }
    }

    /// The loops from which machine code for calls with these sizes is made, as text. Fails with E0504 or E0902 if a step
    /// cannot compile the program.
    pub fn loops_text_for(&mut self, sizes: &[i64], execution: &Execution) -> Result<String, Failure> {
        self.without |= execution.without;
        Ok(arr_loops::print(&self.loops_for(execution.fixed(sizes), execution)?))
    }

    /// The program after a step, or a part of one, compiled for this execution, and for these sizes if given. A part
    /// that runs in rounds is shown after the last that changed something; `fuse.inline.2` is the second. Fails with
    /// E0708 if there is no such step, or it does not run for this program; else as [`Program::emit`].
    pub fn emit_after(&mut self, step: &str, sizes: Option<&[i64]>, execution: &Execution) -> Result<String, Failure> {
        let (named, time) = found(step)?;
        self.with_floats(execution.floats)?;
        self.without |= execution.without;
        match named.name() {
            "elaborate" | "sink-updates" => return self.emit(Stage::Core, execution),
            "demote-f64" if self.is_narrow() => return self.emit(Stage::Core, execution),
            "unparse" => return self.to_source(),
            "cranelift" => return self.emit(Stage::Clif, execution),
            "wgsl" => return self.emit(Stage::Wgsl, execution),
            _ => {}
        }
        let settings = self.settings(execution.runner().target(), sizes, execution);
        let mut wanted = Wanted { name: named.name(), time, text: None };
        self.take(&settings, Until::Step(named.step.name), &mut wanted)?;
        wanted.text.ok_or_else(|| {
            let title = format!("the step `{step}` does not run for this program");
            let diagnostic = Diagnostic::error(Code::NO_STEP, title);
            let when: Vec<&str> = named.step.when.iter().map(|when| when.words()).collect();
            let diagnostic = match (named.part, when.as_slice()) {
                (Some(_), _) => diagnostic.note("a part of a step is shown where it changes something"),
                (None, []) => diagnostic,
                (None, when) => diagnostic.note(format!("it is there for: {}", when.join(", "))),
            };
            diagnostic.hint("`--time-passes` prints the steps that run").into()
        })
    }

    /// Which arrays of the program are in memory and why, in relaxed code for processors, and which kernels are matrix
    /// products. Fails with E0504 or E0902 if a step cannot compile the program.
    pub fn explain_fusion(&mut self) -> Result<String, Failure> {
        let before = self.lowered(arr_pipeline::Stage::Ad)?;
        let relaxed = arr_pipeline::Settings { relaxed: true, ..self.plain_settings(Target::Cpu) };
        let after = self.take(&relaxed, Until::Step(LAST_OF_ARRAYS), &mut arr_pipeline::Unwatched)?.func()?;
        Ok(arr_passes::explain(&before, &after))
    }

    /// The program without derivatives, as self-contained source; for readers, if [`Session::printed`](crate::Session)
    /// has made it. Fails with E0504 or E0902 if a step cannot compile the program.
    pub fn to_source(&mut self) -> Result<String, Failure> {
        match self.readable.take() {
            Some(readable) => {
                let text = self.readable_text(&readable);
                self.readable = Some(readable);
                // A call has no derivative of its own, and no form inside of kernels: then it is its body again.
                text.or_else(|_| self.plain_text())
            }
            None => self.plain_text(),
        }
    }

    fn readable_text(&mut self, readable: &Readable) -> Result<String, Failure> {
        let mut printed = Program::new(readable.func.clone());
        (printed.verify, printed.checkpoint, printed.without) = (self.verify, self.checkpoint, self.without);
        printed.steps = self.steps;
        printed.sources = self.sources.clone();
        let func = printed.lowered(arr_pipeline::Stage::Fused)?;
        for types in [readable.types.as_slice(), &[]] {
            let Some(items) = readable.items(&func, types) else { continue };
            let text = printed.text_of(&func, types)?;
            let context = arr_syntax::print_module(&Module { items });
            return Ok(if context.is_empty() { text } else { format!("{context}\n{text}") });
        }
        Err(Failure::Bug("a printed program needs other files".to_string()))
    }

    fn plain_text(&mut self) -> Result<String, Failure> {
        let func = self.lowered(arr_pipeline::Stage::Fused)?;
        self.text_of(&func, &[])
    }

    fn text_of(&self, func: &Func, types: &[Type]) -> Result<String, Failure> {
        let mut last = None;
        let mut note = |label: Label| comment(&self.sources, label, &mut last);
        let unparsed = arr_unparse::emit_text_with(func, &func.name, types, &mut note);
        unparsed.map_err(|what| Failure::Bug(format!("`unparse` has met what cannot be: {what}")))
    }
}

/// The longest part of a line of the program in a comment.
const LONGEST: usize = 70;

/// What the code below comes from, if that is not where the code above does.
fn comment(sources: &SourceMap, label: Label, last: &mut Option<(bool, SourceLine)>) -> Option<String> {
    let line = SourceLine::of(sources, label.span?)?;
    let short: String = line.text.chars().take(LONGEST).collect();
    let dots = if short.len() < line.text.len() { " .." } else { "" };
    let what = if label.derivative { "the derivative of " } else { "" };
    let of = if line.own { "line " } else { "" };
    let comment = format!("{what}{of}{}: {}{dots}", line.place(), short.trim_end());
    let place = Some((label.derivative, line));
    if *last == place {
        return None;
    }
    *last = place;
    Some(comment)
}

/// The step or part with a name, and the round, if the name ends in a number.
fn found(name: &str) -> Result<(Named, Option<usize>), Diagnostic> {
    if let Some((part, number)) = name.rsplit_once('.')
        && let Ok(time) = number.parse::<usize>()
        && let Ok(named) = arr_pipeline::find(part)
    {
        return Ok((named, Some(time)));
    }
    arr_pipeline::find(name).map(|named| (named, None))
}

/// Keeps the text after one step.
struct Wanted {
    name: &'static str,
    time: Option<usize>,
    text: Option<String>,
}

impl Watcher for Wanted {
    fn after(&mut self, at: At, program: View<'_>) -> Result<(), arr_pipeline::Failure> {
        if at.name() == self.name && self.time.is_none_or(|time| time == at.time) {
            self.text = Some(program.text());
        }
        Ok(())
    }
}
