//! The numbers of divisions, roots, products in which zero wins and other operations that remain in the loops of
//! relaxed code, counted in the text of the loops. Strict code has those of the program.

use arr_driver::{Derive, Execution, OsWorld, Session, Stage};
use arr_tests::trial::Trial;
use arr_tests::{Outcome, files};

/// Operations in loops, or only in loops of the program if a row says so.
#[derive(PartialEq, Eq, Debug)]
struct Counts {
    div: usize,
    sqrt: usize,
    mulz: usize,
    /// Sums, differences, products and changes of sign.
    plain: usize,
}

const fn counts(div: usize, sqrt: usize, mulz: usize, plain: usize) -> Counts {
    Counts { div, sqrt, mulz, plain }
}

/// A program, one of its definitions, and the operations that remain in its loops, in relaxed and in strict code.
struct Row {
    program: &'static str,
    entry: &'static str,
    /// Only operations in loops of the source.
    source_loops: bool,
    relaxed: Counts,
    strict: Counts,
}

const ROWS: &[Row] = &[
    // Two forces a step forwards and one backwards, with a root and a quotient each; then two reverse sweeps with a
    // root and a reciprocal, of which the program has six and seven. As powers of the root are collected there, a pair
    // takes 55 operations with its sums, 13 of which machines fuse with a product.
    Row {
        program: "nbody",
        entry: "gradient",
        source_loops: true,
        relaxed: counts(5, 5, 0, 184),
        strict: counts(16, 5, 28, 179),
    },
    // One reciprocal per rate, before the steps. Products outside sums stay.
    Row {
        program: "stiff",
        entry: "value",
        source_loops: true,
        relaxed: counts(0, 0, 0, 4),
        strict: counts(1, 0, 0, 5),
    },
    Row {
        program: "stiff",
        entry: "gradient",
        source_loops: true,
        relaxed: counts(0, 0, 6, 14),
        strict: counts(5, 0, 8, 18),
    },
    // Four sums over the draws.
    Row {
        program: "black_scholes",
        entry: "gradient",
        source_loops: false,
        relaxed: counts(0, 0, 0, 14),
        strict: counts(0, 0, 4, 10),
    },
];

pub fn trials() -> Vec<Trial> {
    ROWS.iter().map(|row| Trial::test(format!("{}::{}", row.program, row.entry), move || Ok(check(row)?))).collect()
}

fn check(row: &Row) -> Outcome {
    let path = files::root().join("bench/workloads").join(row.program).with_extension("arr");
    let mut session = Session::new(OsWorld);
    let program = session.program(&path.to_string_lossy(), row.entry, &Derive::Nothing);
    let mut program = program.map_err(|failure| format!("{failure:?}"))?;
    for (strict, expected) in [(false, &row.relaxed), (true, &row.strict)] {
        let execution = Execution { strict, ..Execution::default() };
        let text = program.emit(Stage::Loops, &execution).map_err(|failure| format!("{failure:?}"))?;
        let found = count(&text, row.source_loops);
        if found != *expected {
            return Err(format!("strict: {strict}, found {found:?}, not {expected:?}"));
        }
    }
    Ok(())
}

/// Counts in the text of loops, which indents a block's statements by two spaces. The chunked code of a scan, after the
/// loop's body, is left out, and so is code that runs only if a result is NaN.
fn count(text: &str, source_loops: bool) -> Counts {
    let mut found = counts(0, 0, 0, 0);
    let (mut around, mut beside): (Vec<usize>, Option<usize>) = (Vec::new(), None);
    for line in text.lines() {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim();
        around.retain(|&head| head < depth);
        if beside.is_some_and(|head| depth <= head && !line.starts_with("} ")) {
            beside = None;
        }
        if line.starts_with('}') && line.len() > 1 && !line.starts_with("} else") {
            beside = Some(depth);
        }
        if line.starts_with("if nan") && beside.is_none() {
            beside = Some(depth);
        }
        if line.starts_with("for ") && (!source_loops || line.contains(" source")) {
            around.push(depth);
        }
        if around.is_empty() || beside.is_some() {
            continue;
        }
        let has = |word: &str| usize::from(line.contains(&format!("f64 = {word} ")));
        found.div += has("div");
        found.sqrt += has("sqrt");
        found.mulz += has("mulz");
        found.plain += ["add", "sub", "mul", "neg"].into_iter().map(has).sum::<usize>();
    }
    found
}
