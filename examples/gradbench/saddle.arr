-- GradBench's `saddle`: a saddle point, found by a descent every step of which is an ascent, with derivatives through both.
--
-- $ arr test examples/gradbench/saddle.arr

import "./descent.arr"

def f(a: [2]f64, b: [2]f64) -> f64 = sum(a * a) - sum(b * b)

--| The point `a` at which the greatest value of `f(a, b)` over `b` is least, and that `b` after it. `outer` and `inner` are
--| gradients of functions, by one mode or the other.
def saddle(
  outer: ([2]f64 -> f64, [2]f64) -> [2]f64,
  inner: ([2]f64 -> f64, [2]f64) -> [2]f64,
  start: [2]f64
) -> [4]f64 =
  let ascent = \a => descent.greatest(\b => f(a, b), \b => inner(\c => f(a, c), b), start)
  let a = descent.lowest_point(ascent, \p => outer(ascent, p), start)
  let b = descent.highest_point(\b => f(a, b), \b => outer(\c => f(a, c), b), start)
  in concat(a, b)

def ff(start: [2]f64) -> [4]f64 = saddle(descent.forward_mode, descent.forward_mode, start)
def fr(start: [2]f64) -> [4]f64 = saddle(descent.forward_mode, descent.reverse_mode, start)
def rf(start: [2]f64) -> [4]f64 = saddle(descent.reverse_mode, descent.forward_mode, start)
def rr(start: [2]f64) -> [4]f64 = saddle(descent.reverse_mode, descent.reverse_mode, start)

test "the modes agree" within 1e-12 =
  let p = ff([1.0, 1.0])
  in (descent.norm(p) < 1e-4, fr([1.0, 1.0]) == p, rf([1.0, 1.0]) == p, rr([1.0, 1.0]) == p)
