//! Costs as polynomials: those of the interpreter, and bounds where data decide.

use arr_ir::interp::{Counts, Limits, run};
use arr_ir::symbolic::{Count, Doubt, Prediction, Symbol, predict};
use arr_ir::{Const, Func, Level, Value, parse_func, report, verify_structure};
use std::collections::BTreeSet;

fn func(text: &str) -> Func {
    let func = parse_func(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify_structure(&func, Level::Core).unwrap_or_else(|e| panic!("{}", report(&func, &e)));
    func
}

/// A polynomial as text, highest terms last.
fn text(func: &Func, prediction: &Prediction, count: &Count) -> String {
    let term = |(monomial, n, d): (&[Symbol], i128, i128)| {
        let factors: Vec<&str> = monomial.iter().map(|&s| prediction.name(func, s)).collect();
        let number = if d == 1 { n.to_string() } else { format!("{n}/{d}") };
        std::iter::once(number.as_str()).chain(factors).collect::<Vec<_>>().join(" ")
    };
    count.terms().map(term).collect::<Vec<_>>().join(" + ")
}

/// The counts of the interpreter and the polynomials at the same sizes, with arrays of numbers between 1 and 2.
fn same(source: &str, sizes: &[i64]) {
    let func = func(source);
    let prediction = predict(&func);
    assert_eq!(prediction.doubts, BTreeSet::new(), "{source}");
    let value = |symbol| match symbol {
        Symbol::Var(v) => {
            let at = func.sizes.iter().position(|&size| size == v)?;
            sizes.get(at).map(|&n| i128::from(n))
        }
        Symbol::Other(_) => None,
    };
    let args: Vec<Value> =
        func.params
            .iter()
            .map(|&p| {
                let ty = func.ty(p);
                if ty.is_scalar() {
                    return Value::Scalar(Const::F64(1.5));
                }
                let dims = ty.dims.iter().map(|&d| {
                    let size = func.types.poly(d).eval(&mut |v| {
                        func.sizes.iter().position(|&size| size == v).and_then(|at| sizes.get(at).copied())
                    });
                    size.unwrap()
                });
                let dims: Vec<i64> = dims.collect();
                let count: i64 = dims.iter().product();
                Value::f64s(&dims, &(0..count).map(|i| 1.0 + i as f64 / count as f64).collect::<Vec<f64>>())
            })
            .collect();
    let Counts { prims, reads, writes, allocated_bytes, peak_bytes, .. } =
        run(&func, sizes, &args, &Limits::default()).unwrap().counts;
    let total = prediction.total();
    let checks = [
        ("prims", total.prims(), prims),
        ("reads", total.reads.clone(), reads),
        ("writes", total.writes.clone(), writes),
        ("allocated", total.allocated.clone(), allocated_bytes),
    ];
    for (what, polynomial, counted) in checks {
        let found = polynomial.eval(&value);
        assert_eq!(found, Some(i128::from(counted)), "{what}: {}\n{source}", text(&func, &prediction, &polynomial));
    }
    let peak = prediction.peak.eval(&value).unwrap();
    let polynomial = text(&func, &prediction, &prediction.peak);
    if prediction.peak_is_exact {
        assert_eq!(peak, i128::from(peak_bytes), "peak: {polynomial}\n{source}");
    }
    assert!(peak >= i128::from(peak_bytes), "peak: {polynomial}\n{source}");
}

const PRODUCT: &str = "func f[n, m, l](a: [n][m]f64, b: [m][l]f64) -> [n][l]f64 {
    c: [n][l]f64 = build i<n, j<l {
        s: f64 = reduce sum k<m { x: f64 = read a[i, k] y: f64 = read b[k, j] p: f64 = mul x, y yield p }
        yield s
    }
    return c
}";

#[test]
fn a_matrix_product() {
    for sizes in [[2, 3, 4], [1, 1, 1], [5, 2, 7]] {
        same(PRODUCT, &sizes);
    }
    let func = func(PRODUCT);
    let prediction = predict(&func);
    assert_eq!(text(&func, &prediction, &prediction.total().floats), "2 n m l");
    assert_eq!(text(&func, &prediction, &prediction.peak), "8 n l");
    assert!(prediction.peak_is_exact);
}

#[test]
fn sums_over_triangles_have_denominators() {
    let triangle = "func f[n](x: [n]f64) -> f64 {
      s: f64 = reduce sum i<n {
        a: f64 = read x[i]
        t: f64 = reduce sum j<i { b: f64 = read x[j] p: f64 = mul a, b yield p }
        yield t
      }
      return s
    }";
    for n in 1..9 {
        same(triangle, &[n]);
    }
    let func = func(triangle);
    let prediction = predict(&func);
    // n (n - 1) / 2 products and as many additions, and n additions.
    assert_eq!(text(&func, &prediction, &prediction.total().floats), "1 n n");
    assert_eq!(text(&func, &prediction, &prediction.total().reads), "1/2 n + 1/2 n n");
}

