//! `arr grad` prints the derivative as a program. It must be accepted, give the numbers that `grad` gives, and
//! have derivatives of its own, in both modes, that are those of the original's gradient.

use arr_tests::tree::Tree;
use arr_tests::values::{NEAR, same};
use arr_tests::{Outcome, arr, files};
use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};

/// A definition and the point at which to compare: names and expressions in the file's scope. A name in brackets is
/// not differentiated.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const ROWS: &[Row] = &[
    ("examples/first.arr", "dot", &[("x", "[1.0, 2.0, 3.0]"), ("y", "[4.0, 5.0, 6.0]")]),
    ("examples/first.arr", "main", &[("x", "[1.0, 2.0, 3.0]"), ("y", "[4.0, 5.0, 6.0]")]),
    (
        "examples/mixture.arr",
        "density",
        &[
            ("p", "begin([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [3.0, 2.0], [2.5, 2.0], [0.5, 3.0]])"),
            ("xs", "[[1.0, 0.0], [0.0, 1.0], [1.0, 1.5]]"),
        ],
    ),
    ("examples/mixture.arr", "logsumexp", &[("x", "[1.0, 2.0, 0.5]")]),
    (
        "examples/softmax.arr",
        "loss",
        &[
            ("m", "{ weight = [[0.1, -0.2], [0.3, 0.4]], bias = [0.5, 0.0] }"),
            ("xs", "[[1.0, 2.0], [3.0, -1.0], [0.5, 0.5]]"),
            ("[ys]", "[0, 1, 1]"),
        ],
    ),
    (
        "examples/least_squares.arr",
        "objective",
        &[("w", "[0.5, 1.0]"), ("a", "[[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]"), ("b", "[1.0, 0.0, 2.0]")],
    ),
    (
        "examples/nbody.arr",
        "potential",
        &[("m", "[1.0, 2.0, 0.5]"), ("q", "[[0.0, 0.0, 0.1], [2.0, 0.0, 0.0], [0.0, 1.0, 1.0]]")],
    ),
    ("tests/programs/dual_numbers/e01_doubling_chain.arr", "double60", &[("x", "1.5")]),
    ("tests/programs/dual_numbers/e02_shared_exponential.arr", "f", &[("x", "0.5")]),
    ("tests/programs/dual_numbers/e03_scalings.arr", "chain", &[("x", "1.5"), ("r", "[2.0, 3.0, 0.5]")]),
    ("tests/programs/dual_numbers/e04_product.arr", "f", &[("x", "1.5"), ("y", "2.5")]),
    ("tests/programs/dual_numbers/e05_linear.arr", "f", &[("x", "1.5"), ("y", "2.5")]),
    ("tests/programs/dual_numbers/e10_dot_product.arr", "dot", &[("a", "[4.0, 1.0]"), ("b", "[1.0, 2.0]")]),
    ("tests/programs/dual_numbers/e14_self_convolution.arr", "f", &[("a", "[1.0, 2.0, 3.0, 5.0]")]),
    ("tests/programs/dual_numbers/e15_three_doublings.arr", "f", &[("a", "1.5")]),
    ("tests/programs/dual_numbers/e18_sharing.arr", "f", &[("x", "[0.5, 1.0, -0.3]")]),
    ("tests/programs/dual_numbers/e19_shared_reverse.arr", "foo", &[("a", "[1.0, 2.0, 3.0, 4.0]")]),
    ("tests/programs/dual_numbers/e22_structured_input.arr", "f", &[("p", "((7.0, 3.0), 0.5)")]),
    ("tests/programs/dual_numbers/e22_structured_input.arr", "g", &[("p", "{ a = 2.0, b = (3.0, [1.0, 4.0]) }")]),
    ("tests/programs/dual_numbers/extra_regressions.arr", "rows", &[("a", "[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]")]),
    ("tests/programs/dual_numbers/extra_regressions.arr", "relu", &[("a", "[-1.0, 2.0, -3.0, 4.0]")]),
    ("tests/programs/dual_numbers/extra_regressions.arr", "choice", &[("a", "[1.0, 2.0]"), ("s", "1.5")]),
    ("tests/programs/dual_numbers/extra_regressions.arr", "trap", &[("a", "[2.0, 0.0]")]),
    ("tests/programs/branches/inside_for.arr", "pairs", &[("x", "[0.0, 1.0, 3.0]")]),
    ("tests/programs/branches/inside_for.arr", "distances", &[("q", "[[0.0, 0.0], [3.0, 4.0]]")]),
    ("tests/programs/branches/loops_and_orders.arr", "halted", &[("x", "[2.0, 0.0, 4.0]")]),
    ("tests/programs/language/loops.arr", "newton", &[("a", "2.0")]),
    ("tests/programs/language/order.arr", "sorted", &[("x", "[0.5, -1.0, 2.0, 0.25]")]),
    ("tests/programs/language/order.arr", "by_rows", &[("a", "[[3.0, 1.0, 2.0], [0.5, 0.25, -1.0]]")]),
    (
        "tests/programs/language/order.arr",
        "interpolated",
        &[("xs", "[0.0, 1.0, 3.0]"), ("ys", "[1.0, 4.0, 2.0]"), ("v", "1.5")],
    ),
    ("tests/programs/language/order.arr", "binned", &[("x", "[0.5, 1.5, -1.0, 2.0, 0.25]")]),
    ("tests/programs/language/order.arr", "strides", &[("x", "[0.5, 1.5, -1.0, 2.0, 0.25]")]),
    ("tests/programs/language/order.arr", "replaced", &[("x", "[0.5, 1.5, -1.0, 2.0]"), ("y", "[3.0, 0.5]")]),
    ("tests/programs/language/order.arr", "spent", &[("x", "1.7")]),
    ("tests/programs/language/order.arr", "states", &[("x", "[1.5, 2.0, -0.5]")]),
    ("tests/programs/language/order.arr", "each", &[("x", "[1.5, 2.0, 0.7]")]),
    ("tests/programs/language/order.arr", "nested", &[("x", "1.3")]),
    ("tests/programs/language/declared.arr", "logsumexp", &[("x", "[1.0, 2.0, 0.5]")]),
    ("tests/programs/language/declared.arr", "chained", &[("x", "0.5"), ("[n]", "3")]),
    ("tests/programs/language/declared.arr", "captured", &[("x", "[1.0, 0.5]"), ("w", "0.3")]),
    ("tests/programs/language/sums.arr", "area", &[("s", "Rect(2.0, 3.0)")]),
    ("tests/programs/language/sums.arr", "total", &[("ss", "[Circle(1.0), Rect(2.0, 3.0), Empty]")]),
    ("tests/programs/language/sums.arr", "value", &[("x", "Pair(Circle(2.0), [1.0, 2.0])")]),
    (
        "tests/programs/language/sums.arr",
        "chained",
        &[("p", "(Dense([[1.0, 2.0, 0.5]], [0.5]), Dense([[1.5], [0.5]], [1.0, 2.0]))"), ("x", "[1.0, 2.0, 3.0]")],
    ),
    ("tests/programs/language/sums.arr", "energy", &[("ls", "layers"), ("x", "[1.0, 2.0]")]),
    (
        "tests/programs/language/sums.arr",
        "weighed",
        &[("ps", "[{ shape = Circle(2.0), mass = 3.0 }, { shape = Empty, mass = 1.0 }]")],
    ),
];

