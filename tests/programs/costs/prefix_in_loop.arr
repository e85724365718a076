-- Every step reads what the step before wrote.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64) -> f64 =
  let y = loop a = x for i < n - 1 do a with [i + 1] = 0.5 * a[i] + x[i + 1] * x[i + 1]
  in sum(y)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
