//! Figures as text: one line per case while it runs, tables in Markdown, everything in JSON.

use crate::measure::{Figures, Row};
use crate::options::Statistic;
use crate::peers::Peer;
use crate::process::Function;
use crate::statistics::{Times, geometric_mean};
use serde_json::{Value, json};
use std::fmt::Write;

const PEERS: [Peer; 3] = [Peer::C, Peer::Jax, Peer::Torch];

pub fn of(times: &Times, statistic: Statistic) -> f64 {
    match statistic {
        Statistic::Median => times.median(),
        Statistic::Min => times.min(),
    }
}

fn time(figures: Option<&Figures>, function: Function, statistic: Statistic) -> Option<f64> {
    Some(of(figures?.times(function)?, statistic))
}

/// The speed-up of Arr over a peer: the peer's time over ours.
pub fn ratio(row: &Row, peer: Peer, function: Function, statistic: Statistic) -> Option<f64> {
    let own = time(row.peers.get(&Peer::Arr), function, statistic)?;
    Some(time(row.peers.get(&peer), function, statistic)? / own)
}

/// The gradient where there is one, else the value.
pub fn main_function(row: &Row) -> Function {
    let has = row.peers.get(&Peer::Arr).is_some_and(|figures| figures.gradient.is_some());
    if has { Function::Gradient } else { Function::Value }
}

/// The speed-up of Arr over the better of JAX and PyTorch.
fn best_ratio(row: &Row, function: Function, statistic: Statistic) -> Option<f64> {
    [Peer::Jax, Peer::Torch].iter().filter_map(|peer| ratio(row, *peer, function, statistic)).reduce(f64::min)
}

/// The cost of the gradient in units of the value's.
fn cost(row: &Row, statistic: Statistic) -> Option<f64> {
    let own = row.peers.get(&Peer::Arr);
    Some(time(own, Function::Gradient, statistic)? / time(own, Function::Value, statistic)?)
}

/// A line about a case, and one about all its faults.
pub fn line(row: &Row, statistic: Statistic) -> String {
    let mut text = format!("{:<14} {:<30} t{}", row.workload, row.sizes, row.threads);
    for (peer, figures) in &row.peers {
        let _ = write!(text, "  {}", peer.name());
        for function in [Function::Value, Function::Gradient] {
            let shown = time(Some(figures), function, statistic).map_or("-".to_string(), duration);
            let _ = write!(text, " {shown}");
            if *peer != Peer::Arr
                && let Some(ratio) = ratio(row, *peer, function, statistic)
            {
                let _ = write!(text, " ({ratio:.2}x)");
            }
        }
    }
    text.push('\n');
    for fault in &row.faults {
        let _ = writeln!(text, "    {fault}");
    }
    text
}

/// Three digits and a unit.
fn duration(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    let digits = if number < 10.0 { 2 } else { usize::from(number < 100.0) };
    format!("{number:.digits$} {unit}")
}

fn memory(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// The tables, one for each number of threads.
pub fn markdown(rows: &[Row], notes: &[String], statistic: Statistic) -> String {
    let mut text = "# Benchmarks\n\n".to_string();
    for note in notes {
        let _ = writeln!(text, "- {note}");
    }
    let word = if statistic == Statistic::Median { "medians" } else { "least times" };
    let _ = writeln!(text, "- {}\n", machine());
    let _ = writeln!(
        text,
        "Times are {word}. A ratio is the peer's time over Arr's in the same run: above 1 Arr is faster. \"best\" is the\n\
         better of JAX and PyTorch, \"grad/value\" what Arr's gradient costs beside its value.\n"
    );
    let mut threads: Vec<usize> = rows.iter().map(|row| row.threads).collect();
    threads.dedup();
    for n in threads {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.threads == n).collect();
        let _ = writeln!(text, "## {n} {}\n", if n == 1 { "thread" } else { "threads" });
        text.push_str(&function_table(&rows, Function::Gradient, statistic));
        text.push_str(&function_table(&rows, Function::Value, statistic));
        text.push_str(&memory_table(&rows));
    }
    let faults: Vec<String> = rows.iter().flat_map(|row| row.faults.iter().map(move |f| fault(row, f))).collect();
    if !faults.is_empty() {
        let _ = writeln!(text, "## What went wrong\n\n{}", faults.join("\n"));
    }
    text
}

fn fault(row: &Row, fault: &str) -> String {
    format!("- {} {}, {} thread(s): {fault}", row.workload, row.sizes, row.threads)
}

fn table(header: &[&str], lines: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", header.join(" | "), "---|".repeat(header.len()));
    for line in lines {
        let _ = writeln!(text, "| {} |", line.join(" | "));
    }
    text.push('\n');
    text
}

