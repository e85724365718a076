//! Built-in functions: one table. What each does to values is in `elaborate/builtins/`.

use crate::data::types::Derivative;
use arr_ir::{Prim, Reduction, Scalar};

/// What a built-in does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
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
}

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Builtin {
    pub name: &'static str,
    /// The fewest and the most arguments.
    pub arity: (usize, usize),
    pub kind: Kind,
    /// One sentence for the user.
    pub doc: &'static str,
}

pub(crate) const MANY: usize = usize::MAX;

const fn row(name: &'static str, arity: (usize, usize), kind: Kind, doc: &'static str) -> Builtin {
    Builtin { name, arity, kind, doc }
}

const fn unary(name: &'static str, prim: Prim, doc: &'static str) -> Builtin {
    row(name, (1, 1), Kind::Pointwise(prim), doc)
}

/// Every built-in function.
pub(crate) const TABLE: &[Builtin] = &[
    unary("exp", Prim::Exp, "e to the power x."),
    unary("log", Prim::Log, "The natural logarithm."),
    unary("log1p", Prim::Log1p, "log(1 + x), exact near 0."),
    unary("expm1", Prim::Expm1, "exp(x) - 1, exact near 0."),
    unary("sqrt", Prim::Sqrt, "The square root."),
    unary("sin", Prim::Sin, "The sine."),
    unary("cos", Prim::Cos, "The cosine."),
    unary("tan", Prim::Tan, "The tangent."),
    unary("asin", Prim::Asin, "The inverse sine."),
    unary("acos", Prim::Acos, "The inverse cosine."),
    unary("atan", Prim::Atan, "The inverse tangent."),
    unary("sinh", Prim::Sinh, "The hyperbolic sine."),
    unary("cosh", Prim::Cosh, "The hyperbolic cosine."),
    unary("tanh", Prim::Tanh, "The hyperbolic tangent."),
    unary("erf", Prim::Erf, "The error function."),
    unary("lgamma", Prim::Lgamma, "The logarithm of the absolute value of the gamma function."),
    unary("digamma", Prim::Digamma, "The derivative of lgamma."),
    row("polygamma", (2, 2), Kind::Polygamma, "polygamma(n, x): the n-th derivative of digamma."),
    unary("abs", Prim::Abs, "The absolute value; its derivative at 0 is 0."),
    unary("sign", Prim::Sign, "-1, 0 or 1."),
    unary("floor", Prim::Floor, "The largest integer not above x."),
    unary("ceil", Prim::Ceil, "The smallest integer not below x."),
    unary("round", Prim::Round, "The nearest integer, halves to even."),
    unary("sigmoid", Prim::Sigmoid, "1 / (1 + exp(-x))."),
    unary("softplus", Prim::Softplus, "log(1 + exp(x))."),
    unary("is_nan", Prim::IsNan, "Whether x is not a number."),
    unary("is_finite", Prim::IsFinite, "Whether x is neither infinite nor not a number."),
    row("min", (2, 2), Kind::Pointwise(Prim::Min), "The smaller; at a tie the first."),
    row("max", (2, 2), Kind::Pointwise(Prim::Max), "The larger; at a tie the first."),
    row("atan2", (2, 2), Kind::Pointwise(Prim::Atan2), "atan2(y, x): the angle of the point (x, y)."),
    row("bit_and", (2, 2), Kind::Pointwise(Prim::BitAnd), "The bits that both integers have."),
    row("bit_or", (2, 2), Kind::Pointwise(Prim::BitOr), "The bits that either integer has."),
    row("bit_xor", (2, 2), Kind::Pointwise(Prim::BitXor), "The bits that just one of two integers has."),
    row(
        "shl",
        (2, 2),
        Kind::Pointwise(Prim::Shl),
        "shl(a, k): the bits of a moved k places up; k counts modulo the width.",
    ),
    row(
        "shr",
        (2, 2),
        Kind::Pointwise(Prim::Shr),
        "shr(a, k): the bits of a moved k places down; the sign fills, if there is one.",
    ),
    row("mulz", (2, 2), Kind::Pointwise(Prim::MulZero), "a * b, but 0 where either is 0, whatever the other is."),
    row("pow", (2, 2), Kind::Pow, "pow(x, p) is x ** p."),
    row("select", (3, 3), Kind::Pointwise(Prim::Select), "select(c, a, b): a where c, else b; both are evaluated."),
    row("bool", (1, 1), Kind::Convert(Scalar::Bool), "Whether a number is not 0."),
    row("i32", (1, 1), Kind::Convert(Scalar::I32), "Converts to i32; floats truncate and saturate."),
    row("i64", (1, 1), Kind::Convert(Scalar::I64), "Converts to i64; floats truncate and saturate."),
    row("u32", (1, 1), Kind::Convert(Scalar::U32), "Converts to u32; floats truncate and saturate."),
    row("f32", (1, 1), Kind::Convert(Scalar::F32), "Converts to f32."),
    row("f64", (1, 1), Kind::Convert(Scalar::F64), "Converts to f64; a boolean is 0 or 1."),
    row("sum", (1, 1), Kind::Reduce(Reduction::Sum), "The sum along the outermost axis."),
    row("product", (1, 1), Kind::Reduce(Reduction::Product), "The product along the outermost axis."),
    row("maximum", (1, 1), Kind::Reduce(Reduction::Max), "The largest element along the outermost axis."),
    row("minimum", (1, 1), Kind::Reduce(Reduction::Min), "The smallest element along the outermost axis."),
    row("argmax", (1, 1), Kind::Reduce(Reduction::ArgMax), "The lowest index of the largest element."),
    row("argmin", (1, 1), Kind::Reduce(Reduction::ArgMin), "The lowest index of the smallest element."),
    row("any", (1, 1), Kind::Reduce(Reduction::Any), "Whether some element is true."),
    row("all", (1, 1), Kind::Reduce(Reduction::All), "Whether every element is true."),
    row("mean", (1, 1), Kind::Mean, "The mean along the outermost axis."),
    row("length", (1, 1), Kind::Length, "The size of the outermost axis."),
    row("shape", (1, 1), Kind::Shape, "The sizes of all axes."),
    row("iota", (1, 1), Kind::Iota, "The numbers 0 .. n-1."),
    row("replicate", (2, 2), Kind::Replicate, "replicate(n, x): n times x."),
    row("zeros", (1, MANY), Kind::Zeros, "zeros(n, m): an array of zeros."),
    row("ones", (1, MANY), Kind::Ones, "ones(n, m): an array of ones."),
    row("transpose", (1, 1), Kind::Transpose, "Swaps the two outermost axes."),
    row("permute", (2, 2), Kind::Permute, "permute(x, (2, 0, 1)): axis k of the result is axis p[k] of x."),
    row("reshape", (2, 2), Kind::Reshape, "reshape(x, (n, m)): the same elements under other axes."),
    row("flatten", (1, 1), Kind::Flatten, "All axes as one."),
    row("concat", (1, MANY), Kind::Concat, "Arrays one after the other, along the outermost axis."),
    row("reverse", (1, 1), Kind::Reverse, "The elements from last to first."),
    row("rotate", (2, 2), Kind::Rotate, "rotate(x, k): element i is x[(i + k) % n]."),
    row("pad", (3, 3), Kind::Pad, "pad(x, (lo, hi), v): lo times v before x, hi times v after."),
    row("stack", (1, MANY), Kind::Stack, "Values of one type as an array of them."),
    row("zip", (2, MANY), Kind::Zip, "Arrays of equal length as an array of tuples."),
    row("unzip", (1, 1), Kind::Unzip, "An array of tuples as a tuple of arrays."),
    row("gather", (2, 2), Kind::Gather, "gather(xs, is): the elements of xs at is."),
    row("scatter", (3, 3), Kind::Scatter, "scatter(dest, is, vs): dest with vs written at is; the last write wins."),
    row("scatter_add", (3, 3), Kind::ScatterAdd, "scatter_add(dest, is, vs): dest with vs added at is."),
    row("onehot", (2, 2), Kind::OneHot, "onehot(n, i): 1 at i, 0 elsewhere."),
    row("map", (2, MANY), Kind::Map, "map(f, xs, ..): f of each element."),
    row("reduce", (3, 3), Kind::Fold, "reduce(f, z, xs): combines the elements with f, from z."),
    row("scan", (3, 3), Kind::Scan, "scan(f, z, xs): all partial results of reduce."),
    row("cumsum", (1, 1), Kind::CumSum, "The sums of the first elements."),
    row("cumprod", (1, 1), Kind::CumProd, "The products of the first elements."),
    row("cummax", (1, 1), Kind::CumMax, "The largest of the first elements."),
    row("iterate", (3, 3), Kind::Iterate, "iterate(n, f, x): f applied n times."),
    row("grad", (1, 1), Kind::Derivative(Derivative::Grad), "The gradient of a function with a scalar result."),
    row("value_and_grad", (1, 1), Kind::Derivative(Derivative::ValueAndGrad), "The result and the gradient."),
    row("jacrev", (1, 1), Kind::Derivative(Derivative::JacRev), "The Jacobian, by reverse mode."),
    row("jacfwd", (1, 1), Kind::Derivative(Derivative::JacFwd), "The Jacobian, by forward mode."),
    row(
        "hessian",
        (1, 1),
        Kind::Derivative(Derivative::Hessian),
        "The second derivatives of a function with a scalar result.",
    ),
    row("vjp", (2, 2), Kind::Vjp, "vjp(f, x): the result and the pullback of cotangents."),
    row("jvp", (3, 3), Kind::Jvp, "jvp(f, x, dx): the result and its derivative along dx."),
    row("linearize", (2, 2), Kind::Linearize, "linearize(f, x): the result and the pushforward of tangents."),
    row("stop_gradient", (1, 1), Kind::StopGradient, "The value, with derivative zero."),
    row("histogram", (5, 5), Kind::Histogram, "histogram(f, z, k, is, vs): k bins that start from z, combined with f."),
    row("sort", (1, 1), Kind::Sort, "The elements in order; stable, NaNs last."),
    row("argsort", (1, 1), Kind::ArgSort, "The indices that sort; stable, NaNs last."),
    row("searchsorted", (2, 2), Kind::SearchSorted, "searchsorted(xs, v): the leftmost place of v in sorted xs."),
    row("checkpoint", (1, 1), Kind::Checkpoint, "f, recomputed in reverse mode rather than saved."),
];

