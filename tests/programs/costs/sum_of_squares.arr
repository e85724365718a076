-- A sum of squares by whole arrays.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64) -> f64 = sum(x * x)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