fn function_table(rows: &[&Row], function: Function, statistic: Statistic) -> String {
    let shown = |x: Option<f64>| x.map_or("–".to_string(), |x| format!("{x:.2}"));
    let mut header = vec!["workload", "sizes", "Arr"];
    for peer in PEERS {
        header.extend([peer.name(), "ratio"]);
    }
    header.push("best");
    let with_cost = function == Function::Gradient;
    if with_cost {
        header.push("grad/value");
    }
    let mut lines = Vec::new();
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 5];
    for row in rows {
        let Some(own) = time(row.peers.get(&Peer::Arr), function, statistic) else { continue };
        let mut line = vec![row.workload.to_string(), row.sizes.clone(), duration(own)];
        for (peer, column) in PEERS.iter().zip(0..) {
            line.push(time(row.peers.get(peer), function, statistic).map_or("–".to_string(), duration));
            let ratio = ratio(row, *peer, function, statistic);
            line.push(shown(ratio));
            columns[column].extend(ratio);
        }
        let (best, cost) = (best_ratio(row, function, statistic), cost(row, statistic));
        line.push(shown(best));
        columns[3].extend(best);
        if with_cost {
            line.push(shown(cost));
            columns[4].extend(cost);
        }
        lines.push(line);
    }
    let mean = |column: usize| shown(geometric_mean(&columns[column]));
    let mut last = vec!["geometric mean".to_string(), String::new(), String::new()];
    for column in 0..3 {
        last.extend([String::new(), mean(column)]);
    }
    last.push(mean(3));
    if with_cost {
        last.push(mean(4));
    }
    lines.push(last);
    format!("### The {}\n\n{}", function.name(), table(&header, &lines))
}

fn memory_table(rows: &[&Row]) -> String {
    let mut header = vec!["workload".to_string(), "sizes".to_string(), "Arr, counted".to_string()];
    for peer in [Peer::Arr].iter().chain(&PEERS) {
        header.push(format!("{}, grown", peer.name()));
    }
    for peer in [Peer::Arr].iter().chain(&PEERS) {
        header.push(format!("{}, first", peer.name()));
    }
    let lines: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let of = |peer: &Peer| row.peers.get(peer);
            let dash = || "–".to_string();
            let mut line = vec![row.workload.to_string(), row.sizes.clone()];
            line.push(of(&Peer::Arr).and_then(|f| f.counted).map_or_else(dash, memory));
            for peer in [Peer::Arr].iter().chain(&PEERS) {
                line.push(of(peer).and_then(|f| f.grown).map_or_else(dash, memory));
            }
            for peer in [Peer::Arr].iter().chain(&PEERS) {
                line.push(of(peer).and_then(|f| f.first).map_or_else(dash, duration));
            }
            line
        })
        .collect();
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    format!("### Memory in MB, and time to the first result\n\n{}", table(&header, &lines))
}

/// The geometric means, one line per number of threads.
pub fn summary(rows: &[Row], statistic: Statistic) -> String {
    let mut text = String::new();
    let mut threads: Vec<usize> = rows.iter().map(|row| row.threads).collect();
    threads.dedup();
    for n in threads {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.threads == n).collect();
        for function in [Function::Gradient, Function::Value] {
            for peer in PEERS {
                let ratios: Vec<f64> = rows.iter().filter_map(|row| ratio(row, peer, function, statistic)).collect();
                if let Some(mean) = geometric_mean(&ratios) {
                    let (count, peer, what) = (ratios.len(), peer.name(), function.name());
                    let _ = writeln!(
                        text,
                        "{n} thread(s), {what}: {peer} takes {mean:.2} times what Arr takes ({count} cases)"
                    );
                }
            }
        }
        let costs: Vec<f64> = rows.iter().filter_map(|row| cost(row, statistic)).collect();
        if let Some(mean) = geometric_mean(&costs) {
            let _ = writeln!(text, "{n} thread(s): the gradient costs {mean:.2} values ({} cases)", costs.len());
        }
    }
    text
}

pub fn json(rows: &[Row], notes: &[String]) -> String {
    let times = |times: Option<&Times>| -> Value {
        times.map_or(Value::Null, |t| json!({ "median": t.median(), "min": t.min(), "runs": t.seconds.len() }))
    };
    let peer = |figures: &Figures| {
        json!({
            "value": times(figures.value.as_ref()),
            "gradient": times(figures.gradient.as_ref()),
            "first_result": figures.first,
            "grown_bytes": figures.grown,
            "counted_bytes": figures.counted,
            "difference": figures.off,
        })
    };
    let cases: Vec<Value> = rows
        .iter()
        .map(|row| {
            let peers: serde_json::Map<String, Value> =
                row.peers.iter().map(|(p, figures)| (p.name().to_string(), peer(figures))).collect();
            json!({
                "workload": row.workload, "sizes": row.sizes, "threads": row.threads, "seconds": peers, "faults": row.faults,
            })
        })
        .collect();
    format!("{:#}\n", json!({ "machine": machine(), "peers": notes, "cases": cases }))
}

/// The processor, as far as the system reports it.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().map_or(String::new(), |load| format!(", load {load} at the end"));
    format!("{}, {cores} cores{load}", model.unwrap_or(std::env::consts::ARCH))
}
