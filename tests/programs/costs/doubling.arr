-- Sixty doublings in a loop: twice as many steps, twice the cost.
-- cost: x=[N] sizes 16 64 256 1024 factor 4
def f(x: [n]f64) -> f64 = loop y = x[0] for i < n do 0.5 * (y + y)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
