//! Definitions that are differentiated by themselves, and their points: a table for the tests of every back end.

/// A definition and the point at which to compare: names and expressions in the file's scope. A name in brackets is
/// not differentiated.
pub type Definition = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Definitions of the examples and of the test programs.
pub const DEFINITIONS: &[Definition] = &[
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
    (
        "tests/programs/language/declared.arr",
        "kept",
        &[("x", "[0.5, 2.0]"), ("m", "{ a = [[2.0, 1.0], [0.5, 3.0]], b = 0.3 }")],
    ),
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

/// A function to differentiate as an expression, and the point.
pub struct Question {
    pub function: String,
    pub at: String,
}

/// `\((x, y)) => f(x, y, 3)` at `(1.0, 2.0)`
pub fn question(entry: &str, point: &[(&str, String)]) -> Question {
    let active: Vec<_> = point.iter().filter(|(name, _)| !name.starts_with('[')).collect();
    let tuple = |parts: Vec<&str>| if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) };
    let names = tuple(active.iter().map(|(name, _)| *name).collect());
    let all = point.iter().map(|(name, value)| if name.starts_with('[') { value.as_str() } else { *name });
    Question {
        function: format!("\\({names}) => {entry}({})", all.collect::<Vec<_>>().join(", ")),
        at: tuple(active.iter().map(|(_, value)| value.as_str()).collect()),
    }
}
