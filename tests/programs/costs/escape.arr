-- Points that leave a circle after different numbers of steps; the first one never does.
-- cost: x=[N] sizes 16 64 256 1024 factor 6 growth 2
def f(x: [n]f64) -> f64 =
  sum(for i =>
    let c = if i == 0 then 0.01 * x[i] else 2.0 * x[i]
    let (a, b, k) =
      loop (a, b, k) = (0.0, 0.0, 0) while k < n and a * a + b * b < 4.0 do
        (a * a - b * b + c, 2.0 * a * b + 0.3 * c, k + 1)
    in a + b)
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
