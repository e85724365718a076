-- The small terms that a definition by cases over the language must get right, and functions as values: copies, projections,
-- closures in pairs and in closures, a function of functions, conditionals by sign, folds, scans, scatters, iteration.
def identity(x: f64) -> f64 = x
def copied(x: f64) -> (f64, f64) = (x, x)
def dropped(x: f64, y: f64) -> f64 = let _ = x * y in x
def swap(p: (f64, f64)) -> (f64, f64) = (p.1, p.0)
def polynomial(x: f64) -> f64 = 2.0 * (let f = \y => y * y in f(x)) + 7.0 * x + 3.0
def mapped(x: [n]f64, c: f64) -> [n]f64 = map(\y => c * y + y ** 2, x)
def sized(x: f64) -> f64 = if x < 0.0 then -x else x

-- A function of functions: at x = 0.4, y = 0.7.
def apply_twice(g: f64 -> f64, a: f64) -> f64 = g(g(a))
def second_order(x: f64, y: f64) -> f64 = apply_twice(\b => sin(b * x), x * y)

-- Closures called by closures: the rules as printed take time exponential in the depth.
def nested(x: f64) -> f64 =
  let f1 = \a => a * x
  let f2 = \a => f1(f1(a)) + x
  let f3 = \a => f2(f2(a)) * x
  in f3(f3(x))

def pair_of_closures(x: f64, y: f64) -> f64 =
  let (f, g) = (\a => a * x + y, \a => sin(a) * y)
  in f(g(x)) + g(f(y))

def free_array(xs: [n]f64, c: [n]f64) -> [n]f64 = map(\x => x * sum(c) + c[0], xs)
def folded(xs: [n]f64, c: f64) -> f64 = loop acc = 1.0 for x in xs do acc * x + c * acc ** 2
def scanned(xs: [n]f64) -> [n]f64 = scan(\(a, x) => a * x + a, 1.0, xs)
def zipped(a: [n]f64, b: [n]f64, c: f64) -> [n]f64 = map(\(x, y) => c * x * y + sin(y), a, b)
def overwritten(d: [n]f64, s: [m]f64) -> [n]f64 = scatter(d, for i < m => i / 2, s)
def added(d: [n]f64, s: [m]f64) -> [n]f64 = scatter_add(d, for i < m => i / 2, s)
def iterated(x: f64) -> f64 = iterate(5, \a => a * x + 1.0, x)

-- Stops when the state is small: the geometric series, with the iterations that were run.
def series(x: f64) -> f64 =
  let (s, _) = loop (s, t) = (0.0, 1.0) while t > 1e-3 do (s + t, t * x)
  in s

-- > (grad(identity)(3.0), jvp(copied, 3.0, 2.0))
-- (1.0, ((3.0, 3.0), (2.0, 2.0)))
-- > grad(\((x, y)) => dropped(x, y))((2.0, 3.0))
-- (1.0, 0.0)
-- > let (y, back) = vjp(copied, 3.0) in back((1.0, 10.0))
-- 11.0
-- > let (y, back) = vjp(swap, (1.0, 2.0)) in back((10.0, 100.0))
-- (100.0, 10.0)
-- > value_and_grad(polynomial)(1.5)
-- (18.0, 13.0)
-- > (grad(sized)(2.0), grad(sized)(-2.0))
-- (1.0, -1.0)
-- > grad(\((x, y)) => second_order(x, y))((0.4, 0.7))
-- (0.334028448973964, 0.06353546555354732)
-- > grad(\((d, s)) => sum(overwritten(d, s) * [1.0, 2.0, 3.0]))(([1.0, 1.0, 1.0], [5.0, 6.0, 7.0]))
-- ([0.0, 0.0, 3.0], [0.0, 1.0, 2.0])
-- > grad(\((d, s)) => sum(added(d, s) * [1.0, 2.0, 3.0]))(([1.0, 1.0, 1.0], [5.0, 6.0, 7.0]))
-- ([1.0, 2.0, 3.0], [1.0, 1.0, 2.0])
-- > value_and_grad(series)(0.5)
-- (1.998046875, 3.95703125)
-- > grad(\xs => folded(xs, 0.5))(zeros(0))
-- []
-- check-grad: polynomial at 1.5
-- check-grad: \((x, c)) => mapped(x, c) at ([1.0, 2.0, 3.0], 0.5)
-- check-grad: \((x, y)) => second_order(x, y) at (0.4, 0.7)
-- check-grad: nested at 0.9
-- check-grad: \((x, y)) => pair_of_closures(x, y) at (0.6, 1.1)
-- check-grad: \((x, c)) => free_array(x, c) at ([1.0, 2.0], [0.5, -1.0])
-- check-grad: \((x, c)) => folded(x, c) at ([0.5, -0.2, 0.7], 0.3)
-- check-grad: scanned at [0.5, -1.2, 2.0]
-- check-grad: \((a, b, c)) => zipped(a, b, c) at ([1.0, 2.0], [0.5, -1.0], 1.5)
-- check-grad: \((d, s)) => overwritten(d, s) at ([1.0, 1.0, 1.0], [5.0, 6.0, 7.0])
-- check-grad: \((d, s)) => added(d, s) at ([1.0, 1.0, 1.0], [5.0, 6.0, 7.0])
-- check-grad: iterated at 0.7
-- check-grad: series at 0.5
