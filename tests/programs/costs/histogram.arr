-- A histogram of weights.
-- cost: x=[N] is=[N]i64 sizes 16 64 256 1024 4096 factor 5 growth 2
def f(x: [n]f64, is: [n]i64) -> f64 =
  let h = histogram((+), 0.0, n, is, x) in sum(h * h)
def gradient(x: [n]f64, is: [n]i64) -> (f64, [n]f64) = value_and_grad(f)(x, is)
