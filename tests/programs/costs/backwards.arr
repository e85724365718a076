-- Read from the end, the last index computed before.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 = let last = n - 1 in sum(for i < n => x[last - i] * x[i])
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
