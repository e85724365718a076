//! Finds the step of the compiler that changed the results: every step's function is run, and its results compared with
//! the earlier ones.
//!
//! The reference interpreter runs the IR after every step, and after every part of a step that changed it; the shadow
//! evaluator runs the loops ([`arr_loops::shadow`]), whose memory faults are findings too; then the machine code runs.
//! A step that may not round differently has to keep every bit, all others are held to their contract ([`compare`]).
//! The first violation is reported: its step, the elements that differ, the first differing variable, and that
//! variable's statements before and after the step as functions of the variables that still agree ([`reduce`]).
//!
//! A run-time error is a result like any other: its code and its position must stay. Programs that take derivatives
//! have no values before `differentiate`; `arr check-grad` tests whether that step is right.

mod compare;
mod reduce;

use crate::execution::{Backend, Execution};
use crate::program::Program;
use crate::{Failure, Session};
use arr_data::Arg;
use arr_ir::interp::Limits;
use arr_ir::{Func, RunError, Value};
use arr_loops::{LoopFunc, ShadowOptions, ShadowStop};
use arr_pipeline::{At, Stage, Step, Target, Until, View, Watcher};
use compare::{Allowed, Difference};

/// The outcome of comparing the steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Bisection {
    /// The steps and parts whose results were compared, in order; the last is that of the finding, if there is one.
    pub compared: Vec<String>,
    pub finding: Option<Finding>,
}

/// The first step that changed the results.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Its name; for a part that runs in rounds with the number of the round.
    pub step: String,
    /// The step whose results it was compared with.
    pub against: String,
    /// Whether it has to keep every bit.
    pub exact: bool,
    /// How the results differ, one fact per line.
    pub difference: String,
    /// The first variable that differs, and the smallest functions that compute it before and after; or the whole program.
    pub variable: Option<String>,
    pub before: String,
    pub after: String,
}

impl Bisection {
    /// Its printed form.
    pub fn text(&self) -> String {
        let Some(finding) = &self.finding else {
            return format!(
                "{} steps were compared, and none changed the results: {}\n",
                self.compared.len(),
                self.compared.join(", ")
            );
        };
        let contract = if finding.exact { "has to keep every bit" } else { "may be off by rounding errors" };
        let mut text = format!(
            "`{}` changed the results, and {contract}; {} steps before it did not\n",
            finding.step,
            self.compared.len().saturating_sub(1)
        );
        text.push_str(&finding.difference);
        if let Some(variable) = &finding.variable {
            text.push_str(&format!("the first variable that differs is {variable}\n"));
        }
        text.push_str(&format!("\nafter `{}`:\n{}\n", finding.against, finding.before.trim_end()));
        text.push_str(&format!("\nafter `{}`:\n{}\n", finding.step, finding.after.trim_end()));
        text
    }
}

impl Session {
    /// Reads the arguments and compares the steps that compile the program for them. Fails as [`Session::arguments`]
    /// and [`Program::bisect`] do.
    pub fn bisect(&mut self, program: &mut Program, args: &[Arg], execution: &Execution) -> Result<Bisection, Failure> {
        let (sizes, leaves) = self.arguments_within(program, args, execution)?;
        program.bisect(&sizes, &leaves, execution)
    }
}

impl Program {
    /// Compares the results of the steps that compile it, for processors, on bound sizes and leaf values. Fails with
    /// E0504 or E0902 if the program cannot be compiled and no step before changed the results. A run-time error is a
    /// result, and a step that breaks an invariant a finding.
    pub fn bisect(&mut self, sizes: &[i64], leaves: &[Value], execution: &Execution) -> Result<Bisection, Failure> {
        self.checkpoint |= execution.checkpoint;
        self.without |= execution.without;
        self.with_floats(execution.floats)?;
        let execution = Execution { backend: Backend::Cpu, ..*execution };
        let rounded: Vec<Value> = leaves.iter().map(|leaf| self.argument(leaf)).collect();
        let mut settings = self.settings(Target::Cpu, execution.fixed(sizes), &execution);
        // A step that breaks an invariant is the one in question.
        settings.verify = true;
        let mut walk = Walk {
            sizes,
            leaves: &rounded,
            limits: execution.limits(),
            relaxed: settings.relaxed,
            last: None,
            compared: Vec::new(),
            finding: None,
        };
        walk.start(self.core());
        let made = self.take(&settings, Until::Stage(Stage::Loops), &mut walk);
        let Walk { last, compared, finding, .. } = walk;
        let mut found = Bisection { compared, finding };
        match made {
            // A later failure may be caused by the step that broke something.
            _ if found.finding.is_some() => {}
            Ok(made) => self.bisect_code(&made.loops()?, last, sizes, &rounded, &execution, &mut found)?,
            Err(Failure::Bug(what)) => {
                let (name, text) = last.map_or_else(Default::default, |last| (last.name.clone(), last.text()));
                found.finding = Some(broken("the next step", &name, &what, text));
            }
            Err(failure) => return Err(failure),
        }
        Ok(found)
    }

