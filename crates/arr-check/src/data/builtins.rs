//! Built-in functions: one table. What each does to values is in `elaborate/builtins/`.

use crate::data::types::Derivative;
use arr_ir::{Prim, Reduction, Scalar, TypeRule};
use std::sync::LazyLock;

/// What a built-in does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BuiltinKind {
    /// A primitive, elementwise.
    Pointwise(Prim),
    /// `**`
    Pow,
    Polygamma,
    Convert(Scalar),
    Reduce(Reduction),
    Mean,
    Length,
    Shape,
    Iota,
    Replicate,
    Zeros,
    Ones,
    Transpose,
    Permute,
    Reshape,
    Flatten,
    Concat,
    Reverse,
    Rotate,
    Pad,
    Stack,
    Zip,
    Unzip,
    Gather,
    Scatter,
    ScatterAdd,
    OneHot,
    Histogram,
    Sort,
    ArgSort,
    SearchSorted,
    Map,
    Fold,
    Scan,
    CumSum,
    CumProd,
    CumMax,
    Iterate,
    Derivative(Derivative),
    Vjp,
    Jvp,
    Linearize,
    StopGradient,
    Checkpoint,
    Trace(Traced),
}

/// What a trace shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Traced {
    Value,
    Cotangent,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Builtin {
    pub name: &'static str,
    /// The least and the greatest number of arguments.
    pub arity: (usize, usize),
    pub kind: BuiltinKind,
    /// One sentence for the user.
    pub doc: &'static str,
}

impl Builtin {
    /// Whether the name is one that mathematics has too, so that a definition of a program may well have it.
    pub fn is_common_name(&self) -> bool {
        self.kind == BuiltinKind::Trace(Traced::Value)
    }
}

pub(crate) const MANY: usize = usize::MAX;

const fn row(name: &'static str, arity: (usize, usize), kind: BuiltinKind, doc: &'static str) -> Builtin {
    Builtin { name, arity, kind, doc }
}

/// The built-in function that a primitive is; `None` for operators.
fn row_of_prim(prim: Prim) -> Option<Builtin> {
    let kind = match (prim, prim.rule()) {
        (Prim::Pow, _) => BuiltinKind::Pow,
        (Prim::Polygamma, _) => BuiltinKind::Polygamma,
        (_, TypeRule::Convert(to)) => BuiltinKind::Convert(to),
        _ => BuiltinKind::Pointwise(prim),
    };
    Some(row(prim.name(), (prim.arity(), prim.arity()), kind, prim.doc()?))
}

/// Every built-in function: the primitives that programs call by their names, then [`OTHERS`].
pub(crate) static TABLE: LazyLock<Vec<Builtin>> =
    LazyLock::new(|| Prim::ALL.iter().filter_map(|&prim| row_of_prim(prim)).chain(OTHERS.iter().copied()).collect());

