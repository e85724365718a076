-- Shapes, indices and order.

def joined(a: [n][p]f64, b: [m][p]f64) -> [n+m+n][p]f64 = concat(a, b, a * 2.0)
def joined_beside(a: [n][m]f64, b: [n][p]f64) -> [n][m+p]f64 = for i => concat(a[i], b[i])
def stacked(x: [n]f64, y: [n]f64) -> [3][n]f64 = stack(x, y, x * y)
def permuted(a: [n][m][p]f64) -> [p][n][m]f64 = sin(permute(a, (2, 0, 1)))
def reshaped(a: [n][m]f64) -> [m][n]f64 = reshape(a, (m, n)) * transpose(a)
def reversed(a: [n][m]f64) -> [n][m]f64 = reverse(a) * (for row in a => reverse(row))
def broadcast(x: [n]f64, k: i64) -> [k][n]f64 = let r = replicate(k, x) in r * r[0, 0]
def padded(x: [n]f64, v: f64) -> [n+5]f64 = pad(x, (2, 3), v) * 1.5
--| A value between the elements, and twice after the last.
def padded_inside(x: [n]f64, v: f64) -> [2*n+1]f64 =
  for i < 2 * n + 1 => if i % 2 == 1 or i >= 2 * n then v else x[i / 2]
--| The same, without the first two.
def padded_and_cut(x: [n]f64, v: f64) -> [2*n-1]f64 = padded_inside(x, v)[2:] * v
def strided(x: [2*n]f64) -> [n]f64 = x[::2] * x[1::2]
def sliced(a: [n][m]f64, i: i64, j: i64) -> [2][2]f64 = a[i:i+2, j:j+2]
--| A start that is too large or small is moved inside.
def slice_at(x: [n]f64, i: i64) -> [3]f64 = let i = max(min(i, n - 3), 0) in x[i:i+3] * x[i]
def slice_replaced(x: [n]f64, v: [2]f64, i: i64) -> [n]f64 = x with [i:i+2] = v * x[i]
def part_replaced(a: [n][m]f64, v: [2][2]f64) -> [n][m]f64 = a with [1:3, 0:2] = v * a[0, 0]
def diagonal_sum(a: [n][n]f64) -> f64 = sum(for i < n => a[i, i] * a[i, n - 1 - i])
def rolled(x: [n]f64) -> [n]f64 = rotate(x, 2) * rotate(x, -1)
def taken_along(a: [n][m]f64, is: [n][k]i64) -> [n][k]f64 = for i => for j => a[i, is[i, j]] ** 2
def put(a: [n][m]f64, is: [n]i64, js: [n]i64, v: [n]f64) -> [n][m]f64 =
  loop a = a for k < n do a with [is[k], js[k]] = v[k] * v[k]
def added_at(x: [n]f64, is: [k]i64, v: [k]f64) -> [n]f64 = scatter_add(x, is, v * v)
def multiplied_at(x: [n]f64, is: [k]i64, v: [k]f64) -> [n]f64 =
  loop y = x for j < k do y with [is[j]] = y[is[j]] * v[j]
def greatest_at(x: [n]f64, is: [k]i64, v: [k]f64) -> [n]f64 =
  loop y = x for j < k do y with [is[j]] = max(y[is[j]], v[j])
def windows_added(x: [n]f64) -> [n-2]f64 = for i < n - 2 => sum(x[i:i+3]) * x[i]
def sorted(x: [n]f64) -> [n]f64 = sort(x) * x
def sorted_down(x: [n]f64) -> [n]f64 = reverse(sort(x))
def sorted_by_key(keys: [n]f64, x: [n]f64) -> ([n]f64, [n]f64) =
  let order = argsort(keys) in (gather(keys, order), gather(x, order) ** 2)
--| By the first key, and where it is equal by the second.
def sorted_by_two(a: [n]i64, b: [n]f64, x: [n]f64) -> [n]f64 =
  let order = argsort(b)
  let order = gather(order, argsort(gather(a, order)))
  in gather(x, order) * gather(b, order)
def sorted_rows(a: [n][m]f64) -> [n][m]f64 = for row in a => sort(row) * row[0]
def top_three(x: [n]f64) -> [3]f64 = let order = argsort(-x) in for k < 3 => x[order[k]] ** 2
def middle(x: [n]f64) -> f64 =
  let s = sort(x) in if n % 2 == 1 then s[n / 2] else 0.5 * (s[n / 2 - 1] + s[n / 2])
def ranked_loss(x: [n]f64) -> f64 =
  let s = sort(x) in sum(for i < n => (2.0 * f64(i) - f64(n) + 1.0) * s[i])
def interpolated(x: [k]f64, xs: [n]f64, ys: [n]f64) -> [k]f64 =
  for v in x =>
    let i = max(min(searchsorted(xs, v) - 1, n - 2), 0)
    in ys[i] + (v - xs[i]) / (xs[i + 1] - xs[i]) * (ys[i + 1] - ys[i])
def one_hot_choice(a: [n][m]f64) -> f64 =
  sum(flatten(for row in a => let k = argmax(row) in onehot(m, k) * row * row[0]))
def all_pairs(x: [n]f64) -> [n][n]f64 =
  for a in x, b in x => if a == b then 0.0 else (a - b) ** 2 / (1.0 + abs(a - b))
def lower(a: [n][n]f64) -> [n][n]f64 = (for i < n, j < n => if j <= i then a[i, j] else 0.0) @ a
