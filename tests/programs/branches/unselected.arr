-- Values, first and second derivatives where something not selected has an infinite or undefined derivative: each row is
-- the reverse gradient, the tangent along ones, and forward over reverse along ones.
def root_or_square(x: f64) -> f64 = if x > 0.0 then sqrt(x) else x * x
def log_or_cube(x: f64) -> f64 = if x > 0.0 then x * log(x) else x ** 3
def quotient(x: f64) -> f64 = if x != 0.0 then (1.0 - cos(x)) / x else x / 2.0
def powered(x: f64) -> f64 = if x > 0.0 then x ** 0.3 else 2.0 * x
def turned(x: f64) -> f64 = if x == 0.0 then x else atan2(x, x * x)
def bent(x: f64) -> f64 = if abs(x) < 1.0 then asin(x) else 3.0 * x * x
def pole(x: f64) -> f64 = if x > 0.0 then lgamma(x) else x * x
def norm(x: [n]f64) -> f64 = let s = sum(x * x) in if s > 0.0 then sqrt(s) else s
def softplus_or(x: f64) -> f64 = if x > 700.0 then x else log(1.0 + exp(x))
def clipped(x: f64) -> f64 = max(min(x, 1.0), -1.0) ** 2
def where_root(x: [n]f64) -> f64 = sum(select(x > 0.0, sqrt(x), x * x))
def where_ratio(x: [n]f64) -> f64 = sum(select(x != 0.0, 1.0 / x, 3.0 * x * x))
def largest_root(x: [n]f64) -> f64 = maximum(sqrt(x)) ** 2
def smallest(x: [n]f64) -> f64 = minimum(2.0 - sqrt(x)) ** 2
def masked(x: [n]f64) -> f64 =
  sum(for i => if i % 2 == 1 or x[i] > 2.0 then x[i] ** 2 else log(x[i]))
def picked(x: [n]f64) -> f64 = let y = log(x) in y[0] * y[0]
def sliced(x: [n]f64) -> f64 = let y = x * log(x) in sum(y[1:])
def replaced(x: [n]f64) -> f64 = sum((sqrt(x) with [0] = 1.0) ** 3)
def ordered(x: [n]f64) -> f64 = let y = sort(sqrt(x)) in y[1] * y[1] * y[1]
def gathered(x: [n]f64, is: [m]i64) -> f64 = sum(gather(sqrt(x), is) ** 3)
def stops(x: [n]f64) -> f64 =
  let (s, go) = loop (s, go) = (0.0, true) for i < n do
    if go and x[i] > 0.0 then (s + x[i] * log(x[i]), true) else (s, false)
  in s
def halves(x: f64) -> f64 = loop y = x while y > 1.0 do sqrt(y) * 0.5 + 0.4
def never(x: f64) -> f64 = loop y = x * x while y < -1.0 do log(y)
def newton(x: f64) -> f64 =
  if x > 0.0 then
    let more = \(y, k) => k < 40 and abs(y * y - x) > 1e-13 * x
    let (y, _) = loop (y, k) = (x, 0) while more(y, k) do (0.5 * (y + x / y), k + 1)
    in y
  else x * x
def inner_stops(x: [n]f64) -> f64 =
  sum(for i => loop y = x[i] while y > 1.0 do if y > 100.0 then log(y - 100.0) else sqrt(y) - 0.1)
def held(x: f64) -> f64 = if x > 0.0 then checkpoint(\y => sqrt(y) * y)(x) else 5.0 * x * x
def held_all(x: [n]f64) -> f64 = let y = checkpoint(\z => sqrt(z))(x) in y[0] ** 3
def twice(x: f64) -> f64 = if x > 0.0 then (if x < 1.0 then log(1.0 - x) else log(x)) else x * x
def both(x: f64) -> f64 = if x == 0.0 or 1.0 / x < 2.0 then x * x else 1.0 / x
def triangle(x: [n]f64) -> f64 =
  sum(for i => sum(for j < i => if x[i] == x[j] then 0.0 else log(abs(x[i] - x[j]))))
def products(x: [n]f64) -> f64 = product(for i => if x[i] > 0.0 then sqrt(x[i]) else 1.0 + x[i])
def kernel(x: [n]f64, y: [n]f64) -> f64 =
  let d = sum((x - y) ** 2) in if d == 0.0 then 1.0 else sin(sqrt(d)) / sqrt(d)