/// The built-in of this name.
pub(crate) fn lookup(name: &str) -> Option<&'static Builtin> {
    use std::sync::OnceLock;
    static INDEX: OnceLock<rustc_hash::FxHashMap<&'static str, &'static Builtin>> = OnceLock::new();
    INDEX.get_or_init(|| TABLE.iter().map(|b| (b.name, b)).collect()).get(name).copied()
}

impl Kind {
    /// Whether the argument is a size or an index, so that a number there is an `i64`.
    pub fn is_int_arg(self, at: usize) -> bool {
        match self {
            Kind::Zeros | Kind::Ones | Kind::Iota | Kind::OneHot => true,
            Kind::Replicate | Kind::Polygamma | Kind::Iterate => at == 0,
            Kind::Histogram => at == 2 || at == 3,
            Kind::Permute
            | Kind::Reshape
            | Kind::Rotate
            | Kind::Pad
            | Kind::Gather
            | Kind::Scatter
            | Kind::ScatterAdd => at == 1,
            _ => false,
        }
    }

    /// Which argument holds the elements that are combined into, or put beside, the one at `at`.
    pub fn combined_into(self, at: usize) -> Option<usize> {
        match (self, at) {
            (Kind::Fold | Kind::Scan, 1) => Some(2),
            (Kind::Histogram, 1) => Some(4),
            (Kind::Pad, 2) => Some(0),
            _ => None,
        }
    }

