//! The `evaluate` message: a function at an input, run as often as the input demands.

use super::{Gradbench, Reply, Timing};
use crate::Refusal;
use crate::convention::Side;
use crate::fields::Fields;
use crate::library::{Call, Function};
use arr_data::EdgeValue;
use arr_driver::Derive;
use serde_json::value::RawValue;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The number of runs: at least `runs`, and until `time` is over.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Runs {
    runs: u64,
    time: Duration,
}

/// The fields of an input that give the number of runs.
const MIN_RUNS: &str = "min_runs";
const MIN_SECONDS: &str = "min_seconds";

impl Gradbench {
    pub(super) fn evaluate(
        &mut self,
        module: &str,
        function: &str,
        input: Option<&RawValue>,
    ) -> Result<Reply, Refusal> {
        let mut timings = Vec::new();
        timings.extend(self.library.require(module)?.map(Timing::prepare));
        let start = Instant::now();
        let compiled = self.library.definition(module, function, &Derive::Nothing)?;
        let found = start.elapsed();
        let text = input.map_or("null", RawValue::get);
        let (runs, args) = self.input(module, &compiled, text, &mut timings)?;
        let call = self.library.bind(&compiled, &args)?;
        drop(args);
        // Inputs are run many times, so that code for their sizes pays off.
        timings.extend(self.library.fit(&compiled, &call)?.map(|time| Timing::prepare(found + time)));
        let value = self.repeat(&compiled, &call, runs, &mut timings)?;
        let output = self.output(module, function, value, &mut timings)?;
        Ok(Reply { success: Some(true), output: Some(output), timings, ..Reply::default() })
    }

    /// The arguments, and the number of runs.
    fn input(
        &mut self,
        module: &str,
        function: &Rc<Function>,
        text: &str,
        timings: &mut Vec<Timing>,
    ) -> Result<(Runs, Vec<EdgeValue>), Refusal> {
        let before = self.library.beside(module, function.name(), Side::Input)?;
        let (takes, time) = before.clone().unwrap_or_else(|| (function.clone(), None));
        timings.extend(time.map(Timing::prepare));
        let (runs, args) = self.read(&takes, text)?;
        if before.is_none() {
            return Ok((runs, args));
        }
        let call = self.library.bind(&takes, &args)?;
        let (value, _) = self.library.run(&takes, &call)?;
        Ok((runs, self.library.by_value(function, value)?))
    }

    /// An object holds the arguments by name, anything else is the one argument.
    fn read(&self, function: &Function, text: &str) -> Result<(Runs, Vec<EdgeValue>), Refusal> {
        let once = Runs { runs: 1, time: Duration::ZERO };
        if !text.starts_with('{') {
            return match function.params() {
                [param] => Ok((once, vec![self.library.value_of(param, text)?])),
                params => {
                    let title = format!(
                        "`{}` has {} parameters, so that its input is an object",
                        function.name(),
                        params.len()
                    );
                    Err(title.into())
                }
            };
        }
        let mut fields: Fields<'_> =
            serde_json::from_str(text).map_err(|e| Refusal::from(format!("the input cannot be read: {e}")))?;
        let runs = Runs {
            runs: number(&fields, MIN_RUNS)?.map_or(once.runs, |n: u64| n.max(1)),
            time: seconds(number(&fields, MIN_SECONDS)?.unwrap_or(0.0))?,
        };
        let own = |name: &str| function.params().iter().any(|p| p.name == name);
        fields.list.retain(|(name, _)| own(name) || name != MIN_RUNS && name != MIN_SECONDS);
        Ok((runs, self.library.by_fields(function, &fields)?))
    }

    /// Runs the function repeatedly; returns the value, which is the same each time.
    fn repeat(
        &self,
        function: &Function,
        call: &Call,
        runs: Runs,
        timings: &mut Vec<Timing>,
    ) -> Result<EdgeValue, Refusal> {
        let more = |done, total| done < runs.runs || total < runs.time;
        let (value, times) = self.library.repeat(function, call, more)?;
        timings.extend(times.into_iter().map(Timing::evaluate));
        Ok(value)
    }

    /// The result in the form of the evaluation, as JSON.
    fn output(
        &mut self,
        module: &str,
        function: &str,
        value: EdgeValue,
        timings: &mut Vec<Timing>,
    ) -> Result<String, Refusal> {
        let Some((after, time)) = self.library.beside(module, function, Side::Output)? else {
            return Ok(arr_data::to_json(&value));
        };
        timings.extend(time.map(Timing::prepare));
        let args = match after.params() {
            [_] => vec![value],
            _ => self.library.by_value(&after, value)?,
        };
        let call = self.library.bind(&after, &args)?;
        let (value, _) = self.library.run(&after, &call)?;
        Ok(arr_data::to_json(&value))
    }
}

/// A number among the fields, if it exists.
fn number<'a, T: serde::Deserialize<'a>>(fields: &Fields<'a>, name: &str) -> Result<Option<T>, Refusal> {
    let Some(raw) = fields.get(name) else { return Ok(None) };
    serde_json::from_str(raw.get()).map(Some).map_err(|e| Refusal::from(format!("`{name}` cannot be read: {e}")))
}

fn seconds(seconds: f64) -> Result<Duration, Refusal> {
    Duration::try_from_secs_f64(seconds.max(0.0))
        .map_err(|e| Refusal::from(format!("`{MIN_SECONDS}` cannot be read: {e}")))
}
