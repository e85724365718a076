-- A convolution with five weights.
-- cost: x=[N] sizes 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  sum(for i < n - 4 => sum(for j < 5 => x[i + j] * x[j]))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
