-- One row of three written in every step of a loop, from the row before.
-- cost: x=[N] sizes 16 64 256 1024 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  let a = loop a = zeros(n, 3) for i < n - 1 do a with [i + 1] = x[i] * a[i] + 1.0
  in sum(sum(a))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