fn main() {
    let trials = ROWS.iter().map(|row| {
        let name = format!("{}::{}", files::stem(Path::new(row.0)), row.1);
        Trial::test(name, move || Ok(check(row)?))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

/// A function to differentiate as an expression, and where.
struct Question {
    function: String,
    at: String,
}

/// `\((x, y)) => f(x, y, 3)` at `(1.0, 2.0)`
fn question(entry: &str, point: &[(&str, String)]) -> Question {
    let active: Vec<_> = point.iter().filter(|(name, _)| !name.starts_with('[')).collect();
    let tuple = |parts: Vec<&str>| if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) };
    let names = tuple(active.iter().map(|(name, _)| *name).collect());
    let all = point.iter().map(|(name, value)| if name.starts_with('[') { value.as_str() } else { *name });
    Question {
        function: format!("\\({names}) => {entry}({})", all.collect::<Vec<_>>().join(", ")),
        at: tuple(active.iter().map(|(_, value)| value.as_str()).collect()),
    }
}

fn check(row: &Row) -> Outcome {
    let (file, entry, point) = row;
    let file = files::root().join(file);
    let values: Result<Vec<(&str, String)>, String> =
        point.iter().map(|(name, at)| Ok((*name, arr::value(&file, at, "cpu")?))).collect();
    let values = values?;
    let directory = files::scratch()?;
    let (source, again) = derive(&file, entry, &values, directory.path())?;

    let original = question(entry, &values);
    let wanted = (file, format!("grad({})", original.function), original.at);
    let printed = question(&again, &values);
    let found = (source, printed.function, printed.at);
    compare(&wanted, &found, |function, at| format!("({function})({at})"))?;
    // The derivative of the gradient, forward in the direction of the point itself, and backward from its own value.
    compare(&wanted, &found, |function, at| format!("jvp({function}, {at}, {at})"))?;
    compare(&wanted, &found, |function, at| format!("let (y, back) = vjp({function}, {at}) in back(y)"))
}

/// Writes the program that `arr grad` prints, checks it, and returns it with the name of its entry.
fn derive(file: &Path, entry: &str, point: &[(&str, String)], directory: &Path) -> Result<(PathBuf, String), String> {
    let wrt: Vec<&str> = point.iter().map(|(name, _)| *name).filter(|name| !name.starts_with('[')).collect();
    let words = ["grad", &file.to_string_lossy(), "--entry", entry, "--wrt", &wrt.join(","), "--json"];
    let output = arr::run(&words, directory)?;
    if output.status != Some(0) {
        return Err(format!("`arr grad` ended with {:?}:\n{}", output.status, output.stderr));
    }
    let json: serde_json::Value = serde_json::from_str(&output.stdout).map_err(|error| error.to_string())?;
    let text = |key: &str| json[key].as_str().unwrap_or_default().to_string();
    let path = directory.join("gradient.arr");
    files::write(&path, text("source"))?;
    let checked = arr::run(&["check", "gradient.arr"], directory)?;
    if checked.status != Some(0) {
        return Err(format!("the printed program is refused:\n{}\n{}", checked.stderr, text("source")));
    }
    Ok((path, text("entry")))
}

type Side = (PathBuf, String, String);

/// The floats of one question asked of the original and of the printed program, on every back end.
fn compare(wanted: &Side, found: &Side, ask: impl Fn(&str, &str) -> String) -> Outcome {
    let floats = |side: &Side, backend: &str| {
        let text = arr::value(&side.0, &ask(&side.1, &side.2), backend)?;
        Ok::<_, String>(Tree::List(Tree::parse(&text)?.floats().into_iter().map(Tree::Float).collect()).to_string())
    };
    for backend in arr::BACKENDS {
        let (wanted, found) = (floats(wanted, backend)?, floats(found, backend)?);
        if !same(&found, &wanted, NEAR) {
            return Err(format!("{}\n  expected {wanted}\n  found    {found} ({backend})", ask("f", "x")));
        }
    }
    Ok(())
}
