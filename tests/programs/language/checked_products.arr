-- Matrix products in kernels that check indices, at sizes from which on a product is a call: a check that proves where the
-- product reads comes first, and none is lost where the product is all that is left.
def spread(n: i64, m: i64) -> [n][m]f64 = for i < n, j < m => sin(f64(i * m + j))

--| Columns of a product, moved.
def moved(v: [n][k]f64, w: [k][m]f64, by: i64) -> [n][m]f64 =
  let p = v @ w in for i < n, j < m => p[i, j + by]

--| A product of moved rows, and a moved bias.
def shifted(v: [n][k]f64, w: [k][m]f64, b: [c]f64, by: i64) -> [n][m]f64 =
  for i < n, j < m => sum(for l < k => v[i + by, l] * w[l, j]) + b[j + by]

--| A bias at places from data.
def biased(v: [n][k]f64, w: [k][m]f64, b: [c]f64, at: [m]i64) -> [n][m]f64 =
  for i < n, j < m => sum(for l < k => v[i, l] * w[l, j]) + b[at[j]]

--| An element that is read, and not used.
def looked(v: [n][k]f64, w: [k][m]f64, by: i64) -> [n][m]f64 =
  for i < n, j < m => let _unused = v[i + by, 0] in sum(for l < k => v[i, l] * w[l, j])

--| A product that is added to the state of a loop.
def added(v: [n][n]f64, w: [n][n]f64, at: [n]i64) -> [n][n]f64 =
  loop s = v for t < 2 do
    for i < n, j < n =>
      let _seen = w[at[j], i] in s[i, j] + sum(for l < n => v[i, l] * w[l, j])

--| A product of moved columns inside of a loop, whose index they move by.
def walked(v: [n][n]f64, w: [n][n]f64, steps: i64) -> [n][n]f64 =
  loop s = v for t < steps do
    let p = s @ w in for i < n, j < n => 0.01 * p[i, j + 2 * t - 1]

def good(n: i64) -> [n]i64 = for i < n => n - 1 - i
def bad(n: i64) -> [n]i64 = for i < n => i - (if i == n - 2 then n else 0)

-- > sum(flatten(moved(spread(20, 19), spread(19, 18), 0) - spread(20, 19) @ spread(19, 18)))
-- 0.0
-- > moved(spread(20, 19), spread(19, 18), -1)
-- error: E0601
-- > moved(spread(20, 19), spread(19, 18), 1)
-- error: E0601
-- > moved(spread(2, 3), spread(3, 2), 1)
-- error: E0601
-- > shifted(spread(20, 19), spread(19, 18), ones(18), 1)
-- error: E0601
-- > shifted(spread(20, 19), spread(19, 18), ones(18), -1)
-- error: E0601
-- > sum(flatten(shifted(spread(20, 19), spread(19, 18), zeros(18), 0) - spread(20, 19) @ spread(19, 18)))
-- 0.0
-- > biased(spread(20, 19), spread(19, 18), ones(19), bad(18))
-- error: E0601
-- > sum(flatten(biased(spread(20, 19), spread(19, 18), zeros(18), good(18)) - spread(20, 19) @ spread(19, 18)))
-- 0.0
-- > looked(spread(20, 19), spread(19, 18), 1)
-- error: E0601
-- > sum(flatten(looked(spread(20, 19), spread(19, 18), 0) - spread(20, 19) @ spread(19, 18)))
-- 0.0
-- > added(spread(18, 18), spread(18, 18), bad(18))
-- error: E0601
-- > sum(flatten(added(spread(18, 18), zeros(18, 18), good(18)) - spread(18, 18)))
-- 0.0
-- > walked(spread(18, 18), spread(18, 18), 1)
-- error: E0601
-- > grad(\v => sum(flatten(moved(v, spread(19, 18), 1))))(spread(20, 19))
-- error: E0601
-- > jvp(\v => moved(v, spread(19, 18), -1), spread(20, 19), spread(20, 19))
-- error: E0601
-- > grad(\w => sum(flatten(looked(spread(20, 19), w, 1))))(spread(19, 18))
-- error: E0601
-- > grad(\v => sum(flatten(biased(v, spread(19, 18), ones(19), bad(18)) ** 2)))(spread(20, 19))
-- error: E0601
-- check-grad: \v => sum(flatten(moved(v, spread(3, 4), 0) ** 2)) at spread(2, 3)
-- check-grad: \v => sum(flatten(biased(v, spread(3, 4), ones(4), good(4)) ** 2)) at spread(2, 3)
