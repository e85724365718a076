-- Sorted, and weighted by place.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 = let y = sort(x) in sum(for i < n => y[i] * y[i] * f64(i))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
