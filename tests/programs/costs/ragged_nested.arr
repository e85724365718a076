-- Rows of rows: one point has many rows, one of its rows many entries.
-- cost: x=[N] c=[N]i64 sizes 16 64 256 1024 4096 factor 6 growth 2
def f(x: [n]f64, c: [n]i64) -> f64 =
  sum(for i < n =>
    sin(sum(for p < (if c[i] == 3 and i < 2 then n else 1) =>
      x[p] * sum(for q < (if p == n / 2 then n else 1) => x[q] * x[i]))))
def gradient(x: [n]f64, c: [n]i64) -> (f64, [n]f64) = value_and_grad(\x => f(x, c))(x)
