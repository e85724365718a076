-- Products in which a root, what it is the root of and quotients by it meet: relaxed code collects them, and adds those that differ by
-- a constant. Infinities and NaNs stay what they are.

--| Sums of products that are one product, or none where a root is zero or infinite.
def bends(x: [n]f64, m: f64, d: f64) -> [n](f64, f64, f64) =
  for a in x =>
    let s = sqrt(a)
    let w = m / (a * s)
    let q = w * d / (a * s)
    in (
      q * s + q * a * (0.5 / s),
      -(q * a) / s - q * s,
      (a - d) * q * a / (2.0 * s) - (d - a) * q * s
    )

-- > bends([4.0, 0.25, 1.0], 2.0, -3.0)
-- [(-0.28125, 0.375, -1.96875), (-288.0, 384.0, -936.0), (-9.0, 12.0, -36.0)]
-- > bends([0.0, 1.0 / 0.0, -1.0], 1.0, 1.0)
-- [(nan, nan, nan), (nan, nan, nan), (nan, nan, nan)]
-- > bends([1e-40, 1e40], 2.0, 2.0)
-- [(6e100, -8e100, -1.2e101), (6e-100, -8e-100, 6e-60)]
-- > bends([1e-120], 1e-150, 1e-150)
-- [(1.5, -2.0, 1.5e-120)]

--| Sums of which one term alone is not a number at zero.
def tails(x: [n]f64, m: f64) -> [n](f64, f64) =
  for a in x =>
    let s = sqrt(a)
    in (m * s + m * a * (0.5 / s), m * a * (0.25 / s) + m * s)

-- > tails([4.0, 0.0, 1.0 / 0.0], 3.0)
-- [(9.0, 7.5), (nan, nan), (nan, nan)]
-- > tails([4.0, 0.0], -3.0)
-- [(-9.0, -7.5), (nan, nan)]

--| Forces that fall with the square of the distance, as a derivative that goes over all pairs.
def energy(x: [n][2]f64, m: [n]f64, soft: f64) -> f64 =
  sum(for i =>
    sum(for j =>
      let r = x[j] - x[i]
      let d2 = r @ r + soft
      in m[i] * m[j] * r[0] * x[i, 1] / (d2 * sqrt(d2)) + m[j] / sqrt(d2)))

-- check-grad: \((x, m)) => energy(x, m, 0.25) at ([[0.0, 1.0], [2.0, 0.5], [1.0, -1.5], [0.5, 0.5]], [1.0, 0.5, 2.0, -1.0])
-- > grad(\x => energy(x, [1.0, 2.0], 0.0))([[0.0, 0.0], [1.0, 1.0]])
-- [[nan, nan], [nan, nan]]
-- > grad(\m => energy([[0.0, 0.0], [3.0, 4.0]], m, 75.0))([1.0, 2.0])
-- [0.19147005383792516, 0.20347005383792515]
