//! What names of other languages are called here: functions, methods, types and constants.

use crate::data::builtins;

/// Names that nothing here has, and what to write instead: the name of a built-in function; after a module and a dot,
/// that of a definition of the standard library; or advice, if there is a space in it. What the standard library calls
/// by the same name is found without a row; where such a name has another meaning as well, the advice names both.
const NAMES: &[(&[&str], &str)] = &[
    (&["len", "size", "numel"], "length"),
    (&["arange", "range"], "indices are written `for i < n => e`; the integers below `n` as an array are `iota(n)`"),
    (&["enumerate"], "an index runs over the arrays that are read at it: `for i => f(i, x[i])`"),
    (&["list"], "an array is `[a, b]`, or a `for`: `for x in xs => e`"),
    (&["dict", "set", "object"], "values with names are a record, `{ a = 1.0, b = 2.0 }`"),
    (&["help", "dir"], "in a session `?sum` shows what `sum` is, and `:type e` the type of `e`"),
    (&["typeof", "isinstance"], "types are known before the program runs; a session shows that of `e` by `:type e`"),
    (&["break", "continue", "pass"], "a loop goes on while its condition holds: `loop x = x while c do e`"),
    (
        &["assert", "raise", "throw", "error"],
        "a program does not stop itself: give another value, such as `math.nan`; tests are `test \"name\" = a == b`",
    ),
    (&["input", "open", "read_csv", "loadtxt"], "data comes in by parameters: `arr run fit.arr xs=@data.csv`"),
    (&["end"], "the last element is `x[n-1]`, where `n` is the size of the axis"),
    (&["self", "this"], "functions stand outside of what they are applied to: `f(x, y)`"),
    (&["full", "fill"], "replicate"),
    (&["repeat"], "`replicate(n, x)` is an array of `n` times `x`; `arrays.repeat(xs, k)` has each element `k` times"),
    (&["concatenate", "append", "hstack", "vstack", "cat"], "concat"),
    (&["where", "ifelse"], "select"),
    (&["ln"], "log"),
    (&["fabs"], "abs"),
    (&["zeros_like"], "write `for v in x => 0.0`, or `zeros(n)` with the size of `x`"),
    (&["ones_like"], "write `for v in x => 1.0`, or `ones(n)` with the size of `x`"),
    (&["full_like"], "write `for v in x => c`, or `replicate(n, c)` with the size of `x`"),
    (&["prod"], "product"),
    (&["amax", "nanmax"], "maximum"),
    (&["amin", "nanmin"], "minimum"),
    (&["ravel"], "flatten"),
    (&["swapaxes", "moveaxis"], "permute"),
    (&["arcsin"], "asin"),
    (&["arccos"], "acos"),
    (&["arctan"], "atan"),
    (&["arctan2"], "atan2"),
    (&["take"], "gather"),
    (&["bincount"], "write `scatter_add(zeros(k), is, ones(length(is)))`, or `stats.bin_counts(x, k, low, high)`"),
    (&["roll", "circshift"], "write `rotate(x, -k)`, which turns the other way; `arrays.roll` is that"),
    (&["flip", "reversed", "rev"], "reverse"),
    (&["fold", "foldl", "foldr", "accumulate"], "write `loop acc = z for x in xs do f(acc, x)`"),
    (&["isnan"], "is_nan"),
    (&["isfinite"], "is_finite"),
    (&["xor"], "booleans differ where `a != b`; `bit_xor` is for integers"),
    (&["mod", "fmod", "rem", "remainder"], "write `a % b`"),
    (&["div", "floordiv", "floor_divide"], "write `a / b`: that of integers rounds down"),
    (&["float", "double", "to_float"], "f64"),
    (&["int", "long", "to_int"], "i64"),
    (&["True"], "write `true`"),
    (&["False"], "write `false`"),
    (
        &["None", "null", "nil", "undefined"],
        "every value is there; a type with a constructor for its absence is `type Option[t: any] = Some(t) | None`",
    ),
    (&["gradient", "backward"], "grad"),
    (&["jacobian"], "write `jacrev(f)`, or `jacfwd(f)`; of a known pattern of zeros it is `sparse.jacobian`"),
    (&["average"], "mean"),
    (&["count", "count_nonzero"], "write `sum(i64(xs == v))`; of booleans it is `arrays.count`"),
    (&["cond"], "write `if c then a else b`; the condition number of a matrix is `linalg.cond`"),
    (&["when", "unless"], "write `if c then a else b`"),
    (&["lax"], "a loop is `loop x = e0 for i < n do e`, a scan `scan(f, z, xs)`"),
    (&["vmap", "pmap", "vectorize"], "a function of one element is applied to all by `for x in xs => f(x)`"),
    (
        &["einsum", "matmul", "tensordot", "mm", "bmm"],
        "write `a @ b`, or `for i, j => sum(for k => a[i, k] * b[k, j])`",
    ),
    (&["flatnonzero", "argwhere"], "arrays.nonzero"),
    (&["expand_dims", "unsqueeze"], "`[x]` has an axis of length 1 in front, `for a in x => [a]` one behind"),
    (&["squeeze"], "an axis of length 1 is left out by its index: `x[0]`, or `x[:, 0]`"),
    (&["compress"], "arrays.filter"),
    (&["takewhile"], "arrays.take_while"),
    (&["apply"], "a function is called by its name: `f(x)`"),
    (&["PI", "Pi", "π"], "math.pi"),
    (&["infinity", "Inf", "Infinity"], "math.inf"),
    (&["NaN", "NAN"], "math.nan"),
    (&["clamp"], "math.clip"),
    (&["sqr"], "math.square"),
    (&["print", "println", "printf", "show"], "there are no side effects; `arr run` prints the value of a definition"),
    (&["jit"], "everything is compiled; there is nothing to ask for"),
    (
        &["np", "jnp", "numpy", "jax", "torch", "tf", "scipy", "sp", "Math", "cmath"],
        "built-in functions are called by their names alone, `sum(x)`",
    ),
    (&["exit", "quit"], "a program ends where its value is known; a session with `:quit`"),
    (&["inv"], "linalg.inverse"),
    (&["eye"], "linalg.identity"),
    (&["eigs"], "linalg.eigh"),
    (&["chol"], "linalg.cholesky"),
    (&["logdet"], "linalg.slogdet"),
    (&["linsolve", "mldivide"], "linalg.solve"),
    (&["matrix_power"], "linalg.power"),
    (&["nanmean"], "stats.nan_mean"),
    (&["nanmedian"], "stats.nan_median"),
    (&["nanquantile", "nanpercentile"], "stats.nan_quantile"),
    (&["nanstd", "nanvar", "nansum"], "leave out what is NaN: `arrays.filter(\\v => not is_nan(v), x)`"),
    (&["digitise", "histc"], "stats.bin_counts"),
    (&["topk", "nlargest", "maxk"], "arrays.top_k"),
    (&["var"], "stats.variance"),
    (&["cov"], "stats.covariance"),
    (&["corrcoef"], "stats.correlation"),
    (&["hist"], "stats.bin_counts"),
    (&["conv"], "write `signal.convolve(x, y)`; of images it is `nn.conv2d`"),
    (&["medfilt"], "write `for w in arrays.windows(x, 3) => stats.median(w)`"),
    (&["spectrogram"], "signal.stft"),
    (&["adam"], "optim.minimize_adam"),
    (&["sgd"], "optim.minimize_sgd"),
    (&["minimize"], "optim.lbfgs"),
    (&["least_squares", "lsqnonlin"], "optim.levenberg_marquardt"),
    (&["lsqcurvefit"], "optim.curve_fit"),
    (&["fsolve"], "optim.newton_root"),
    (&["fzero", "root_scalar"], "optim.brentq"),
    (&["minimize_scalar", "fminbnd"], "optim.brent"),
    (&["fmin", "fminsearch"], "optim.nelder_mead"),
    (&["fminunc"], "optim.lbfgs"),
    (&["solve_ivp", "ode45"], "ode.odeint"),
    (&["integrate"], "quad.adaptive_simpson"),
    (&["trapz"], "quad.trapezoid"),
    (&["cumtrapz"], "quad.cumulative_trapezoid"),
    (&["simps"], "quad.simpson"),
    (&["quad", "integral"], "quad.gauss_kronrod"),
    (&["interp", "interp1d", "interp1"], "interp.linear"),
    (&["interp2", "interp2d"], "interp.bilinear"),
    (&["spline"], "interp.cubic_spline"),
    (&["gammaln", "lnGamma", "loggamma"], "lgamma"),
    (&["psi"], "digamma"),
    (&["expit", "logistic"], "sigmoid"),
    (&["one_hot"], "onehot"),
    (&["randi"], "random.randint"),
    (&["randperm"], "random.permutation"),
    (&["random"], "random numbers are those of the module: `random.uniform(random.key(0), n)`, after `import random`"),
    (&["rand"], "random.uniform"),
    (&["randn"], "random.normal"),
];

