//! The signatures of built-in functions, written as those of definitions. Some take what no definition can: any number
//! of arguments, or arrays of any shape; there `..` stands for more of the same.

use crate::data::builtins::{self, Builtin, BuiltinKind};
use arr_ir::TypeRule;

/// The signatures of those that are no primitives. A `t` without a bound is any type.
const SIGNATURES: &[(&str, &str)] = &[
    ("sum", "sum[t: num](x: [n]t) -> t"),
    ("product", "product[t: num](x: [n]t) -> t"),
    ("maximum", "maximum[t: num](x: [n]t) -> t"),
    ("minimum", "minimum[t: num](x: [n]t) -> t"),
    ("argmax", "argmax[t: num](x: [n]t) -> i64"),
    ("argmin", "argmin[t: num](x: [n]t) -> i64"),
    ("any", "any(x: [n]bool) -> bool"),
    ("all", "all(x: [n]bool) -> bool"),
    ("mean", "mean[t: float](x: [n]t) -> t"),
    ("length", "length(x: [n]t) -> i64"),
    ("shape", "shape(x: [n]..t) -> [r]i64"),
    ("iota", "iota(n: i64) -> [n]i64"),
    ("replicate", "replicate(n: i64, x: t) -> [n]t"),
    ("zeros", "zeros[t: num](n: i64, ..) -> [n]..t"),
    ("ones", "ones[t: num](n: i64, ..) -> [n]..t"),
    ("transpose", "transpose(x: [n][m]t) -> [m][n]t"),
    ("permute", "permute(x: [n]..t, axes: (i64, ..)) -> [m]..t"),
    ("reshape", "reshape(x: [n]..t, sizes: (i64, ..)) -> [m]..t"),
    ("flatten", "flatten(x: [n][m]..t) -> [n*m..]t"),
    ("concat", "concat(a: [n]t, b: [m]t, ..) -> [n+m..]t"),
    ("reverse", "reverse(x: [n]t) -> [n]t"),
    ("rotate", "rotate(x: [n]t, k: i64) -> [n]t"),
    ("pad", "pad(x: [n]t, widths: (i64, i64), value: t) -> [lo+n+hi]t"),
    ("stack", "stack(a: t, b: t, ..) -> [k]t"),
    ("zip", "zip(a: [n]t, b: [n]u, ..) -> [n](t, u, ..)"),
    ("unzip", "unzip(x: [n](t, u, ..)) -> ([n]t, [n]u, ..)"),
    ("gather", "gather(xs: [n]t, is: [k]i64) -> [k]t"),
    ("scatter", "scatter(dest: [n]t, is: [k]i64, vs: [k]t) -> [n]t"),
    ("scatter_add", "scatter_add[t: num](dest: [n]t, is: [k]i64, vs: [k]t) -> [n]t"),
    ("onehot", "onehot[t: num](n: i64, i: i64) -> [n]t"),
    ("map", "map(f: (t, ..) -> u, xs: [n]t, ..) -> [n]u"),
    ("reduce", "reduce(f: (t, t) -> t, z: t, xs: [n]t) -> t"),
    ("scan", "scan(f: (t, t) -> t, z: t, xs: [n]t) -> [n]t"),
    ("cumsum", "cumsum[t: num](x: [n]t) -> [n]t"),
    ("cumprod", "cumprod[t: num](x: [n]t) -> [n]t"),
    ("cummax", "cummax[t: num](x: [n]t) -> [n]t"),
    ("iterate", "iterate(n: i64, f: t -> t, x: t) -> t"),
    ("grad", "grad[t: float](f: (a, ..) -> t) -> (a, ..) -> a"),
    ("value_and_grad", "value_and_grad[t: float](f: (a, ..) -> t) -> (a, ..) -> (t, a)"),
    ("jacrev", "jacrev(f: ([n]t, ..) -> [m]t) -> ([n]t, ..) -> [m][n]t"),
    ("jacfwd", "jacfwd(f: ([n]t, ..) -> [m]t) -> ([n]t, ..) -> [m][n]t"),
    ("hessian", "hessian(f: ([n]t, ..) -> t) -> ([n]t, ..) -> [n][n]t"),
    ("vjp", "vjp(f: a -> b, x: a) -> (b, b -> a)"),
    ("jvp", "jvp(f: a -> b, x: a, dx: a) -> (b, b)"),
    ("linearize", "linearize(f: a -> b, x: a) -> (b, a -> b)"),
    ("stop_gradient", "stop_gradient(x: t) -> t"),
    ("histogram", "histogram(f: (b, t) -> b, z: b, k: i64, is: [n]i64, vs: [n]t) -> [k]b"),
    ("sort", "sort(x: [n]t) -> [n]t"),
    ("argsort", "argsort(x: [n]t) -> [n]i64"),
    ("searchsorted", "searchsorted[t: num](xs: [n]t, v: t) -> i64"),
    ("checkpoint", "checkpoint(f: a -> b) -> a -> b"),
    ("trace", "trace(label, x: t) -> t"),
    ("trace_grad", "trace_grad(label, x: t) -> t"),
];

