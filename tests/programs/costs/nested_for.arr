-- All pairs, in a `for` of a `for` that shares a row's value.
-- cost: x=[N] sizes 16 32 64 128 factor 4
def f(x: [n]f64) -> f64 =
  sum(for i => let s = sin(x[i]) in sum(for j => s * x[j] * x[i]))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
