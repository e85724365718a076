-- Types that do not fit.
def a(n: i64) -> f64 = n
def b(x: f64, n: i64) -> f64 = x * n
def c(x: f64) -> f64 = if x then 1.0 else 2.0
def d(x: f64) -> f64 = if x > 0.0 then 1.0 else 2i64
def e(x: [n]bool) -> bool = sum(x)
def f(x: f64) -> f64 = x(1.0)
def g(x: f64) -> f64 = sqrt(x, x)
def h(x: f64) -> f64 = x[0]
def i(x: [n]f64) -> f64 = x[0, 0]
def j(x: [n]f64) -> f64 = x[0.5]
def k(x: f64) -> f64 = let (a, b) = x in a
def l(x: f64) -> (f64, f64) = (x, x, x)
def m(x: f64) -> { a: f64 } = { b = x }
def n(x: f64) -> f64 = if x > 0.0 then sin else cos
def o(x: f64) -> f64 = x and true
def p(x: (f64, f64)) -> f64 = x.2
