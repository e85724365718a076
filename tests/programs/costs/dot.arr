-- An inner product.
-- cost: x=[N] y=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64, y: [n]f64) -> f64 = sum(x * y)
def gradient(x: [n]f64, y: [n]f64) -> (f64, ([n]f64, [n]f64)) =
  value_and_grad(\((x, y)) => f(x, y))((x, y))
