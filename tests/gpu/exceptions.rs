//! Cases for which `f32` is not enough. An entry that passes anyway is a failure, so that the table stays as small as
//! possible.

use super::programs::Test;
use arr_driver::Floats;
use arr_tests::Outcome;
use std::path::Path;

/// A file's name, the name of a test or, with a parenthesis, a part of a question, and the reason.
type Exception = (&'static str, &'static str, &'static str);

const IN_SINGLE: &[Exception] = &[
    ("nn", "multi_head_attention gradient", "differences in f32, of sums that cancel"),
    ("ode", "orders", "the error of twenty steps is that of rounding"),
    ("linear_maps", "abs(forward(d) @ x", "compares with 1e-10"),
    ("linear_maps", "apart(forward(d + x)", "compares with 1e-12"),
    ("linear_maps", "apart(forward(d), jacfwd", "likewise"),
    ("linear_maps", "apart(backward(d), d @ jacrev", "likewise"),
    ("quotients", "shared([1e300", "numbers past the range of f32"),
    ("quotients", "roots([4.0", "likewise"),
    ("quotients", "cells([0.3", "0.3 / 0.1 is 3 in f32"),
    ("powers", "bends([1e-40", "numbers past the range of f32"),
    ("powers", "bends([1e-120", "likewise"),
    ("random", "extremes", "the least and the greatest number of 53 bits"),
];

/// Cases that take too long on every device, since each step of their nested searches waits for the device.
const TOO_LONG: &[(&str, &str)] = &[("gradbench", "saddle"), ("gradbench", "particle"), ("saddle", "")];

/// The number of iterations after which a question of the table counts as endless.
pub const ENDLESS: u64 = 10_000;

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// The known reason why a question in a file cannot be answered in this way, if there is one.
pub fn reason(test: Test, path: &Path, question: &str) -> Option<&'static str> {
    let file = stem(path);
    let is_it = |part: &str| question == part || part.contains('(') && question.contains(part);
    let entry = IN_SINGLE.iter().find(|(name, part, _)| *name == file && is_it(part))?;
    (test.floats == Floats::F32).then_some(entry.2)
}

/// Whether a question, or a file if there is none, is left out because of its duration.
pub fn is_too_long(path: &Path, question: &str) -> bool {
    TOO_LONG.iter().any(|(name, part)| *name == stem(path) && question.contains(part))
}

/// The outcome, inverted for entries of the table.
pub fn judged(reason: Option<&str>, outcome: Outcome) -> Outcome {
    match (reason, outcome) {
        (None, outcome) => outcome,
        (Some(_), Err(_)) => Ok(()),
        (Some(why), Ok(())) => Err(format!("holds, though the table of exceptions says: {why}")),
    }
}
