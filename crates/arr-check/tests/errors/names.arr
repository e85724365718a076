def f(lenght: f64, n: i64) -> f64 = length * 2.0
def g(x: [n]f64) -> f64 = maximun(x)
def h(p: { mean: f64, scale: f64 }) -> f64 = p.maen + p.scale
def k(x: f64, x: f64) -> f64 = x
def l(p: { a: f64, a: i64 }) -> f64 = 1.0
def m(x: f64) -> f64 = let (a, a) = (x, x) in a
def even(n: i64) -> bool = odd(n - 1)
def odd(n: i64) -> bool = even(n - 1)
def unused(x: f64) -> f64 = let f = \y => nothing in x
def types(x: Float, y: [n]f46) -> f64 = 1.0
def mean(x: [n]f64) -> f64 = sum(x) / f64(m)
def later(x: [n]f64, n: i64) -> f64 = x[n]
def foreign(x: [n]f64) -> f64 = vmap(exp, x) + np.sum(x) + solve(x) + len(x)
