-- A reduction by a function that is not linear.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 6 growth 2
def f(x: [n]f64) -> f64 = reduce(\(a, b) => a + b - a * b, 0.0, 0.1 * x)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
