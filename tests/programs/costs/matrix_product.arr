-- A matrix product, by indices.
-- cost: a=[N][N] b=[N][N] sizes 8 16 32 64 factor 4
def f(a: [k][m]f64, b: [m][n]f64) -> f64 =
  sum(sum(for i < k, j < n => sum(for p => a[i, p] * b[p, j])))
def gradient(a: [k][m]f64, b: [m][n]f64) -> (f64, ([k][m]f64, [m][n]f64)) =
  value_and_grad(\((a, b)) => f(a, b))((a, b))
