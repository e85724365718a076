-- Two columns of a wide matrix.
-- cost: a=[N][N] sizes 8 16 32 64 factor 5
def f(a: [n][m]f64) -> f64 = sum(sum(for i < n => for j < 2 => a[i, j] * a[i, j]))
def gradient(a: [n][m]f64) -> (f64, [n][m]f64) = value_and_grad(f)(a)
