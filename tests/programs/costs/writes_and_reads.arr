-- Every step reads what others wrote, and is not linear: the states are not kept whole.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  let y = loop a = x for i < n - 1 do a with [i + 1] = sin(a[i]) * a[i + 1] with [i] = a[i] * a[i]
  in sum(y)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
