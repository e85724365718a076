-- One point runs a loop of many steps, all others one of a single step.
-- cost: x=[N] sizes 16 64 256 1024 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  sum(for i => loop y = x[i] for k < (if i == 0 then n else 1) do 0.5 * y + sin(x[i]))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
