//! The actions of the commands: questions to a session, answers to the streams.

use crate::options::{
    Backend, CheckGrad, Command, Emit, Eval, Execution, Explain, Float, Grad, Inspection, Mode, Options, Plot, Run,
    Stage, Subject, Tracing, Trapped,
};
use crate::plotting::Drawing;
use crate::render::{self, Look};
use crate::store::Disk;
use crate::{
    beginning, bisecting, bug, building, checking, costing, devices, documenting, explain, formatting, interactive,
    json, output, piped, plotting, profiling, serving, shell, testing, timing, tracing,
};
use arr_base::{Code, Diagnostic, SourceMap};
use arr_data::{Arg, EdgeValue};
use arr_driver::{Failure, OsWorld, PassReport, Program, Question, Session};
use clap::CommandFactory;
use clap::error::ErrorKind;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

pub type Result<T> = std::result::Result<T, Failure>;

/// Runs the command. An error is a fault of the command line that clap could not detect.
pub fn run(options: Options) -> std::result::Result<ExitCode, clap::Error> {
    let mut session = Session::new(piped::Files::default());
    if let Some(store) = Disk::find() {
        session = session.with_store(store);
    }
    let (result, as_json) = match options.command {
        Command::Explain(options) => return explain_code(&options),
        Command::Repl(options) => return Ok(interactive::run(&options)),
        Command::Lsp(_) => return Ok(serve_editor()),
        Command::Serve(options) => match serving::run(&options) {
            Ok(()) => return Ok(ExitCode::SUCCESS),
            Err(failure) => (Err(failure), options.execution.json),
        },
        Command::Devices(options) => (devices::run(&options), options.json),
        Command::Check(options) => match checking::run(&mut session, &options) {
            Ok(passed) => return Ok(status(passed)),
            Err(failure) => (Err(failure), options.json),
        },
        Command::Fmt(options) => match formatting::run(&mut session, &options) {
            Ok(passed) => return Ok(status(passed)),
            Err(failure) => (Err(failure), false),
        },
        Command::New(options) => (beginning::run(&mut session, &options), false),
        Command::Completions(options) => (shell::completions(&options), false),
        Command::Man(options) => (shell::manual(&mut session, &options), false),
        Command::Run(options) => (run_entry(&mut session, &options), options.execution.json),
        Command::Plot(options) => (plot_entry(&mut session, &options), options.execution.json),
        Command::Eval(options) => (eval(&mut session, &options), options.execution.json),
        Command::Build(options) => (building::run(&mut session, &options), options.json),
        Command::Grad(options) => (grad(&mut session, &options), options.json),
        Command::Cost(options) => (costing::run(&mut session, &options), options.json),
        Command::Bench(options) => (timing::run(&mut session, &options), options.execution.json),
        Command::Doc(options) => (documenting::run(&mut session, &options), options.execution.json),
        Command::Test(options) => match testing::run(&mut session, &options) {
            Ok(passed) => return Ok(status(passed)),
            Err(failure) => (Err(failure), options.execution.json),
        },
        Command::CheckGrad(options) => (check_grad(&mut session, &options), options.execution.json),
    };
    report_notes(&session.take_notes(), as_json);
    Ok(match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Diagnostics(list)) => {
            report(&list, session.sources(), as_json);
            #[cfg(unix)]
            if list.iter().any(|diagnostic| diagnostic.code == Code::INTERRUPTED) {
                crate::signals::end_interrupted();
            }
            ExitCode::FAILURE
        }
        Err(Failure::Bug(what)) => {
            bug::report(&what);
            ExitCode::from(bug::STATUS)
        }
    })
}

/// Runs a program, which Ctrl-C stops.
fn stopped_by_signals<T>(run: impl FnOnce() -> T) -> T {
    #[cfg(unix)]
    return crate::signals::stopped(run);
    #[cfg(not(unix))]
    run()
}

