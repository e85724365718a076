-- Loops of unequal length whose state is an array.
-- cost: x=[N] sizes 16 64 256 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  sum(for i => sum(
    loop a = [x[i], 1.0] for k < (if i == 0 then n else 1) do [0.5 * a[0] + sin(a[1]), a[0] * a[1]]
  ))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
