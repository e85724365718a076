//! The whole run: the cases, the peers, and the output of the figures.

use crate::measure::{self, Effort, Row};
use crate::options::{Options, Selection};
use crate::peers::Peers;
use crate::{plot, report};
use arr_bench::workloads::{self, Case, Level, Workload};
use std::path::{Path, PathBuf};

/// Runs the requested cases. Returns whether every peer ran and all results agree.
pub fn run(options: &Options) -> Result<bool, String> {
    let all = workloads::all();
    let chosen = chosen(&all, &options.selection, options.list)?;
    if options.list {
        for (workload, case) in chosen {
            println!("{:<14} {:<32} {}", workload.name, case.sizes, workload.about);
        }
        return Ok(true);
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let cache = cache(&root);
    std::fs::create_dir_all(&cache).map_err(|error| format!("{}: {error}", cache.display()))?;
    let peers = Peers::find(options, &root, &cache)?;
    let effort = if options.selection.quick {
        Effort { seconds: 0.0, rounds: 2 }
    } else {
        Effort { seconds: options.seconds, rounds: options.rounds.max(1) }
    };
    let inputs = cache.join(format!("inputs-{}", std::process::id()));
    let mut rows: Vec<Row> = Vec::new();
    for threads in threads(options)? {
        for (workload, case) in &chosen {
            let row = measure::case(&peers, workload, case, threads, effort, &inputs)?;
            print!("{}", report::line(&row, options.statistic));
            rows.push(row);
        }
    }
    let report = report::markdown(&rows, &peers.notes, options.statistic);
    println!("\n{}", report::summary(&rows, options.statistic));
    let output = options.output.clone().unwrap_or_else(|| cache.join("results"));
    write(&output, "benchmarks.md", &report)?;
    write(&output, "benchmarks.json", &report::json(&rows, &peers.notes))?;
    plot::ratios(&rows, options.statistic, &output.join("benchmarks.svg"))?;
    println!("written to {}", output.display());
    Ok(rows.iter().all(|row| row.faults.is_empty()))
}

/// The requested cases. Fails if there are none.
pub fn chosen<'w>(
    all: &'w [Workload],
    selection: &Selection,
    list: bool,
) -> Result<Vec<(&'w Workload, &'w Case)>, String> {
    let chosen: Vec<(&Workload, &Case)> = all
        .iter()
        .flat_map(|workload| workload.cases.iter().map(move |case| (workload, case)))
        .filter(|(workload, case)| wanted(selection, list, workload, case))
        .collect();
    if chosen.is_empty() {
        return Err("no workload has such a name; `--list` shows them".to_string());
    }
    Ok(chosen)
}

fn wanted(selection: &Selection, list: bool, workload: &Workload, case: &Case) -> bool {
    let full = format!("{} {}", workload.name, case.sizes);
    let named = selection.only.is_empty()
        || selection.only.iter().any(|text| {
            text.split(',').any(|name| name == workload.name) || full.contains(text.as_str()) && text.contains(' ')
        });
    let sized = match case.level {
        Level::Quick => selection.quick || list,
        Level::Normal => !selection.quick,
        Level::Large => selection.large && !selection.quick,
    };
    named && sized
}

/// Below the directory of build results, so that nothing is left in the repository.
pub fn cache(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| root.join("../target")).join("bench")
}

/// The numbers of threads, each once.
fn threads(options: &Options) -> Result<Vec<usize>, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut list = Vec::new();
    for text in &options.threads {
        let n = match text.as_str() {
            "all" => cores,
            number => match number.parse::<usize>() {
                Ok(n) if n > 0 => n,
                _ => return Err(format!("`--threads {text}`: expected a number or `all`")),
            },
        };
        if !list.contains(&n) {
            list.push(n);
        }
    }
    Ok(list)
}

pub fn write(directory: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = directory.join(name);
    std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|error| format!("{}: {error}", path.display()))
}
