-- Searches at every point, whose results are kept for the derivative, and loops that only update arrays: upwards, downwards, at
-- places that were searched, at their own, twice in an iteration. Modules for XLA make kernels and updates of such loops.

--| The last index whose element is at most `x`, by halving.
def piece(xs: [k]f64, x: f64) -> i64 =
  let (low, _) = loop (low, high) = (0, k - 1) while high - low > 1 do
    let mid = (low + high) / 2
    in if xs[mid] <= x then (mid, high) else (low, mid)
  in low

--| Straight lines between samples, read at points; outside of the samples the first and the last line go on.
def line(xs: [k]f64, ys: [k]f64, points: [n]f64) -> [n]f64 =
  for x in points =>
    let i = piece(xs, x)
    let t = (x - xs[i]) / (xs[i + 1] - xs[i])
    in (1.0 - t) * ys[i] + t * ys[i + 1]

--| Each weight goes to two neighbours, in the parts that a place between them has.
def spread(at: [n]f64, weights: [n]f64, k: i64) -> [k]f64 =
  loop grid = zeros(k) for j < n do
    let i = i64(floor(at[j]))
    let t = at[j] - f64(i)
    let grid = grid with [i] = grid[i] + (1.0 - t) * weights[j]
    in grid with [i + 1] = grid[i + 1] + t * weights[j]

--| The number of halvings until a number is small, for each, and what they sum up to.
def halvings(x: [n]f64) -> ([n]i64, f64) =
  let found = for a in x =>
    let (count, rest) = loop (count, rest) = (0, abs(a)) while rest > 0.5 do (count + 1, rest * 0.5)
    in (count, rest * rest)
  in (for (count, _) in found => count, sum(for (_, square) in found => square))

--| Rows are counted in the groups that data give, and their elements added up.
def groups(rows: [n][d]f64, group: [n]i64, k: i64) -> ([k]i64, [k][d]f64) =
  loop (counts, sums) = (for i < k => 0, zeros(k, d)) for j < n do
    let g = group[j]
    in (counts with [g] = counts[g] + 1, sums with [g] = sums[g] + rows[j] * rows[j])

-- > line([0.0, 1.0, 3.0], [1.0, 2.0, 6.0], [0.5, 2.0, -1.0, 4.0])
-- [1.5, 4.0, 0.0, 8.0]
-- > line([0.0], [1.0], [0.5])
-- error: E0601
-- > line([0.0], [1.0], [])
-- []
-- > grad(\ys => sum(line([0.0, 1.0, 3.0], ys, [0.5, 2.0, 0.5])))([1.0, 2.0, 6.0])
-- [1.0, 1.5, 0.5]
-- > grad(\p => sum(line([0.0, 1.0, 3.0], [1.0, 2.0, 6.0], p)))([0.5, 2.0, 0.5])
-- [1.0, 2.0, 1.0]
-- > spread([0.25, 1.5], [4.0, 2.0], 3)
-- [3.0, 2.0, 1.0]
-- > spread([0.25, 2.5], [4.0, 2.0], 3)
-- error: E0601
-- > grad(\w => let g = spread([0.25, 1.5], w, 3) in sum(g * g))([4.0, 2.0])
-- [5.5, 3.0]
-- > halvings([3.0, -0.25, 0.75])
-- ([3, 0, 1], 0.34375)
-- > grad(\x => halvings(x).1)([3.0, -0.25, 0.75])
-- [0.09375, -0.5, 0.375]
-- > groups([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [1, 0, 1], 2)
-- ([1, 2], [[9.0, 16.0], [26.0, 40.0]])
-- > groups([[1.0], [2.0]], [0, 2], 2)
-- error: E0601
