-- The body of a `map` reads a captured array at its own place.
-- cost: x=[N] is=[N]i64 sizes 16 64 256 1024 4096 factor 5 growth 2
def f(x: [n]f64, is: [n]i64) -> f64 = sum(map(\i => x[i] * x[i] * x[0], is))
def gradient(x: [n]f64, is: [n]i64) -> (f64, [n]f64) = value_and_grad(f)(x, is)