#[test]
fn a_loop_copies_an_argument_once_and_then_works_in_place() {
    let text = "func f[n, t](x: [n]f64, y: [t]f64) -> [n]f64 {
      z: [n]f64 = loop s<t (p: [n]f64 = x) {
        q: [n]f64 = scatter add p, i<n { a: f64 = read x[i] yield true, i, a }
        yield q
      }
      return z
    }";
    for sizes in [[4, 1], [4, 5], [1, 3]] {
        same(text, &sizes);
    }
}

#[test]
fn triangular_loops_over_arrays() {
    let text = "func f[n](x: [n]f64) -> [n]f64 {
      z: [n]f64 = loop s<n (p: [n]f64 = x) {
        w: [s]f64 = build i<s { a: f64 = read p[i] b: f64 = exp a yield b }
        q: [n]f64 = scatter set p, j<s { c: f64 = read w[j] yield true, j, c }
        yield q
      }
      return z
    }";
    for n in 1..6 {
        same(text, &[n]);
    }
}

#[test]
fn live_arrays_of_loops_and_blocks() {
    let text = "func f[n](x: [n]f64) -> f64 {
      a: [n]f64 = build i<n { u: f64 = read x[i] v: f64 = mul u, 2.0 yield v }
      z: [n]f64 = loop reverse s<n (p: [n]f64 = a) {
        b: [n][n]f64 = build k<n, j<n { c: f64 = read p[k] d: f64 = read p[j] e: f64 = mul c, d yield e }
        q: [n]f64 = build l<n { g: f64 = reduce sum o<n { w: f64 = read b[l, o] yield w } yield g }
        yield q
      }
      r: f64 = reduce sum h<n { y: f64 = read z[h] yield y }
      return r
    }";
    // Numbers grow beyond any float, which costs the same.
    for n in 1..5 {
        same(text, &[n]);
    }
}

#[test]
fn where_data_decide_costs_are_bounds_and_say_why() {
    let cases = [
        (
            "func f(x: f64) -> f64 {
              c: bool = gt x, 0.0
              y: f64 = if c { a: f64 = exp x b: f64 = mul a, a yield b } else { yield x }
              return y
            }",
            Doubt::Branch,
            "3",
        ),
        (
            "func f(x: f64) -> f64 {
              y: f64 = while (p: f64 = x) { c: bool = gt p, 1.0 yield c } do (r: f64) { q: f64 = mul r, 0.5 yield q }
              return y
            }",
            Doubt::While,
            "1 + 2 iterations",
        ),
    ];
    for (source, doubt, operations) in cases {
        let func = func(source);
        let prediction = predict(&func);
        assert!(prediction.doubts.contains(&doubt), "{source}");
        assert_eq!(text(&func, &prediction, &prediction.total().prims()), operations, "{source}");
    }
}

#[test]
fn ratios_hold_for_all_sizes() {
    let n = Count::symbol(Symbol::Other(0));
    let m = Count::symbol(Symbol::Other(1));
    let value = n.mul(&m).scaled(2, 1).add(&n);
    let gradient = n.mul(&m).scaled(5, 1).add(&n.scaled(4, 1));
    // (5 n m + 4 n) / (2 n m + n) is largest at m = 1.
    let ratio = gradient.ratio(&value).unwrap();
    assert!((3.0..=4.0).contains(&ratio), "{ratio}");
    for (a, b) in [(1, 1), (1, 9), (30, 1), (7, 5)] {
        let at = |count: &Count| {
            let value = count.eval(&|s| Some(if s == Symbol::Other(0) { a } else { b }));
            value.unwrap() as f64
        };
        assert!(at(&gradient) <= ratio * at(&value) + 1e-9);
    }
    assert_eq!(n.mul(&n).ratio(&n), None);
    // n^2 - n + 2 has a coefficient below zero, and none at 1 + k.
    let falling = n.mul(&n).sub(&n).add(&Count::of(2));
    assert!(falling.ratio(&falling).is_some_and(|ratio| (ratio - 1.0).abs() < 1e-12));
}

#[test]
fn conditions_on_sizes_are_decided_and_those_on_other_integers_are_not() {
    // A size is 1 at least, and an index is not negative; an integer of the caller may be.
    let text = |cond: &str| {
        format!(
            "func f[n](x: [n]f64, k: i64) -> f64 {{
              y: f64 = reduce sum i<n {{
                a: f64 = read x[i]
                c: bool = {cond}
                b: f64 = if c {{ e: f64 = exp a yield e }} else {{ yield a }}
                yield b
              }}
              return y
            }}"
        )
    };
    for (cond, functions, doubt) in [
        ("gt n, 0", "1 n", false),
        ("ge i, 0", "1 n", false),
        ("lt i, 0", "", false),
        ("eq n, 0", "", false),
        ("ge k, 0", "1 n", true),
        ("lt k, 0", "1 n", true),
        ("lt i, n", "1 n", true),
    ] {
        let func = func(&text(cond));
        let prediction = predict(&func);
        assert_eq!(super::symbolic::text(&func, &prediction, &prediction.total().functions), functions, "{cond}");
        assert_eq!(prediction.doubts.contains(&Doubt::Branch), doubt, "{cond}");
    }
}
