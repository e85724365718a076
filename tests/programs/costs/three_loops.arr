-- Three loops change a matrix: each step goes over it in place, from row to row.
-- cost: u=[N][N] sizes 8 16 32 64 factor 4 growth 4
def f(u: [n][m]f64) -> f64 =
  let v = loop u = u for t < 5 do
    loop u = u for i < n - 1 do
      loop u = u for j < m - 1 do
        u with [i + 1, j + 1] = 0.5 * u[i, j + 1] * u[i + 1, j] + 0.25 * u[i + 1, j + 1]
  in sum(flatten(v) ** 2)
def gradient(u: [n][m]f64) -> (f64, [n][m]f64) = value_and_grad(f)(u)
