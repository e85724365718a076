-- One element read in every step of a loop: its cotangent is one element, not an array.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64) -> f64 = loop s = 0.0 for i < n do s + x[i] * x[n - 1 - i]
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