/// The signature of a built-in function.
pub(crate) fn signature(builtin: &Builtin) -> Option<String> {
    let name = builtin.name;
    if let Some((_, text)) = SIGNATURES.iter().find(|(own, _)| *own == name) {
        return Some((*text).to_string());
    }
    let kind = builtin.kind;
    let names = match (name, builtin.arity.0) {
        ("atan2", _) => ["y", "x"],
        ("select", _) => ["a", "b"],
        ("shl" | "shr", _) => ["a", "k"],
        (_, 1) => ["x", ""],
        _ => ["a", "b"],
    };
    let [first, second] = names;
    let same = |bound: &str| match builtin.arity.0 {
        1 => format!("{name}[t: {bound}]({first}: t) -> t"),
        _ => format!("{name}[t: {bound}]({first}: t, {second}: t) -> t"),
    };
    Some(match kind {
        BuiltinKind::Pow => format!("{name}[t: num](x: t, p: t) -> t"),
        BuiltinKind::Polygamma => format!("{name}[t: float](k: i64, x: t) -> t"),
        BuiltinKind::Convert(to) => format!("{name}(x: t) -> {to}"),
        BuiltinKind::Pointwise(prim) => match prim.rule() {
            TypeRule::Num => same("num"),
            TypeRule::Float => same("float"),
            TypeRule::Int => same("num"),
            TypeRule::FloatTest => format!("{name}[t: float](x: t) -> bool"),
            TypeRule::Select => format!("{name}(c: bool, a: t, b: t) -> t"),
            TypeRule::Compare | TypeRule::Bool | TypeRule::FloatInt | TypeRule::IntFloat | TypeRule::Convert(_) => {
                return None;
            }
        },
        _ => return None,
    })
}

/// The signature of the built-in function of this name.
pub(crate) fn signature_of(name: &str) -> Option<String> {
    signature(builtins::lookup(name)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_built_in_function_has_a_signature() {
        for builtin in builtins::TABLE.iter() {
            let text = signature(builtin).unwrap_or_default();
            assert!(text.starts_with(builtin.name) && text.contains(" -> "), "{}: {text}", builtin.name);
        }
        for (name, text) in SIGNATURES {
            assert!(builtins::lookup(name).is_some() && text.starts_with(name), "{name}");
        }
    }

    #[test]
    fn signatures_have_as_many_parameters_as_the_functions() {
        for builtin in builtins::TABLE.iter() {
            let text = signature(builtin).unwrap();
            let params = text.split_once('(').unwrap().1;
            let (mut depth, mut commas, mut more) = (0, 0, false);
            for (at, c) in params.char_indices() {
                match c {
                    '(' | '[' => depth += 1,
                    ')' if depth == 0 => break,
                    ')' | ']' => depth -= 1,
                    ',' if depth == 0 && params.get(at..).unwrap().starts_with(", ..") => more = true,
                    ',' if depth == 0 => commas += 1,
                    _ => {}
                }
            }
            let (least, most) = builtin.arity;
            assert_eq!(more, most == builtins::MANY, "{text}");
            assert!(commas + 1 == least || more && commas + 1 >= least, "{text}");
        }
    }
}
