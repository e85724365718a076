-- Reductions by index: sums, products with zeros, extremes with ties, tuples.

def added(x: [n]f64, is: [n]i64) -> [4]f64 = histogram((+), 0.0, 4, is, x * x)

def multiplied(x: [n]f64, is: [n]i64) -> [4]f64 = histogram((*), 1.0, 4, is, x)

def greatest(x: [n]f64, is: [n]i64) -> [4]f64 = histogram(max, -9.0, 4, is, x)

def least(x: [n]f64, is: [n]i64) -> [4]f64 = histogram(min, 9.0, 4, is, sin(x))

--| Which bin a number falls into is decided by the number itself.
def by_value(x: [n]f64) -> [4]f64 =
  histogram((+), 0.0, 4, for v in x => max(min(i64(floor(v)), 3), 0), for v in x => v * v)

def pairs(x: [n]f64, y: [n]f64, is: [n]i64) -> [3]f64 =
  let bins = histogram(\((a, b), (c, d)) => (a + c, b * d), (0.0, 1.0), 3, is, zip(x, y))
  in for (a, b) in bins => a * b

def rows_by_index(a: [n][m]f64, is: [n]i64) -> [3][m]f64 =
  scatter_add(zeros(3, m), is, for row in a => row * sum(row))

def not_commutative(x: [n]f64, is: [n]i64) -> [3]f64 =
  histogram(\(s, v) => 0.5 * s + v * s + v, 1.0, 3, is, x)

--| A histogram for every row, used as weights afterwards.
def of_rows(a: [n][m]f64, is: [m]i64) -> [n]f64 =
  for row in a => let h = histogram((+), 0.0, 3, is, row) in h[0] * h[1] - h[2] * row[0]

def in_a_loop(x: [n]f64, is: [n]i64, k: i64) -> [4]f64 =
  loop h = ones(4) for i < k do scatter_add(0.5 * h, is, for j => x[j] * h[is[j]])
