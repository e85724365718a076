-- Declared derivatives of bodies that are not differentiated: both modes use them, forward mode transposed.

import linalg

-- The rule is ten times too large, so that it shows where it is used.
def tenfold(x: f64, k: i64) -> f64 = stop_gradient(x) * f64(k)
derivative tenfold(x, k, y, dy) = (10.0 * f64(k) * dy, ())

-- A root by bisection, which has no derivative of its own.
def root(a: f64) -> f64 =
  let a = stop_gradient(a)
  let (lo, hi) = loop (lo, hi) = (0.0, max(a, 1.0)) for i < 60 do
    let mid = 0.5 * (lo + hi)
    in if mid * mid < a then (mid, hi) else (lo, mid)
  in 0.5 * (lo + hi)
derivative root(a, y, dy) = 0.5 * dy / y

-- Several parameters and results, of which some have no tangent, and one that holds no floats.
type Pair[n] = { scale: f64, rows: [n]f64 }
def scaled(p: Pair[n], w: [n][m]f64, k: i64) -> ([n][m]f64, f64) =
  let (p, w) = (stop_gradient(p), stop_gradient(w))
  in (for i => p.rows[i] * w[i], p.scale * f64(k))
derivative scaled(p, w, k, y, dy) = (
  { scale = dy.1 * f64(k), rows = for i => sum(dy.0[i] * w[i]) },
  for i => p.rows[i] * dy.0[i],
  ()
)
def body(p: Pair[n], w: [n][m]f64, k: i64) -> ([n][m]f64, f64) =
  (for i => p.rows[i] * w[i], p.scale * f64(k))

-- Steps of Newton for x = cos(a x), whose derivative follows from the equation.
def fixed(a: f64) -> f64 =
  let a = stop_gradient(a)
  in loop x = 0.5 for i < 20 do x - (x - cos(a * x)) / (1.0 + a * sin(a * x))
derivative fixed(a, x, dx) = -x * sin(a * x) * dx / (1.0 + a * sin(a * x))

-- A rule that calls its own function: derivatives of the rule need that rule again.
def quotient(a: f64, c: f64) -> f64 = stop_gradient(c) / stop_gradient(a)
derivative quotient(a, c, x, dx) = let dc = quotient(a, dx) in (-(dc * x), dc)

def roots(x: [n]f64) -> [n]f64 = for v in x => root(v) * v
def cubes(x: [n]f64) -> f64 = sum(for v in x => root(v) ** 3)
def chained(x: f64) -> f64 = loop s = x for i < 3 do root(s) + 1.0
def chosen(x: f64) -> f64 = if x > 0.0 then root(x) else 0.0 * x
def selected(x: [n]f64) -> f64 = sum(for v in x => if v > 0.0 then fixed(v) else v * v)
def spectrum(a: [n][n]f64) -> f64 =
  let { values, vectors } = linalg.eigh(a) in sum(values ** 3) + vectors[0, 0] * vectors[n - 1, 0]
def singular(a: [m][n]f64) -> f64 =
  let { u, s, vt } = linalg.svd(a)
  in sum(log(s)) + sum(flatten(for i < m, j < n => f64(i - j) * u[i, j] ** 3 * vt[j, j]))

-- > jvp(\x => tenfold(x, 2), 3.0, 1.0)
-- (6.0, 20.0)
-- > grad(tenfold)(3.0, 2)
-- 20.0
-- > grad(\x => jvp(\y => tenfold(y, 1) ** 2, x, 1.0).1)(3.0)
-- 200.0
-- > jvp(grad(\x => tenfold(x, 1) ** 2), 3.0, 1.0)
-- (60.0, 200.0)
-- > jvp(\x => jvp(\y => tenfold(y, 1) ** 2, x, 1.0).1, 3.0, 1.0)
-- (60.0, 200.0)
-- > jvp(\x => jvp(\y => jvp(\z => tenfold(z, 1) ** 3, y, 1.0).1, x, 1.0).1, 3.0, 1.0)
-- (1800.0, 6000.0)
-- > jacfwd(roots)([4.0, 9.0])  -- within 1e-14
-- [[3.0, 0.0], [0.0, 4.5]]
-- > jacrev(roots)([4.0, 9.0])  -- within 1e-14
-- [[3.0, 0.0], [0.0, 4.5]]
-- > hessian(cubes)([4.0, 16.0])  -- within 1e-14
-- [[0.375, 0.0], [0.0, 0.1875]]
-- > jacfwd(\x => jacfwd(cubes)(x))([4.0, 16.0])  -- within 1e-14
-- [[0.375, 0.0], [0.0, 0.1875]]
-- > jvp(chosen, -1.0, 1.0)
-- (0.0, 0.0)
-- > jvp(selected, [0.5, -2.0], [0.0, 1.0]).1
-- -4.0
-- > jacfwd(roots)(for i < 0 => 1.0)
-- []
-- > let p = { scale = 2.0, rows = [1.0, 3.0] } in let w = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] in jvp(\p => scaled(p, w, 2), p, p) == jvp(\p => body(p, w, 2), p, p)
-- true
-- > let p = { scale = 2.0, rows = [1.0, 3.0] } in let w = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] in jvp(\w => scaled(p, w, 2), w, w) == jvp(\w => body(p, w, 2), w, w)
-- true
-- check-grad: chained at 2.0
-- check-grad: fixed at 1.3
-- check-grad: cubes at [1.0, 2.0, 5.0]
-- check-grad: selected at [0.5, -2.0, 1.5]
-- check-grad: spectrum at [[2.0, 1.0, 0.5], [1.0, -3.0, 0.25], [0.5, 0.25, 1.0]]
-- check-grad: singular at [[2.0, 1.0], [0.5, -3.0], [0.5, 0.25]]
-- > jvp(\c => quotient(2.0, c), 3.0, 1.0)
-- (1.5, 0.5)
-- > grad(grad(\a => quotient(a, 3.0)))(2.0)
-- 0.75
-- > hessian(\a => quotient(a, 3.0))(2.0)
-- 0.75
-- > grad(grad(grad(\a => quotient(a, 3.0))))(2.0)
-- -1.125
-- > jvp(\a => jvp(\b => quotient(b, 3.0), a, 1.0).1, 2.0, 1.0)
-- (-0.75, 0.75)
