//! What derivative forms mean: types by elaboration, values by differentiation and the reference interpreter.

use crate::common::{eval, good, run_func, show, verified};
use arr_check::{GradientMode, elaborate_gradient};
use arr_ir::{Const, Value};

fn values(definitions: &str, cases: &str) {
    let mut wrong = Vec::new();
    for case in cases.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("--")) {
        let (expr, want) = case.split_once(" ==> ").expect("a case is `expression ==> value`");
        let found = eval(definitions, expr.trim());
        if found != want.trim() {
            wrong.push(format!("{expr}\n  expected {}\n  found    {found}", want.trim()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn by_chosen_parameters() {
    values(
        "def f(x: f64, n: i64, y: f64, z: [k]f64) -> f64 = x * x * y * f64(n) + sum(z * z) * y
         def each(x: f64, y: f64) -> (f64, f64) = (x * y, x + y)
         def second(f: (f64, f64) -> f64, x: f64, y: f64) -> f64 = grad[1](f)(x, y)
         def hidden(grad: [n]f64, i: i64) -> f64 = grad[i]",
        r"
        grad[x](f)(3.0, 2, 5.0, [1.0]) ==> 60.0
        grad[y](f)(3.0, 2, 5.0, [1.0]) ==> 19.0
        grad[y, x](f)(3.0, 2, 5.0, [1.0]) ==> 19.0; 60.0
        grad[z, x](f)(3.0, 2, 5.0, [1.0, 2.0]) ==> [10.0, 20.0]; 60.0
        grad[3, 0](f)(3.0, 2, 5.0, [1.0, 2.0]) ==> [10.0, 20.0]; 60.0
        grad[z, n](f)(3.0, 2, 5.0, [1.0, 2.0]) ==> [10.0, 20.0]
        value_and_grad[y, z](f)(3.0, 2, 5.0, [1.0]) ==> 95.0; 19.0; [10.0]
        jacrev[y](each)(2.0, 3.0) ==> 2.0; 1.0
        jacfwd[y, x](each)(2.0, 3.0) ==> 2.0; 3.0; 1.0; 1.0
        hessian[x, y](\(x, y, c) => c * x * x * y)(2.0, 3.0, 5.0) ==> 30.0; 20.0; 20.0; 0.0
        grad[x](grad[y](\(x, y) => x * x * y))(3.0, 4.0) ==> 6.0
        grad[y](\(x, y) => grad[x](\x => x * x * y)(x))(3.0, 4.0) ==> 6.0
        jvp[y, x](each, 2.0, 3.0, (1.0, 10.0)) ==> 6.0; 5.0; 32.0; 11.0
        let (v, pull) = vjp[y](each, 2.0, 3.0) in pull((1.0, 10.0)) ==> 12.0
        let (v, push) = linearize[y, x](each, 2.0, 3.0) in push((1.0, 10.0)) ==> 32.0; 11.0
        second(\(a, b) => a * b * b, 2.0, 3.0) ==> 12.0
        grad[0, 1](atan2)(1.0, 2.0) ==> 0.4; -0.2
        let g = grad[y] in g(\(x, y) => x * y)(3.0, 4.0) ==> 3.0
        grad[y](checkpoint(\(x, y) => sin(x) * y))(0.0, 4.0) ==> 0.0
        for y in [1.0, 2.0] => grad[y](\(x, y) => x * y * y)(1.0, y) ==> [2.0, 4.0]
        hidden([1.0, 2.0], 1) ==> 2.0
        let jvp = [3.0, 4.0] in let i = 1 in jvp[i] ==> 4.0
    ",
    );
}

#[test]
fn gradients() {
    values(
        "def cube(x: f64) -> f64 = x ** 3\ndef weigh(x: f64, k: f64) -> f64 = x * x * k",
        r"
        grad(\x => x * x)(3.0) ==> 6.0
        grad(cube)(2) ==> 12.0
        grad(weigh)(3.0, 2.0) ==> 12.0
        grad(grad(cube))(2.0) ==> 12.0
        value_and_grad(cube)(2.0) ==> 8.0; 12.0
        grad(\x => sum(x * x))([1.0, 2.0]) ==> [2.0, 4.0]
        grad(\((x, y)) => x * y)((3.0, 4.0)) ==> 4.0; 3.0
        grad(\((x, n)) => x * f64(n))((3.0, 4)) ==> 4.0
        grad(\p => p.x * p.y)({ x = 3.0, n = 1, y = 4.0 }).y ==> 3.0
        grad(\x => if x > 0.0 then sqrt(x) else 0.0)(0.0) ==> 0.0
        grad(\x => x * grad(\y => x * y)(2.0))(3.0) ==> 6.0
        grad(\x => stop_gradient(x) * x)(3.0) ==> 3.0
        map(grad(sin), [0.0]) ==> [1.0]
        for x in [1.0, 2.0] => grad(\y => y * y * x)(3.0) ==> [6.0, 12.0]
        grad(exp)(0.0) ==> 1.0
    ",
    );
}

#[test]
fn vjp_and_jvp() {
    values(
        "def cube(x: f64) -> f64 = x ** 3",
        r"
        let (y, pull) = vjp(\x => x * x, [1.0, 2.0]) in (y, pull([1.0, 10.0])) ==> [1.0, 4.0]; [2.0, 40.0]
        jvp(cube, 2, 1) ==> 8.0; 12.0
        jvp(\x => x * x, 3.0, 1.0) ==> 9.0; 6.0
        jvp(\x => (x * x, 1), 3.0, 2) ==> 9.0; 1; 12.0
        let (y, push) = linearize(\x => x * x, 3.0) in push(2) ==> 12.0
        let (y, pull) = vjp(\x => (x, 2 * x), 1.0) in pull((1, 10)) ==> 21.0
    ",
    );
}

#[test]
fn jacobians() {
    values(
        "def f(x: [n]f64) -> [n]f64 = for i < n => x[i] * x[i] + x[0]",
        r"
        jacrev(f)([1.0, 2.0]) ==> [[3.0, 0.0], [1.0, 4.0]]
        jacfwd(f)([1.0, 2.0]) ==> [[3.0, 0.0], [1.0, 4.0]]
        jacrev(\x => (sum(x), x[0] * x[1]))([2.0, 3.0]) ==> [1.0, 1.0]; [3.0, 2.0]
        jacfwd(\((x, y)) => [x * y, y])((2.0, 3.0)) ==> [3.0, 0.0]; [2.0, 1.0]
        hessian(\x => x[0] * x[0] * x[1])([2.0, 3.0]) ==> [[6.0, 4.0], [4.0, 0.0]]
    ",
    );
}

const MODEL: &str = r"
def loss(p: { w: [n]f64, k: i64 }, x: [n]f64, s: f64) -> f64 = s * sum(p.w * p.w * x) + f64(p.k)
def vector(x: [n]f64) -> [n]f64 = x
";

fn args() -> Vec<Value> {
    vec![
        Value::f64s(&[2], &[1.0, 2.0]),
        Value::Scalar(Const::I64(5)),
        Value::f64s(&[2], &[10.0, 20.0]),
        Value::Scalar(Const::F64(0.5)),
    ]
}

fn gradient(wrt: &[&str], mode: GradientMode, more: Vec<Value>) -> (String, String) {
    let wrt: Vec<String> = wrt.iter().map(|s| s.to_string()).collect();
    let func = verified(elaborate_gradient(&good(MODEL), "loss", &wrt, mode).expect("a gradient"));
    let args: Vec<Value> = args().into_iter().chain(more).collect();
    let values = run_func(&func, &[2], &args).expect("values");
    let params = func.edge_params.iter().map(|p| format!("{}: {}", p.name, p.text)).collect::<Vec<_>>().join(", ");
    (format!("{}({params})", func.name), values.iter().map(show).collect::<Vec<_>>().join("; "))
}

#[test]
fn gradient_entries() {
    let (name, found) = gradient(&[], GradientMode::Reverse, Vec::new());
    assert_eq!(name, "loss_grad(p: { w: [n]f64, k: i64 }, x: [n]f64, s: f64)");
    assert_eq!(found, "[10.0, 40.0]");
    let (_, found) = gradient(&["s", "x"], GradientMode::Reverse, Vec::new());
    assert_eq!(found, "90.0; [0.5, 2.0]");
    let more = vec![Value::f64s(&[2], &[1.0, 1.0])];
    let (name, found) = gradient(&["p"], GradientMode::Forward, more);
    assert_eq!(name, "loss_jvp(p: { w: [n]f64, k: i64 }, x: [n]f64, s: f64, d_p: { w: [n]f64 })");
    assert_eq!(found, "50.0; 50.0");
}

#[test]
fn parameters_that_are_patterns_are_named_one_after_the_other() {
    let text = "def f((x, y): (f64, f64), (z, w): (f64, f64)) -> f64 = x * z + y * w";
    let wrt = ["_".to_string(), "_".to_string()];
    let func = verified(elaborate_gradient(&good(text), "f", &wrt, GradientMode::Reverse).expect("a gradient"));
    assert_eq!(func.body.results.len(), 4);
}

#[test]
fn gradient_entries_that_are_refused() {
    let checked = good(MODEL);
    let code = |entry: &str, wrt: &[&str]| {
        let wrt: Vec<String> = wrt.iter().map(|s| s.to_string()).collect();
        let problems = elaborate_gradient(&checked, entry, &wrt, GradientMode::Reverse).expect_err("problems");
        problems.first().map(|d| d.code.to_string()).unwrap_or_default()
    };
    assert_eq!(code("loss", &["q"]), "E0503");
    assert_eq!(code("loss", &["x", "x"]), "E0503");
    assert_eq!(code("vector", &[]), "E0501");
    assert_eq!(code("nothing", &[]), "E0206");
    let text = "def f(n: i64) -> f64 = f64(n)";
    let problems = elaborate_gradient(&good(text), "f", &[], GradientMode::Reverse).expect_err("problems");
    assert_eq!(problems.first().map(|d| d.code.to_string()), Some("E0502".to_string()));
}
