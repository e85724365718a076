-- Loops, slices, order.
def a(x: f64) -> f64 = loop y = x while y do y - 1.0
def b(x: f64) -> f64 = loop y = x while y > 0.0 do y > 1.0
def c(x: [n]f64) -> [n]f64 = loop y = x while sum(y) > 0.0 do y[1:]
def d(x: [n]f64) -> [n]f64 = x[::-1]
def e(x: [n]f64) -> f64 = sum(x[0:n:-2])
def f(x: [n]f64, y: [n]f64) -> [n]f64 = x with [1:] = y
def g(x: [n][m]f64, y: [n]f64) -> [n][m]f64 = x with [:, 0] = 1.0
def h(x: [n][m]f64) -> [n][m]f64 = sort(x)
def i(x: [n](f64, i64)) -> [n](f64, i64) = sort(x)
def j(x: [n](f64, i64)) -> [n]i64 = argsort(x)
def k(x: [n]f64, v: i64) -> i64 = searchsorted(x, v)
def l(x: [n]f64, v: f64) -> i64 = searchsorted(v, x)
def m(x: [n]f64, is: [n]i64) -> [3]f64 = histogram((+), 0, 3, x, x)
def n(x: [m]f64, is: [n]i64) -> [3]f64 = histogram((+), 0.0, 3, is, x)
def o(x: [n]f64, is: [n]i64) -> [3]f64 = histogram(\(a, b) => (a, b), 0.0, 3, is, x)
def p(x: [n]f64) -> [n]f64 = x[::1.5]
def q(x: f64) -> f64 = checkpoint(x)(1.0)
def r(n: i64, x: [n]f64) -> [n]f64 = loop y = sin while n > 0 do y
