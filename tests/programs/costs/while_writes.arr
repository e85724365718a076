-- A `while` that writes one element in each step.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  let (a, k) = loop (a, k) = (x, 0) while k < n - 1 do (a with [k + 1] = a[k] * x[k + 1], k + 1)
  in sum(a)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
