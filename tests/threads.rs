//! Programs give the same bits, and the same diagnostics, on any number of threads.

use arr_tests::trial::Trial;
use arr_tests::{Outcome, arr, files, transcript};
use std::path::Path;

/// Definitions of `threads/kernels.arr`, at sizes for which loops are divided, with the minimal number of regions in
/// relaxed code.
const KERNELS: &[(&str, u64)] = &[
    ("sum(chain(200000))", 1),
    ("let y = chain(50003) in (sum(y), y[49990:])", 1),
    ("sums(100000)", 2),
    ("extremes(123457)", 3),
    ("sum(rows(700, 300))", 1),
    ("rows(5, 30000)", 1),
    ("counts(100000)", 0),
    ("let k = escapes(150) in (sum(sum(k)), k[17])", 1),
    ("let p = order(60000) in (p[:20], p[59990:])", 1),
    ("sum(ordered(300, 200))[:5]", 1),
    ("let g = slope(80000) in (sum(g), g[:10])", 2),
    ("sum(steps(40000, 5))", 5),
    ("let (s, m, k) = running(100003) in (s[99990:], m[:9], k[99990:])", 3),
    ("let y = average(numbers(100003)) in y[99990:]", 2),
    ("let g = average_slope(100003) in (g[:9], g[99990:])", 4),
    ("let g = sum_slope(100003) in (g[:9], g[99990:])", 4),
    ("bins(200000, 100)", 1),
    ("let b = bins(200003, 7001) in (b[:9], b[6990:])", 1),
    ("bins(200000, 1)", 1),
    ("bins(0, 3)", 0),
    ("tally(200000, 50)", 1),
    ("let g = bins_slope(200000, 100) in (sum(g), g[:9])", 2),
    ("let (e, x) = sparse_slope(30000, 0) in (sum(e), e[:9], x)", 3),
    ("let (e, x) = sparse_slope(30000, 2) in (sum(e), e[:9], x)", 3),
    ("let (e, x) = sparse_slope(1, 0) in (e, x[:5])", 0),
    ("let g = falls_slope(3000) in (sum(g), g[2990:])", 2),
];

/// Failures in the middle: the first one, and its position.
const FAILURES: &[(&str, &str)] = &[
    ("outside(200000, 123456)", "this index is 323456"),
    ("outside(200000, 199999)", "this index is 399999"),
    ("halves(300000, 150000)", "E0602"),
    ("sum(scan_outside(200000, 123456))", "this index is 323456"),
    ("sum(rows(3000, 3000)) + outside(90000, 7)", "this index is 90007"),
    ("bins_outside(200000, 123456)", "this index is 123556"),
    ("sum(sparse_outside(30000, 20000))", "this index is 120000"),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &(expression, regions) in KERNELS {
        trials.push(Trial::test(format!("kernel::{expression}"), move || Ok(kernel(expression, regions)?)));
    }
    for &(expression, why) in FAILURES {
        trials.push(Trial::test(format!("failure::{expression}"), move || Ok(failure(expression, why)?)));
    }
    trials.push(Trial::test("memory::copies", || Ok(copies()?)));
    trials.push(Trial::test("memory::iterations", || Ok(iterations()?)));
    for program in files::list("examples", ".arr") {
        trials.push(Trial::test(format!("example::{}", files::stem(&program)), move || Ok(example(&program)?)));
    }
    trials
}

fn eval(expression: &str, threads: &str, extra: &[&str]) -> Result<arr::Output, String> {
    let mut arguments = vec!["eval", "tests/threads/kernels.arr", expression, "--threads", threads];
    arguments.extend(extra);
    arr::run(&arguments, &files::root())
}

fn kernel(expression: &str, regions: u64) -> Outcome {
    for extra in [&[][..], &["--strict"]] {
        let one = eval(expression, "1", extra)?;
        if one.status != Some(0) {
            return Err(format!("{extra:?}: {}", one.stderr));
        }
        for threads in ["2", "7"] {
            let other = eval(expression, threads, extra)?;
            if other.stdout != one.stdout {
                return Err(format!("one thread {extra:?}:\n{}\n{threads}:\n{}", one.stdout, other.stdout));
            }
        }
    }
    let stats = eval(expression, "2", &["--stats"])?.stderr;
    let found = stats.lines().find_map(|line| line.strip_suffix("  parallel regions")?.trim().parse::<u64>().ok());
    match found {
        Some(found) if found >= regions => Ok(()),
        _ => Err(format!("fewer than {regions} regions:\n{stats}")),
    }
}

fn failure(expression: &str, why: &str) -> Outcome {
    for extra in [&[][..], &["--strict"]] {
        let one = eval(expression, "1", extra)?;
        if one.status != Some(1) || !one.stderr.contains(why) {
            return Err(format!("not {why}: {}", one.stderr));
        }
        for threads in ["2", "7"] {
            let other = eval(expression, threads, extra)?;
            if other.stderr != one.stderr || other.status != one.status {
                return Err(format!("one thread {extra:?}:\n{}\n{threads}:\n{}", one.stderr, other.stderr));
            }
        }
    }
    Ok(())
}

/// If copies of an array that is added to do not fit, there are none.
fn copies() -> Outcome {
    // The inputs take 3.2 MB, the array 80 kB.
    let expression = "let b = bins(200000, 10000) in (sum(b), b[:9])";
    for limit in ["3400kB", "3300kB", "1GB"] {
        let extra = ["--max-memory", limit];
        let one = eval(expression, "1", &extra)?;
        let two = eval(expression, "2", &extra)?;
        if one.status != Some(0) || one.stdout != two.stdout {
            return Err(format!("{limit}:\n{}{}\n{}{}", one.stdout, one.stderr, two.stdout, two.stderr));
        }
    }
    Ok(())
}

/// The total memory of iterations on several threads is limited.
fn iterations() -> Outcome {
    let expression = "sum(falls_far(64, 20000))";
    let free = eval(expression, "1", &[])?;
    for (threads, limit, fits) in
        [("1", "400kB", true), ("7", "4MB", true), ("1", "100kB", false), ("7", "100kB", false)]
    {
        let found = eval(expression, threads, &["--max-memory", limit])?;
        let right =
            if fits { found.stdout == free.stdout } else { found.status == Some(1) && found.stderr.contains("E0605") };
        if !right || free.status != Some(0) {
            return Err(format!("{threads} threads, {limit}:\n{}{}", found.stdout, found.stderr));
        }
    }
    Ok(())
}

/// The commands of an example print the same.
fn example(program: &Path) -> Outcome {
    let commands = transcript::commands_of_program(&files::read(program)?);
    let directory = transcript::workplace()?;
    let record = |threads: &str| transcript::record(&commands, directory.path(), &["--threads", threads]);
    let one = record("1")?;
    for threads in ["2", "7"] {
        let other = record(threads)?;
        if other != one {
            return Err(format!("one thread prints\n{one}\n{threads} print\n{other}"));
        }
    }
    Ok(())
}
