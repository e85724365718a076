//! Which step of the compiler changed the results: every step's function is run, and its results compared with those before it.
//!
//! The reference interpreter runs the IR after every step, and after every part of a step that changed it; then the machine code
//! runs. A step that may not round differently has to keep every bit, all others what their contract allows
//! ([`compare`]). The first that does not is named, with the elements that differ, the first variable that does, and that
//! variable's statements before and after the step as functions of what still agreed ([`reduce`]).
//!
//! A run-time error is a result like any other: its code and its place stay. Programs that take derivatives have no values before
//! `differentiate`; whether that step is right is for `arr check-grad` to say.

mod compare;
mod reduce;

use crate::program::{Backend, Execution, Program};
use crate::{Failure, Session};
use arr_data::Arg;
use arr_ir::interp::Limits;
use arr_ir::{Func, RunError, Value};
use arr_pipeline::{At, Made, Stage, Step, Target, Until, View, Watcher};
use compare::{Allowed, Difference};

/// What comparing the steps has found.
#[derive(Clone, PartialEq, Debug)]
pub struct Bisection {
    /// The steps and parts whose results were compared, in order; the last is the one of the finding, if there is one.
    pub compared: Vec<String>,
    pub finding: Option<Finding>,
}

/// The first step that changed the results.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// Its name; of a part that runs in rounds with the number of the round.
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
    /// As it is printed.
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
    /// Reads the arguments and compares the steps that compile the program for them.
    pub fn bisect(&mut self, program: &mut Program, args: &[Arg], execution: &Execution) -> Result<Bisection, Failure> {
        let (sizes, leaves) = self.arguments_within(program, args, execution)?;
        program.bisect(&sizes, &leaves, execution)
    }
}

impl Program {
    /// Compares the results of the steps that compile it, for processors, on bound sizes and leaf values.
    pub fn bisect(&mut self, sizes: &[i64], leaves: &[Value], execution: &Execution) -> Result<Bisection, Failure> {
        self.checkpoint |= execution.checkpoint;
        self.without |= execution.without;
        self.with_floats(execution.floats)?;
        let execution = Execution { backend: Backend::Cpu, ..*execution };
        let rounded: Vec<Value> = leaves.iter().map(|leaf| self.argument(leaf)).collect();
        let mut settings = self.settings(Target::Cpu, execution.fixed(sizes), &execution);
        // A step that breaks an invariant is the one that is looked for.
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
            // What a step has broken may be why a later one failed.
            _ if found.finding.is_some() => {}
            Ok(made) => self.bisect_code(made, last, sizes, &rounded, &execution, &mut found)?,
            Err(Failure::Bug(what)) => {
                let (name, text) = last.map_or(("elaborate".to_string(), String::new()), |last| {
                    (last.name, last.func.map_or(String::new(), |func| arr_ir::print_func(&func)))
                });
                found.finding = Some(broken("the next step", &name, &what, text));
            }
            Err(failure) => return Err(failure),
        }
        Ok(found)
    }

    /// The machine code beside the function that it was made of.
    fn bisect_code(
        &self,
        made: Made,
        last: Option<Known>,
        sizes: &[i64],
        leaves: &[Value],
        execution: &Execution,
        found: &mut Bisection,
    ) -> Result<(), Failure> {
        const STEP: &str = "cranelift";
        let (loops, Some(last)) = (made.loops()?, last) else { return Ok(()) };
        found.compared.push(STEP.to_string());
        let text = || arr_loops::print(&loops);
        let code = match arr_cpu::compile_with(&loops, self.compile_options(execution)) {
            Ok(code) => code,
            Err(error) => {
                found.finding = Some(broken(STEP, &last.name, &error.to_string(), text()));
                return Ok(());
            }
        };
        let limits = execution.limits();
        let ran = code.run(sizes, leaves, &limits).map(|outcome| outcome.results);
        let allowed = match &last.func {
            Some(func) if execution.relaxed() => Allowed::of(func, sizes, leaves, &limits, &last.ran),
            _ => Allowed::nothing(),
        };
        if let Some(difference) = compare::difference(&last.ran, &ran, &allowed) {
            found.finding = Some(Finding {
                step: STEP.to_string(),
                against: last.name,
                exact: !execution.relaxed(),
                difference: difference.text(),
                variable: None,
                before: last.func.map_or(String::new(), |func| arr_ir::print_func(&func)),
                after: text(),
            });
        }
        Ok(())
    }
}

/// A step that did not come to an end, or broke what is true of every program.
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

/// What running a function gave.
type Ran = Result<Vec<Value>, RunError>;

/// The last function that was run.
struct Known {
    name: String,
    func: Option<Func>,
    ran: Ran,
}

/// Runs what it is shown, and compares it with what it was shown before.
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
            self.last = Some(Known { name: "elaborate".to_string(), func: Some(core.clone()), ran });
        }
    }

    fn run(&self, func: &Func) -> Ran {
        arr_ir::interp::run(func, self.sizes, self.leaves, &self.limits).map(|outcome| outcome.results)
    }

    fn look(&mut self, name: String, step: &Step, func: &Func) {
        let ran = self.run(func);
        let now = Known { name, func: Some(func.clone()), ran };
        if let Some(last) = self.last.take() {
            self.compared.push(now.name.clone());
            let exact = step.exact || !self.relaxed;
            self.finding = self.compare(last, &now, exact);
        }
        self.last = Some(now);
    }

    fn compare(&self, last: Known, now: &Known, exact: bool) -> Option<Finding> {
        let (before, after) = (last.func?, now.func.as_ref()?);
        let allowed = if exact || last.ran == now.ran {
            Allowed::nothing()
        } else {
            Allowed::of(&before, self.sizes, self.leaves, &self.limits, &last.ran)
        };
        let difference = compare::difference(&last.ran, &now.ran, &allowed)?;
        let reduced = match &difference {
            Difference::Values(_) => {
                reduce::first_variable(&before, after, self.sizes, self.leaves, &self.limits, exact)
            }
            Difference::Outcome { .. } => None,
        };
        let (variable, before, after) = match reduced {
            Some(reduced) => (Some(reduced.variable), reduced.before, reduced.after),
            None => (None, arr_ir::print_func(&before), arr_ir::print_func(after)),
        };
        Some(Finding {
            step: now.name.clone(),
            against: last.name,
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
        let View::Func(func) = program else { return Ok(()) };
        if self.finding.is_none() && !arr_ir::has_derivatives(func) {
            let name = match at.part {
                Some(part) if at.time > 1 => format!("{part}.{}", at.time),
                _ => at.name().to_string(),
            };
            self.look(name, at.step, func);
        }
        Ok(())
    }
}
