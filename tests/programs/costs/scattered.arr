-- Additions at given places.
-- cost: x=[N] is=[N]i64 sizes 16 64 256 1024 factor 4
def f(x: [n]f64, is: [n]i64) -> f64 = let h = scatter_add(zeros(n), is, x * x) in sum(h * h)
def gradient(x: [n]f64, is: [n]i64) -> (f64, [n]f64) = value_and_grad(f)(x, is)
