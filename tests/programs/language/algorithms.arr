-- Small programs of the kinds that people write, each with its derivative in both modes.
def triangle(x: [n]f64) -> f64 = sum(for i < n => sum(for j < i => x[j] * x[i]))
def prefixes(x: [n]f64) -> f64 = sum(for i < n => sum(x[0:i]))
def suffixes(x: [n]f64) -> f64 = sum(for i < n => let w = x[i:] in maximum(w) * f64(length(w)))
def recurrences(x: [n]f64) -> [n]f64 = for i < n => loop s = x[i] for k < i do s * 0.5 + x[k]
def escape(c: [n]f64) -> [n]i64 =
  for x in c =>
    (loop (z, k) = (0.0, 0) for i < 20 do if abs(z) < 2.0 then (z * z + x, k + 1) else (z, k)).1
def orbit(c: [n]f64) -> [n]f64 =
  for x in c =>
    (loop (z, k) = (0.0, 0) for i < 20 do if abs(z) < 2.0 then (z * z + x, k + 1) else (z, k)).0
def horner(c: [n]f64, xs: [m]f64) -> [m]f64 = for x in xs => loop s = 0.0 for a in c do s * x + a
def outer(a: [n]f64, b: [m]f64, c: [k]f64) -> [n][m][k]f64 = for i, j, l => a[i] * b[j] * c[l]
def flow(x0: [n]f64, steps: i64) -> [n]f64 =
  for x in x0 => loop y = x for s < steps do y + 0.01 * (sin(y) - y)
def convolve(x: [n]f64, w: [k]f64) -> [n-k+1]f64 =
  for i < n - k + 1 => sum(for j => x[i + j] * w[j])
def softmax(x: [n]f64) -> [n]f64 = let e = exp(x - maximum(x)) in e / sum(e)
def attention(q: [n][d]f64, k: [m][d]f64, v: [m][e]f64) -> [n][e]f64 =
  for a in q => softmax(k @ a / sqrt(f64(d))) @ v
def network(w1: [h][d]f64, w2: [h]f64, x: [n][d]f64) -> f64 = sum(for a in x => tanh(w1 @ a) @ w2)
def cholesky(a: [n][n]f64) -> [n][n]f64 =
  loop l = zeros(n, n) for j < n do
    let d = sqrt(a[j, j] - sum(for k < n => if k < j then l[j, k] ** 2 else 0.0))
    let l1 = l with [j, j] = d
    in for r < n, c < n =>
      if c == j and r > j then
        (a[r, j] - sum(for k < n => if k < j then l1[r, k] * l1[j, k] else 0.0)) / d
      else l1[r, c]
def logdet(a: [n][n]f64) -> f64 = let l = cholesky(a) in 2.0 * sum(for i < n => log(l[i, i]))
def without(x: [n]f64) -> [n][n]f64 = for i < n => x with [i] = 0.0
def histogram4(is: [n]i64, x: [n]f64) -> [4]f64 =
  loop h = zeros(4) for i < n do h with [is[i]] = h[is[i]] + x[i]
def bubble(x: [n]f64) -> [n]f64 =
  loop a = x for i < n do
    loop b = a for j < n - 1 do
      if b[j] > b[j + 1] then b with [j] = b[j + 1] with [j + 1] = b[j] else b

def x4 = [1.0, 2.0, 3.0, 0.5]
def spd = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]

-- > triangle(x4)
-- 14.0
-- > prefixes(x4)
-- 10.0
-- > suffixes(x4)
-- 27.5
-- > escape([0.1, -1.0, 0.5, -2.5])
-- [20, 20, 5, 1]
-- > horner([1.0, 2.0, 3.0], [0.0, 2.0])
-- [3.0, 11.0]
-- > convolve([1.0, 2.0, 3.0, 4.0], [1.0, -1.0])
-- [-1.0, -1.0, -1.0]
-- > let l = cholesky(spd) in l @ transpose(l)
-- [[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]
-- > logdet(spd)
-- 3.0582374789053883
-- > without([1.0, 2.0])
-- [[0.0, 2.0], [1.0, 0.0]]
-- > histogram4([0, 1, 1, 3], x4)
-- [1.0, 5.0, 0.0, 0.5]
-- > bubble([3.0, 1.0, 2.0, 0.5])
-- [0.5, 1.0, 2.0, 3.0]
-- > sum(softmax(x4))
-- 1.0
-- check-grad: triangle at x4
-- check-grad: prefixes at x4
-- check-grad: suffixes at x4
-- check-grad: recurrences at x4
-- check-grad: orbit at [0.1, -0.9, 0.3]
-- check-grad: \c => horner(c, [0.5, 2.0]) at x4
-- check-grad: \v => horner([1.0, 2.0, 3.0], v) at x4
-- check-grad: \((a, b, c)) => outer(a, b, c) at ([1.0, 2.0], [3.0], [4.0, 5.0])
-- check-grad: \v => flow(v, 30) at x4
-- check-grad: \((v, w)) => convolve(v, w) at ([1.0, 2.0, 3.0, 4.0], [0.5, 2.0])
-- check-grad: softmax at x4
-- check-grad: \((q, k, v)) => attention(q, k, v) at ([[1.0, 0.5]], [[0.3, 0.2], [0.1, -0.4]], [[1.0, 2.0], [4.0, 5.0]])
-- check-grad: \((a, b, v)) => network(a, b, v) at ([[0.1, 0.2], [0.5, 0.6]], [1.0, -2.0], [[1.0, 2.0], [-0.5, 0.25]])
-- check-grad: cholesky at spd
-- check-grad: logdet at spd
-- check-grad: without at x4
-- check-grad: \v => histogram4([0, 1, 1, 3], v) at x4
-- check-grad: bubble at [3.0, 1.0, 2.0, 0.5]
-- check-grad: grad(triangle) at x4
-- check-grad: grad(logdet) at spd
-- check-grad: grad(suffixes) at x4
-- check-grad: \v => grad(\y => sum(recurrences(y) ** 2))(v) at x4
-- check-grad: \v => grad(\y => sum(bubble(y) * y))(v) at [3.0, 1.0, 2.0, 0.5]
