-- Both branches update the state in place, each at its own places.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 5 growth 2
def f(x: [n]f64) -> f64 =
  let a = loop a = x for i < n - 1 do
    if x[i] > 0.7 then a with [i + 1] = a[i] * a[i + 1]
    else a with [i] = 2.0 * a[i] with [n - 1] = x[i]
  in sum(a)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
