-- Type parameters bounded by `any` stand for arrays, tuples, records and sums too.
import arrays
type Shape = Circle(f64) | Square(f64)
type Point = { x: f64, y: f64 }
def last[t: any](x: [n+1]t) -> t = x[n]
def reversed[t: any](x: [n]t) -> [n]t = for i < n => x[n - 1 - i]
def swapped[a: any, b: any](p: (a, b)) -> (b, a) = (p.1, p.0)
def chosen[t: any](c: bool, x: t, y: t) -> t = if c then x else y
def applied[s: any](k: i64, f: s -> s, x: s) -> s = loop y = x for i < k do f(y)
def table[t: any](n: i64, f: i64 -> t) -> [n]t = for i < n => f(i)
def first_of_last[t: any](x: [n+1][m+1]t) -> t = let row: [m+1]t = last(x) in last(reversed(row))
-- > last([(1, 2.5), (3, 4.5)])
-- (3, 4.5)
-- > reversed([[1, 2], [3, 4], [5, 6]])
-- [[5, 6], [3, 4], [1, 2]]
-- > swapped((1, [2.0]))
-- ([2.0], 1)
-- > chosen(false, { x = 1.0, y = 2.0 }, { x = 3.0, y = 4.0 })
-- {x = 3.0, y = 4.0}
-- > chosen(true, Circle(1.0), Square(2.0))
-- Circle(1.0)
-- > applied(10, \(a, b) => (b, a + b), (0, 1))
-- error: E0304
-- > applied(10, \((a, b)) => (b, a + b), (0, 1))
-- (55, 89)
-- > applied(3, \v => 2.0 * v, [1.0, 2.0])
-- [8.0, 16.0]
-- > table(2, \i => { at = i, row = [f64(i), 1.0] })
-- [{at = 0, row = [0.0, 1.0]}, {at = 1, row = [1.0, 1.0]}]
-- > first_of_last([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
-- [5, 6]
-- > arrays.filter(\r => sum(r) > 3.0, [[1.0, 2.0], [3.0, 4.0]])
-- [[3.0, 4.0]]
-- > arrays.filter(\p => p.x > 1.0, [{ x = 1.0, y = 2.0 }, { x = 3.0, y = 4.0 }])
-- [{x = 3.0, y = 4.0}]
-- > arrays.tile([(1, true), (2, false)], 2)
-- [(1, true), (2, false), (1, true), (2, false)]
-- > chosen(true, [1.0], [2.0, 3.0])
-- error: E0401
-- > last(reversed([3, 4]))
-- 3

-- A definition that does with some types what it cannot do with others.
def same[t: any](x: t, y: t) -> bool = x == y
-- > same((1, 2.0), (1, 2.0))
-- true
-- > same([1, 2], [1, 2])
-- error: E0301

-- Nothing is converted to a pair.
def converted[t: any](x: t) -> t = t(x)
-- > converted((1, 2))
-- error: E0310

-- Derivatives go through.
def spread(x: [n+1][m]f64) -> f64 = sum((last(x) - reversed(x)[0] * 3.0) ** 2)
-- check-grad: spread at [[1.0, 2.0], [3.0, -4.0]]
def fibonacci(a: f64, b: f64) -> f64 =
  let (p, q) = applied(6, \((a, b)) => (b, a * b + a), (a, b)) in p * q
def of_pair(p: (f64, f64)) -> f64 = fibonacci(p.0, p.1)
-- check-grad: of_pair at (0.3, 0.7)
def moved(p: Point) -> f64 = let q = chosen(p.x > 0.0, p, { x = -p.x, y = p.y }) in q.x * q.y
-- check-grad: moved at { x = -1.5, y = 2.0 }
def rows(x: [n][m]f64) -> f64 = sum(for r in arrays.filter(\r => sum(r) > 0.0, x) => product(r))
-- check-grad: rows at [[1.0, 2.0], [-3.0, 1.0], [0.5, 0.25]]

-- A declared derivative of any type.
def held[t: any](x: t, k: f64) -> (t, f64) = (x, k * k)
derivative held(x, k, y, dy) = (dy.0, 3.0 * k * dy.1)
def through(k: f64) -> f64 = let (p, q) = held((k, [k]), k) in p.0 * q + p.1[0]
-- > grad(through)(2.0)
-- 17.0
