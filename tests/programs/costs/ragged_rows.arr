-- The product of a sparse matrix, of which one row is full and every other has an entry or two.
-- cost: e=[N] x=[N] c=[N]i64 sizes 16 64 256 1024 4096 factor 4 growth 2
def f(e: [n]f64, x: [n]f64, c: [n]i64) -> f64 =
  sum(for i < n =>
    sum(for p < (if i == n / 2 then n else 1 + c[i] % 2) => e[(i + p) % n] * x[c[p]]) ** 2)
def gradient(e: [n]f64, x: [n]f64, c: [n]i64) -> (f64, ([n]f64, [n]f64)) =
  value_and_grad(\((e, x)) => f(e, x, c))((e, x))
