-- A checkpoint costs one more run.
-- cost: x=[N] sizes 16 64 256 1024 factor 5 growth 2
def f(x: [n]f64) -> f64 = sum(checkpoint(\y => sin(exp(sin(y)) * y))(x))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
