-- Quotients that have a divisor in common, or that a loop waits for, and products with zeros that were not selected: relaxed
-- code computes them in other ways. Infinities, NaNs and what is rounded stay what they are.

--| Several quotients by each divisor.
def shared(x: [n]f64, d: [n]f64) -> [n](f64, f64, f64) =
  for i => (x[i] / d[i], 1.0 / d[i], (x[i] + 1.0) / (2.0 * d[i]))

-- > shared([3.0, 1.0, -2.0, 0.0, 5.0], [0.5, 0.0, 0.0, 0.0, 1.0 / 0.0])
-- [(6.0, 2.0, 4.0), (inf, inf, inf), (-inf, inf, -inf), (nan, inf, inf), (0.0, 0.0, 0.0)]
-- > shared([1e300, 1e-300, 2.0, 1.0 / 0.0], [1e307, 1e-300, 1e-307, 4.0])
-- [(1e-7, 1e-307, 5e-8), (1.0, 1e300, 5e299), (2e307, 1e307, 1.5e307), (inf, 0.25, inf)]

--| Divisors that are a root, twice a root, and a root's cube.
def roots(x: [n]f64) -> [n](f64, f64, f64) =
  for a in x =>
    let s = sqrt(a)
    in (3.0 / s, 3.0 / (2.0 * s), 3.0 / (a * s))

-- > roots([4.0, 0.25, 0.0, 1.0 / 0.0, -1.0, 1e-200, 1e200])
-- [(1.5, 0.75, 0.375), (6.0, 3.0, 24.0), (inf, inf, inf), (0.0, 0.0, 0.0), (nan, nan, nan), (3e100, 1.5e100, 3e300), (3e-100, 1.5e-100, 3e-300)]

-- check-grad: \x => sum(for (a, b, c) in roots(x) => a * b + c) at [4.0, 0.25, 2.5]

--| Numbers that a reciprocal would put into another cell: `0.3 / 0.1` is below 3, and `49.0 * (1.0 / 49.0)` is below 1.
def cells(x: [n]f64, h: f64) -> [n](i64, i64) =
  for a in x => (i64(floor(a / h)), i64(floor(2.0 * a / h)))

-- > cells([0.3, 0.6, 0.7, 1.1, 49.0], 0.1)
-- [(2, 5), (5, 11), (6, 13), (11, 22), (490, 980)]
-- > cells([5.0, 10.0, 49.0], 49.0)
-- [(0, 0), (0, 0), (1, 2)]

--| A loop in order that divides by what it does not wait for.
def smooth(x: [n]f64, c: [n]f64, steps: i64) -> [n]f64 =
  loop y = x for t < steps do
    let (z, _) = loop (z, carry) = (y, 0.0) for i < n do
      let new = (y[i] + 0.5 * carry) / (1.0 + c[i])
      in (z with [i] = new, c[i] * new)
    in z

-- > smooth([1.0, 2.0, 3.0], [1.0, 3.0, 0.0], 2)
-- [0.25, 0.171875, 4.1015625]
-- > smooth([1.0, 2.0, 3.0], [-1.0, 3.0, 0.0], 1)
-- [inf, -inf, -inf]
-- > smooth([1.0], [3.0], 0)
-- [1.0]
-- > smooth(zeros(0), zeros(0), 3)
-- []

-- check-grad: \((x, c)) => sum(smooth(x, c, 5) ** 2) at ([1.0, 2.0, 3.0], [0.5, 1.5, 2.5])

--| Sums whose terms may be infinite where nothing depends on them.
def picked(x: [n]f64, w: [n]f64, v: [n]f64) -> f64 =
  sum(for i => max(0.0, w[i]) * exp(x[i]) * v[i] * sqrt(v[i]))

-- > grad(\x => picked(x, [1.0, -1.0, 2.0], [1.0, 4.0, 0.25]))([0.0, 1000.0, 0.0])
-- [1.0, nan, 0.25]
-- > grad(\x => sum(for a in x => if a > 0.0 then sqrt(a) * exp(a) / a else 0.0))([1.0, 0.0, -1.0])
-- [1.3591409142295225, 0.0, 0.0]
-- > grad(\w => sum(for a in w => max(0.0, a) / (a * sqrt(a) - 8.0)))([1.0, 0.0, 16.0])
-- [-0.17346938775510204, nan, -0.012755102040816327]
