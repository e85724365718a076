//! Names, types and sizes of Arr programs, and elaboration into the core IR.
//!
//! [`check_module`] checks every definition of a file once and collects all independent problems. [`elaborate`] then
//! turns one definition into a core function in which everything it calls is inlined and specialised, and tuples,
//! records and functions are gone. [`elaborate_expr`] does so for an expression in the scope of the file, and
//! [`elaborate_gradient`] for the derivative of a definition.
//!
//! Both are one symbolic evaluation, see `elaborate/elab.rs`.
//!
//! Each part depends only on those above it in this list (`tests/layering.rs`):
//!
//! | part | what is in it |
//! |---|---|
//! | `data` | what the stages share: types, values, declared types, problems, tables, the table of built-in functions |
//! | `messages` | the words of diagnostics |
//! | `resolve` | names: modules, what uses what, cycles |
//! | `declare` | from syntax to tables: named types, sums, types of definitions, declared derivatives |
//! | `elaborate` | the evaluator: expressions, calls, patterns, loops, arrays, derivatives, built-in functions |
//! | `check` | every definition checked once, after those that it uses |
//! | `sink_updates.rs` | the elaborated function with updates moved behind the last reads of the old array |
//! | `entry.rs` | a definition, an expression or a derivative as a core function |
//! | `readable.rs` | what a derivative that is printed mentions of its program |

mod check;
mod data;
mod declare;
mod elaborate;
mod entry;
mod messages;
mod readable;
mod resolve;
mod sink_updates;

pub use data::program::{Imported, Program, ProgramModule, StandardNames};
pub use data::recorded::{Known, Types};
pub use elaborate::observe::{Observation, observations};
pub use entry::GradientMode;
pub use readable::Readable;

use arr_base::{Diagnostic, on_large_stack};
use arr_ir::Func;
use arr_syntax::ast::{Expr, Module};
use data::recorded::Recorder;
use data::tables::Tables;
use messages::tidy;
use std::sync::Arc;

/// A checked program. Definitions without problems can be elaborated even if others have some.
#[derive(Debug)]
pub struct Checked {
    tables: Tables,
    syntax: Arc<Module>,
    /// All problems of the program, in source order, those of its first file first.
    pub diagnostics: Vec<Diagnostic>,
    /// What may be in the first file, and most likely should not, in source order; nothing where there are problems.
    pub warnings: Vec<Diagnostic>,
}

impl Checked {
    /// The names of all definitions of the file, in source order. Tests are not among them, though [`elaborate`] takes
    /// their names.
    pub fn entry_names(&self) -> Vec<String> {
        self.tables.entry_names()
    }

    /// The names of all tests, with their quotation marks, in source order.
    pub fn test_names(&self) -> Vec<String> {
        self.tables.defs.iter().filter(|d| d.module == 0 && d.test).map(|d| d.name.clone()).collect()
    }

    /// The names and written types of a definition's parameters; `None` if there is no such definition.
    pub fn entry_params(&self, name: &str) -> Option<Vec<(String, String)>> {
        let info = self.tables.info(self.tables.def_index(name)?)?;
        Some(info.params().iter().map(|p| (p.name.clone(), p.text.clone())).collect())
    }

    /// The file's syntax.
    pub fn module(&self) -> &Arc<Module> {
        &self.syntax
    }
}

/// The built-in functions: name and one sentence of documentation; those that are primitives come first.
pub fn builtin_docs() -> impl Iterator<Item = (&'static str, &'static str)> {
    data::builtins::TABLE.iter().map(|b| (b.name, b.doc))
}

/// The signature of a built-in function, `sum[t: num](x: [n]t) -> t`; `..` stands for more of the same.
pub fn builtin_signature(name: &str) -> Option<String> {
    data::signatures::signature_of(name)
}

/// Checks every definition of a parsed file that imports nothing.
pub fn check_module(module: impl Into<Arc<Module>>) -> Checked {
    check_program(Program::from(module.into()))
}

