-- Two columns of a matrix of fifty, in a `for` of a `for`.
-- cost: x=[N] sizes 16 64 256 1024 4096 factor 5 growth 2
def f(x: [n]f64) -> f64 =
  let a = for i < n, j < 50 => if j == 0 then x[i] else 1.0
  in sum(sum(for i < n => for j < 2 => a[i, j] * a[i, j]))
def gradient(x: [n]f64) -> (f64, [n]f64) = value_and_grad(f)(x)
