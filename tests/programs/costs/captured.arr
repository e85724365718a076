-- A function given to `map` that captures an array.
-- cost: x=[N] w=[N] sizes 16 32 64 128 factor 4
def f(x: [n]f64, w: [m]f64) -> f64 = sum(map(\e => sum(e * w * w), x))
def gradient(x: [n]f64, w: [m]f64) -> (f64, ([n]f64, [m]f64)) =
  value_and_grad(\((x, w)) => f(x, w))((x, w))
