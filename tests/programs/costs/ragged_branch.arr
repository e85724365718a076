-- A long row under a condition that holds at one point.
-- cost: x=[N] c=[N]i64 sizes 16 64 256 1024 4096 factor 3 growth 2
def f(x: [n]f64, c: [n]i64) -> f64 =
  sum(for i < n => if i == n / 2 then sum(for p < n - c[i] / 2 => x[p] * x[i]) else x[i] ** 2)
def gradient(x: [n]f64, c: [n]i64) -> (f64, [n]f64) = value_and_grad(\x => f(x, c))(x)
