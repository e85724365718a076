-- What cannot be differentiated.
def a(x: [n]f64) -> [n]f64 = grad(\y => y * y)(x)
def b(n: i64) -> f64 = grad(\m => f64(m))(n)
def c(x: f64) -> f64 = grad(x)
def d(x: f64) -> f64 = jvp(\y => y * y, x, 1).1
-- A result that is no number, an integer, several parts.
def e(x: f64) -> f64 = grad(\y => i64(y))(x)
def f(x: f64) -> f64 = grad(\y => y > 0.0)(x)
def g(x: f64) -> f64 = value_and_grad(\y => (y, y * y))(x).1
def h(x: [n]f64) -> [n][n]f64 = hessian(\y => y * y)(x)
def i(x: [n]f64) -> [n]i64 = jacrev(\y => for k => i64(y[k]))(x)
-- Arguments that hold no float, or come second.
def j(n: i64, x: f64) -> f64 = grad(\(m, y) => f64(m) * y)(n, x)
def k(f: f64 -> f64) -> f64 = grad(\g => g(1.0))(f)
def l(k: (i64, bool)) -> f64 = vjp(\y => f64(y.0), k).0
-- Cotangents and tangents of another type.
def m(x: f64) -> f64 = vjp(\y => (y, y), x).1(1.0)
def o(x: [n]f64, y: f64) -> f64 = jvp(\z => sum(z), x, y).1
