-- The trace of a diagonal matrix that is built for it.
-- cost: x=[N] sizes 8 16 32 64 factor 4
def diagonal(x: [n]f64) -> [n][n]f64 = for i < n, j < n => if i == j then x[i] else 0.0
def trace(a: [n][n]f64) -> f64 = sum(for i < n => a[i, i])
def f(x: [n]f64) -> f64 = trace(diagonal(x * x))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
