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

--| The old rows are kept for the derivative, and one of them is read between `row` and the place where it is used.
def replaced(a: [n][n]f64, k: [m]i64) -> f64 =
  let (b, s) = loop (b, s) = (a, 0.0) for t < m do
    let c = b @ a
    let row = for j => sin(c[k[t], j])
    let b = b with [k[t]] = row
    in (b, s + c[k[t], n - 1 - k[t]])
  in s + sum(flatten(b * b))
def row_first(a: [n][n]f64, k: [m]i64) = grad(\a => replaced(a, k))(a)

--| A position that no `i64` is.
def remotest(x: [n][2][2*k]f64, w: [m]f64) =
  for a < m, i < 1, j < 1 => x[0, i + 4611686018427387904, 0]

--| Of two wrong indices at one point the first in the program is reported.
def two_tables(x: [n]f64, y: [n]f64, k: [m]i64, l: [m]i64) -> [m]f64 =
  let first = for i => x[k[i]]
  in for i => y[l[i]] * first[i]
