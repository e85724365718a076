//! `arr bench`.

use crate::commands::{self, Result};
use crate::options::Bench;
use arr_data::Arg;
use arr_driver::{Derive, Mode, Repeat, Session, Timing};
use serde_json::{Value, json};
use std::time::Duration;

/// Times a definition, and its derivative if requested. Fails as [`Session::program`] and [`Session::time`] do, as
/// [`commands::driver_execution`] does, and with E0707 if the times cannot be printed.
pub fn run(session: &mut Session, options: &Bench) -> Result<()> {
    session.set_cell_rules(options.cells.rules());
    let execution = commands::driver_execution(&options.execution)?;
    let args: Vec<Arg> = options.args.iter().map(|text| Arg::parse(text)).collect();
    let repeat = Repeat {
        runs: options.runs.map(|n| n as usize),
        time: Duration::from_secs_f64(if options.seconds.is_nan() { 0.0 } else { options.seconds.clamp(0.0, 1e6) }),
    };
    let mut derive = vec![("value", Derive::Nothing)];
    if options.grad || !options.wrt.is_empty() {
        derive.push(("gradient", Derive::Gradient { wrt: options.wrt.clone(), mode: Mode::Reverse }));
    }
    let mut rows = Vec::new();
    for (what, derive) in derive {
        let mut program = session.program(&options.file, &options.entry, &derive)?;
        rows.push((what, session.time(&mut program, &args, &execution, repeat)?));
    }
    if options.execution.json {
        let fields: serde_json::Map<String, Value> =
            rows.iter().map(|(what, timing)| (what.to_string(), as_json(timing))).collect();
        return commands::print(&format!("{}\n", Value::Object(fields)));
    }
    commands::print(&table(&rows))
}

fn peak(timing: &Timing) -> Option<u64> {
    timing.statistics.iter().find(|(what, _)| *what == "bytes in use at most").map(|(_, bytes)| *bytes)
}

/// Times in seconds.
fn as_json(timing: &Timing) -> Value {
    json!({
        "runs": timing.runs.len(),
        "median": timing.median().as_secs_f64(),
        "min": timing.min().as_secs_f64(),
        "spread": timing.spread(),
        "first": timing.first.as_secs_f64(),
        "compile": timing.compile.as_secs_f64(),
        "peak_bytes": peak(timing),
    })
}

fn table(rows: &[(&str, Timing)]) -> String {
    let heads = ["", "median", "least", "spread", "runs", "first", "compiling", "memory"];
    let mut lines = vec![heads.map(str::to_string)];
    for (what, timing) in rows {
        lines.push([
            what.to_string(),
            duration(timing.median()),
            duration(timing.min()),
            format!("{:.0} %", 100.0 * timing.spread()),
            timing.runs.len().to_string(),
            duration(timing.first),
            duration(timing.compile),
            peak(timing).map_or("-".to_string(), bytes),
        ]);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    let mut text = String::new();
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    if let [(_, value), (_, gradient)] = rows {
        let ratio = gradient.median().as_secs_f64() / value.median().as_secs_f64().max(1e-9);
        text.push_str(&format!("the gradient takes {ratio:.2} times as long as the value\n"));
    }
    text
}

/// Three digits and a unit.
pub fn duration(time: Duration) -> String {
    let (number, unit) = match time.as_secs_f64() {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
    format!("{number:.digits$} {unit}")
}

fn bytes(count: u64) -> String {
    match count {
        n if n < 10_000 => format!("{n} B"),
        n if n < 10_000_000 => format!("{} kB", n / 1000),
        n => format!("{} MB", n / 1_000_000),
    }
}
