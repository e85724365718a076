-- The trace of a matrix: few reads of a large argument.
-- cost: a=[N][N] sizes 8 16 32 64 factor 4
def f(a: [n][n]f64) -> f64 = sum(for i < n => a[i, i] * a[i, i])
def gradient(a: [n][n]f64) -> (f64, [n][n]f64) = value_and_grad(f)(a)
