-- Errors of derivatives, whose places are those of the value's.
type Table[n] = { xs: [n]f64, ys: [n]f64 }
def solve(u: [n][n]f64, b: [n]f64) -> [n]f64 =
  loop x = zeros(n) for k < n do
    let i = n - 1 - k
    in x with [i] = (b[i] - sum(for j < k => u[i, i + 1 + j] * x[i + 1 + j])) / u[i64(n), i]
def two_loops(u: [n][n]f64, b: [n]f64) = hessian(\u => sum(solve(u, b)))(u)
def value_at(t: Table[n]) -> f64 = t.ys[i64(n)] + t.xs[0]
def two_reads(t: Table[n]) = hessian(value_at)(t)
def view(x: [n]f64, k: i64) =
  let y = for i < n => x[k] * f64(i)
  let z = for i < n => x[i64(n)]
  in sum(y) + z[0]
def through_views(x: [n]f64, k: i64) = jacfwd(grad(\x => view(x, k)))(x)
-- The kernel that makes the value is computed again in the sums over its rows, before it in the code.
def standardise(xs: [n][d]f64) -> [n][d]f64 =
  let centre = mean(xs)
  let spread = for j < d => sqrt(mean(for i < n => (xs[i, j] - centre[j]) ** 2))
  in for i, j => (xs[i, n] - centre[j]) / spread[j]
def recomputed(xs: [n][d]f64) =
  let (value, back) = vjp(standardise, xs)
  in (value, back(for i < n, j < d => 0.3 + 0.1 * f64(i + 3 * j)))
-- A view of a row, and an element of it: the index that is outside is told in the place of its own.
def beside(r: [c][c]f64, o: [n]i64) =
  let (value, back) = vjp(\r => for i < n, j < c => r[j][j + 1] * r[j][j], r)
  in (value, back(for i < n, j < c => 0.3 + 0.1 * f64(i + 3 * j)))
def row_outside(r: [c][c]f64, k: i64) =
  let (value, back) = vjp(\r => for i < 2, j < c => r[k][j] ** (0.5 + 0.1 * f64(j)), r)
  in (value, back(for i < 2, j < c => 0.3 + 0.1 * f64(i + 3 * j)))
