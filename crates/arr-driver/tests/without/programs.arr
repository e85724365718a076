-- Programs that give every optional step of the compiler something to do, for `tests/without.rs`.

def mixture(logw: [k]f64, mean: [k][d]f64, prec: [k][d][d]f64, xs: [n][d]f64) -> f64 =
  let score = for x in xs =>
    let s = for j => let r = prec[j] @ (x - mean[j]) in logw[j] - 0.5 * sum(r * r)
    let m = maximum(s)
    in m + log(sum(exp(s - m)))
  in sum(score)

def accelerations(x: [n][3]f64, m: [n]f64) -> [n][3]f64 =
  for p in x =>
    sum(for j =>
      let r = x[j] - p
      let d2 = r @ r + 0.25
      in m[j] / (d2 * sqrt(d2)) * r)

def bodies(x: [n][3]f64, v: [n][3]f64, m: [n]f64) -> f64 =
  let h = 0.01
  let (x, v) = loop (x, v) = (x, v) for step < 3 do
    let half = v + 0.5 * h * accelerations(x, m)
    let next = x + h * half
    in (next, half + 0.5 * h * accelerations(next, m))
  in sum(flatten(x * x)) + sum(flatten(v))

def plate(u: [n][m]f64, rate: [n][m]f64) -> f64 =
  let last = loop u = u for t < 4 do
    for i, j =>
      if i == 0 or j == 0 or i == n - 1 or j == m - 1 then u[i, j]
      else
        u[i, j]
          + rate[i, j] * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
  in sum(flatten(last * last))

def gated(w: [c][c]f64, u: [c][c]f64, v: [c][c]f64, x: [n][c]f64) -> f64 =
  let (x, s) = loop (x, s) = (x, 0.5 * x) for i < 2 do
    let z = tanh(x @ w) * sigmoid(x @ u)
    in (x + z @ v, s + z)
  in sum(flatten(s * s)) + sum(flatten(x))

def convolved(x: [c][h+2][w+2]f64, f: [o][c][3][3]f64) -> f64 =
  let y = for oi < o, i < h, j < w =>
    sum(for ci < c =>
      sum(for di < 3 => sum(for dj < 3 => x[ci, i + di, j + dj] * f[oi, ci, di, dj])))
  in sum(flatten(flatten(y * y)))

def pooled(x: [2*h][2*w]f64) -> f64 =
  let y = for i < h, j < w => maximum(for k < 4 => x[2 * i + k / 2, 2 * j + k % 2])
  in sum(flatten(y * y))

def gathered(x: [n+1]f64, w: [m]f64) -> f64 =
  let is = for i < m => (i * 7) % (n + 1)
  let y = for i in is => sin(sin(x[i]))
  let z = for i < n => (if i < m then y[is[i] % m] else 0.0) + x[i + 1]
  in sum(y * w) + sum(z * z)

def smoothed(x: [n]f64, a: f64) -> f64 =
  let (s, y) = loop (s, y) = (a, x) for i < n do
    let s = 0.5 * s + x[i] / (1.0 + x[i] * x[i])
    in (s, y with [i] = s)
  in s + sum(y * y)

def roots(x: [n]f64) -> [n]f64 =
  for a in x => let b = a * a + 1.0 in loop y = b for i < 5 do 0.5 * (y + b / y)

def sum_of_roots(x: [n]f64) -> f64 = let y = roots(x) in sum(y * y)

def ensemble(prey: [n]f64, rate: [n]f64) -> f64 =
  let (a, b) = loop (a, b) = (prey, 0.5 * prey) for t < 12 do
    (a + 0.01 * a * (rate - b), b + 0.01 * b * (a - 1.0) / (1.0 + rate * rate))
  in sum(a) + sum(b * b)

def projected(x: [n][m]f64, w: [m][k]f64, b: [k]f64) -> f64 =
  let y = x @ w
  let total = sum(for i < n => for c < k => y[i, c] * b[c])
  in sum(total) + sum(for r in x => sum(r) / (1.0 + r @ r))

def edges(x: [n]f64, f: [3]f64) -> f64 =
  let y = for i < n + 2 =>
    sum(for a < 3 => let k = i - a in if 0 <= k and k < n then x[k] * f[a] else 0.0)
  in sum(for i < n => let z = y[i + 1] in z * z)

def pieces(x: [n][2]f64, w: [n]f64) -> f64 =
  let y = loop u = x for t < 3 do
    let v = for i < n => u[i, 0] * w[i] + u[i, 1]
    in for i < n => [v[i] - u[i, 0], 0.5 * v[i]]
  let z = for i < n, r < 2, k < 2 => if r == 0 then y[i, k] else x[i, k] * w[i]
  in sum(flatten(flatten(z * z)))

def triangles(x: [n]f64) -> f64 = sum(for i < n => sum(for j < i % 4 => x[j] * cos(x[i])))
