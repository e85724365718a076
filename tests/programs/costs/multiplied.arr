-- A product of terms: zeros among them must not divide.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 6 growth 2
def f(x: [n]f64) -> f64 = product(for e in x => 1.0 + 0.001 * e)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
