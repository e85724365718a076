-- The same windows, as slices.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64) -> f64 = sum(for i < n - 7 => let s = sum(x[i:i+8]) in s * s)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
