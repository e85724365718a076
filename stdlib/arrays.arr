-- Arrays made and rearranged, beside what is built in.
--
-- What has more axes is treated row by row, with a `for`.

-- ---- Grids

--| `n` numbers at equal distances, from `low` to `high`, which are the first and the last of them.
--| > linspace(0.0, 1.0, 5)
--| [0.0, 0.25, 0.5, 0.75, 1.0]
def linspace[t: float](low: t, high: t, n: i64) -> [n]t =
  for i < n => if i > 0 and i == n - 1 then high else low + (high - low) * (t(i) / t(max(n - 1, 1)))

--| `n` numbers in equal ratios, from `low` to `high`, which are positive.
--| > geomspace(1.0, 100.0, 3)  -- within 1e-14
--| [1.0, 10.0, 100.0]
def geomspace[t: float](low: t, high: t, n: i64) -> [n]t = exp(linspace(log(low), log(high), n))

--| The numbers from `low` in steps of `step`, `n` of them.
--| > steps(1.0, 0.5, 3)
--| [1.0, 1.5, 2.0]
def steps[t: num](low: t, step: t, n: i64) -> [n]t = for i < n => low + step * t(i)

--| Two matrices with the places of a grid: the first has `x[i]` at `i, j`, the second `y[j]`.
--| > meshgrid([1.0, 2.0], [3.0, 4.0, 5.0])
--| ([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]], [[3.0, 4.0, 5.0], [3.0, 4.0, 5.0]])
def meshgrid[t: any](x: [n]t, y: [m]t) -> ([n][m]t, [n][m]t) =
  (for i < n, j < m => x[i], for i < n, j < m => y[j])

-- ---- Rearranged

--| The differences of neighbours; one element or more.
--| > diff([1.0, 4.0, 9.0])
--| [3.0, 5.0]
def diff[t: num](x: [n+1]t) -> [n]t = x[1:] - x[:n]

--| The elements moved `k` places towards the end, those at the end to the front. The built-in `rotate` moves them the
--| other way.
--| > roll([1, 2, 3], 1)
--| [3, 1, 2]
def roll[t: any](x: [n]t, k: i64) -> [n]t = rotate(x, -k)

--| Each element `k` times.
--| > repeat([1, 2], 3)
--| [1, 1, 1, 2, 2, 2]
def repeat[t: any](x: [n]t, k: i64) -> [n*k]t = for i < n * k => x[i / k]

--| The array `k` times, one after the other.
--| > tile([1, 2], 3)
--| [1, 2, 1, 2, 1, 2]
def tile[t: any](x: [n]t, k: i64) -> [n*k]t = for i < n * k => x[i % n]

--| The elements of two arrays in turn.
--| > interleave([1, 3], [2, 4])
--| [1, 2, 3, 4]
def interleave[t: any](x: [n]t, y: [n]t) -> [2*n]t =
  for i < 2 * n => if i % 2 == 0 then x[i / 2] else y[i / 2]

--| Windows of `size` elements that begin at each place where one fits.
--| > windows([1, 2, 3, 4], 3)
--| [[1, 2, 3], [2, 3, 4]]
def windows[t: any](x: [n]t, size: i64) -> [n-size+1][size]t =
  for i < n - size + 1, j < size => x[i + j]

-- ---- Order

--| The smallest of the first elements.
--| > cummin([3.0, 1.0, 2.0])
--| [3.0, 1.0, 1.0]
def cummin[t: num](x: [n]t) -> [n]t = -cummax(-x)

--| The `k` greatest elements, the greatest first. Error E0601 where there are fewer.
--| > top_k([3.0, 1.0, 4.0, 2.0], 2)
--| [4.0, 3.0]
def top_k[t: num](x: [n]t, k: i64) -> [k]t =
  let order = argsort(x) in for i < k => x[order[n - 1 - i]]

