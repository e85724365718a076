-- The alignment of two series by dynamic programming, with a soft minimum in the place of the least cost. Cuturi and Blondel,
-- Soft-DTW: a differentiable loss function for time-series (2017), algorithm 1.

--| The least of three numbers, smoothed.
def soft_min(a: f64, b: f64, c: f64) -> f64 =
  let gamma = 0.1
  let least = min(a, min(b, c))
  let total = exp((least - a) / gamma) + exp((least - b) / gamma) + exp((least - c) / gamma)
  in least - gamma * log(total)

--| Element `[i, j]` of the table is the cost of aligning the first `i` vectors of `x` with the first `j` of `y`.
def value(x: [n][d]f64, y: [m][d]f64) -> f64 =
  let start = for i < n + 1, j < m + 1 => if i == 0 and j == 0 then 0.0 else 1e10
  let table = loop table = start for i < n do
    loop table = table for j < m do
      let cost = sum((x[i] - y[j]) ** 2)
      let before = soft_min(table[i, j], table[i, j + 1], table[i + 1, j])
      in table with [i + 1, j + 1] = cost + before
  in table[n, m]

def gradient(x: [n][d]f64, y: [m][d]f64) -> ([n][d]f64, [m][d]f64) =
  grad(\((x, y)) => value(x, y))((x, y))
