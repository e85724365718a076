-- Forward mode of reductions of which one is long.
-- cost: x=[N] c=[N]i64 sizes 16 64 256 1024 4096 factor 4 growth 2
def f(x: [n]f64, c: [n]i64) -> f64 =
  sum(for i < n => sum(for p < (if i == n / 2 then n else 1 + c[i] % 2) => sin(x[p] * x[i])) ** 2)
def gradient(x: [n]f64, c: [n]i64) -> (f64, f64) = jvp(\x => f(x, c), x, for v in x => 0.5 * v)
