-- Sizes as polynomials, assertions, and sizes that only running shows.
def halves(x: [2*n]f64) -> ([n]f64, [n]f64) = (x[:n], x[n:])
def interleave(x: [n]f64, y: [n]f64) -> [2*n]f64 =
  for i < 2 * n => if i % 2 == 0 then x[i / 2] else y[i / 2]
def windows(x: [n+2]f64) -> [n][3]f64 = for i < n => x[i:i+3]
def square(n: i64, x: [n*n]f64) -> [n][n]f64 = reshape(x, (n, n))
def flat(x: [n][m]f64) -> [n*m]f64 = flatten(x)
def commuted(x: [n+m]f64, like_n: [n]f64, like_m: [m]f64) -> [m+n]f64 = x
def both(x: [n]f64, y: [m]f64) -> [n+m]f64 = concat(x, y)
def some(x: [n]f64, k: i64) -> f64 = sum(x[:k])
def asserted(x: [n]f64, k: i64) -> [3]f64 = x[k:] :> [3]f64
def counted(k: i64, x: [k]f64) -> f64 = sum(x) / f64(k)
def grid(h: i64, w: i64) -> [h][w]i64 = for i < h, j < w => i * w + j
def filled(n: i64) -> [n*n+1]f64 = zeros(n * n + 1)
def evens(x: [n]f64) -> f64 = sum(for i < n / 2 => x[2 * i])

-- > interleave([1.0, 2.0], [3.0, 4.0])
-- [1.0, 3.0, 2.0, 4.0]
-- > halves([1.0, 2.0, 3.0, 4.0])
-- ([1.0, 2.0], [3.0, 4.0])
-- > windows([1.0, 2.0, 3.0, 4.0])
-- [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]
-- > square(2, [1.0, 2.0, 3.0, 4.0])
-- [[1.0, 2.0], [3.0, 4.0]]
-- > flat([[1.0, 2.0], [3.0, 4.0]])
-- [1.0, 2.0, 3.0, 4.0]
-- > commuted([1.0, 2.0, 3.0], [0.0], [0.0, 0.0])
-- [1.0, 2.0, 3.0]
-- > both([1.0], [2.0, 3.0])
-- [1.0, 2.0, 3.0]
-- > (some([1.0, 2.0, 3.0], 2), some([1.0, 2.0, 3.0], 0))
-- (3.0, 0.0)
-- > asserted([1.0, 2.0, 3.0, 4.0], 1)
-- [2.0, 3.0, 4.0]
-- > asserted([1.0, 2.0, 3.0, 4.0], sum([1, 1]))
-- error: E0603
-- > counted(2, [1.0, 2.0])
-- 1.5
-- > grid(2, 3)
-- [[0, 1, 2], [3, 4, 5]]
-- > filled(2)
-- [0.0, 0.0, 0.0, 0.0, 0.0]
-- > evens([1.0, 2.0, 3.0, 4.0, 5.0])
-- 4.0
-- > grad(\x => some(x, 2))([1.0, 2.0, 3.0])
-- [1.0, 1.0, 0.0]
-- > let (a, b) = halves([1.0, 2.0, 3.0, 4.0]) in a @ b
-- 11.0
