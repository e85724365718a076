-- One point runs a long loop, all others a short one.
-- cost: x=[N] sizes 16 64 256 1024 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  sum(for i =>
    let (y, k) =
      loop (y, k) = (x[i], 0) while k < (if i == 0 then n else 1) do (0.5 * y + sin(x[i]), k + 1)
    in y)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
