-- One element written in every step of a loop.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64) -> f64 = sum(loop a = zeros(n) for i < n do a with [i] = x[i] * x[i])
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
