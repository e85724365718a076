-- A long loop in a branch that one point takes.
-- cost: x=[N] sizes 16 64 256 1024 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  sum(for i => if i == 0 then (loop y = x[i] for k < n do 0.5 * y + sin(x[i])) else x[i])
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
