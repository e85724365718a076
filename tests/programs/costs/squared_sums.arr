-- A value that does not depend on the index of the `for` around it.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 = let s = sum(x) in sum(for i < n => s * s)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
