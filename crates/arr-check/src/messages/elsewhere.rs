//! What names of other languages, and of the standard library, are called here.

/// Names that nothing here has, and what to write instead: the name of a built-in function; after a module and a dot,
/// that of a definition of the standard library; or advice, if there is a space in it.
const NAMES: &[(&[&str], &str)] = &[
    (&["len", "size"], "length"),
    (&["arange", "range"], "iota"),
    (&["full", "repeat", "fill"], "replicate"),
    (&["concatenate", "append", "hstack", "vstack"], "concat"),
    (&["where", "ifelse"], "select"),
    (&["ln"], "log"),
    (&["fabs"], "abs"),
    (&["prod"], "product"),
    (&["amax", "amin"], "maximum"),
    (&["ravel"], "flatten"),
    (&["roll"], "rotate"),
    (&["flip"], "reverse"),
    (&["fold", "foldl"], "reduce"),
    (&["isnan"], "is_nan"),
    (&["isfinite"], "is_finite"),
    (&["xor"], "bit_xor"),
    (&["float", "double"], "f64"),
    (&["int", "long"], "i64"),
    (&["gradient"], "grad"),
    (&["jacobian"], "jacrev"),
    (&["lax"], "a loop is `loop x = e0 for i < n do e`, a scan `scan(f, z, xs)`"),
    (&["vmap", "pmap"], "a function of one element is applied to all by `for x in xs => f(x)`"),
    (&["einsum", "matmul", "tensordot"], "write `a @ b`, or `for i, j => sum(for k => a[i, k] * b[k, j])`"),
    (&["clip", "clamp"], "write `min(max(x, lo), hi)`"),
    (&["linspace"], "write `for i < n => lo + (hi - lo) * f64(i) / f64(n - 1)`"),
    (&["pi", "PI", "Pi"], "write `def pi = 3.141592653589793`"),
    (&["inf", "infinity", "Inf"], "write `1.0 / 0.0`"),
    (&["nan", "NaN"], "write `0.0 / 0.0`"),
    (&["print", "println"], "there are no side effects; `arr run` prints the value of a definition"),
    (&["jit"], "everything is compiled; there is nothing to ask for"),
    (&["np", "jnp", "numpy", "jax"], "built-in functions are called by their names alone, `sum(x)`"),
    (&["norm"], "linalg.norm"),
    (&["solve"], "linalg.solve"),
    (&["inv", "inverse"], "linalg.inverse"),
    (&["det"], "linalg.det"),
    (&["cholesky"], "linalg.cholesky"),
    (&["eye", "identity"], "linalg.identity"),
    (&["dot"], "linalg.dot"),
    (&["outer"], "linalg.outer"),
    (&["trace"], "linalg.trace"),
    (&["diag"], "linalg.diag"),
    (&["svd"], "linalg.svd"),
    (&["qr"], "linalg.qr"),
    (&["lstsq"], "linalg.lstsq"),
    (&["logsumexp"], "stats.logsumexp"),
    (&["softmax"], "stats.softmax"),
    (&["var", "variance"], "stats.variance"),
    (&["std"], "stats.std"),
    (&["median"], "stats.median"),
    (&["relu"], "nn.relu"),
    (&["gelu"], "nn.gelu"),
    (&["conv2d", "conv"], "nn.conv2d"),
];

/// A hint for a name that is not known.
pub(crate) fn hint(name: &str) -> Option<String> {
    let (_, here) = NAMES.iter().find(|(names, _)| names.contains(&name))?;
    Some(match here.split_once('.') {
        _ if here.contains(' ') => (*here).to_string(),
        Some((module, _)) => format!("it is `{here}` of the standard library, after `import {module}`"),
        None => format!("it is called `{here}`"),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::data::builtins::lookup;

    #[test]
    fn what_is_named_is_there() {
        for (names, here) in NAMES.iter().filter(|(_, here)| !here.contains(' ')) {
            match here.split_once('.') {
                None => assert!(lookup(here).is_some(), "{here}"),
                Some((module, name)) => {
                    let file = format!("{}/../../stdlib/{module}.arr", env!("CARGO_MANIFEST_DIR"));
                    let text = std::fs::read_to_string(file).unwrap();
                    let found = [format!("\ndef {name}["), format!("\ndef {name}(")].iter().any(|d| text.contains(d));
                    assert!(found, "{here}");
                }
            }
            assert!(names.iter().all(|name| lookup(name).is_none()), "{names:?}");
        }
    }

    #[test]
    fn no_name_is_there_twice() {
        let mut names: Vec<_> = NAMES.iter().flat_map(|(names, _)| names.iter()).collect();
        names.sort();
        assert!(names.windows(2).all(|pair| pair.first() != pair.last()));
    }
}
