-- Scans: of numbers, tuples, rows and matrices.

def running_sum(x: [n]f64) -> [n]f64 = scan((+), 0.0, x)

def running_product(x: [n]f64) -> [n]f64 = cumprod(x)

def running_maximum(x: [n]f64) -> [n]f64 = cummax(x)

def running_minimum(x: [n]f64) -> [n]f64 = scan(min, 1.0 / 0.0, x)

def weighed_running_product(x: [n]f64, w: [n]f64) -> f64 = sum(cumprod(x) * w * cumsum(w))

--| `s = a * s + b`, by an operator on pairs.
def recurrence(a: [n]f64, b: [n]f64) -> [n]f64 =
  let pairs = scan(\((a, b), (c, d)) => (c * a, c * b + d), (1.0, 0.0), zip(a, b))
  in for (_, b) in pairs => b

def running_matrices(x: [n]f64) -> [n]f64 =
  let ms = for v in x => (sin(v), 1.0, v, 0.5)
  let join =
    \((a, b, c, d), (e, f, g, h)) => (a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h)
  in for (a, b, c, d) in scan(join, (1.0, 0.0, 0.0, 1.0), ms) => a * d - b + c

--| An operator that is not associative: the order is the program's.
def running_sine(x: [n]f64) -> [n]f64 = scan(\(s, v) => sin(s) + v * s, 0.5, x)

def rows(a: [n][m]f64) -> [n][m]f64 = for row in a => cumsum(row) * cumprod(row)

def columns(a: [n][m]f64) -> [n][m]f64 = scan(\(x, y) => x * y + y, ones(m), a)

def of_matrices(a: [n][2][2]f64) -> [n][2][2]f64 =
  scan(\(x, y) => x @ y, [[1.0, 0.0], [0.0, 1.0]], a)

--| A sum that starts again where there is a flag.
def segmented(x: [n]f64, flags: [n]bool) -> [n]f64 =
  let join = \((f, a), (g, b)) => (f or g, if g then b else a + b)
  in for (_, v) in scan(join, (false, 0.0), zip(flags, x)) => v

--| The sum of all that comes before, and of all that comes after.
def exclusive(x: [n]f64) -> [n]f64 =
  let before = cumsum(x) - x
  let after = reverse(cumsum(reverse(x))) - x
  in before * after

def scan_of_scans(x: [n]f64) -> f64 = sum(cumprod(tanh(cumsum(x))) * cummax(x * x))

def scan_in_a_loop(x: [n]f64, k: i64) -> [n]f64 =
  loop y = x for i < k do cumsum(y) * 0.5 + cumprod(x)
