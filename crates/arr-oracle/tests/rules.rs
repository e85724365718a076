//! Each rule of both oracles against derivatives worked out by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arr_ir::{Const, Prim, Value, parse_func};
use arr_oracle::{Method, Operations, Stop, run};

/// The cotangents that a function of IR text gives, by both methods.
fn both(text: &str, sizes: &[i64], args: &[Value]) -> Vec<Vec<f64>> {
    let func = parse_func(text).expect("the text parses");
    let [dual, chad] = [Method::Dual, Method::Chad].map(|method| {
        let outcome = run(&func, sizes, args, method, 1_000_000).expect("it runs");
        outcome.results.iter().map(Value::to_f64s).collect::<Vec<_>>()
    });
    assert_eq!(dual, chad);
    dual
}

/// The derivative of the body of `x -> s` at a vector, with cotangent 1.
fn gradient(body: &str, x: &[f64]) -> Vec<f64> {
    let text = format!(
        "func g[n](x: [n]f64) -> [n]f64 {{\n y: f64, d: [n]f64 = vjp (u: [n]f64 = x) seed (1.0) {{\n{body}\n yield s\n }}\n return d\n}}"
    );
    both(&text, &[x.len() as i64], &[Value::f64s(&[x.len() as i64], x)]).remove(0)
}

#[test]
fn variables_that_are_used_twice_get_the_sum() {
    assert_eq!(gradient("a: f64 = read! u[0]\n s: f64 = mul a, a", &[3.0, 5.0]), [6.0, 0.0]);
}

#[test]
fn a_reduction_is_a_fold() {
    let of = |kind: &str| format!("s: f64 = reduce {kind} i<n {{\n a: f64 = read! u[i]\n yield a\n }}");
    assert_eq!(gradient(&of("sum"), &[2.0, 0.0, 4.0]), [1.0, 1.0, 1.0]);
    assert_eq!(gradient(&of("product"), &[2.0, 0.0, 4.0]), [0.0, 8.0, 0.0]);
    assert_eq!(gradient(&of("max"), &[2.0, 4.0, 4.0]), [0.0, 1.0, 0.0]);
    assert_eq!(gradient(&of("min"), &[2.0, 2.0, 4.0]), [1.0, 0.0, 0.0]);
    assert_eq!(gradient(&of("sum"), &[]), [0.0; 0]);
}

#[test]
fn a_build_adds_up_its_points() {
    let body = "b: [n]f64 = build i<n {\n a: f64 = read! u[0]\n c: f64 = read! u[i]\n m: f64 = mul a, c\n yield m\n }\n \
                s: f64 = reduce sum j<n {\n e: f64 = read! b[j]\n yield e\n }";
    assert_eq!(gradient(body, &[2.0, 3.0, 4.0]), [11.0, 2.0, 2.0]);
}

#[test]
fn what_a_scatter_replaces_gets_nothing() {
    let of = |kind: &str| {
        format!(
            "b: [n]f64 = scatter! {kind} u, i<n {{\n a: f64 = read! u[i]\n m: f64 = mul a, a\n yield true, 0, m\n }}\n \
             s: f64 = reduce sum j<n {{\n e: f64 = read! b[j]\n yield e\n }}"
        )
    };
    assert_eq!(gradient(&of("set"), &[2.0, 3.0, 4.0]), [0.0, 1.0, 9.0]);
    assert_eq!(gradient(&of("add"), &[2.0, 3.0, 4.0]), [5.0, 7.0, 9.0]);
}

#[test]
fn loops_go_back_through_their_states() {
    let counted = "s: f64 = loop i<n (p: f64 = 1.0) {\n a: f64 = read! u[i]\n m: f64 = mul p, a\n yield m\n }";
    assert_eq!(gradient(counted, &[2.0, 3.0, 4.0]), [12.0, 8.0, 6.0]);
    let open = "z: f64 = read! u[0]\n s: f64 = while (p: f64 = z) {\n c: bool = lt p, 100.0\n yield c\n } do (q: f64) {\n \
                m: f64 = mul q, q\n yield m\n }";
    assert_eq!(gradient(open, &[3.0]), [8.0 * 3.0f64.powi(7)]);
}

