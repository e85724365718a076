-- Guards that are about the place: edges of stencils, sums that are cut off at an end of an array, windows.
def heat(u: [n][m]f64, rate: [n][m]f64) -> [n][m]f64 =
  for i, j =>
    if i == 0 or j == 0 or i == n - 1 or j == m - 1 then u[i, j]
    else u[i, j] + rate[i, j] * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] - 3.0 * u[i, j])
def heated(u: [n][m]f64, rate: [n][m]f64) -> [n][m]f64 = loop v = u for t < 3 do heat(v, rate)
def shifted(x: [n]f64) -> [n]f64 = for i => if i == 0 then x[0] else x[i] * x[i - 1]
def shifts(x: [n]f64) -> [n]f64 = loop y = x for t < 3 do shifted(y)
def between(x: [n]f64, k: i64) -> [n]f64 =
  for i => if i >= k and i + 2 < n then x[i] * x[i + 2] else sin(x[i])
def same(x: [c][n]f64, w: [o][c][3]f64) -> [o][n]f64 =
  for q < o, i < n =>
    sum(for ch < c => sum(for a < 3 =>
      if i + a >= 1 and i + a <= n then x[ch, i + a - 1] * w[q, ch, a] else 0.0))
def full(x: [c][n][m]f64, w: [o][c][2][2]f64) -> [o][n+1][m+1]f64 =
  for q < o, i < n + 1, j < m + 1 =>
    sum(for ch < c => sum(for a < 2 => sum(for b < 2 =>
      if i >= a and i - a < n and j >= b and j - b < m then x[ch, i - a, j - b] * w[q, ch, a, b]
      else 0.0)))
def valid(x: [c][n][m]f64, w: [o][c][2][2]f64) -> [o][n-1][m-1]f64 =
  for q < o, i < n - 1, j < m - 1 =>
    max(
      sum(for ch < c => sum(for a < 2 => sum(for b < 2 => x[ch, i + a, j + b] * w[q, ch, a, b]))),
      0.0
    )
def largest(x: [n][m]f64) =
  for i < n / 2, j < m / 2 => maximum(for k < 4 => x[i * 2 + k / 2, j * 2 + k % 2])
def place(x: [n][m]f64) -> [n]i64 = for i => argmax(for k < 3 => x[i, k % 2])

def grid =
  [[1.0, 2.0, -1.0, 0.5], [0.3, 0.7, 1.1, -0.4], [2.0, -0.6, 0.9, 0.2], [0.1, 1.3, 0.8, 3.0]]
def taps = [[[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]], [[0.0, 1.0, 0.0], [2.0, -1.0, 0.25]]]
def squares = [[[[1.0, 2.0], [3.0, -1.0]]], [[[0.5, 0.0], [0.25, 2.0]]]]
def inf = 1.0 / 0.0

-- > shifted([2.0, 3.0, 5.0])
-- [2.0, 6.0, 15.0]
-- > between([1.0, 2.0, 3.0, 4.0, 5.0], 1)[1:3]
-- [8.0, 15.0]
-- > same([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], taps)
-- [[15.0, 22.0, 10.5], [-1.75, 6.5, 7.0]]
-- > full([[[1.0, 2.0]]], squares)
-- [[[1.0, 4.0, 4.0], [3.0, 5.0, -2.0]], [[0.5, 1.0, 0.0], [0.25, 2.5, 4.0]]]
-- > same([[1.0, 2.0]], [[[inf, 1.0, 1.0]]])
-- [[3.0, inf]]
-- > full([[[inf]]], [[[[0.0, 1.0], [1.0, 1.0]]]])[0, 1]
-- [inf, inf]
-- > largest(grid)
-- [[2.0, 1.1], [2.0, 3.0]]
-- > place([[1.0, 2.0], [3.0, 3.0], [0.0 / 0.0, 1.0]])
-- [1, 0, 0]
-- check-grad: \((u, r)) => heated(u, r) at (grid, grid)
-- check-grad: \u => heat(u, u) at [[1.0, 2.0]]
-- check-grad: shifts at [0.5, 2.0, 3.0, -1.0]
-- check-grad: \x => between(x, 1) at [0.5, 2.0, 3.0, -1.0, 0.7]
-- check-grad: \((x, w)) => same(x, w) at ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], taps)
-- check-grad: \((x, w)) => full(x, w) at ([grid], squares)
-- check-grad: \((x, w)) => valid(x, w) at ([grid], squares)
-- check-grad: largest at grid

-- A guard that reads an array, under another guard: where the first does not hold the second is not computed, whether it decides
-- how long a sum is, which array an element is, or how often a loop goes round.
type Entry[c] = One(f64) | Row([c]f64)
def two_before(q: [m]Entry[c]) -> f64 =
  sum(for p < m =>
    if p >= 2 then
      match q[p - 2] { One(a) => sum(for k < p + 1 => a * f64(k)), Row(r) => sum(r) }
    else 0.5)
def lengths(x: [n]f64, at: [n]i64) -> [n]f64 =
  for i =>
    if i >= 2 then
      if x[at[i] - 2] > 0.0 then sum(for k < i + 1 => x[k]) else product(for k < i => x[k])
    else 0.5
def rows_by_sign(x: [n]f64, y: [n][c]f64, at: [n]i64) -> [n][c]f64 =
  for i =>
    if i >= 2 then
      if x[at[i] - 2] > 0.0 then (loop r = y[i] for t < i do for k => r[k] * 0.5 + sum(r))
      else y[at[i] - 2]
    else (for k < c => 0.5)

-- > two_before([Row([1.0])])
-- 0.5
-- > two_before([Row([1.0, 2.0]), One(3.0), One(1.0), Row([1.0, 1.0])])
-- 22.0
-- > lengths([1.0, 2.0, -3.0], [0, 1, 2])
-- [0.5, 0.5, 0.0]
-- > lengths([1.0, 2.0, -3.0], [0, 1, 1])
-- error: E0601
-- > grad(\x => sum(lengths(x, [0, 1, 2])))([1.0, 2.0, -3.0])
-- [1.0, 1.0, 1.0]
-- > rows_by_sign([1.0, 2.0, -3.0], [[1.0], [2.0], [3.0]], [0, 1, 2])
-- [[0.5], [0.5], [6.75]]
-- > rows_by_sign([1.0, 2.0, -3.0], [[1.0], [2.0], [3.0]], [0, 1, 5])
-- error: E0601
-- > grad(\y => sum(flatten(rows_by_sign([1.0, 2.0, -3.0], y, [0, 1, 2]))))([[1.0], [2.0], [3.0]])
-- [[0.0], [0.0], [2.25]]
