-- A matrix written out by hand, read at `i * m + j`.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 5 growth 2
def f(x: [n]f64) -> f64 = let m = n / 8 in sum(for i < m => sum(for j < 8 => x[i * 8 + j]) ** 2)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
