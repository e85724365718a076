//! The cheap gradient principle, counted by the reference interpreter: the gradient of a program costs at most a
//! stated factor times the program and its arguments' elements, and the factor does not grow with the sizes.
//!
//! A program in `tests/programs/costs` has a definition `f`, a definition `gradient` for its value and gradient, and a
//! line such as
//!
//! ```text
//! -- cost: x=[N][N] is=[N]i64 sizes 16 32 64 factor 4 growth 4
//! ```
//!
//! which names the arguments with their shapes, the sizes `N` to try, the factor, and if relevant by how much both
//! costs grow when `N` doubles. If the line says `directions 26`, there are definitions `tangent`, the value with its
//! derivative along one direction, and `directions`, the derivative along that many: it costs at most the factor times
//! as many tangents computed one by one, since code that does not depend on a direction runs once. With `ARR_COSTS` in
//! the environment every test fails and shows its table.

use arr_tests::trial::Trial;
use arr_tests::{Outcome, arr, files, npy};
use std::path::Path;

/// By how much a ratio may exceed the one at the previous sizes.
const SLACK: f64 = 1.15;

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for program in files::list("tests/programs/costs", ".arr") {
        trials.push(Trial::test(files::stem(&program), move || Ok(check(&program)?)));
    }
    trials
}

#[derive(Default, Debug)]
struct Cost {
    /// Name, axes (a number, or size `N`), and whether the elements are integers.
    arguments: Vec<(String, Vec<Option<usize>>, bool)>,
    sizes: Vec<usize>,
    factor: f64,
    growth: Option<f64>,
    directions: Option<f64>,
}

impl Cost {
    fn read(text: &str) -> Result<Cost, String> {
        let line = text.lines().find_map(|line| line.strip_prefix("-- cost: ")).ok_or("no line `-- cost: ..`")?;
        let (mut cost, mut section) = (Cost::default(), "arguments");
        for word in line.split_whitespace() {
            let number = word.parse::<f64>();
            match (section, word, number) {
                (_, "sizes" | "factor" | "growth" | "directions", _) => section = word,
                ("sizes", _, Ok(size)) => cost.sizes.push(size as usize),
                ("factor", _, Ok(factor)) => cost.factor = factor,
                ("growth", _, Ok(growth)) => cost.growth = Some(growth),
                ("directions", _, Ok(directions)) => cost.directions = Some(directions),
                _ => {
                    let (name, shape) = word.split_once('=').ok_or_else(|| format!("`{word}` is no argument"))?;
                    let axes = shape.split(']').filter_map(|axis| axis.strip_prefix('['));
                    let axes = axes.map(|axis| axis.parse().ok()).collect();
                    cost.arguments.push((name.to_string(), axes, shape.ends_with("i64")));
                }
            }
        }
        Ok(cost)
    }
}

fn check(program: &Path) -> Outcome {
    let cost = Cost::read(&files::read(program)?)?;
    let mut complaints = Vec::new();
    let mut rows: Vec<(usize, f64, f64, f64)> = Vec::new();
    for &size in &cost.sizes {
        let directory = files::scratch()?;
        let elements = write_arguments(&cost, size, directory.path())?;
        let primal = count(program, "f", &cost, directory.path())?;
        let (gradient, bound) = match cost.directions {
            None => (count(program, "gradient", &cost, directory.path())?, primal + elements),
            Some(directions) => {
                let tangent = count(program, "tangent", &cost, directory.path())?;
                (count(program, "directions", &cost, directory.path())?, directions * tangent)
            }
        };
        let ratio = gradient / bound;
        if ratio > cost.factor {
            complaints.push(format!("at size {size} the ratio is {ratio:.2}, more than {}", cost.factor));
        }
        rows.push((size, primal, gradient, ratio));
    }
    // A ratio may still approach its bound at small sizes; at the largest ones it must have settled.
    if let [.., before, after] = rows.as_slice()
        && after.3 > before.3 * SLACK
    {
        complaints.push(format!(
            "the ratio still grows, from {:.2} at {} to {:.2} at {}",
            before.3, before.0, after.3, after.0
        ));
    }
    if let Some(growth) = cost.growth {
        for (before, after) in rows.iter().zip(rows.iter().skip(1)) {
            let expected = growth.powf((after.0 as f64 / before.0 as f64).log2());
            for (what, small, large) in [("program", before.1, after.1), ("gradient", before.2, after.2)] {
                let found = large / small;
                if found > expected * SLACK || found < expected / SLACK {
                    complaints.push(format!(
                        "the {what} grows by {found:.2} from {} to {}, not {expected}",
                        before.0, after.0
                    ));
                }
            }
        }
    }
    if std::env::var_os("ARR_COSTS").is_some() {
        complaints.push("ARR_COSTS asks for the table".to_string());
    }
    if complaints.is_empty() {
        return Ok(());
    }
    let table: String = rows
        .iter()
        .map(|(size, primal, gradient, ratio)| format!("  {size:>5} {primal:>9} {gradient:>9} {ratio:>6.2}\n"))
        .collect();
    Err(format!("{}\n  size   program  gradient  ratio\n{table}", complaints.join("\n")))
}

/// Writes the arguments' files and returns how many elements they have together.
fn write_arguments(cost: &Cost, size: usize, directory: &Path) -> Result<f64, String> {
    let mut elements = 0;
    for (name, axes, integers) in &cost.arguments {
        let shape: Vec<usize> = axes.iter().map(|axis| axis.unwrap_or(size)).collect();
        let count = shape.iter().product();
        let bytes = if *integers {
            // Indices below `size`, some of them more than once.
            npy::npy("<i8", &shape, &(0..count).flat_map(|i| ((i * i + 3) % size).to_le_bytes()).collect::<Vec<_>>())
        } else {
            npy::npy(
                "<f8",
                &shape,
                &npy::doubles(&(0..count).map(|i| 0.5 + (i * 37 % 101) as f64 / 101.0).collect::<Vec<_>>()),
            )
        };
        files::write(&directory.join(format!("{name}.npy")), bytes)?;
        elements += count;
    }
    Ok(elements as f64)
}

/// The interpreter's counters: scalar operations, elements read and elements written.
fn count(program: &Path, entry: &str, cost: &Cost, directory: &Path) -> Result<f64, String> {
    let arguments: Vec<String> = cost.arguments.iter().map(|(name, _, _)| format!("{name}=@{name}.npy")).collect();
    let program = program.to_string_lossy();
    let mut words = vec!["run", &program, "--entry", entry, "--backend", "interp", "--stats"];
    words.extend(arguments.iter().map(String::as_str));
    let output = arr::run(&words, directory)?;
    if output.status != Some(0) {
        return Err(format!("`{entry}` ended with {:?}:\n{}", output.status, output.stderr));
    }
    let counted = |line: &str| {
        let (number, what) = line.trim().split_once(' ')?;
        COUNTED.contains(&what.trim()).then(|| number.parse::<f64>().ok()).flatten()
    };
    let total: f64 = output.stderr.lines().filter_map(counted).sum();
    if total > 0.0 { Ok(total) } else { Err(format!("`arr run --stats` counts nothing:\n{}", output.stderr)) }
}

const COUNTED: [&str; 3] = ["primitives", "reads", "writes"];
