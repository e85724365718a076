-- Reductions of every kind over rows whose lengths are read from data.
def starts() -> [7]i64 = [0, 3, 3, 4, 9, 11, 12]
def ones_long() -> [4]i64 = [1, 4, 2, 1]

def sums(x: [m]f64, s: [n+1]i64) -> [n]f64 =
  for i < n => sum(for p < s[i + 1] - s[i] => sin(x[s[i] + p]))
-- > sums([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2], starts())
-- [0.5940229541032289, 0.0, 0.3894183423086505, 3.1889686997639353, 1.732678344869332,
--  0.9320390859672263]

def total(x: [m]f64, s: [n+1]i64) -> f64 = sum(sums(x, s) * sums(x, s))
-- check-grad: \x => total(x, [0, 3, 3, 4, 9, 11, 12]) at [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2]

def products(x: [m]f64, s: [n+1]i64) -> f64 =
  sum(for i < n => product(for p < s[i + 1] - s[i] => x[s[i] + p] + 0.5))
-- > products([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2], starts())
-- 8.7384
-- check-grad: \x => products(x, [0, 3, 3, 4, 9, 11, 12]) at [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2]

def largest(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n => maximum(for p < k[i] => x[p] * x[i]) - minimum(for p < k[i] => x[p]))
-- > largest([0.7, -0.2, 0.4, 0.9], ones_long())
-- 0.44000000000000006
-- check-grad: \x => largest(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

def chosen(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n => let row = for p < k[i] => x[p] * x[i] in row[argmax(row)] * x[argmin(row)])
-- > chosen([0.7, -0.2, 0.4, 0.9], ones_long())
-- 0.7639999999999999
-- check-grad: \x => chosen(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

def logical(x: [m]f64, k: [n]i64) -> [n](bool, bool) =
  for i < n => (any(for p < k[i] => x[p] < 0.0), all(for p < k[i] => x[p] * x[i] > 0.0))
-- > logical([0.7, -0.2, 0.4, 0.9], ones_long())
-- [(false, true), (true, false), (true, false), (false, true)]

def folded(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n => reduce(\(a, b) => a + b + a * b, 0.0, for p < k[i] => x[p] * x[i]))
-- > folded([0.7, -0.2, 0.4, 0.9], ones_long())
-- 0.9723353599999999
-- check-grad: \x => folded(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

def pairs_summed(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n =>
    let (a, b) =
      reduce(\((a, b), (c, d)) => (a + c, b * d), (0.0, 1.0), for p < k[i] => (x[p], x[p] + x[i]))
    in a * b)
-- > pairs_summed([0.7, -0.2, 0.4, 0.9], ones_long())
-- 2.1595999999999997
-- check-grad: \x => pairs_summed(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- The row is used three times, and its maximum between two of them.
def softmaxes(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n =>
    let row = for p < k[i] => x[p] * x[i]
    let top = maximum(row)
    let e = exp(row - top)
    in sum(e * row) / sum(e) + top)
-- > softmaxes([0.7, -0.2, 0.4, 0.9], ones_long())
-- 2.6091130109679543
-- check-grad: \x => softmaxes(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- Rows in rows.
def nested(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n => sin(sum(for p < k[i] => x[p] * maximum(for q < k[p] => x[q] * x[i] + x[p]))))
-- > nested([0.7, -0.2, 0.4, 0.9], ones_long())
-- 3.1096909935277335
-- check-grad: \x => nested(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- Two axes around, one of them not needed for the extent.
def over_planes(x: [m]f64, k: [n]i64, w: [c]f64) -> [n][c]f64 =
  for i < n, j < c =>
    sum(for p < k[i] => x[p] * w[j]) + sum(for p < k[i] + j => w[j] * sin(x[p % m]))
def planes(x: [m]f64, k: [n]i64, w: [c]f64) -> f64 = sum(sum(over_planes(x, k, w) ** 2))
-- > over_planes([0.7, -0.2, 0.4, 0.9], ones_long(), [0.5, 1.5])
-- [[0.6721088436188455, 1.7183225346639446],
--  [1.7091468041893818, 6.093766943424683],
--  [0.47277417822131484, 2.0024500481269203],
--  [0.6721088436188455, 1.7183225346639446]]
-- check-grad: \((x, w)) => planes(x, [1, 4, 2, 1], w) at ([0.7, -0.2, 0.4, 0.9], [0.5, 1.5])

-- Under a branch, and with a branch inside.
def guarded(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n =>
    if k[i] > 1 then sum(for p < k[i] => if x[p] > 0.0 then sqrt(x[p]) else x[p] * x[i])
    else if x[i] > 0.8 then product(for p < k[i] => x[p + 1])
    else 0.0)
-- > guarded([0.7, -0.2, 0.4, 0.9], ones_long())
-- 3.014458883152341
-- check-grad: \x => guarded(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- Scanned, sorted, searched: the row is stored.
def stored(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n =>
    let row = for p < k[i] => x[p] + x[i]
    let ordered = sort(row)
    in cumsum(row)[k[i] - 1] * ordered[0] + sum(reverse(row)[: k[i] - 1]))
-- > stored([0.7, -0.2, 0.4, 0.9], ones_long())
-- 5.08
-- check-grad: \x => stored(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- The result of a point is an array.
def bins(x: [m]f64, k: [n]i64) -> [n][2]f64 =
  for i < n =>
    let row = for p < k[i] => x[p] * x[i]
    in scatter_add(zeros(2), for p < length(row) => p % 2, row)
def binned(x: [m]f64, k: [n]i64) -> f64 = sum(sum(sin(bins(x, k))))
-- > bins([0.7, -0.2, 0.4, 0.9], ones_long())
-- [[0.48999999999999994, 0.0],
--  [-0.22, -0.14],
--  [0.27999999999999997, -0.08000000000000002],
--  [0.63, 0.0]]
-- check-grad: \x => binned(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- In a loop, with a state of the same rows.
def repeated(x: [n]f64, k: [n]i64) -> f64 =
  sum(loop y = x for t < 3 do for i < n => 0.5 * y[i] + sum(for p < k[i] => y[p] * x[i]))
-- > repeated([0.7, -0.2, 0.4, 0.9], ones_long())
-- 2.391399999999999
-- check-grad: \x => repeated(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- A loop in a row, and a row in a loop.
def looped(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n =>
    let row = for p < k[i] => loop y = x[p] for t < p do sin(y) + x[i]
    in loop y = 0.0 for t < k[i] do 0.5 * y + row[t] * sum(row))
-- > looped([0.7, -0.2, 0.4, 0.9], ones_long())
-- 1.5313627385846447
-- check-grad: \x => looped(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- Second derivatives, forward over reverse and reverse over reverse.
def curved(x: [m]f64, s: [n+1]i64) -> f64 =
  sum(for i < n => sum(for p < s[i + 1] - s[i] => x[s[i] + p] ** 3 * x[p]))
def slope(x: [m]f64, s: [n+1]i64) -> f64 = sum(grad(\x => curved(x, s))(x) * x)
-- check-grad: \x => slope(x, [0, 1, 1, 4]) at [0.7, -0.2, 0.4, 0.9]
-- > hessian(\x => curved(x, [0, 1, 1, 4]))([0.7, -0.2, 0.4, 0.9])
-- [[5.879999999999999, 0.12000000000000002, 0.0, 0.0],
--  [0.12000000000000002, -0.8400000000000001, 0.4800000000000001, 0.0],
--  [0.0, 0.4800000000000001, -0.4800000000000001, 2.43],
--  [0.0, 0.0, 2.43, 2.16]]

-- Derivatives inside of a point.
def inside(x: [m]f64, k: [n]i64) -> f64 =
  sum(for i < n => grad(\t => sum(for p < k[i] => sin(x[p] * t)))(x[i]))
-- > inside([0.7, -0.2, 0.4, 0.9], ones_long())
-- 3.434121904449615
-- check-grad: \x => inside(x, [1, 4, 2, 1]) at [0.7, -0.2, 0.4, 0.9]

-- Lengths that are the same at every point, or those of its index: padded unless the row is sorted or read at a checked place.
def same_length(x: [n]f64, k: [c]i64) -> f64 =
  sum(for i < n =>
    let row = for p < k[0] => x[p] * x[i] in row[argmax(row)] + sort(row)[0] + sum(row))
-- > same_length([0.7, -0.2, 0.4, 0.9], [3])
-- 2.5199999999999996
-- check-grad: \x => same_length(x, [3]) at [0.7, -0.2, 0.4, 0.9]

def triangle(x: [n]f64) -> f64 =
  sum(for i < n =>
    let row = for p < i + 1 => x[p] * x[i] in row[argmin(row)] * sort(row)[i / 2] + sum(row))
-- > triangle([0.7, -0.2, 0.4, 0.9])
-- 2.5521
-- check-grad: triangle at [0.7, -0.2, 0.4, 0.9]

-- Nothing is read at points that do not exist, and a negative length is an error.
-- > sums([], [0])
-- []
-- > sums([1.0, 2.0], [0, 2, 1])
-- error: E0604
-- > largest([0.7, 0.2], [1, 0])
-- error: E0606
-- > largest([0.7, 0.2], [1, 3])
-- error: E0601

-- A state of such a row, and a length that is read from an array that is not stored.
def settled(x: [n]f64) -> [n]f64 =
  for i < n => let row = loop row = for p < i + 1 => x[p] for t < 2 do sort(row) in row[0]
-- > settled([0.7, -0.2, 0.4, -0.9])
-- [0.7, -0.2, -0.2, -0.9]

def lengths_inside(x: [n]f64, s: f64) -> f64 =
  sum(for i < n =>
    sum(for q < 1 + i64(abs(x[0]) * 3.0) % n =>
      maximum(for p < 1 + i * 3 % n =>
        let row = for r < 1 + i * 3 % n => x[r]
        in if cumsum(row)[length(row) - 1] * sort(row)[0] < x[q] then x[i] else s)))
-- > lengths_inside([0.7, 1.0, 0.3], 0.4)
-- 5.199999999999999