/// Methods and properties of values in other languages, and what is written here; `x` stands for the value. What a
/// built-in function or a row of [`NAMES`] is called is found without a row.
const FIELDS: &[(&[&str], &str)] = &[
    (&["T", "t", "mT"], "transpose(x)"),
    (&["size", "count"], "length(flatten(x))"),
    (&["ndim", "dim", "rank"], "length(shape(x))"),
    (&["map", "forEach"], "map(f, x)"),
    (&["reduce", "fold"], "reduce(f, z, x)"),
    (&["filter"], "arrays.filter(p, x)"),
    (&["reshape", "view"], "reshape(x, (n, m))"),
    (&["dot", "matmul"], "x @ y"),
    (&["astype", "to", "float", "double"], "f64(x)"),
    (&["at", "set"], "x with [i] = e"),
    (&["push", "append", "concat", "extend"], "concat(x, y)"),
    (&["copy", "clone", "item", "numpy"], "x"),
];

/// Names of types in other languages.
const TYPES: &[(&[&str], &str)] = &[
    (&["float", "Float", "double", "Double", "real", "Real", "number", "float64", "Float64", "num", "float_"], "f64"),
    (&["float32", "Float32", "single"], "f32"),
    (&["int", "Int", "integer", "Integer", "long", "isize", "usize", "size", "int64", "Int64", "nat", "u64"], "i64"),
    (&["int32", "Int32", "i16", "i8"], "i32"),
    (&["uint32", "u8", "u16"], "u32"),
    (&["boolean", "Bool", "Boolean"], "bool"),
    (&["list", "List", "vec", "Vec", "array", "Array", "vector", "Vector", "ndarray", "Seq"], "[n]f64"),
    (&["matrix", "Matrix"], "[n][m]f64"),
    (&["tensor", "Tensor"], "[n][m][k]f64"),
    (&["unit", "Unit", "void"], "()"),
    (&["vec2", "vec3", "vec4"], "[3]f64"),
];