/// Checks a program: every definition of its files, and what they use of the standard library. Evaluation recurses over
/// expressions and calls, so it runs on a stack that is large enough for the deepest.
pub fn check_program(program: Program) -> Checked {
    on_large_stack(move || check(program, Recorder::default()))
}

/// Checks a program and gives the types of its names and expressions; of the standard library, as far as it is used.
pub fn check_program_with_types(program: Program) -> (Checked, Types) {
    on_large_stack(move || {
        let checked = check(program, Recorder::on());
        let types = checked.tables.recorder.take();
        (checked, types)
    })
}

fn check(program: Program, recorder: Recorder) -> Checked {
    let syntax = program.modules.first().map(|m| m.syntax.clone()).unwrap_or_default();
    let mut tables = Tables::new(program);
    tables.recorder = recorder;
    tables.look_at_all();
    let found = tables.defs.iter().flat_map(|d| d.all_problems());
    let mut diagnostics: Vec<Diagnostic> = found.chain(&tables.problems).cloned().collect();
    tidy(&mut diagnostics);
    let mut warnings = if diagnostics.is_empty() { tables.warnings() } else { Vec::new() };
    tidy(&mut warnings);
    Checked { tables, syntax, diagnostics, warnings }
}

/// A definition as a core function. Errors: E0206 where there is no such definition, E0307 where a parameter or the
/// result holds a function, and all that is wrong with the definition and those that it uses; no diagnostic where the
/// parser has reported the fault.
pub fn elaborate(checked: &Checked, entry: &str) -> Result<Func, Vec<Diagnostic>> {
    on_large_stack(|| entry::elaborate(&checked.tables, entry).map(proved))
}

/// A definition whose result is one number, for comparisons of derivatives: the weighted sum of the floats of what it
/// returns, if that is not one float; and whether it is such a sum. Errors: those of [`elaborate`].
pub fn elaborate_number(checked: &Checked, entry: &str) -> Result<(Func, bool), Vec<Diagnostic>> {
    on_large_stack(|| entry::elaborate_number(&checked.tables, entry).map(|(func, is_sum)| (proved(func), is_sum)))
}

/// An expression in the scope of a file as a core function without parameters. Errors: E0307 where its value holds a
/// function, and all that is wrong with it and the definitions that it uses; no diagnostic where the parser has
/// reported the fault.
pub fn elaborate_expr(checked: &Checked, expr: &Expr) -> Result<Func, Vec<Diagnostic>> {
    on_large_stack(|| entry::elaborate_expr(&checked.tables, expr).map(proved))
}

/// The derivative of a definition as a core function. Reverse mode: the gradient with respect to the parameters named
/// in `wrt` (the first one if none are), a tuple where there are several. Forward mode: the value and its tangent, for
/// tangents `d_<name>` given as further parameters. Errors: those of [`elaborate`], E0501 where the result in reverse
/// mode is not one float, E0502 where a chosen parameter holds no floats, and E0503 where `wrt` names no parameter, or
/// one twice.
pub fn elaborate_gradient(
    checked: &Checked,
    entry: &str,
    wrt: &[String],
    mode: GradientMode,
) -> Result<Func, Vec<Diagnostic>> {
    on_large_stack(|| entry::elaborate_gradient(&checked.tables, entry, wrt, mode, false).map(proved))
}

/// The derivative of a definition for readers: calls of definitions with declared derivatives stay calls. `None` where
/// there is no such form. Errors: those of [`elaborate_gradient`].
pub fn readable_gradient(
    checked: &Checked,
    entry: &str,
    wrt: &[String],
    mode: GradientMode,
) -> Result<Option<Readable>, Vec<Diagnostic>> {
    on_large_stack(|| {
        let func = entry::elaborate_gradient(&checked.tables, entry, wrt, mode, true).map(proved)?;
        Ok(readable::readable(&checked.tables, entry, func))
    })
}

/// The function, with every access checked that the range analysis does not prove inside.
fn proved(mut func: Func) -> Func {
    arr_ir::bounds::check_unproved(&mut func);
    func
}
