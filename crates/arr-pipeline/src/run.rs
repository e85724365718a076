//! Runs the steps of a table: those that the settings select, in order, verified, timed and shown to a watcher.

use crate::settings::{Parts, Settings, Target};
use crate::table::{Context, Run, Stage, Step};
use arr_base::Diagnostic;
use arr_ir::{Func, Level};
use arr_loops::LoopFunc;
use arr_passes::{Follow, PassError};
use std::time::{Duration, Instant};

/// How far to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Until {
    /// Through the last step of this stage.
    Stage(Stage),
    /// Through the step of this name.
    Step(&'static str),
}

/// The output of the steps.
#[derive(Clone, Debug)]
pub enum Made {
    Func(Box<Func>),
    Loops(Box<LoopFunc>),
}

impl Made {
    /// The IR, if it has not been lowered. Fails with [`Failure::Bug`] if it has.
    pub fn func(self) -> Result<Func, Failure> {
        match self {
            Made::Func(func) => Ok(*func),
            Made::Loops(_) => Err(Failure::Bug("loops are there where IR was asked for".to_string())),
        }
    }

    /// The loops, if it has been lowered. Fails with [`Failure::Bug`] if it has not.
    pub fn loops(self) -> Result<LoopFunc, Failure> {
        match self {
            Made::Loops(loops) => Ok(*loops),
            Made::Func(_) => Err(Failure::Bug("the program was not lowered to loops".to_string())),
        }
    }
}

/// A view of the program after a step.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    Func(&'a Func),
    Loops(&'a LoopFunc),
}

impl View<'_> {
    pub fn text(&self) -> String {
        match self {
            View::Func(func) => arr_ir::print_func(func),
            View::Loops(loops) => arr_loops::print(loops),
        }
    }
}

/// The step, or part of one, that has just run.
#[derive(Clone, Copy, Debug)]
pub struct At {
    pub step: &'static Step,
    pub part: Option<&'static str>,
    /// For a part that runs in rounds: the number of its changes, including this one.
    pub time: usize,
}

impl At {
    pub fn name(&self) -> &'static str {
        self.part.unwrap_or(self.step.name)
    }
}