def first(f: f64 -> f64, x: f64) -> (f64, f64, f64) =
  (grad(f)(x), jvp(f, x, 1.0).1, jvp(grad(f), x, 1.0).1)
def all(f: [n]f64 -> f64, x: [n]f64) -> ([n]f64, f64, [n]f64) =
  let one = ones(n) in (grad(f)(x), jvp(f, x, one).1, jvp(grad(f), x, one).1)

-- > first(root_or_square, 0.0)
-- (0.0, 0.0, 2.0)
-- > first(log_or_cube, 0.0)
-- (0.0, 0.0, 0.0)
-- > first(quotient, 0.0)
-- (0.5, 0.5, 0.0)
-- > first(powered, 0.0)
-- (2.0, 2.0, 0.0)
-- > first(turned, 0.0)
-- (1.0, 1.0, 0.0)
-- > first(bent, 1.0)
-- (6.0, 6.0, 6.0)
-- > first(pole, 0.0)
-- (0.0, 0.0, 2.0)
-- > all(norm, [0.0, 0.0])
-- ([0.0, 0.0], 0.0, [2.0, 2.0])
-- > first(softplus_or, 800.0)
-- (1.0, 1.0, 0.0)
-- > first(clipped, 2.0)
-- (0.0, 0.0, 0.0)
-- > all(where_root, [4.0, 0.0])
-- ([0.25, 0.0], 0.25, [-0.03125, 2.0])
-- > all(where_ratio, [2.0, 0.0])
-- ([-0.25, 0.0], -0.25, [0.25, 6.0])
-- > all(largest_root, [0.0, 4.0])
-- ([0.0, 1.0], 1.0, [0.0, 0.0])
-- > all(smallest, [4.0, 0.0])
-- ([-0.0, -0.0], -0.0, [0.125, 0.0])
-- > all(masked, [1.0, 0.0])
-- ([1.0, 0.0], 1.0, [-1.0, 2.0])
-- > all(picked, [1.0, 0.0])
-- ([0.0, 0.0], 0.0, [2.0, 0.0])
-- > all(sliced, [0.0, 1.0])
-- ([0.0, 1.0], 1.0, [0.0, 1.0])
-- > all(replaced, [0.0, 4.0])
-- ([0.0, 3.0], 3.0, [0.0, 0.375])
-- > all(ordered, [0.0, 4.0])
-- ([0.0, 3.0], 3.0, [0.0, 0.375])
-- > all(\x => gathered(x, [1, 1]), [0.0, 4.0])
-- ([0.0, 6.0], 6.0, [0.0, 0.75])
-- > all(stops, [1.0, 0.0, 1.0])
-- ([1.0, 0.0, 0.0], 1.0, [1.0, 0.0, 0.0])
-- > first(halves, 4.0)
-- (0.026411070460266143, 0.026411070460266143, -0.004480449453080864)
-- > first(never, 0.5)
-- (1.0, 1.0, 2.0)
-- > first(newton, 0.0)
-- (0.0, 0.0, 2.0)
-- > first(newton, 4.0)
-- (0.25000000000001177, 0.25000000000001177, -0.03124999999994103)
-- > all(inner_stops, [4.0, 0.5])
-- ([0.019750591434748783, 1.0], 1.0197505914347489, [-0.004852954731545352, 0.0])
-- > first(held, 0.0)
-- (0.0, 0.0, 10.0)
-- > all(held_all, [4.0, 0.0])
-- ([3.0, 0.0], 3.0, [0.375, 0.0])
-- > first(twice, 0.0)
-- (0.0, 0.0, 2.0)
-- > first(both, 0.0)
-- (0.0, 0.0, 2.0)
-- > all(triangle, [1.0, 1.0, 3.0])
-- ([-0.5, -0.5, 1.0], 0.0, [0.0, 0.0, 0.0])
-- > all(products, [4.0, 0.0])
-- ([0.25, 2.0], 2.25, [0.21875, 0.25])
-- > all(\x => kernel(x, [1.0, 2.0]), [1.0, 2.0])
-- ([0.0, 0.0], 0.0, [0.0, 0.0])
-- check-grad: halves at 4.0
-- check-grad: newton at 3.0
-- check-grad: inner_stops at [4.0, 0.5, 30.0]
-- check-grad: held_all at [4.0, 1.0]