/// The built-in functions that are not primitives.
const OTHERS: &[Builtin] = &[
    row("sum", (1, 1), BuiltinKind::Reduce(Reduction::Sum), "The sum along the outermost axis."),
    row("product", (1, 1), BuiltinKind::Reduce(Reduction::Product), "The product along the outermost axis."),
    row("maximum", (1, 1), BuiltinKind::Reduce(Reduction::Max), "The largest element along the outermost axis."),
    row("minimum", (1, 1), BuiltinKind::Reduce(Reduction::Min), "The smallest element along the outermost axis."),
    row("argmax", (1, 1), BuiltinKind::Reduce(Reduction::ArgMax), "The lowest index of the largest element."),
    row("argmin", (1, 1), BuiltinKind::Reduce(Reduction::ArgMin), "The lowest index of the smallest element."),
    row("any", (1, 1), BuiltinKind::Reduce(Reduction::Any), "Whether some element is true."),
    row("all", (1, 1), BuiltinKind::Reduce(Reduction::All), "Whether every element is true."),
    row("mean", (1, 1), BuiltinKind::Mean, "The mean along the outermost axis."),
    row("length", (1, 1), BuiltinKind::Length, "The size of the outermost axis."),
    row("shape", (1, 1), BuiltinKind::Shape, "The sizes of all axes."),
    row("iota", (1, 1), BuiltinKind::Iota, "The numbers 0 .. n-1."),
    row("replicate", (2, 2), BuiltinKind::Replicate, "replicate(n, x): n times x."),
    row("zeros", (1, MANY), BuiltinKind::Zeros, "zeros(n, m): an array of zeros."),
    row("ones", (1, MANY), BuiltinKind::Ones, "ones(n, m): an array of ones."),
    row("transpose", (1, 1), BuiltinKind::Transpose, "Swaps the two outermost axes."),
    row("permute", (2, 2), BuiltinKind::Permute, "permute(x, (2, 0, 1)): axis k of the result is axis p[k] of x."),
    row("reshape", (2, 2), BuiltinKind::Reshape, "reshape(x, (n, m)): the same elements under other axes."),
    row("flatten", (1, 1), BuiltinKind::Flatten, "All axes as one."),
    row("concat", (1, MANY), BuiltinKind::Concat, "Arrays one after the other, along the outermost axis."),
    row("reverse", (1, 1), BuiltinKind::Reverse, "The elements from last to first."),
    row("rotate", (2, 2), BuiltinKind::Rotate, "rotate(x, k): element i is x[(i + k) % n]."),
    row("pad", (3, 3), BuiltinKind::Pad, "pad(x, (lo, hi), v): lo times v before x, hi times v after."),
    row("stack", (1, MANY), BuiltinKind::Stack, "Values of one type as an array of them."),
    row("zip", (2, MANY), BuiltinKind::Zip, "Arrays of equal length as an array of tuples."),
    row("unzip", (1, 1), BuiltinKind::Unzip, "An array of tuples as a tuple of arrays."),
    row("gather", (2, 2), BuiltinKind::Gather, "gather(xs, is): the elements of xs at is."),
    row(
        "scatter",
        (3, 3),
        BuiltinKind::Scatter,
        "scatter(dest, is, vs): dest with vs written at is; the last write wins.",
    ),
    row("scatter_add", (3, 3), BuiltinKind::ScatterAdd, "scatter_add(dest, is, vs): dest with vs added at is."),
    row("onehot", (2, 2), BuiltinKind::OneHot, "onehot(n, i): 1 at i, 0 elsewhere."),
    row("map", (2, MANY), BuiltinKind::Map, "map(f, xs, ..): f of each element."),
    row("reduce", (3, 3), BuiltinKind::Fold, "reduce(f, z, xs): combines the elements with f, from z."),
    row("scan", (3, 3), BuiltinKind::Scan, "scan(f, z, xs): all partial results of reduce."),
    row("cumsum", (1, 1), BuiltinKind::CumSum, "The sums of the first elements."),
    row("cumprod", (1, 1), BuiltinKind::CumProd, "The products of the first elements."),
    row("cummax", (1, 1), BuiltinKind::CumMax, "The largest of the first elements."),
    row("iterate", (3, 3), BuiltinKind::Iterate, "iterate(n, f, x): f applied n times."),
    row("grad", (1, 1), BuiltinKind::Derivative(Derivative::Grad), "The gradient of a function with a scalar result."),
    row("value_and_grad", (1, 1), BuiltinKind::Derivative(Derivative::ValueAndGrad), "The result and the gradient."),
    row("jacrev", (1, 1), BuiltinKind::Derivative(Derivative::JacRev), "The Jacobian, by reverse mode."),
    row("jacfwd", (1, 1), BuiltinKind::Derivative(Derivative::JacFwd), "The Jacobian, by forward mode."),
    row(
        "hessian",
        (1, 1),
        BuiltinKind::Derivative(Derivative::Hessian),
        "The second derivatives of a function with a scalar result.",
    ),
    row("vjp", (2, 2), BuiltinKind::Vjp, "vjp(f, x): the result and the pullback of cotangents."),
    row("jvp", (3, 3), BuiltinKind::Jvp, "jvp(f, x, dx): the result and its derivative along dx."),
    row("linearize", (2, 2), BuiltinKind::Linearize, "linearize(f, x): the result and the pushforward of tangents."),
    row("stop_gradient", (1, 1), BuiltinKind::StopGradient, "The value, with derivative zero."),
    row(
        "histogram",
        (5, 5),
        BuiltinKind::Histogram,
        "histogram(f, z, k, is, vs): k bins that start from z, combined with f.",
    ),
    row("sort", (1, 1), BuiltinKind::Sort, "The elements in order; stable, NaNs last."),
    row("argsort", (1, 1), BuiltinKind::ArgSort, "The indices that sort; stable, NaNs last."),
    row(
        "searchsorted",
        (2, 2),
        BuiltinKind::SearchSorted,
        "searchsorted(xs, v): the leftmost place of v in sorted xs.",
    ),
    row("checkpoint", (1, 1), BuiltinKind::Checkpoint, "f, recomputed in reverse mode rather than saved."),
    row("trace", (2, 2), BuiltinKind::Trace(Traced::Value), "trace(\"label\", x): x, shown while the program runs."),
    row(
        "trace_grad",
        (2, 2),
        BuiltinKind::Trace(Traced::Cotangent),
        "trace_grad(\"label\", x): x, whose cotangent is shown while a derivative is computed.",
    ),
];

