-- Declared derivatives that do not fit their functions.
def f(x: f64, v: [n]f64) -> [n]f64 = for i < n => x * v[i]
derivative f(x, v, y, dy) = (dy @ v, 1.0)
derivative f(x, v, y, dy) = (dy @ v, x * dy)

def g(x: f64) -> f64 = x * x
derivative g(x, dy) = 2.0 * x * dy

def h(x: { a: f64, n: i64 }) -> f64 = x.a
derivative h(x, y, dy) = dy

def k(x: [n]f64, m: [p]f64) -> [n]f64 = x
derivative k(x: [p]f64, m, y, dy: f64) = (dy, zeros(p))

def c = 1.0
derivative c(y, dy) = dy
derivative sin(x, y, dy) = dy * cos(x)
derivative gg(x, y, dy) = dy

def apply(f: f64 -> f64, x: f64) -> f64 = f(x)
derivative apply(f, x, y, dy) = ((), dy)

def count(n: i64) -> f64 = f64(n)
derivative count(n, y, dy) = ()
def places(x: f64) -> i64 = i64(x)
derivative places(x, y, dy) = 0.0

def t[t: float](x: t) -> t = 2.0 * x
derivative t(x, y, dy) = f64(dy)
def unknown(x: f64) -> f64 = x
derivative unknown(x, y, dy) = dz
def three(a: f64, b: i64, c: f64) -> f64 = a * c
derivative three(a, b, c, y, dy) = (dy * c, dy * a)
def four(a: f64, b: i64) -> f64 = a
derivative four(a, b, y, dy) = (dy, 0)
