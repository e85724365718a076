-- Every second element, of a vector twice as long.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 6 growth 2
def f(x: [n]f64) -> f64 = sum(for i < n / 2 => x[2 * i] * x[2 * i + 1])
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
