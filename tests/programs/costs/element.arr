-- One element of an array that is computed for it.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64) -> f64 = let y = x * x in y[0] * y[n - 1]
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
