-- Reductions: sums, products with zeros, extremes with ties, and operators on tuples and rows.

def sum_of_squares(x: [n]f64) -> f64 = sum(map(\v => v * v, x))

def product_of(x: [n]f64) -> f64 = reduce((*), 1.0, x)

def product_of_rows(a: [n][m]f64) -> [n]f64 = for row in a => product(row)

def product_down(a: [n][m]f64) -> [m]f64 = product(a)

def least(x: [n]f64) -> f64 = reduce(min, 1.0 / 0.0, x)

def greatest_first(x: [n]f64) -> f64 = maximum(x)

def least_of_rows(a: [n][m]f64) -> [n]f64 = for row in a => minimum(row) * row[0]

--| The greatest number in size, by an operator on pairs.
def largest_size(x: [n]f64, w: [n]f64) -> f64 =
  let (size, at) = reduce(
    \((a, i), (b, j)) => if b > a then (b, j) else (a, i),
    (-1.0, -1),
    for i => (abs(x[i]), i)
  )
  in size * w[at]

--| Composition of the lines `a + b * t`.
def lines(a: [n]f64, b: [n]f64) -> (f64, f64) =
  reduce(\((a, b), (c, d)) => (c + d * a, d * b), (0.0, 1.0), zip(a, b))

--| A product of matrices of two by two.
def matrices(x: [n]f64) -> (f64, f64, f64, f64) =
  let one = (1.0, 0.0, 0.0, 1.0)
  let ms = for v in x => (1.0, v, 0.5 * v, 1.0 - v)
  in reduce(
    \((a, b, c, d), (e, f, g, h)) => (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h),
    one,
    ms
  )

--| The greatest sum of a run of neighbours.
def best_run(x: [n]f64) -> f64 =
  let parts = for v in x => (max(v, 0.0), max(v, 0.0), max(v, 0.0), v)
  let join = \((b1, l1, r1, t1), (b2, l2, r2, t2)) =>
    (max(max(b1, b2), r1 + l2), max(l1, t1 + l2), max(r2, r1 + t2), t1 + t2)
  let (best, _, _, _) = reduce(join, (0.0, 0.0, 0.0, 0.0), parts)
  in best

--| The logarithm of a sum of exponentials, in one pass.
def streaming_logsumexp(x: [n]f64) -> f64 =
  let join = \((m, s), (l, t)) => let k = max(m, l) in (k, s * exp(m - k) + t * exp(l - k))
  let (m, s) = reduce(join, (-1e300, 0.0), for v in x => (v, 1.0))
  in m + log(s)

--| Mean and variance, by the parallel update.
def welford(x: [n]f64) -> (f64, f64) =
  let join = \((n1, m1, s1), (n2, m2, s2)) =>
    let n = n1 + n2
    let d = m2 - m1
    in if n == 0.0 then (0.0, 0.0, 0.0) else (n, m1 + d * n2 / n, s1 + s2 + d * d * n1 * n2 / n)
  let (n, m, s) = reduce(join, (0.0, 0.0, 0.0), for v in x => (1.0, v, 0.0))
  in (m, s / n)

--| A reduction whose elements are rows.
def rows_added(a: [n][m]f64) -> [m]f64 = reduce(\(x, y) => x + y + x * y, zeros(m), a)

def reduction_of_reductions(a: [n][m][l]f64) -> f64 =
  product(for x in a => sum(for y in x => maximum(y) - product(y)))

def sum_of_nothing(x: [n]f64) -> f64 = sum(x[n:]) + product(x[n:]) * sum(x)