/// An observer of the program after every step, and after every part that changed it.
pub trait Watcher {
    fn after(&mut self, at: At, program: View<'_>) -> Result<(), Failure>;
}

/// No observer.
pub struct Unwatched;

impl Watcher for Unwatched {
    fn after(&mut self, _: At, _: View<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

/// Reasons why the steps did not finish.
#[derive(Clone, PartialEq, Debug)]
pub enum Failure {
    /// The program cannot be compiled.
    Program(Box<Diagnostic>),
    /// A step has broken an invariant; it is named.
    Bug(String),
}

/// The cost and the output of a step.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    pub name: &'static str,
    pub time: Duration,
    /// Statements in the function afterwards, if it took and left IR.
    pub stmts: Option<usize>,
    /// Whether it is a part of the step that comes next in the list, whose time includes its time.
    pub part: bool,
}

impl Report {
    /// For something that did not take IR.
    pub fn timed(name: &'static str, time: Duration) -> Report {
        Report { name, time, stmts: None, part: false }
    }
}

/// Runs the steps of a table that these settings select. Errors of the program are returned as the step's diagnostic; a
/// function that violates the row of its step is a [`Failure::Bug`].
pub fn run(
    steps: &'static [Step],
    func: Func,
    settings: &Settings,
    until: Until,
    reports: &mut Vec<Report>,
    watcher: &mut dyn Watcher,
) -> Result<Made, Failure> {
    let parts = Parts::of(&func);
    if verifies(settings) {
        check(&func, Level::Core, "elaborate")?;
    }
    let mut made = Made::Func(Box::new(func));
    for step in steps {
        if matches!(until, Until::Stage(stage) if step.stage > stage) {
            break;
        }
        if !matches!(step.run, Run::Elsewhere(_)) && settings.take(step, parts) {
            made = one(step, made, settings, reports, watcher)?;
        }
        if until == Until::Step(step.name) {
            break;
        }
    }
    Ok(made)
}

/// Whether the program is verified after every step.
fn verifies(settings: &Settings) -> bool {
    settings.verify || arr_base::checks_itself()
}

/// Runs one step.
fn one(
    step: &'static Step,
    made: Made,
    settings: &Settings,
    reports: &mut Vec<Report>,
    watcher: &mut dyn Watcher,
) -> Result<Made, Failure> {
    let start = Instant::now();
    let at = At { step, part: None, time: 1 };
    let mut func = match made {
        Made::Func(func) => func,
        Made::Loops(loops) => {
            let loops = improve(step, loops, settings)?;
            return lowered(at, loops, start, settings, reports, watcher);
        }
    };
    if let Run::Lower = step.run {
        let loops =
            arr_loops::lower_unoptimized(&func, settings.lower_options()).map_err(|e| Failure::Bug(e.to_string()))?;
        return lowered(at, Box::new(loops), start, settings, reports, watcher);
    }
    let mut follower = Follower { step, settings, watcher, parts: Vec::new(), last: start, outcome: Ok(()) };
    apply(step, &mut func, &mut Context { settings, follow: &mut follower })?;
    let Follower { parts, outcome, .. } = follower;
    let time = start.elapsed();
    reports.extend(parts.into_iter().map(|part| part.report));
    reports.push(Report { name: step.name, time, stmts: Some(count_statements(&func)), part: false });
    outcome?;
    unbroken(step.name, &func.broken)?;
    if verifies(settings) {
        check(&func, step.after, step.name)?;
    }
    watcher.after(at, View::Func(&func))?;
    Ok(Made::Func(func))
}

/// An error with the step's name, if a pass has met an impossible case.
fn unbroken(step: &str, broken: &[&'static str]) -> Result<(), Failure> {
    match broken.first() {
        Some(what) => Err(Failure::Bug(format!("`{step}` has met what cannot be: {what}"))),
        None => Ok(()),
    }
}

/// Runs a pass over loops.
fn improve(step: &Step, mut loops: Box<LoopFunc>, settings: &Settings) -> Result<Box<LoopFunc>, Failure> {
    let pass = arr_loops::PASSES.iter().find(|pass| matches!(step.run, Run::Loops) && pass.name == step.pass);
    let pass = pass.ok_or_else(|| Failure::Bug(format!("there is no pass over loops `{}`", step.pass)))?;
    let named = |e: arr_loops::LowerError| Failure::Bug(format!("`{}`: {e}", step.name));
    (pass.run)(&mut loops, &settings.lower_options()).map_err(named)?;
    Ok(loops)
}

/// Checks the output of a step to loops, or over them.
fn lowered(
    at: At,
    loops: Box<LoopFunc>,
    start: Instant,
    settings: &Settings,
    reports: &mut Vec<Report>,
    watcher: &mut dyn Watcher,
) -> Result<Made, Failure> {
    reports.push(Report::timed(at.name(), start.elapsed()));
    unbroken(at.name(), &loops.broken)?;
    if verifies(settings) {
        let broken = |faults| arr_loops::LowerError::Broken { after: at.name(), faults };
        let mut found = arr_loops::verify(&loops);
        if found.is_ok() && at.step.proved && matches!(settings.target, Target::Cpu | Target::C) {
            let unproved = arr_loops::unproved_accesses(&loops);
            found = if unproved.is_empty() { Ok(()) } else { Err(unproved) };
        }
        found.map_err(|faults| Failure::Bug(broken(faults).to_string()))?;
    }
    watcher.after(at, View::Loops(&loops))?;
    Ok(Made::Loops(loops))
}

fn apply(step: &Step, func: &mut Func, context: &mut Context<'_>) -> Result<(), Failure> {
    let outcome = match step.run {
        Run::Func(pass) => pass(func, context),
        Run::Pass => {
            let pass = arr_passes::PASSES.iter().chain(arr_ad::PASSES).find(|p| p.name == step.pass);
            let pass = pass.ok_or_else(|| Failure::Bug(format!("there is no pass `{}`", step.pass)))?;
            (pass.run)(func).map_err(|error: PassError| error.to_diagnostic())
        }
        Run::Elsewhere(_) => Ok(()),
        Run::Lower | Run::Loops => return Err(Failure::Bug(format!("`{}` takes loops", step.name))),
    };
    outcome.map_err(|diagnostic| Failure::Program(Box::new(diagnostic)))?;
    // Whichever accesses a step has moved: those that are not proved at their new place are checked there.
    if !matches!(step.run, Run::Elsewhere(_)) {
        arr_ir::bounds::check_unproved(func);
    }
    Ok(())
}

/// Verifies, times and shows the parts of a step.
struct Follower<'a> {
    step: &'static Step,
    settings: &'a Settings,
    watcher: &'a mut dyn Watcher,
    parts: Vec<PartSoFar>,
    /// When the last part and its verification ended.
    last: Instant,
    /// The first error after a part; no check follows it.
    outcome: Result<(), Failure>,
}

struct PartSoFar {
    report: Report,
    /// The number of times it has changed the function.
    times: usize,
}

impl Follower<'_> {
    /// The part's record, with the time since the last.
    fn record(&mut self, name: &'static str) -> &mut PartSoFar {
        let time = self.last.elapsed();
        let at = self.parts.iter().position(|part| part.report.name == name).unwrap_or_else(|| {
            let report = Report { part: true, ..Report::timed(name, Duration::ZERO) };
            self.parts.push(PartSoFar { report, times: 0 });
            self.parts.len() - 1
        });
        let part = &mut self.parts[at];
        part.report.time += time;
        part
    }
}

impl Follow for Follower<'_> {
    fn leaves_out(&self, part: &str) -> bool {
        self.settings.without.has(part)
    }

    fn ran(&mut self, name: &'static str, func: &Func, changed: bool) {
        let part = self.record(name);
        if changed {
            part.report.stmts = Some(count_statements(func));
            part.times += 1;
            let at = At { step: self.step, part: Some(name), time: self.parts_times(name) };
            if self.outcome.is_ok() {
                self.outcome = self.look(at, func);
            }
        }
        self.last = Instant::now();
    }
}

impl Follower<'_> {
    fn parts_times(&self, name: &str) -> usize {
        self.parts.iter().find(|part| part.report.name == name).map_or(0, |part| part.times)
    }

    fn look(&mut self, at: At, func: &Func) -> Result<(), Failure> {
        if verifies(self.settings) {
            check(func, self.step.after, at.name())?;
        }
        self.watcher.after(at, View::Func(func))
    }
}

fn check(func: &Func, level: Level, after: &str) -> Result<(), Failure> {
    well_formed(arr_ir::verify(func, level), func, after)
}

fn well_formed(found: Result<(), Vec<arr_ir::VerifyError>>, func: &Func, after: &str) -> Result<(), Failure> {
    found.map_err(|errors| {
        let report = arr_ir::report(func, &errors);
        Failure::Bug(format!("the program is not well formed after `{after}`:\n{report}"))
    })
}

/// The number of statements of a function, including those in blocks.
pub fn count_statements(func: &Func) -> usize {
    let mut count = 0;
    arr_ir::rewrite::for_each_stmt(&func.body.stmts, &mut |_| count += 1);
    count
}
