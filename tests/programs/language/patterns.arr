-- Patterns, shadowing, and structures inside structures.
type Pair = { a: (i64, i64), b: [2]i64 }
def first(p: Pair) -> i64 = let { a = (x, _) } = p in x
def both(p: Pair) -> (i64, i64) = let { a = (x, y), b } = p in (x + b[0], y + b[1])
def shadow(x: i64) -> i64 =
  let x = x + 1
  let x = x * 10
  in (let x = x + 5 in x) + x
def swap(t: ((f64, f64), f64)) -> (f64, (f64, f64)) = let ((a, b), c) = t in (c, (b, a))
def sin(x: f64) -> f64 = 100.0 * x

-- > first({ a = (3, 4), b = [5, 6] })
-- 3
-- > both({ a = (3, 4), b = [5, 6] })
-- (8, 10)
-- > shadow(1)
-- 45
-- > swap(((1.0, 2.0), 3.0))
-- (3.0, (2.0, 1.0))
-- > sin(1.0)
-- 100.0
-- > let f = \x => x + 1 in f(f(1))
-- 3
-- > let (f, x) = (\y => 2 * y, 5) in f(x)
-- 10
-- > ((1, 2), (3, 4)).1.0
-- 3
-- > { { x = 1, y = 2 } with y = 5 }.y
-- 5
