-- A `while` over an array whose length of run depends on the values.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 7 growth 2
def f(x: [n]f64) -> f64 =
  let (y, k) = loop (y, k) = (x, 0) while k < 5 do (for e in y => e * e - 0.5 * e, k + 1) in sum(y)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
