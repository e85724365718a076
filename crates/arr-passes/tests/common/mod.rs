//! Golden tests of passes: a file holds IR text, a line `==>`, and the text after the pass. `ARR_BLESS=1` rewrites the
//! second part. Directives stand in comments: `--! level: bulk`, `--! passes: fuse, simplify`, `--! kernels: 2`,
//! `--! work: 2` (at most twice the work; no more than before without it).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_ir::interp::{Counts, Limits, run};
use arr_ir::{Func, Level, Op, Value, parse_func, print_func, sample, verify, verify_structure};
use std::path::Path;

/// Runs every file of `tests/<dir>`.
pub fn golden(dir: &str, pass: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(dir);
    let mut files: Vec<_> = std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let failures: Vec<String> = files.iter().filter_map(|f| check(f, pass).err()).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
}

fn directive<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|l| l.strip_prefix("--!")?.trim().strip_prefix(name)?.trim().strip_prefix(':')).map(str::trim)
}

fn check(path: &Path, pass: &str) -> Result<(), String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let fail = |what: String| Err(format!("{name}: {what}"));
    let text = std::fs::read_to_string(path).unwrap();
    let (input, expected) = text.split_once("==>\n").unwrap_or((&text, ""));
    let level = match directive(input, "level") {
        Some("bulk") => Level::Bulk,
        Some("fused") => Level::Fused,
        _ => Level::Core,
    };
    let before = parse_func(input).map_err(|e| format!("{name}: {e:?}"))?;
    // `recheck` receives functions whose accesses nothing proves yet.
    let structure = pass == "recheck";
    if structure {
        verify_structure(&before, level).map_err(|errors| format!("{name}: {}", arr_ir::report(&before, &errors)))?;
    } else {
        verified(&name, &before, level)?;
    }
    let mut after = before.clone();
    let mut level_after = level;
    for pass in directive(input, "passes").unwrap_or(pass).split(',').map(str::trim) {
        match pass {
            "simplify-bulk" => arr_passes::simplify_bulk(&mut after).unwrap(),
            _ => arr_passes::run_pass(pass, &mut after).unwrap(),
        }
        level_after = if matches!(pass, "fuse" | "interchange" | "hoist") { Level::Fused } else { level_after };
        verified(&format!("{name} after {pass}"), &after, level_after)?;
    }
    let actual = print_func(&after);
    if std::env::var_os("ARR_BLESS").is_some() {
        std::fs::write(path, format!("{}\n==>\n{actual}", input.trim_end())).unwrap();
    } else if actual != expected {
        return fail(format!("the text after the pass differs\n--- expected\n{expected}\n--- actual\n{actual}"));
    }
    if pass == "simplify" {
        let mut again = after.clone();
        arr_passes::simplify(&mut again);
        if print_func(&again) != actual {
            return fail(format!("a second run changes it:\n{}", print_func(&again)));
        }
    }
    if let Some(kernels) = directive(input, "kernels")
        && kernels.parse() != Ok(count_kernels(&after))
    {
        return fail(format!("{} kernels, expected {kernels}", count_kernels(&after)));
    }
    let factor = directive(input, "work").and_then(|w| w.parse().ok()).unwrap_or(1);
    let error = directive(input, "error").and_then(|e| e.parse().ok()).unwrap_or(0.0);
    same_meaning(&before, &after, factor, error).or_else(|what| fail(format!("{what}\n{actual}")))
}

fn verified(name: &str, func: &Func, level: Level) -> Result<(), String> {
    verify(func, level).map_err(|errors| format!("{name}: {}", arr_ir::report(func, &errors)))
}

/// Kernels that are not inside other kernels.
pub fn count_kernels(func: &Func) -> usize {
    fn block(b: &arr_ir::Block) -> usize {
        b.stmts.iter().map(|s| op(&s.op)).sum()
    }
    fn op(o: &Op) -> usize {
        match o {
            Op::Build { .. } | Op::Reduce { .. } | Op::Scatter { .. } => 1,
            _ => o.blocks().into_iter().map(block).sum(),
        }
    }
    block(&func.body)
}

/// The same results at every sample point, to within an error, for at most a factor of the previous work.
pub fn same_meaning(before: &Func, after: &Func, factor: u64, error: f64) -> Result<(), String> {
    for n in 0..5i64 {
        for seed in 0..3 {
            let sizes: Vec<i64> = before.sizes.iter().map(|_| n).collect();
            let Some(args) = sample::args(before, &sizes, seed) else { continue };
            // A failure may disappear.
            let Ok(old) = run(before, &sizes, &args, &Limits::default()) else { continue };
            let new = run(after, &sizes, &args, &Limits::default())
                .map_err(|e| format!("fails at size {n}: {}", e.to_diagnostic().title))?;
            for (a, b) in old.results.iter().zip(&new.results) {
                if !same(a, b, error) {
                    return Err(format!("size {n}: {a:?} became {b:?}"));
                }
            }
            if work(&new.counts) > factor * work(&old.counts) {
                return Err(format!("size {n}: more work, {:?} became {:?}", old.counts, new.counts));
            }
        }
    }
    Ok(())
}

fn work(counts: &Counts) -> u64 {
    // A constant, for code that is moved out of a kernel without points.
    counts.work().max(16)
}

fn same(a: &Value, b: &Value, error: f64) -> bool {
    let (x, y) = (a.to_f64s(), b.to_f64s());
    let most = x.iter().filter(|p| p.is_finite()).fold(0.0f64, |most, p| most.max(p.abs()));
    let close = |p: f64, q: f64| p == q || (p.is_nan() && q.is_nan()) || (p - q).abs() <= error * most;
    a.dims() == b.dims() && x.len() == y.len() && x.iter().zip(&y).all(|(&p, &q)| close(p, q))
}
