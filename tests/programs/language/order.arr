-- Sorting, searching, histograms, slices and loops of unknown length under differentiation.

def weights(n: i64) -> [n]f64 = for i < n => f64(i + 1) ** 2
def sorted(x: [n]f64) -> f64 = sum(weights(n) * sort(x) ** 2)
def by_rows(a: [n][m]f64) -> f64 = sum(for row in a => sum(weights(m) * sort(row)))
def by_key(p: [n](f64, f64)) -> f64 =
  let q = gather(p, argsort(for e in p => e.0))
  in sum(weights(n) * (for e in q => e.1 * e.0))
def median(x: [n]f64) -> f64 = sort(x)[n / 2]
def interpolated(xs: [n]f64, ys: [n]f64, v: f64) -> f64 =
  let hi = min(max(searchsorted(xs, v), 1), n - 1)
  let lo = hi - 1
  let t = (v - xs[lo]) / (xs[hi] - xs[lo])
  in ys[lo] + t * (ys[hi] - ys[lo])
def binned(x: [n]f64) -> f64 =
  let h = histogram((+), 0.5, 3, for i < n => i % 3, x * x)
  in h[0] * h[1] + h[2] ** 2
def folded(x: [n]f64) -> f64 =
  let h = histogram(\(a, b) => a * b + b, 1.0, 2, for i < n => i % 2, x)
  in h[0] - h[1] ** 2
def pairs_of_bins(x: [n]f64) -> f64 =
  let h = histogram(\((s, c), v) => (s + v * v, c + 1), (0.0, 0), 2, for i < n => i % 2, x)
  in sum(for (s, c) in h => s / f64(c + 1))
def strides(x: [n]f64) -> f64 = sum(x[::2] ** 2) + 3.0 * sum(x[1::2]) * x[0]
def halves(x: [2*n]f64) -> f64 = sum(x[::2] * x[1::2])
def replaced(x: [n]f64, y: [2]f64) -> f64 =
  let z = x with [1:3] = y * y
  let w = z with [::2] = z[::2] * 3.0
  in sum(weights(n) * w)
def column(a: [n][m]f64, v: [n]f64) -> f64 = sum(sum((a with [:, 0] = v * a[:, 1]) ** 2))
def newton(a: f64) -> f64 =
  let x = loop x = a while abs(x * x - a) > 1e-6 * a do 0.5 * (x + a / x)
  in 0.5 * (x + a / x)
def spent(x: f64) -> f64 =
  let (y, k) = loop (y, k) = (x, 0) while y < 10.0 do (y * x, k + 1)
  in y * f64(k)
def states(x: [n]f64) -> f64 =
  let { v, s } = loop { v, s } = { v = x, s = 0.0 } while sum(v * v) > 1.0 do
    { v = 0.5 * v, s = s + v[0] }
  in s + sum(v)
def each(x: [n]f64) -> f64 = sum(for v in x => loop y = v while y < 4.0 do y * y + 0.5)
def nested(x: f64) -> f64 =
  loop s = x while s < 20.0 do loop t = s for i < 2 do (loop u = t while u < 5.0 do u * 1.5) * x

-- > sorted([2.0, 1.0])
-- 17.0
-- > grad(sorted)([2.0, 1.0])
-- [16.0, 2.0]
-- > grad(median)([3.0, 1.0, 2.0])
-- [0.0, 0.0, 1.0]
-- > grad(\x => sum(sort(x) * [1.0, 2.0, 3.0]))([1.0, 1.0, 0.0])
-- [2.0, 3.0, 1.0]
-- > jacrev(sort)([2.0, 1.0])
-- [[0.0, 1.0], [1.0, 0.0]]
-- > jacfwd(sort)([2.0, 1.0])
-- [[0.0, 1.0], [1.0, 0.0]]
-- > grad(\x => x[:][::2][0] + x[1:2:1][0])([1.0, 2.0, 3.0])
-- [1.0, 1.0, 0.0]
-- > grad(spent)(2.0)
-- 96.0
-- check-grad: sorted at [0.5, -1.0, 2.0, 0.25]
-- check-grad: by_rows at [[3.0, 1.0, 2.0], [0.5, 0.25, -1.0]]
-- check-grad: by_key at [(2.0, 1.5), (0.5, -1.0), (1.0, 3.0)]
-- check-grad: \((a, b, v)) => interpolated(a, b, v) at ([0.0, 1.0, 3.0], [1.0, 4.0, 2.0], 1.5)
-- check-grad: binned at [0.5, 1.5, -1.0, 2.0, 0.25]
-- check-grad: folded at [0.5, 1.5, -1.0, 2.0, 0.25]
-- check-grad: pairs_of_bins at [0.5, 1.5, -1.0, 2.0, 0.25]
-- check-grad: strides at [0.5, 1.5, -1.0, 2.0, 0.25]
-- check-grad: halves at [0.5, 1.5, -1.0, 2.0]
-- check-grad: \((x, y)) => replaced(x, y) at ([0.5, 1.5, -1.0, 2.0, 0.25], [3.0, 0.5])
-- check-grad: \((a, v)) => column(a, v) at ([[0.5, 1.5], [-1.0, 2.0]], [3.0, 0.5])
-- check-grad: newton at 2.0
-- check-grad: spent at 1.7
-- check-grad: states at [1.5, 2.0, -0.5]
-- check-grad: each at [1.5, 2.0, 0.7]
-- check-grad: nested at 1.3
