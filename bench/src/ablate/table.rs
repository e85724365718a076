//! The table of `cargo xtask ablate`: one row per step, and the cases in which it matters most.

use super::{Change, Effect};
use crate::report;
use crate::statistics::geometric_mean;
use std::fmt::Write;

/// Smaller differences are noise of the machine.
const NOISE: f64 = 0.03;

/// The number of functions named per step.
const NAMED: usize = 3;

/// The report in Markdown.
pub fn markdown(steps: &[&str], effects: &[Effect], faults: &[String], threads: usize) -> String {
    let functions = effects.iter().filter(|effect| Some(&effect.step) == steps.first()).count();
    let mut text = format!(
        "- {}\n- {functions} functions on {threads} {}; medians of the time without the step over the time with it\n\n",
        report::machine(),
        if threads == 1 { "thread" } else { "threads" },
    );
    text.push_str(
        "| step | changes | slower without | faster without | mean | most | memory | compile time | where |\n",
    );
    text.push_str("|---|---|---|---|---|---|---|---|---|\n");
    for step in steps {
        let own: Vec<&Effect> = effects.iter().filter(|effect| effect.step == *step).collect();
        let _ = writeln!(text, "| `{step}` | {} |", row(&own));
    }
    let nothing: Vec<String> =
        steps.iter().filter(|step| is_worthless(step, effects)).map(|step| format!("`{step}`")).collect();
    let listed = if nothing.is_empty() { "none".to_string() } else { nothing.join(", ") };
    let _ = writeln!(text, "\nWorth nothing on any of these functions, in time or memory: {listed}.");
    for fault in faults {
        let _ = writeln!(text, "\n{fault}");
    }
    text
}

fn changes<'e>(effects: &[&'e Effect]) -> Vec<(&'e Effect, Change)> {
    let mut list: Vec<_> = effects.iter().filter_map(|effect| Some((*effect, effect.change?))).collect();
    list.sort_by(|(_, a), (_, b)| b.time.total_cmp(&a.time));
    list
}

fn row(effects: &[&Effect]) -> String {
    let changes = changes(effects);
    let count = |wanted: fn(f64) -> bool| changes.iter().filter(|(_, change)| wanted(change.time)).count();
    let times: Vec<f64> = changes.iter().map(|(_, change)| change.time).collect();
    let shown = |x: Option<f64>| x.map_or("–".to_string(), |x| format!("{x:.2}"));
    let memory = changes.iter().filter_map(|(_, change)| change.memory).reduce(f64::max);
    let (with, without) =
        effects.iter().fold((0.0, 0.0), |(a, b), effect| (a + effect.compile.0, b + effect.compile.1));
    let named: Vec<String> = changes
        .iter()
        .take_while(|(_, change)| change.time > 1.0 + NOISE)
        .take(NAMED)
        .map(|(effect, change)| format!("{} {} {:.2}", effect.case, effect.function.name(), change.time))
        .collect();
    format!(
        "{} | {} | {} | {} | {} | {} | {} | {}",
        changes.len(),
        count(|time| time > 1.0 + NOISE),
        count(|time| time < 1.0 - NOISE),
        shown(geometric_mean(&times)),
        shown(times.first().copied()),
        shown(memory),
        shown((with > 0.0).then_some(without / with)),
        named.join("; "),
    )
}

/// Whether leaving it out makes no function slower or larger.
fn is_worthless(step: &str, effects: &[Effect]) -> bool {
    effects
        .iter()
        .filter(|effect| effect.step == step)
        .filter_map(|effect| effect.change)
        .all(|change| change.time <= 1.0 + NOISE && change.memory.is_none_or(|memory| memory <= 1.0 + NOISE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Function;

    fn effect(step: &'static str, case: &str, time: Option<f64>) -> Effect {
        let change = time.map(|time| Change { time, memory: Some(1.0) });
        Effect { step, case: case.to_string(), function: Function::Value, compile: (2.0, 1.0), change }
    }

    #[test]
    fn a_row_per_step() {
        let effects = [
            effect("hoist", "lse n=3", Some(4.0)),
            effect("hoist", "gmm n=3", Some(0.25)),
            effect("layout", "lse n=3", Some(1.01)),
            effect("layout", "gmm n=3", None),
        ];
        let text = markdown(&["hoist", "layout"], &effects, &[], 1);
        assert!(text.contains("| `hoist` | 2 | 1 | 1 | 1.00 | 4.00 | 1.00 | 0.50 | lse n=3 value 4.00 |"), "{text}");
        assert!(text.contains("| `layout` | 1 | 0 | 0 | 1.01 | 1.01 | 1.00 | 0.50 |  |"), "{text}");
        assert!(text.contains("in time or memory: `layout`."), "{text}");
    }
}
