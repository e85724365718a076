-- Marching along a line until something is near, the nearest of a few things in each step; one point marches far.
-- cost: x=[N] sizes 16 64 256 factor 6 growth 2
def gap(at: [4]f64, t: f64) -> f64 = minimum(for a in at => sqrt((a - t) ** 2 + 1.0)) - 0.999
def f(x: [n]f64) -> f64 =
  let at = [40.0, 41.0, 42.0 + x[0], 43.0]
  in sum(for i =>
    let start = if i == 0 then 0.0 else 39.0
    let (t, k) =
      loop (t, k) = (start + 0.001 * x[i], 0)
          while k < (if i == 0 then n else 2) and gap(at, t) > 1e-3 do
        (t + gap(at, t) / f64(n), k + 1)
    in t)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