#[test]
fn the_branch_that_is_not_taken_contributes_nothing() {
    let body = "a: f64 = read! u[0]\n c: bool = gt a, 0.0\n s: f64 = if c {\n r: f64 = sqrt a\n yield r\n } else {\n \
                yield 0.0\n }";
    assert_eq!(gradient(body, &[0.0]), [0.0]);
    let chosen = "a: f64 = read! u[0]\n c: bool = gt a, 0.0\n r: f64 = sqrt a\n s: f64 = select c, r, 0.0";
    assert_eq!(gradient(chosen, &[0.0]), [0.0]);
}

#[test]
fn a_declared_derivative_is_used_in_every_order() {
    let body = "a: f64 = read! u[0]\n s: f64 = custom (b: f64 = a) {\n m: f64 = mul b, b\n yield m\n } rule (b1: f64, y1: f64, dy: \
                f64) {\n m1: f64 = mul 10.0, dy\n m2: f64 = mul m1, y1\n yield m2\n }";
    assert_eq!(gradient(body, &[3.0]), [90.0]);
}

#[test]
fn derivatives_nest() {
    // The value and the gradient of x^4 at 2, and the tangents of both.
    let text = "func h(x: f64) -> f64, f64, f64, f64 {\n y: f64, d: f64, dy: f64, dd: f64 = jvp (u: f64 = x ~ 1.0) {\n \
                z: f64, g: f64 = vjp (v: f64 = u) seed (1.0) {\n p: f64 = powi v, 4\n yield p\n }\n yield z, g\n }\n \
                return y, d, dy, dd\n}";
    let found = both(text, &[], &[Value::Scalar(arr_ir::Const::F64(2.0))]);
    assert_eq!(found.concat(), [16.0, 32.0, 32.0, 48.0]);
}

#[test]
fn a_sum_of_k_elements_is_k_minus_one_additions() {
    let text = "func f[n](x: [n]f64) -> f64 {\n s: f64 = reduce sum i<n {\n a: f64 = read! x[i]\n m: f64 = mul a, a\n yield m\n }\n \
                return s\n}";
    let func = parse_func(text).expect("the text parses");
    let outcome = run(&func, &[4], &[Value::f64s(&[4], &[1.0, 2.0, 3.0, 4.0])], Method::Dual, 1000).expect("it runs");
    assert_eq!(outcome.operations, Operations { additions: 3, multiplications: 4, functions: 0 });
}

#[test]
fn errors_and_limits_are_told() {
    let text = "func f[n](x: [n]f64) -> f64 {\n a: f64 = read x[3]\n return a\n}";
    let func = parse_func(text).expect("the text parses");
    let stop = run(&func, &[1], &[Value::f64s(&[1], &[1.0])], Method::Dual, 1000);
    assert_eq!(stop.err(), Some(Stop::Failed(arr_ir::RunErrorKind::Index { index: 3, extent: 1 })));
    let stop = run(&func, &[1], &[Value::f64s(&[1], &[1.0])], Method::Dual, 0);
    assert_eq!(stop.err(), Some(Stop::TooLong));
}

/// Every function of one float, where its value is known, against difference quotients of its values.
#[test]
fn functions_have_the_slope_of_their_values() {
    for prim in Prim::ALL {
        let Some((x, _)) = prim.known_value() else { continue };
        let value = |x: f64| prim.eval(&[Const::F64(x)]).and_then(Const::as_f64).expect("a function of one float");
        let step = 1e-5;
        let slope = (value(x + step) - value(x - step)) / (2.0 * step);
        let found = gradient(&format!("a: f64 = read! u[0]\n s: f64 = {} a", prim.name()), &[x])[0];
        assert!((found - slope).abs() <= 1e-8 * slope.abs().max(1.0), "{}: {found}, not {slope}", prim.name());
    }
}
