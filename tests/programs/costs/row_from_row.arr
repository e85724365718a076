-- Every step makes a row from the row before, in place.
-- cost: a=[N][N] sizes 8 16 32 64 factor 5 growth 4
def f(a: [n][n]f64) -> f64 =
  let b = loop b = a for i < n - 1 do b with [i + 1] = 0.5 * b[i] + a[i + 1] * a[i + 1]
  in sum(sum(b))
def gradient(a: [n][n]f64) -> (f64, [n][n]f64) = value_and_grad(f)(a)
