-- The derivative of a derivative of loops of unequal length.
-- cost: x=[N] sizes 16 64 256 factor 6 growth 2
def g(x: [n]f64) -> f64 =
  sum(for i => loop y = x[i] for k < (if i == 0 then n else 1) do 0.5 * y + sin(y * x[i]))
def f(x: [n]f64) -> f64 = sum(grad(g)(x) * x)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
