-- A loop of unknown length: counted once, run once with its states kept, and swept.
-- cost: x=[N] sizes 16 64 256 1024 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  let (s, k) = loop (s, k) = (1.0, 0) while k < n do (0.5 * s + sin(x[k] * s), k + 1) in s
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
