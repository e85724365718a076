-- Loops that change rows or columns of a matrix in place, by elements of the same column: they become kernels. Rows that are one
-- and the same, rows that do not exist, matrices without rows or columns.

def add_row(a: [n][m]f64, i: i64, k: i64, c: f64) -> [n][m]f64 =
  loop a = a for j < m do a with [i, j] = a[i, j] - c * a[k, j]
def exchange(a: [n][m]f64, i: i64, k: i64) -> [n][m]f64 =
  loop a = a for j < m do
    let (x, y) = (a[i, j], a[k, j])
    in a with [i, j] = y with [k, j] = x
def rotate_rows(a: [n][m]f64, i: i64, k: i64, angle: f64) -> [n][m]f64 =
  let (c, s) = (cos(angle), sin(angle))
  in loop a = a for j < m do
    let (x, y) = (a[i, j], a[k, j])
    in a with [i, j] = c * x - s * y with [k, j] = s * x + c * y
def rotate_columns(a: [n][m]f64, i: i64, k: i64, angle: f64) -> [n][m]f64 =
  let (c, s) = (cos(angle), sin(angle))
  in loop a = a for j < n do
    let (x, y) = (a[j, i], a[j, k])
    in a with [j, i] = c * x - s * y with [j, k] = s * x + c * y
def whole_rows(a: [n][m]f64, i: i64, k: i64) -> [n][m]f64 =
  let (x, y) = (a[i], a[k])
  in a with [i] = 0.5 * (x - y) with [k] = 0.5 * (x + y)
def eliminated(a: [n][n]f64) -> [n][n]f64 =
  loop a = a for k < n do
    loop a = a for below < n - k - 1 do
      let i = k + 1 + below
      let f = a[i, k] / a[k, k]
      in loop a = a for right < n - k do
        a with [i, k + right] = a[i, k + right] - f * a[k, k + right]
def guarded(a: [n][m]f64, i: i64, k: i64) -> [n][m]f64 =
  loop a = a for j < m do
    if a[k, j] > 0.0 then a with [i, j] = a[i, j] * a[k, j] else a
def summed(a: [n][m]f64, i: i64) -> ([n][m]f64, f64) =
  loop (a, s) = (a, 0.0) for j < m do (a with [i, j] = s, s + a[i, j])
def written(a: [n][m]f64, k: i64) -> [n][m]f64 =
  loop a = a for i < n do loop a = a for j < m do a with [0, j - k] = 0.5
def both(a: [n][m]f64, i: i64, k: i64) -> ([n][m]f64, [n][m]f64) = (add_row(a, i, k, 0.5), a)
def turned(a: [n][m]f64, angle: f64) -> f64 =
  let r = loop a = a for i < n - 1 do rotate_rows(a, i, i + 1, angle)
  in sum(flatten(r * r * r))
def swept(a: [n][n]f64) -> f64 = let e = eliminated(a) in sum(for i < n => e[i, i] ** 2)

-- > add_row([[1.0, 2.0], [3.0, 4.0]], 0, 1, 2.0)
-- [[-5.0, -6.0], [3.0, 4.0]]
-- > add_row([[1.0, 2.0], [3.0, 4.0]], 1, 1, 2.0)
-- [[1.0, 2.0], [-3.0, -4.0]]
-- > exchange([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 0, 1)
-- [[4.0, 5.0, 6.0], [1.0, 2.0, 3.0]]
-- > exchange([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 1, 1)
-- [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
-- > whole_rows([[1.0, 2.0], [3.0, 4.0]], 0, 1)
-- [[-1.0, -1.0], [2.0, 3.0]]
-- > whole_rows([[1.0, 2.0], [3.0, 4.0]], 1, 1)
-- [[1.0, 2.0], [3.0, 4.0]]
-- > eliminated([[2.0, 1.0], [4.0, 5.0]])
-- [[2.0, 1.0], [0.0, 3.0]]
-- > guarded([[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]], 0, 1)
-- [[4.0, 2.0, 18.0], [4.0, -5.0, 6.0]]
-- > summed([[1.0, 2.0, 3.0]], 0)
-- ([[0.0, 1.0, 3.0]], 6.0)
-- > both([[1.0, 2.0], [3.0, 4.0]], 0, 1)
-- ([[-0.5, 0.0], [3.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]])
-- > rotate_rows(for i < 3, j < 0 => 0.0, 7, 9, 1.0)
-- [[], [], []]
-- > rotate_columns(for i < 0, j < 3 => 0.0, 7, 9, 1.0)
-- []
-- > rotate_rows([[1.0, 2.0]], 0, 1, 1.0)
-- error: E0601
-- > rotate_columns([[1.0, 2.0]], 0, -1, 1.0)
-- error: E0601
-- > add_row([[1.0, 2.0]], 5, 0, 1.0)
-- error: E0601
-- > written([[1.0, 2.0]], 0)
-- [[0.5, 0.5]]
-- > written([[1.0, 2.0]], 1)
-- error: E0601
-- > written([[1.0, 2.0]], 5_000_000_000)
-- error: E0601
-- check-grad: \((a, angle)) => turned(a, angle) at ([[1.0, 2.0, 3.0, 4.0, 5.0], [0.5, -1.0, 2.0, 0.25, 1.5], [3.0, 1.0, -2.0, 0.5, 0.75]], 0.3)
-- check-grad: swept at [[2.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 1.5]]
-- check-grad: \a => sum(flatten(exchange(a, 0, 1) * a)) at [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
-- check-grad: \a => sum(flatten(whole_rows(a, 0, 1) ** 2)) at [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
-- check-grad: \a => sum(flatten(guarded(a, 0, 1) ** 2)) at [[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]]