    /// Which argument has the structure of the one at `at`.
    pub fn structured_like(self, at: usize) -> Option<usize> {
        match (self, at) {
            (Kind::Scatter | Kind::ScatterAdd, 2) => Some(0),
            (Kind::Concat | Kind::Stack, 1..) => Some(0),
            (Kind::Pointwise(Prim::Select), 1) => Some(2),
            (Kind::Pointwise(Prim::Select), 2) => Some(1),
            _ => None,
        }
    }

    /// Whether the element type of one argument says nothing about the others.
    pub fn has_independent_args(self) -> bool {
        matches!(self, Kind::Zip | Kind::Map)
    }

    /// Whether it takes floats alone, so that a number without a type is one.
    pub fn takes_floats(self) -> bool {
        match self {
            Kind::Pointwise(prim) => matches!(prim.rule(), arr_ir::TypeRule::Float),
            Kind::Polygamma | Kind::Mean => true,
            _ => false,
        }
    }

    /// Whether the element type that the context expects is that of the arguments.
    pub fn keeps_elem(self) -> bool {
        match self {
            Kind::Pointwise(prim) => !matches!(prim, Prim::IsNan | Prim::IsFinite),
            Kind::Reduce(kind) => !matches!(kind, Reduction::ArgMax | Reduction::ArgMin),
            Kind::Convert(_)
            | Kind::Length
            | Kind::Shape
            | Kind::Iota
            | Kind::Map
            | Kind::Zip
            | Kind::Iterate
            | Kind::ArgSort
            | Kind::SearchSorted => false,
            _ => true,
        }
    }
}
