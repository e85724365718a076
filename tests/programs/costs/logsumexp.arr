-- A maximum, which passes its cotangent to one element.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64) -> f64 = let m = maximum(x) in m + log(sum(exp(x - m)))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