/// What the name of another language is here.
pub(crate) enum Here {
    /// A built-in function.
    Builtin(&'static str),
    /// A module of the standard library, and a definition in it.
    Library(&'static str, &'static str),
    Advice(&'static str),
}

fn row(rows: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    rows.iter().find(|(names, _)| names.contains(&name)).map(|(_, here)| *here)
}

/// What a name that is not known is called here.
pub(crate) fn here(name: &str) -> Option<Here> {
    let here = row(NAMES, name)?;
    Some(match here.split_once('.') {
        _ if here.contains(' ') => Here::Advice(here),
        Some((module, name)) => Here::Library(module, name),
        None => Here::Builtin(here),
    })
}

/// A hint for a field of a value that is no record, where `base` is the value's text.
pub(crate) fn field_hint(field: &str, base: &str) -> Option<String> {
    if let Some(here) = row(FIELDS, field) {
        return Some(format!("write `{}`", with_base(here, base)));
    }
    let name = match here(field) {
        _ if builtins::lookup(field).is_some() => field,
        Some(Here::Builtin(name)) => name,
        Some(Here::Advice(advice)) => return Some(advice.to_string()),
        Some(Here::Library(..)) | None => return None,
    };
    Some(format!("write `{name}({base})`; functions stand before what they are applied to"))
}

/// A row of [`FIELDS`] for the value whose text is `base`.
fn with_base(here: &str, base: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = here.split_inclusive(|c: char| !is_word(c));
    words
        .map(
            |word| {
                if word.trim_end_matches(|c| !is_word(c)) == "x" {
                    word.replacen('x', base, 1)
                } else {
                    word.to_string()
                }
            },
        )
        .collect()
}

/// A hint for a type that is not known.
pub(crate) fn type_hint(name: &str) -> Option<String> {
    if matches!(name, "str" | "string" | "String" | "char" | "text") {
        return Some("there is no text; characters are numbers, `[n]i64`".to_string());
    }
    row(TYPES, name).map(|here| format!("write `{here}`"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::data::builtins::lookup;

    /// The text of a module of the standard library.
    fn module_text(module: &str) -> String {
        std::fs::read_to_string(format!("{}/../../stdlib/{module}.arr", env!("CARGO_MANIFEST_DIR"))).unwrap()
    }

    fn defines(text: &str, name: &str) -> bool {
        ["[", "(", " ", ":"].iter().any(|end| text.contains(&format!("\ndef {name}{end}")))
    }

    #[test]
    fn what_is_named_is_there() {
        for (names, row) in NAMES {
            match here(names.first().unwrap()).unwrap() {
                Here::Builtin(name) => assert!(lookup(name).is_some(), "{row}"),
                Here::Library(module, name) => assert!(defines(&module_text(module), name), "{row}"),
                Here::Advice(_) => {}
            }
            assert!(names.iter().all(|name| lookup(name).is_none()), "{names:?}");
        }
    }

    #[test]
    fn what_the_library_calls_so_too_has_no_row_that_hides_it() {
        let folder = format!("{}/../../stdlib", env!("CARGO_MANIFEST_DIR"));
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            for (names, row) in NAMES {
                let advised = |name: &&str| row.contains(' ') && row.contains(&format!(".{name}"));
                assert!(names.iter().all(|name| !defines(&text, name) || advised(name)), "{names:?}");
            }
        }
    }

    #[test]
    fn no_name_is_there_twice() {
        for rows in [NAMES, FIELDS, TYPES] {
            let mut names: Vec<_> = rows.iter().flat_map(|(names, _)| names.iter()).collect();
            names.sort();
            assert!(names.windows(2).all(|pair| pair.first() != pair.last()));
        }
    }

    #[test]
    fn a_field_takes_the_text_of_its_value() {
        assert_eq!(field_hint("T", "a.b").unwrap(), "write `transpose(a.b)`");
        assert_eq!(field_hint("copy", "xs").unwrap(), "write `xs`");
        assert_eq!(
            field_hint("len", "xs").unwrap(),
            "write `length(xs)`; functions stand before what they are applied to"
        );
        assert!(field_hint("height", "xs").is_none());
    }
}
