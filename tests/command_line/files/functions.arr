def f(x: [n]f64, k: i64) -> f64 = x[k]

def g[t: float](x: t) -> t = x * x

def tau = 6.28
