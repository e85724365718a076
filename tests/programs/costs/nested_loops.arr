-- Loops three deep; each level runs the one inside once more on the way back.
-- cost: x=[N] sizes 4 8 16 factor 6 growth 8
def f(x: [n]f64) -> f64 =
  loop s = 0.5 for i < n do
    loop t = s for j < n do loop u = t for k < n do 0.9 * sin(u) + x[k] * 0.01
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
