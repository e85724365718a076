-- Kernels that are worth dividing among threads, for `threads.rs`.

def numbers(n: i64) -> [n]f64 = for i < n => sin(f64(i) * 0.37) + f64(i % 7)

def chain(n: i64) -> [n]f64 =
  let x = numbers(n)
  in sqrt(x * x + 1.0) * 2.0 - exp(-x)

def sums(n: i64) -> (f64, f64, f64, i64) =
  let x = numbers(n)
  in (sum(x), sum(x * x), product(1.0 + x * 1e-6), sum(for i < n => i * i % 11))

def extremes(n: i64) -> (f64, i64, i64, bool) =
  let x = numbers(n)
  in (maximum(x), argmax(x), argmin(x), any(for i < n => x[i] > 6.9))

def rows(n: i64, m: i64) -> [n]f64 =
  let x = numbers(n * m)
  in for i < n => sum(for j < m => x[i * m + j] * f64(i - j))

def counts(n: i64) -> [11]f64 =
  let x = numbers(n)
  in histogram((+), 0.0, 11, for i < n => i * i % 11, x)

def escapes(n: i64) -> [n][n]i64 =
  for p < n, q < n =>
    let (cr, ci) = (f64(p) / f64(n) * 3.0 - 2.0, f64(q) / f64(n) * 2.0 - 1.0)
    let (x, y, k) = loop (x, y, k) = (0.0, 0.0, 0) while k < 50 and x * x + y * y < 4.0 do
      (x * x - y * y + cr, 2.0 * x * y + ci, k + 1)
    in k

def order(n: i64) -> [n]i64 = argsort(numbers(n))

def ordered(n: i64, m: i64) -> [n][m]f64 = for i < n => sort(for j < m => sin(f64(i * m + j)))

def slope(n: i64) -> [n]f64 = grad(\x => sum(log(1.0 + x * x)) * sum(x))(numbers(n))

def steps(n: i64, k: i64) -> [n]f64 =
  loop x = numbers(n) for t < k do
    for i < n => 0.5 * x[i] + 0.25 * (x[(i + 1) % n] + x[(i + n - 1) % n])

def outside(n: i64, k: i64) -> f64 =
  let x = numbers(n)
  let place = for i < n => if i == k then n + i else if i > k + n / 3 then -i else i
  in sum(for i < n => x[place[i]])

def halves(n: i64, k: i64) -> i64 = sum(for i < n => (i + n) / (i - k))

def running(n: i64) -> ([n]f64, [n]f64, [n]i64) =
  let x = numbers(n)
  in (cumsum(x), cummax(x), cumsum(for i < n => i * i % 11))

def average(x: [n]f64) -> [n]f64 = scan(\(a, e) => a + 0.1 * (e - a), 0.0, x)

def average_slope(n: i64) -> [n]f64 = grad(\x => sum(average(x) ** 2.0))(numbers(n))

def sum_slope(n: i64) -> [n]f64 = grad(\x => sum(cumsum(x) ** 2.0))(numbers(n))

def scan_outside(n: i64, k: i64) -> [n]f64 =
  let x = numbers(n)
  let place = for i < n => if i == k then n + i else if i > k + n / 3 then -i else i
  in (loop (a, y) = (0.0, x) for i < n do let b = 0.5 * a + x[place[i]] in (b, y with [i] = b)).1

-- Sums at places that the data say: many and few of them, in floats and in whole numbers.

def places(n: i64, m: i64) -> [n]i64 = for i < n => i * i % 7919 % m

def bins(n: i64, m: i64) -> [m]f64 = scatter_add(zeros(m), places(n, m), numbers(n))

def tally(n: i64, m: i64) -> [m]i64 = scatter_add(for j < m => j, places(n, m), for i < n => i % 5)

def bins_slope(n: i64, m: i64) -> [n]f64 =
  grad(\x => let t = scatter_add(zeros(m), places(n, m), x) in sum(t * t))(numbers(n))

def bins_outside(n: i64, k: i64) -> f64 =
  let place = for i < n => if i == k then 100 + i else if i > k + n / 3 then -i else i % 100
  in sum(scatter_add(zeros(100), place, numbers(n)))

-- Rows of a sparse matrix, whose entries lie one after the other; or, `back` elements earlier, over those of other rows.

def row(i: i64, entries: [e]f64, starts: [n]i64, lengths: [n]i64, x: [m]f64) -> f64 =
  sum(for p < lengths[i] => entries[starts[i] + p] * x[(i * 31 + p * p) % m])

def sparse_slope(n: i64, back: i64) -> ([3*n]f64, [100]f64) =
  let starts = for i < n => if i > 0 then 3 * i - back else 0
  let lengths = for i < n => if i + back < n then 3 - i % 2 else 3
  let f = \((entries, x)) => sum(for i < n => row(i, entries, starts, lengths, x) ** 2.0)
  in grad(f)((numbers(3 * n), numbers(100)))

def sparse_outside(n: i64, k: i64) -> [3*n]f64 =
  let starts = for i < n => if i == k then 4 * n else 3 * i
  let lengths = for i < n => 3
  in grad(\entries => sum(for i < n => row(i, entries, starts, lengths, numbers(100)) ** 2.0))(
    numbers(3 * n)
  )

-- Points with loops of lengths of their own, whose states the reverse sweep keeps.

def fall(a: f64, k: i64) -> f64 =
  let (x, _) = loop (x, t) = (a, 0) while t < k do (x * x * 0.5 + a, t + 1)
  in x

def falls_slope(n: i64) -> [n]f64 =
  grad(\a => sum(for i < n => fall(a[i], i % 97) ** 2.0))(for i < n => 0.3 * sin(f64(i)))

def falls_far(n: i64, k: i64) -> [n]f64 =
  grad(\a => sum(for i < n => fall(a[i], k + i % 2) ** 2.0))(for i < n => 0.3 * sin(f64(i)))
