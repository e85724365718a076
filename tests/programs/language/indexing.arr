-- Indexing, slices, updates: every combination of axes.
def a = for i < 2, j < 3, k < 4 => 100 * i + 10 * j + k

-- > a[1, 2, 3]
-- 123
-- > a[1, 2]
-- [120, 121, 122, 123]
-- > a[1, :, 3]
-- [103, 113, 123]
-- > a[:, 2, 3]
-- [23, 123]
-- > a[:, 1, 1:3]
-- [[11, 12], [111, 112]]
-- > a[0, 1:, :2]
-- [[10, 11], [20, 21]]
-- > a[1:, 0, 0]
-- [100]
-- > shape(a[:, :, 0])
-- [2, 3]
-- > shape(a[0:0])
-- [0, 3, 4]
-- > (a with [1, 2, 3] = -1)[1, 2]
-- [120, 121, 122, -1]
-- > (a with [0, 1] = [7, 7, 7, 7])[0, :2]
-- [[0, 1, 2, 3], [7, 7, 7, 7]]
-- > a[a[0, 0, 1], 0, 0]
-- 100
-- > let i = 1 in a[i, i, i]
-- 111
-- > (for i < 2 => a[i, i + 1, i + 2])
-- [12, 123]
-- > for i, j => a[i, j, 0]
-- [[0, 10, 20], [100, 110, 120]]
-- > a[2]
-- error: E0601
-- > a[0, 3]
-- error: E0601
-- > a[0, 0, 4]
-- error: E0601
-- > a[0, :, 4]
-- error: E0601
-- > a[0, 2:1]
-- error: E0601
-- > a[0, 1:4]
-- error: E0601
-- > a with [0, 0, -1] = 1
-- error: E0601

-- Arrays of several axes written out by hand: the number of a point, taken apart going backwards.
def rows_by_hand(x: [n*m]f64, w: [n][m]f64) -> f64 =
  sum(flatten(for i < n, j < m => x[i * m + j] ** 2 * w[i, j]))
def cells_by_hand(x: [k]f64) -> f64 =
  let n = k / 6
  in sum(flatten(for i < n, j < 3, l < 2 => x[1 + 6 * i + l + 2 * j] ** 3 * f64(i + j)))
def pooled(x: [k]f64) -> f64 =
  let n = k / 4 in sum((for i < n => sum(for j < 4 => x[(n - 1 - i) * 4 + j])) ** 2)
def overlapping(x: [k]f64) -> f64 =
  let n = k / 2 - 1 in sum((for i < n => sum(for j < 3 => x[2 * i + j])) ** 2)
def tall(x: [n*3]f64, w: [n]f64) -> f64 =
  sum(for j < 3 => sum(for i < n => x[3 * i + j] ** 2 * w[i]))

-- check-grad: \x => rows_by_hand(x, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) at [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
-- check-grad: cells_by_hand at [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0]
-- check-grad: pooled at [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
-- check-grad: overlapping at [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
-- check-grad: \x => tall(x, [1.0, 2.0]) at [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
-- > grad(\x => rows_by_hand(x, zeros(0, 0)))(zeros(0) :> [0]f64)
-- []

-- More points than elements: one of them fails, also backwards, where each element's share is the same as a point's.
def smeared(x: [c]f64, y: [n]f64) -> f64 =
  sum(loop q = x for t < 2 do for k < c => 0.2 * sum(for i < n => exp(-q[i] ** 2) + y[i]))

-- Constants that no index of 32 bits is, and the last that are.
def far(x: [n]f64) = x[4294967296] * x[0]
def farther(x: [n]f64) = sum(for i < n => x[4294967297] + x[i])
def farthest(x: [n]f64) = x[4294967295] + x[1099511627776] + x[2147483648]
def under(x: [n]f64) = if n > 4294967296 then x[4294967296] else x[0]
-- > grad(\x => smeared(x, [1.0, 2.0]))([0.5])
-- error: E0601
-- > grad(\x => smeared(x, [1.0]))([0.0])
-- [0.0]
-- > far([1.0, 2.0])
-- error: E0601
-- > farther([1.0, 2.0])
-- error: E0601
-- > farthest([1.0, 2.0])
-- error: E0601
-- > grad(farther)([1.0, 2.0])
-- error: E0601
-- > under([1.0, 2.0])
-- 1.0
-- > grad(under)([1.0, 2.0])
-- [1.0, 0.0]