/// The built-in of this name.
pub(crate) fn lookup(name: &str) -> Option<&'static Builtin> {
    static INDEX: LazyLock<rustc_hash::FxHashMap<&'static str, &'static Builtin>> =
        LazyLock::new(|| TABLE.iter().map(|b| (b.name, b)).collect());
    INDEX.get(name).copied()
}

impl BuiltinKind {
    /// Whether the argument is a size or an index, so that a number there is an `i64`.
    pub fn is_int_arg(self, at: usize) -> bool {
        match self {
            BuiltinKind::Zeros | BuiltinKind::Ones | BuiltinKind::Iota | BuiltinKind::OneHot => true,
            BuiltinKind::Replicate | BuiltinKind::Polygamma | BuiltinKind::Iterate => at == 0,
            BuiltinKind::Histogram => at == 2 || at == 3,
            BuiltinKind::Permute
            | BuiltinKind::Reshape
            | BuiltinKind::Rotate
            | BuiltinKind::Pad
            | BuiltinKind::Gather
            | BuiltinKind::Scatter
            | BuiltinKind::ScatterAdd => at == 1,
            _ => false,
        }
    }

    /// Which argument holds the elements that are combined into, or put beside, the one at `at`.
    pub fn combined_into(self, at: usize) -> Option<usize> {
        match (self, at) {
            (BuiltinKind::Fold | BuiltinKind::Scan, 1) => Some(2),
            (BuiltinKind::Histogram, 1) => Some(4),
            (BuiltinKind::Pad, 2) => Some(0),
            _ => None,
        }
    }

    /// Which argument has the structure of the one at `at`.
    pub fn structured_like(self, at: usize) -> Option<usize> {
        match (self, at) {
            (BuiltinKind::Scatter | BuiltinKind::ScatterAdd, 2) => Some(0),
            (BuiltinKind::Concat | BuiltinKind::Stack, 1..) => Some(0),
            (BuiltinKind::Pointwise(Prim::Select), 1) => Some(2),
            (BuiltinKind::Pointwise(Prim::Select), 2) => Some(1),
            _ => None,
        }
    }

    /// Whether the element type of one argument says nothing about the others.
    pub fn has_independent_args(self) -> bool {
        matches!(self, BuiltinKind::Zip | BuiltinKind::Map)
    }

    /// Whether it takes only floats, so that a number without a type is a float.
    pub fn takes_floats(self) -> bool {
        match self {
            BuiltinKind::Pointwise(Prim::IsNan | Prim::IsFinite) => true,
            BuiltinKind::Pointwise(prim) => matches!(prim.rule(), TypeRule::Float),
            BuiltinKind::Polygamma | BuiltinKind::Mean => true,
            _ => false,
        }
    }

    /// Whether the element type that the context expects is that of the arguments.
    pub fn keeps_elem(self) -> bool {
        match self {
            BuiltinKind::Pointwise(prim) => !matches!(prim, Prim::IsNan | Prim::IsFinite),
            BuiltinKind::Reduce(kind) => !matches!(kind, Reduction::ArgMax | Reduction::ArgMin),
            BuiltinKind::Convert(_)
            | BuiltinKind::Length
            | BuiltinKind::Shape
            | BuiltinKind::Iota
            | BuiltinKind::Map
            | BuiltinKind::Zip
            | BuiltinKind::Iterate
            | BuiltinKind::ArgSort
            | BuiltinKind::SearchSorted => false,
            _ => true,
        }
    }
}