fn status(passed: bool) -> ExitCode {
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The session of an editor. Without a proper end the status is 1, as the protocol demands.
fn serve_editor() -> ExitCode {
    let home = dirs::cache_dir().unwrap_or_else(std::env::temp_dir);
    let library = home.join("arr").join(env!("CARGO_PKG_VERSION"));
    let library = library.to_string_lossy().into_owned();
    match arr_lsp::stdio(arr_lsp::Options { world: Arc::new(OsWorld), library }) {
        Ok(arr_lsp::Ended::Properly) => ExitCode::SUCCESS,
        Ok(arr_lsp::Ended::Early) => ExitCode::FAILURE,
        Err(error) => {
            output::to_stderr(&format!("the language server cannot start: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

pub fn report(list: &[Diagnostic], sources: &SourceMap, as_json: bool) {
    if as_json {
        let lines: String = list.iter().map(|d| json::diagnostic(d, sources) + "\n").collect();
        output::to_stderr(&lines);
    } else {
        output::to_stderr(&render::diagnostics(list, sources, Look::of_stderr()));
    }
}

/// Shows what was done with files beyond what was asked for.
fn report_notes(notes: &[String], as_json: bool) {
    let line = |note: &String| match as_json {
        true => format!("{}\n", serde_json::json!({ "severity": "note", "title": note })),
        false => format!("note: {note}\n"),
    };
    output::to_stderr(&notes.iter().map(line).collect::<String>());
}

fn explain_code(options: &Explain) -> std::result::Result<ExitCode, clap::Error> {
    let text = match &options.code {
        None => explain::list(),
        Some(code) => match explain::find(code) {
            Some(info) => explain::page(info),
            None => {
                let message = format!("there is no diagnostic code `{code}`; `arr explain` lists them");
                return Err(Options::command().error(ErrorKind::InvalidValue, message));
            }
        },
    };
    Ok(shown(&text))
}

/// Prints a text that needs no program, and returns the status.
pub fn shown(text: &str) -> ExitCode {
    match print(text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Diagnostics(list)) => {
            report(&list, &SourceMap::new(), false);
            ExitCode::FAILURE
        }
        Err(Failure::Bug(what)) => {
            bug::report(&what);
            ExitCode::from(bug::STATUS)
        }
    }
}

/// Prints a result. A full disk behind a redirection is reported like a file that cannot be written. Errors: E0707.
pub fn print(text: &str) -> Result<()> {
    output::to_stdout(text).map_err(|e| {
        Diagnostic::error(Code::FILE_NOT_WRITTEN, format!("standard output cannot be written: {e}")).into()
    })
}

fn run_entry(session: &mut Session, options: &Run) -> Result<()> {
    session.set_cell_rules(options.cells.rules());
    if options.bisect {
        return bisecting::run(session, options);
    }
    if options.inspection.emit == Some(Emit::Stage(Stage::Ast)) {
        let text = session.syntax(&options.file)?;
        return emit(session, &text, options.output.as_deref());
    }
    let question = Question::Entry { path: options.file.clone(), name: options.entry.clone() };
    let profile = options.profile.as_deref().map(|file| (options.entry.as_str(), Some(file).filter(|f| !f.is_empty())));
    let program = match &profile {
        // Code that is kept says nothing of where it is.
        Some(_) => session.program_for(&question)?,
        None => program_cached(session, &question, (&options.execution, options.tracing), &options.inspection)?,
    };
    let args: Vec<Arg> = options.args.iter().map(|text| Arg::parse(text)).collect();
    let choice = plotting::choice(options.x.as_deref(), &options.y, &options.look);
    let drawing = options.plot.as_deref().map(|to| Drawing::of(&options.file, &options.entry, to, choice));
    let (part, to, full) = (options.get.as_deref(), options.output.as_deref(), options.full);
    let wanted = Wanted { part, to, drawing, full, profile, tracing: options.tracing };
    finish(session, program, &args, &options.execution, &options.inspection, wanted)
}

fn plot_entry(session: &mut Session, options: &Plot) -> Result<()> {
    session.set_cell_rules(options.cells.rules());
    if plotting::is_data(&options.file) {
        return plotting::draw_file(session, options);
    }
    let question = Question::Entry { path: options.file.clone(), name: options.entry.clone() };
    let inspection = Inspection::default();
    let tracing = Tracing::default();
    let program = program_cached(session, &question, (&options.execution, tracing), &inspection)?;
    let args: Vec<Arg> = options.args.iter().map(|text| Arg::parse(text)).collect();
    let to = options.output.as_deref().unwrap_or("-");
    let choice = plotting::choice(options.x.as_deref(), &options.y, &options.look);
    let drawing = Some(Drawing::of(&options.file, &options.entry, to, choice));
    let wanted = Wanted { part: options.get.as_deref(), drawing, ..Wanted::default() };
    finish(session, program, &args, &options.execution, &inspection, wanted)
}

fn eval(session: &mut Session, options: &Eval) -> Result<()> {
    let (file, text) = match options.file_and_expr.as_slice() {
        [file, text] => (Some(file.as_str()), text),
        [text] => (None, text),
        _ => return Err(Failure::Bug("`eval` got neither one argument nor two".to_string())),
    };
    if options.inspection.emit == Some(Emit::Stage(Stage::Ast)) {
        let text = session.expression_syntax(text)?;
        return emit(session, &text, options.output.as_deref());
    }
    let question = Question::Expression { path: file.map(str::to_string), text: text.clone() };
    let program = program_cached(session, &question, (&options.execution, options.tracing), &options.inspection)?;
    let (part, to, full) = (options.get.as_deref(), options.output.as_deref(), options.full);
    let wanted = Wanted { part, to, full, tracing: options.tracing, ..Wanted::default() };
    finish(session, program, &[], &options.execution, &options.inspection, wanted)
}

/// The program as an earlier run left it, or a new one.
fn program_cached(
    session: &mut Session,
    question: &Question,
    (execution, tracing): (&Execution, Tracing),
    inspection: &Inspection,
) -> Result<Program> {
    let execution = interruptible(execution, tracing)?;
    let compiled = execution.runner() == arr_driver::Backend::Cpu && execution.floats == arr_driver::Floats::Declared;
    // Options for looking into the compiler need it to run.
    if !compiled || inspection.emit.is_some() || inspection.explain.is_some() || inspection.verify_ir {
        return session.program_for(question);
    }
    session.program_cached(question, &execution)
}

/// What is wanted of a result: a part of it, or all, the file that it goes into, and a drawing, if any.
#[derive(Default)]
struct Wanted<'a> {
    part: Option<&'a str>,
    to: Option<&'a str>,
    drawing: Option<Drawing<'a>>,
    /// Whether long arrays are printed whole.
    full: bool,
    /// Whether to profile the run: the name of the definition, and the file to write to, if any.
    profile: Option<(&'a str, Option<&'a str>)>,
    /// What the program shows; nothing where it is profiled, which may run it several times.
    tracing: Tracing,
}

/// Runs a program, or prints the requested stage.
fn finish(
    session: &mut Session,
    mut program: Program,
    args: &[Arg],
    execution: &Execution,
    inspection: &Inspection,
    wanted: Wanted<'_>,
) -> Result<()> {
    let to = wanted.to;
    program.verify |= inspection.verify_ir;
    program.checkpoint |= execution.checkpoint;
    program.without |= without(&execution.without)?;
    let ty = match wanted.part {
        Some(part) => arr_data::part_type(program.result_type(), part)?,
        None => program.result_type().clone(),
    };
    match (to, &inspection.emit, inspection.explain) {
        (Some(file), None, None) => session.check_writable(file, &ty)?,
        (Some(file), _, _) => session.check_path(file)?,
        (None, _, _) => {}
    }
    if let Some((_, Some(file))) = wanted.profile {
        profiling::check(session, file)?;
    }
    if let Some(drawing) = &wanted.drawing {
        drawing.check(session)?;
        drawing.choice.check(&ty)?;
    }
    if let Some(Subject::Fuse) = inspection.explain {
        let text = program.explain_fusion()?;
        inspect(&program, inspection);
        return emit(session, &text, to);
    }
    let execution_options = match wanted.profile {
        Some(_) => driver_execution(execution)?,
        // Code that is shown has nothing of it.
        None if inspection.emit.is_some() => listened_to(execution, wanted.tracing)?,
        None => interruptible(execution, wanted.tracing)?,
    };
    if let Some(what) = &inspection.emit {
        let text = match what {
            Emit::Stage(stage) => program.emit(driver_stage(*stage), &execution_options)?,
            Emit::After(step) => session.emit_after(&mut program, step, args, &execution_options)?,
        };
        inspect(&program, inspection);
        return emit(session, &text, to);
    }
    let outcome = match wanted.profile {
        None => stopped_by_signals(|| session.run(&mut program, args, &execution_options)),
        Some((entry, file)) => session
            .profile(&mut program, args, &execution_options)
            .and_then(|(outcome, profile)| profiling::write(session, entry, &profile, file).map(|()| outcome)),
    };
    inspect(&program, inspection);
    let outcome = outcome?;
    if inspection.stats {
        output::to_stderr(&outcome.statistics.iter().map(|(what, n)| format!("{n:>12}  {what}\n")).collect::<String>());
    }
    let value = match wanted.part {
        Some(part) => arr_data::part_value(outcome.value, part)
            .ok_or_else(|| Failure::Bug(format!("the result's type has a part `{part}`, and its value has none")))?,
        None => outcome.value,
    };
    if let Some(drawing) = &wanted.drawing {
        drawing.draw(session, &value)?;
    }
    match to {
        Some(file) => session.write_value(file, &value, &ty),
        None if wanted.drawing.is_some() => Ok(()),
        None if !arr_data::is_printable(&value) => {
            let title = "the result has more rows without elements than can be printed";
            let found = format!("it is a `{}`", arr_data::found_text(&value));
            Err(Diagnostic::error(Code::FILE_NOT_WRITTEN, title).note(found).hint("`-o FILE.npy` writes it").into())
        }
        None => print(&value_text(&value, execution.json, wanted.full)),
    }
}

/// A value as it is printed. At a terminal long arrays are shown in short, unless `full` is set: who reads the text from
/// a pipe or a file needs all of it.
pub fn value_text(value: &EdgeValue, as_json: bool, full: bool) -> String {
    let text = match as_json {
        true => arr_data::to_json(value),
        false if full || !std::io::stdout().is_terminal() => arr_data::to_literal(value),
        false => arr_data::to_short(value),
    };
    text + "\n"
}

fn emit(session: &mut Session, text: &str, to: Option<&str>) -> Result<()> {
    let text = if text.ends_with('\n') { text.to_string() } else { format!("{text}\n") };
    match to {
        Some(file) => session.write_text(file, &text),
        None => print(&text),
    }
}

fn inspect(program: &Program, options: &Inspection) {
    let reports = program.reports();
    if options.time_passes {
        let total: Duration = reports.iter().filter(|r| !r.part).map(|r| r.time).sum();
        let line = |name: &str, time: Duration| format!("{:>10.3} ms  {name}\n", time.as_secs_f64() * 1e3);
        // Parts of a step precede it, and its time includes theirs.
        let name = |r: &PassReport| if r.part { format!("  {}", r.name) } else { r.name.to_string() };
        let lines: String = reports.iter().map(|r| line(&name(r), r.time)).collect();
        output::to_stderr(&(lines + &line("total", total)));
    }
    if options.stats {
        let line =
            |r: &PassReport| r.stmts.filter(|_| !r.part).map(|n| format!("{n:>12}  statements after {}\n", r.name));
        output::to_stderr(&reports.iter().filter_map(line).collect::<String>());
    }
}

fn grad(session: &mut Session, options: &Grad) -> Result<()> {
    if options.inspection.emit == Some(Emit::Stage(Stage::Ast)) {
        let text = session.syntax(&options.file)?;
        return emit(session, &text, options.output.as_deref());
    }
    let mode = match options.mode {
        Mode::Reverse => arr_driver::Mode::Reverse,
        Mode::Forward => arr_driver::Mode::Forward,
    };
    let mut program = session.printed(&options.file, &options.entry, &options.wrt, mode)?;
    program.verify |= options.inspection.verify_ir;
    program.checkpoint |= options.checkpoint;
    program.without = without(&options.without)?;
    let execution = arr_driver::Execution { strict: options.strict, ..arr_driver::Execution::default() };
    let text = match (&options.inspection.emit, options.inspection.explain) {
        (_, Some(Subject::Fuse)) => program.explain_fusion()?,
        (Some(Emit::Stage(stage)), None) => program.emit(driver_stage(*stage), &execution)?,
        (Some(Emit::After(step)), None) => program.emit_after(step, None, &execution)?,
        (None, None) => program.to_source()?,
    };
    inspect(&program, &options.inspection);
    if options.json && options.output.is_none() {
        return print(&format!("{}\n", serde_json::json!({ "entry": program.entry(), "source": text })));
    }
    emit(session, &text, options.output.as_deref())
}

fn check_grad(session: &mut Session, options: &CheckGrad) -> Result<()> {
    session.set_cell_rules(options.cells.rules());
    let execution = driver_execution(&options.execution)?;
    let args: Vec<Arg> = options.args.iter().map(|text| Arg::parse(text)).collect();
    let result = session.check_gradient(&options.file, &options.entry, &args, &execution)?;
    print(&result.table())?;
    if result.agree() { Ok(()) } else { Err(result.to_diagnostic(&options.entry).into()) }
}

/// The options in the driver's form. Errors: E0708 where `--without` names no step that can be left out; E1001 where
/// there is no such device, or the back end is not `gpu`; E1006 where a device is named and there is no back end for
/// one.
pub fn driver_execution(execution: &Execution) -> Result<arr_driver::Execution> {
    Ok(arr_driver::Execution {
        backend: match execution.backend {
            Backend::Interp => arr_driver::Backend::Interp,
            Backend::Cpu => arr_driver::Backend::Cpu,
            Backend::Gpu => arr_driver::Backend::Gpu,
        },
        max_steps: execution.max_steps,
        max_memory: execution.max_memory,
        checkpoint: execution.checkpoint,
        strict: execution.strict,
        threads: execution.threads.map(usize::from),
        floats: floats(execution.float),
        device: device(execution)?,
        any_size: execution.any_size,
        portable: execution.portable,
        without: without(&execution.without)?,
        sanitize: execution.sanitize,
        interruptible: false,
        stop: None,
        profile: false,
        trap: execution.trap_nan.map(|trap| match trap {
            Trapped::All => arr_driver::Trap::NotFinite,
            Trapped::Nan => arr_driver::Trap::Nan,
        }),
        listening: None,
    })
}

/// As [`driver_execution`], for a run whose traces are shown.
pub fn listened_to(execution: &Execution, tracing: Tracing) -> Result<arr_driver::Execution> {
    Ok(arr_driver::Execution { listening: tracing::listening(tracing), ..driver_execution(execution)? })
}

/// As [`listened_to`], for a run that Ctrl-C stops, to say where.
fn interruptible(execution: &Execution, tracing: Tracing) -> Result<arr_driver::Execution> {
    let execution = listened_to(execution, tracing)?;
    #[cfg(unix)]
    let execution =
        arr_driver::Execution { interruptible: true, stop: Some(arr_driver::Stop(&crate::signals::STOP)), ..execution };
    Ok(execution)
}

/// The steps with these names. Fails with E0708 where one cannot be left out.
pub fn without(steps: &[String]) -> Result<arr_driver::Without> {
    Ok(arr_driver::Without::of(steps.iter().map(String::as_str))?)
}

pub fn floats(float: Float) -> arr_driver::Floats {
    match float {
        Float::F32 => arr_driver::Floats::F32,
        Float::F64 => arr_driver::Floats::Declared,
    }
}

/// The number of the device that the options or the environment name.
fn device(execution: &Execution) -> Result<Option<usize>> {
    if execution.backend != Backend::Gpu {
        let Some(name) = &execution.device else { return Ok(None) };
        let title = format!("`--device {name}` names a graphics device, but the program is not to run on one");
        return Err(Diagnostic::error(Code::NO_DEVICE, title).hint("add `--backend gpu`").into());
    }
    let named = execution.device.clone().or_else(|| std::env::var("ARR_DEVICE").ok());
    named.filter(|name| !name.trim().is_empty()).map(|name| arr_driver::find_device(&name)).transpose()
}

fn driver_stage(stage: Stage) -> arr_driver::Stage {
    match stage {
        Stage::Ast => arr_driver::Stage::Ast,
        Stage::Core => arr_driver::Stage::Core,
        Stage::Bulk => arr_driver::Stage::Bulk,
        Stage::Ad => arr_driver::Stage::Ad,
        Stage::Fused => arr_driver::Stage::Fused,
        Stage::Loops => arr_driver::Stage::Loops,
        Stage::Clif => arr_driver::Stage::Clif,
        Stage::Wgsl => arr_driver::Stage::Wgsl,
    }
}
