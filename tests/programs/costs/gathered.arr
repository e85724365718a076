-- Reads at given places.
-- cost: x=[N] is=[N]i64 sizes 16 64 256 1024 factor 4
def f(x: [n]f64, is: [m]i64) -> f64 = sum(for k => x[is[k]] * x[is[k]])
def gradient(x: [n]f64, is: [m]i64) -> (f64, [n]f64) = value_and_grad(f)(x, is)
