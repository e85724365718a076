-- Scans: cumulative sums and products.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64) -> f64 = let s = cumsum(x) in sum(s * cumprod(0.5 + 0.5 / (1.0 + x)))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
