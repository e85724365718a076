-- A linear recurrence and its reverse, which is one too: a number is kept for each step, no array.
-- cost: a=[N] b=[N] sizes 16 64 256 1024 factor 5 growth 2
def f(a: [n]f64, b: [n]f64) -> f64 =
  let (_, out) =
    loop (s, out) = (0.0, zeros(n)) for i < n do let t = a[i] * s + b[i] in (t, out with [i] = t)
  in sum(out * out)
def gradient(a: [n]f64, b: [n]f64) -> (f64, ([n]f64, [n]f64)) =
  value_and_grad(\((a, b)) => f(a, b))((a, b))