    /// The machine code beside the function that it was compiled from.
    fn bisect_code(
        &self,
        loops: &LoopFunc,
        last: Option<Known>,
        sizes: &[i64],
        leaves: &[Value],
        execution: &Execution,
        found: &mut Bisection,
    ) -> Result<(), Failure> {
        const STEP: &str = "cranelift";
        let Some(last) = last else { return Ok(()) };
        found.compared.push(STEP.to_string());
        let text = || arr_loops::print(loops);
        let code = match arr_cpu::compile_with(loops, self.compile_options(execution)) {
            Ok(code) => code,
            Err(error) => {
                found.finding = Some(broken(STEP, &last.name, &error.to_string(), text()));
                return Ok(());
            }
        };
        let limits = execution.limits();
        let ran = code.run(sizes, leaves, &limits).map(|outcome| outcome.results);
        let exact = !execution.relaxed() || last.ran == ran;
        let allowed =
            if exact { Allowed::nothing() } else { Allowed::of(&last.func, sizes, leaves, &limits, &last.ran) };
        if let Some(difference) = compare::difference(&last.ran, &ran, &allowed) {
            found.finding = Some(Finding {
                step: STEP.to_string(),
                exact: !execution.relaxed(),
                difference: difference.text(),
                variable: None,
                before: last.text(),
                after: text(),
                against: last.name,
            });
        }
        Ok(())
    }
}

/// A step that did not finish, or broke an invariant.
fn broken(step: &str, against: &str, what: &str, before: String) -> Finding {
    Finding {
        step: step.to_string(),
        against: against.to_string(),
        exact: true,
        difference: "it broke an invariant\n".to_string(),
        variable: None,
        before,
        after: what.to_string(),
    }
}

/// The outcome of running a function.
type Ran = Result<Vec<Value>, RunError>;

/// The last program that was run.
struct Known {
    name: String,
    /// The last of the IR.
    func: Func,
    /// Its loops after lowering.
    loops: Option<LoopFunc>,
    ran: Ran,
}

impl Known {
    fn text(&self) -> String {
        self.loops.as_ref().map_or_else(|| arr_ir::print_func(&self.func), arr_loops::print)
    }
}

/// Runs each program that it is shown, and compares it with the previous one.
struct Walk<'a> {
    sizes: &'a [i64],
    leaves: &'a [Value],
    limits: Limits,
    relaxed: bool,
    last: Option<Known>,
    compared: Vec<String>,
    finding: Option<Finding>,
}

impl Walk<'_> {
    /// The program as elaborated.
    fn start(&mut self, core: &Func) {
        if !arr_ir::has_derivatives(core) {
            let ran = self.run(core);
            self.last = Some(Known { name: "elaborate".to_string(), func: core.clone(), loops: None, ran });
        }
    }

    fn run(&self, func: &Func) -> Ran {
        arr_ir::interp::run(func, self.sizes, self.leaves, &self.limits).map(|outcome| outcome.results)
    }

    fn look(&mut self, name: String, step: &Step, func: &Func) {
        let ran = self.run(func);
        let now = Known { name, func: func.clone(), loops: None, ran };
        if let Some(last) = self.last.take() {
            self.compared.push(now.name.clone());
            let exact = step.exact || !self.relaxed;
            self.finding = self.compare(&last, &now, exact);
        }
        self.last = Some(now);
    }

    /// Runs loops, and compares them with the IR or the loops before.
    fn look_at_loops(&mut self, step: &Step, loops: &LoopFunc) {
        let Some(last) = self.last.take() else { return };
        let run = arr_loops::shadow(loops, self.sizes, self.leaves, &ShadowOptions::default());
        let faults: Vec<String> = run.faults.iter().map(ToString::to_string).collect();
        let ran = match run.results {
            Ok(results) => Ok(results),
            Err(ShadowStop::Failed(error)) => Err(error),
            // The machine code is compared with the last function that was run.
            Err(ShadowStop::TooLong) => {
                self.last = Some(last);
                return;
            }
            Err(ShadowStop::Malformed(what)) => {
                self.finding = Some(broken(step.name, &last.name, &what, last.text()));
                return;
            }
        };
        self.compared.push(step.name.to_string());
        if !faults.is_empty() {
            let difference = format!("running its loops found faults of memory:\n  {}\n", faults.join("\n  "));
            let after = arr_loops::print(loops);
            self.finding = Some(Finding { difference, after, ..broken(step.name, &last.name, "", last.text()) });
            return;
        }
        let (name, func) = (step.name.to_string(), last.func.clone());
        let now = Known { name, func, loops: Some(loops.clone()), ran };
        self.finding = self.compare(&last, &now, step.exact || !self.relaxed);
        self.last = Some(now);
    }

    fn compare(&self, last: &Known, now: &Known, exact: bool) -> Option<Finding> {
        let allowed = if exact || last.ran == now.ran {
            Allowed::nothing()
        } else {
            Allowed::of(&last.func, self.sizes, self.leaves, &self.limits, &last.ran)
        };
        let difference = compare::difference(&last.ran, &now.ran, &allowed)?;
        let reduced = match (&difference, &now.loops) {
            (Difference::Values(_), None) => {
                reduce::first_variable(&last.func, &now.func, self.sizes, self.leaves, &self.limits, exact)
            }
            _ => None,
        };
        let (variable, before, after) = match reduced {
            Some(reduced) => (Some(reduced.variable), reduced.before, reduced.after),
            None => (None, last.text(), now.text()),
        };
        Some(Finding {
            step: now.name.clone(),
            against: last.name.clone(),
            exact,
            difference: difference.text(),
            variable,
            before,
            after,
        })
    }
}

impl Watcher for Walk<'_> {
    fn after(&mut self, at: At, program: View<'_>) -> Result<(), arr_pipeline::Failure> {
        match program {
            _ if self.finding.is_some() => {}
            View::Func(func) if arr_ir::has_derivatives(func) => {}
            View::Func(func) => {
                let name = match at.part {
                    Some(part) if at.time > 1 => format!("{part}.{}", at.time),
                    _ => at.name().to_string(),
                };
                self.look(name, at.step, func);
            }
            View::Loops(loops) => self.look_at_loops(at.step, loops),
        }
        Ok(())
    }
}
