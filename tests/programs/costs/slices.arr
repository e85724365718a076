-- Differences of neighbours, by slices.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n+1]f64) -> f64 = let d = x[1:] - x[:n] in sum(d * d)
def gradient(x: [n+1]f64) -> (f64, [n+1]f64) = value_and_grad(f)(x)
