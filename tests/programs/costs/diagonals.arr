-- Three diagonals of a matrix, and its first column.
-- cost: a=[N][N] sizes 8 16 32 64 factor 5
def f(a: [n][n]f64) -> f64 =
  sum(for i < n => a[i, i] * a[i, 0]) + sum(for i < n - 1 => a[i, i + 1] * a[i + 1, i])
def gradient(a: [n][n]f64) -> (f64, [n][n]f64) = value_and_grad(f)(a)
