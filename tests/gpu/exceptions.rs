//! Cases for which `f32` is not enough. An entry that passes anyway is a failure, so that the table stays as small as
//! possible.

use super::programs::Test;
use arr_driver::Floats;
use arr_tests::Outcome;
use std::path::Path;

/// A file's name, the name of a test or, with a parenthesis, a part of a question, and the reason.
type Exception = (&'static str, &'static str, &'static str);

const IN_SINGLE: &[Exception] = &[
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
    ("signal", "signals without samples, and with one", "0 / 0 need not be a NaN in WGSL"),
    ("optim", "roots by brentq", "roots to 1e-12"),
    ("optim", "levenberg_marquardt stops where rounding does", "a gradient of 1e-13"),
    ("random", "extremes", "the least and the greatest number of 53 bits"),
];

/// Cases that take too long on every device, since each step of their nested searches waits for the device.
const TOO_LONG: &[(&str, &str)] = &[("gradbench", "saddle"), ("gradbench", "particle"), ("saddle", "")];

/// Examples and tests of modules whose shaders take minutes to compile: long code, of hundreds of kernels.
const LONG_TO_COMPILE: &[(&str, &[&str])] = &[
    (
        "linalg",
        &[
            "eig",
            "eigvals",
            "schur",
            "sqrtm",
            "logm",
            "gmres",
            "eig gradient",
            "schur gradient",
            "sqrtm gradient",
            "logm gradient",
            "gmres gradient",
            "values of SciPy",
            "eig and schur",
            "eigenvalues of special matrices",
            "functions of singular matrices",
            "gmres that stands still",
            "general matrices in single precision",
            "nothing at all, in general",
        ],
    ),
    (
        "ode",
        &[
            "odeint_event",
            "radau",
            "radau_path",
            "a stiff reaction by radau",
            "a loose tolerance of radau",
            "radau at its edges",
            "stiff paths",
            "radau gradient",
            "second derivatives of radau",
            "events",
            "no events",
            "derivatives of events",
            "event gradient",
        ],
    ),
    (
        "optim",
        &[
            "brent",
            "lbfgsb",
            "nelder_mead",
            "curve_fit",
            "implicit_bounded_minimum",
            "linprog",
            "Rosenbrock between bounds",
            "bounded gradient",
            "by nelder_mead",
            "a curve and its covariance",
            "curve_fit gradient",
            "linear programs",
            "linear programs at their edges",
            "a linear program with several solutions",
            "linprog gradient",
            "second derivatives of roots and minima",
        ],
    ),
    ("poly", &["roots", "roots gradient", "roots of quintics", "roots of special polynomials"]),
];

/// The examples and tests of a module that no device compiles here.
pub fn long_to_compile(path: &Path) -> &'static [&'static str] {
    LONG_TO_COMPILE.iter().find(|(name, _)| *name == stem(path)).map_or(&[], |(_, names)| names)
}

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
