-- A tuple of eight carried through a loop that rotates it: a projection costs nothing.
-- cost: x=[N] sizes 16 64 256 1024 factor 4 growth 2
def f(x: [n]f64) -> f64 =
  let t = loop (a, b, c, d, e, f, g, h) = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0) for i < n do
    (b, c, d, e, f, g, h, 0.5 * a * x[i])
  in t.0 + t.3 + t.7
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
