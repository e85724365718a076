-- Reductions of several kinds over rows of which one is long, with a row that is used several times.
-- cost: x=[N] c=[N]i64 sizes 16 64 256 1024 4096 factor 5 growth 2
def f(x: [n]f64, c: [n]i64) -> f64 =
  sum(for i < n =>
    let row = for p < (if i == n / 2 then n else 1 + c[i] % 2) => x[p] * x[i]
    let top = maximum(row)
    let e = exp(row - top)
    in sum(e * row) / sum(e) + row[argmin(row)] + product(for r in row => 0.5 + 0.1 * r))
def gradient(x: [n]f64, c: [n]i64) -> (f64, [n]f64) = value_and_grad(\x => f(x, c))(x)
