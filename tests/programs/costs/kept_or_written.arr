-- A state that an iteration updates in place or keeps, by the elements.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  let a = loop a = x for i < n - 1 do if x[i] > 0.7 then a with [i + 1] = a[i] * a[i + 1] else a
  in sum(a)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