--| The elements of `xs`, which may be rows, in the ascending order of their `keys`. Elements with equal keys stay in
--| their order, and NaN comes last, as for `argsort`. `sort_by(-keys, xs)` is the descending order. The derivative is
--| that of `gather`; keys have none.
--| > sort_by([3, 1, 2, 1], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
--| [[3.0, 4.0], [7.0, 8.0], [5.0, 6.0], [1.0, 2.0]]
--| > sort_by([0.5, -0.5], [{ at = 1, open = true }, { at = 2, open = false }])
--| [{at = 2, open = false}, {at = 1, open = true}]
def sort_by[k: num, t: any](keys: [n]k, xs: [n]t) -> [n]t = gather(xs, argsort(keys))

--| Of each row of `xs` the elements at that row of `is`: element `i, j` is `xs[i, is[i, j]]`. A place outside of the
--| row is error E0601; negative places are, too. NumPy's `take_along_axis` for the last axis.
--| > take_along([[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]], [[2, 0], [1, 1]])
--| [[30.0, 10.0], [50.0, 50.0]]
def take_along[t: any](xs: [n][m]t, is: [n][k]i64) -> [n][k]t = for i => gather(xs[i], is[i])

--| How many elements of the sorted `xs` are at most `v`: the rightmost place for it. `searchsorted` gives the leftmost.
--| > searchsorted_right([1.0, 2.0, 2.0, 4.0], 2.0)
--| 3
def searchsorted_right[t: num](xs: [n]t, v: t) -> i64 =
  let (low, _) = loop (low, high) = (0, n) while low < high do
    let middle = (low + high) / 2
    in if xs[middle] <= v then (middle + 1, high) else (low, middle)
  in low

--| The number of the bin that `v` lies in, between ascending edges: 0 before the first, `n` from the last on.
--| > for v in [-1.0, 0.0, 1.5, 9.0] => digitize(v, [0.0, 1.0, 2.0])
--| [0, 1, 2, 3]
def digitize[t: num](v: t, edges: [n]t) -> i64 = searchsorted_right(edges, v)

-- ---- Groups

--| How many elements are true.
--| > count([true, false, true])
--| 2
def count(x: [n]bool) -> i64 = sum(i64(x))

--| The sum of the elements of each group: `groups[i]`, from 0 to `k - 1`, is the group of `x[i]`.
--| > segment_sum([1.0, 2.0, 4.0], [0, 1, 0], 3)
--| [5.0, 2.0, 0.0]
def segment_sum[t: num](x: [n]t, groups: [n]i64, k: i64) -> [k]t = scatter_add(zeros(k), groups, x)

--| The mean of the elements of each group, NaN for a group without elements.
--| > segment_mean([1.0, 2.0, 4.0], [0, 1, 0], 2)
--| [2.5, 2.0]
def segment_mean[t: float](x: [n]t, groups: [n]i64, k: i64) -> [k]t =
  segment_sum(x, groups, k) / segment_sum(replicate(n, t(1)), groups, k)

-- ---- Chosen elements, as many as there are when it runs

--| The indices at which `x` is true, in ascending order.
--| > nonzero([true, false, true])
--| [0, 2]
def nonzero(x: [n]bool) -> [?k]i64 =
  let k = count(x)
  let (at, _) = loop (at, found) = (for j < k => 0, 0) for i < n do
    if x[i] then (at with [found] = i, found + 1) else (at, found)
  in at

--| The elements of `x` for which `keep` is true, in their order. The derivative is that of `gather`.
--| > filter(\v => v > 0.0, [1.0, -2.0, 3.0])
--| [1.0, 3.0]
def filter[t: any](keep: t -> bool, x: [n]t) -> [?k]t = gather(x, nonzero(map(keep, x)))

--| The elements of `x` before the first for which `keep` is false.
--| > take_while(\v => v < 3, [1, 2, 3, 1])
--| [1, 2]
def take_while[t: any](keep: t -> bool, x: [n]t) -> [?k]t =
  let k = loop k = 0 while k < n and keep(x[k]) do k + 1
  in for i < k => x[i]

--| The elements for which `keep` is true, and the others, both in their order.
--| > partition(\v => v % 2 == 0, [1, 2, 3, 4])
--| ([2, 4], [1, 3])
def partition[t: any](keep: t -> bool, x: [n]t) -> ([?k]t, [?l]t) =
  let kept = map(keep, x)
  in (gather(x, nonzero(kept)), gather(x, nonzero(not kept)))

--| The elements of `x`, each once, in ascending order.
--| > unique([3, 1, 3, 2])
--| [1, 2, 3]
def unique[t: num](x: [n]t) -> [?k]t =
  let s = sort(x)
  in gather(s, nonzero(for i < n => i == 0 or s[i] != s[i - 1]))

-- ---- Tests

test "grids gradient" gradient (a: f64, b: f64) =
  (linspace(a, b, 4), geomspace(1.0 + a * a, 1.0 + b * b, 3), steps(a, b, 3))
test "a grid of one place" = (linspace(2.0, 3.0, 1) == [2.0], length(linspace(0.0, 1.0, 0)) == 0)
test "rearranged gradient" gradient (x: [4]f64) = (
  diff(x),
  roll(x, 1),
  repeat(x, 2),
  tile(x, 2),
  interleave(x, x * x),
  windows(x, 2)
)
test "meshgrid gradient" gradient (x: [2]f64, y: [3]f64) = meshgrid(x, y)
test "groups gradient" gradient (x: [4]f64) =
  (segment_sum(x, [0, 1, 1, 0], 3), segment_mean(x, [0, 1, 1, 0], 2))
test "order gradient" gradient (x: [3]f64) =
  let y = x + [0.0, 10.0, 20.0]
  in (cummin(-y), top_k(y, 2), sort_by([2, 0, 1], x))
test "take_along gradient" gradient (x: [2][3]f64) = take_along(x, [[2, 0], [1, 1]])
test "there and back"(x: [n]f64) = roll(roll(x, 2), -2) == x
test "sums of differences"(x: [n+1]i32) = sum(diff(x)) == x[n] - x[0]
test "sorted by itself"(x: [n]i32) = sort_by(x, x) == sort(x)
test "rows sorted one by one"(x: [n][m]i32) =
  take_along(x, for row in x => argsort(row)) == (for row in x => sort(row))
test "NaN is last, and nothing is sorted" = (
  sort_by([0.0 / 0.0, 1.0, -1.0], [1, 2, 3]) == [3, 2, 1],
  length(sort_by([] :> [0]f64, [] :> [0]i64)) == 0,
  sort_by([1.0f32], [2.0f32]) == [2.0],
  length(take_along([] :> [0][0]f64, [] :> [0][0]i64)) == 0
)
test "a place on the right" =
  for v in [0, 1, 2, 3] => searchsorted_right([1, 1, 2], v) == [0, 2, 3, 3][v]
test "single precision" = (
  linspace(0.0f32, 1.0, 3) == [0.0, 0.5, 1.0],
  diff([1.0f32, 3.0]) == [2.0],
  segment_sum([1.0f32, 2.0], [0, 0], 1) == [3.0]
)
test "chosen gradient" gradient (x: [4]f64) =
  let y = x * x * [1.0, -1.0, 1.0, -1.0]
  in (
    sum(filter(\v => v > 0.0, y) ** 2),
    sum(take_while(\v => v > 0.0, y)),
    sum(unique(x + [0.0, 10.0, 20.0, 30.0]))
  )
test "chosen"(x: [n]i32) =
  let (even, odd) = partition(\v => v % 2 == 0, x)
  in (
    length(even) + length(odd) == n,
    sum(even) + sum(odd) == sum(x),
    length(unique(concat(x, x))) == length(unique(x)),
    length(take_while(\v => true, x)) == n
  )
test "nothing chosen" = (
  length(filter(\v => v > 5.0, [1.0, 2.0])) == 0,
  length(nonzero([] :> [0]bool)) == 0,
  length(unique([] :> [0]f64)) == 0
)
