//! What is meant where a built-in function is called with a number of arguments that it does not take.

/// The names of functions, a number of arguments that is given, and what to write; `0` stands for any other number.
const ROWS: &[(&[&str], usize, &str)] = &[
    (&["max"], 1, "the greatest element of an array is `maximum(xs)`"),
    (&["min"], 1, "the least element of an array is `minimum(xs)`"),
    (&["maximum"], 2, "the greater of two is `max(a, b)`; along another axis: `for row in a => maximum(row)`"),
    (&["minimum"], 2, "the smaller of two is `min(a, b)`; along another axis: `for row in a => minimum(row)`"),
    (
        &[
            "sum", "product", "mean", "any", "all", "argmax", "argmin", "cumsum", "cumprod", "cummax", "argsort",
            "reverse",
        ],
        2,
        "functions work along the outermost axis; along another one: `for row in a => sum(row)`",
    ),
    (&["sort"], 2, "by keys: `gather(xs, argsort(keys))`"),
    (&["reduce", "scan"], 2, "the value to begin with comes second: `reduce(f, z, xs)`"),
    (&["iota"], 2, "write `for i < hi - lo => lo + i`"),
    (&["iota"], 3, "write `for i < n => lo + step * i`"),
    (&["reshape"], 0, "the sizes are a tuple: `reshape(x, (n, m))`"),
    (&["transpose", "permute"], 0, "the order of axes is a tuple: `permute(x, (2, 0, 1))`"),
    (&["shape"], 2, "one extent is `shape(x)[k]`"),
    (&["log"], 2, "write `log(x) / log(b)`"),
    (&["round"], 2, "write `round(x * 100.0) / 100.0`"),
    (&["onehot"], 1, "the length comes first: `onehot(n, i)`"),
    (&["histogram"], 0, "counts in bins of equal width are `stats.bin_counts(x, k, low, high)`"),
    (&["pad"], 2, "the value comes last: `pad(x, (lo, hi), v)`"),
    (
        &["select"],
        1,
        "there is no array of the indices where something holds: its size is known only when the program runs",
    ),
    (&["map"], 1, "the arrays come after the function: `map(f, xs)`"),
    (
        &["grad", "value_and_grad", "jacrev", "jacfwd", "hessian"],
        0,
        "a derivative is a function: `grad(f)(x)`, or `grad[w, b](f)(w, b, x)` by some parameters",
    ),
    (&["jvp"], 2, "the tangent comes last: `jvp(f, x, dx)`"),
    (&["jvp"], 0, "of a function of several parameters it is `jvp[w](f, w, b, dw)`, by those that are named"),
    (
        &["vjp", "linearize"],
        0,
        "of a function of several parameters it is `vjp[w](f, w, b)`, by those that are named; it gives the value and a function of the cotangent",
    ),
    (&["checkpoint"], 0, "it gives a function: `checkpoint(f)(x)`"),
];

/// What to write in the place of a call of `name` with `found` arguments.
pub(crate) fn hint(name: &str, found: usize) -> Option<&'static str> {
    let row = |n: usize| ROWS.iter().find(|(names, count, _)| *count == n && names.contains(&name));
    row(found).or_else(|| row(0)).map(|(_, _, hint)| *hint)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::data::builtins::lookup;

    #[test]
    fn rows_are_of_built_in_functions_that_do_not_take_so_many() {
        for (names, found, _) in ROWS {
            for name in *names {
                let (least, most) = lookup(name).unwrap().arity;
                assert!(*found < least || *found > most, "{name}");
            }
        }
    }
}
