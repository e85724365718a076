-- Arrays that are long enough for several threads, tiles and blocks, made from a few numbers.

def waves(s: [3]f64, n: i64) -> [n]f64 = for i < n => s[0] * sin(0.7 * f64(i) + s[1]) + s[2]
def places(n: i64, m: i64) -> [n]i64 = for i < n => (i * 7919 + 13) % m
def table(s: f64, n: i64, m: i64) -> [n][m]f64 =
  for i < n, j < m => s * sin(0.37 * f64(i) + 0.91 * f64(j))

def long_sum(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n) in sum(x * x * x) / f64(n) + maximum(x) * minimum(x)
def long_running_sum(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n) in sum(sin(cumsum(x) / 50.0) * x)
def long_running_product(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n) in sum(cumprod(1.0 + 0.001 * x) * x)
def long_recurrence(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n)
  let (_, ys) = loop (y, ys) = (0.0, zeros(n)) for i < n do
    let y = 0.9 * s[1] * y + x[i] in (y, ys with [i] = y)
  in sum(ys * ys)
--| A recurrence whose step is not linear.
def long_memory(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n)
  in loop y = 0.1 for v in x do tanh(s[1] * y + v)
def long_maxima(s: [3]f64, n: i64) -> f64 =
  let x = for i < n => waves(s, n)[i] * (1.0 + f64(i) / 500.0) in sum(cummax(x) * x)
def many_bins(s: [3]f64, n: i64) -> f64 =
  let (x, is) = (waves(s, n), places(n, 97))
  let h = histogram((+), 0.0, 97, is, x)
  in sum(h * h) + sum(h[5:9] ** 3)
def largest_in_bins(s: [3]f64, n: i64) -> f64 =
  let h = histogram(max, -9.0, 97, places(n, 97), waves(s, n)) in sum(h * h * h)
def long_gather(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n) in sum(for i in places(n, n) => sin(x[i]) * x[(i + 1) % n])
def long_scatter(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n)
  let y = scatter(x, places(n / 2, n), for i < n / 2 => x[i] * x[i])
  in sum(y * x)
def long_sort(s: [3]f64, n: i64) -> f64 =
  let y = sort(waves(s, n)) in sum(for i < n => y[i] * y[i] * f64(i)) / f64(n)
def wide_product(s: [3]f64, n: i64, m: i64, p: i64) -> f64 =
  let c = table(s[0], n, m) @ table(s[1], m, p) in sum(flatten(tanh(c + s[2]) * c))
def product_with_transposed(s: [3]f64, n: i64, m: i64) -> [n]f64 =
  let a = table(s[0], n, m)
  let g = a @ transpose(a)
  in for row in g => sum(row * row) * s[2]
def many_small_products(s: [3]f64, n: i64) -> f64 =
  sum(for k < n =>
    let a = for i < 3, j < 3 => sin(s[0] * f64(k + i) + s[1] * f64(j))
    let b = a @ a + s[2] * transpose(a)
    in sum(flatten(b * b)))
def loops_in_a_map(s: [3]f64, n: i64) -> f64 =
  sum(for v in waves(s, n) => loop y = v for k < 5 do y * 0.5 + sin(y) * s[2])
def uneven_loops_in_a_map(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n)
  in sum(for i < n => loop y = x[i] for k < i % 7 do y * 0.5 + sin(y) * x[(i + k) % n])
def long_stencil(s: [3]f64, n: i64, steps: i64) -> f64 =
  let u = loop u = waves(s, n) for t < steps do
    for i < n =>
      if i == 0 or i == n - 1 then u[i]
      else u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * (1.0 + u[i] * u[i])
  in sum(u * u * u)
def plane_stencil(s: [3]f64, n: i64, m: i64, steps: i64) -> f64 =
  let u = loop u = table(s[0], n, m) for t < steps do
    for i < n, j < m =>
      let (up, down) = (u[(i + n - 1) % n, j], u[(i + 1) % n, j])
      let (left, right) = (u[i, (j + m - 1) % m], u[i, (j + 1) % m])
      in u[i, j]
        + s[1] * 0.1 * (up + down + left + right - 4.0 * u[i, j])
        + 0.01 * s[2] * u[i, j] ** 3
  in sum(flatten(u * u))
def pairs_of_bodies(s: [3]f64, n: i64) -> f64 =
  let (x, y) = (waves(s, n), waves([s[1], s[2], s[0]], n))
  in sum(for i < n => sum(for j < n =>
    if i == j then 0.0 else 1.0 / sqrt((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2 + 0.01)))
def update_of_rows(s: [3]f64, n: i64, m: i64) -> f64 =
  let a =
    loop a = table(s[0], n, m) for i < n - 1 do a with [i + 1] = 0.5 * a[i + 1] + sin(a[i]) * s[1]
  in sum(flatten(a * a))
def in_f32(s: [3]f32, n: i64, m: i64) -> f32 =
  let a = for i < n, j < m => s[0] * sin(0.37 * f32(i) + 0.91 * f32(j))
  let b = for i < m, j < n => s[1] * cos(0.53 * f32(i) - 0.29 * f32(j))
  in sum(flatten(a @ b)) * s[2] + sum(cumsum(flatten(a)) * 0.001)
def while_to_a_bound(s: [3]f64, n: i64) -> f64 =
  let x = waves(s, n)
  let (total, _) =
    loop (total, i) = (0.0, 0) while i < n and total < 40.0 do (total + x[i] * x[i], i + 1)
  in total
