-- The heat equation on a plate whose conductivity differs from place to place, and what the end owes to both.

--| One explicit step; the edge keeps its temperature.
def step(u: [n][m]f64, rate: [n][m]f64) -> [n][m]f64 =
  for i, j =>
    if i == 0 or j == 0 or i == n - 1 or j == m - 1 then u[i, j]
    else
      u[i, j] + rate[i, j] * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])

def value(u: [n][m]f64, rate: [n][m]f64, steps: i64) -> f64 =
  let last = loop u = u for t < steps do step(u, rate)
  in sum(flatten(last * last))

def gradient(u: [n][m]f64, rate: [n][m]f64, steps: i64) -> ([n][m]f64, [n][m]f64) =
  grad(\((u, rate)) => value(u, rate, steps))((u, rate))
