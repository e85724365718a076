//! Every check of every function in the golden files is removed, and moved behind the next statement: the verifier
//! refuses the result, or no input makes it reach outside an array.
//!
//! Some checks protect nothing that is left (they exist only for their error), and some accesses were checked although
//! they can be proved inside; accepted functions are therefore run, with indices that are off by one, negative and far
//! away, and with arrays of every small size. The interpreter reports if an unchecked access is outside.

use arr_ir::interp::{Limits, run};
use arr_ir::sample::Lcg;
use arr_ir::{
    Block, Data, Func, Level, Op, RunErrorKind, Scalar, Value, parse_func, print_func, verify, verify_structure,
};
use arr_tests::trial::Trial;
use arr_tests::{Outcome, files};
use std::path::{Path, PathBuf};

/// The change to a checking statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// A `check` is removed; a read or scatter is unchecked.
    Removed,
    /// It comes after the next statement.
    Swapped,
}

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for directory in golden_directories() {
        let name = directory.strip_prefix(files::root()).unwrap_or(&directory).display().to_string();
        trials.push(Trial::test(format!("checks::{name}"), move || Ok(directory_holds(&directory)?)));
    }
    trials.push(Trial::test("most_are_refused", || Ok(most_are_refused()?)));
    trials
}

/// The directories with golden files, of all crates.
fn golden_directories() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = children(&files::root().join("crates")).iter().map(|c| c.join("tests")).collect();
    while let Some(directory) = open.pop() {
        let (directories, plain): (Vec<PathBuf>, Vec<PathBuf>) =
            children(&directory).into_iter().partition(|p| p.is_dir());
        open.extend(directories);
        if plain.iter().any(|file| !functions(file).is_empty()) {
            found.push(directory);
        }
    }
    found.sort();
    found
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

/// The well-formed functions of a golden file, those before an arrow and those behind it.
fn functions(file: &Path) -> Vec<Func> {
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !["ir", "core", "bulk", "vjp"].contains(&ending) {
        return Vec::new();
    }
    let text = files::read(file).unwrap_or_default();
    let mut starts: Vec<usize> = text.match_indices("\nfunc ").map(|(at, _)| at + 1).collect();
    starts.extend(text.starts_with("func ").then_some(0));
    starts.sort_unstable();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let parts = starts.iter().zip(ends).filter_map(|(&start, end)| text.get(start..end));
    let parsed = parts.filter_map(|part| parse_func(part.split("==>").next().unwrap_or(part)).ok());
    parsed.filter(|func| verify(func, Level::Core).is_ok()).collect()
}

fn directory_holds(directory: &Path) -> Outcome {
    for file in children(directory) {
        for func in functions(&file) {
            for (what, changed) in changed(&func).into_iter().filter(|(_, changed)| is_accepted(changed)) {
                stays_inside(&changed)
                    .map_err(|found| format!("{}\n{what}: {found}\n{}", file.display(), print_func(&changed)))?;
            }
        }
    }
    Ok(())
}

/// Most changed functions are refused: with inputs that are too tame, a verifier that accepts everything would pass
/// every other test here.
fn most_are_refused() -> Outcome {
    let (mut accepted, mut refused) = (0, 0);
    for func in golden_directories().iter().flat_map(|d| children(d)).flat_map(|file| functions(&file)) {
        for (_, changed) in changed(&func) {
            *if is_accepted(&changed) { &mut accepted } else { &mut refused } += 1;
        }
    }
    println!("{refused} changes refused, {accepted} accepted");
    if refused >= 100 { Ok(()) } else { Err(format!("only {refused} changes refused")) }
}

fn is_accepted(func: &Func) -> bool {
    verify(func, Level::Core).is_ok()
}

/// A function with each of its checks changed, one at a time; without those in which a read has come behind a use of
/// its result.
fn changed(func: &Func) -> Vec<(String, Func)> {
    let mut all = Vec::new();
    for change in [Change::Removed, Change::Swapped] {
        for number in 0.. {
            let mut changed = func.clone();
            let mut left = number;
            if !apply(&mut changed.body, change, &mut left) {
                break;
            }
            if verify_structure(&changed, Level::Core).is_ok() {
                all.push((format!("{change:?} {number}"), changed));
            }
        }
    }
    all
}

/// Changes the checking statement of this number; returns whether there is one.
fn apply(block: &mut Block, change: Change, left: &mut usize) -> bool {
    for at in 0..block.stmts.len() {
        let checks = block.stmts.get(at).is_some_and(|stmt| is_check(&stmt.op));
        if checks && *left == 0 {
            change_at(block, at, change);
            return true;
        }
        *left -= usize::from(checks);
        let inner = block.stmts.get_mut(at).map(|stmt| stmt.op.blocks_mut()).unwrap_or_default();
        if inner.into_iter().any(|inner| apply(inner, change, left)) {
            return true;
        }
    }
    false
}

fn is_check(op: &Op) -> bool {
    match op {
        Op::Check { .. } => true,
        Op::Read { checked, .. } | Op::Scatter { checked, .. } => *checked,
        _ => false,
    }
}

fn change_at(block: &mut Block, at: usize, change: Change) {
    if change == Change::Swapped {
        if at + 1 < block.stmts.len() {
            block.stmts.swap(at, at + 1);
        }
        return;
    }
    match block.stmts.get_mut(at).map(|stmt| &mut stmt.op) {
        Some(Op::Read { checked, .. } | Op::Scatter { checked, .. }) => *checked = false,
        _ => drop(block.stmts.remove(at)),
    }
}

/// Runs a function with small arrays of all sizes and indices of all kinds.
fn stays_inside(func: &Func) -> Outcome {
    let limits = Limits { max_steps: Some(1_000), max_bytes: Some(1 << 20) };
    let cases = 4u64.pow(func.sizes.len().min(3) as u32).max(8) * 4;
    for case in 0..cases {
        let sizes: Vec<i64> = (0..func.sizes.len()).map(|k| (case >> (2 * k)) as i64 & 3).collect();
        let Some(arguments) = arguments(func, &sizes, case) else { continue };
        if let Err(error) = run(func, &sizes, &arguments, &limits)
            && let RunErrorKind::Internal(text) = &error.kind
            && text.contains("unchecked access")
        {
            return Err(format!("{text} with {sizes:?} {arguments:?}"));
        }
    }
    Ok(())
}

/// Arguments whose integers are indices just inside, just outside, and far away.
fn arguments(func: &Func, sizes: &[i64], seed: u64) -> Option<Vec<Value>> {
    // Larger ones may be lengths, which would keep the interpreter busy for long.
    const INDICES: [i64; 8] = [0, 1, 2, 3, -1, 4, 10_000, -10_000];
    let mut random = Lcg::new(seed);
    let mut arguments = arr_ir::sample::args(func, sizes, seed)?;
    for argument in &mut arguments {
        let mut index = || {
            // Most are inside small arrays, so that runs reach the accesses behind the first.
            let kinds = if random.next_u64().is_multiple_of(4) { INDICES.len() } else { 3 };
            INDICES.get(random.next_u64() as usize % kinds).copied().unwrap_or(0)
        };
        *argument = match (argument.elem(), argument.dims().to_vec()) {
            (Scalar::I64, dims) if dims.is_empty() => Value::Scalar(arr_ir::Const::I64(index())),
            (Scalar::I64, dims) => {
                let count = dims.iter().product::<i64>();
                Value::array(dims, Data::I64((0..count).map(|_| index()).collect()))
            }
            _ => continue,
        };
    }
    Some(arguments)
}
