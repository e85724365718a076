-- GradBench's `particle`: a charge is shot past two others, of which one can be moved so that it hits the origin. Where to is found
-- by descent; its slope goes through the path of the charge, and that through the slope of a potential.
--
-- $ arr test examples/gradbench/particle.arr

import "./descent.arr"

--| The potential at `x` of a charge at (10, 0) and one at (10, 10 - w).
--| > potential([10.0, 5.0], 0.0)
--| 0.4
def potential(x: [2]f64, w: f64) -> f64 =
  1.0 / descent.norm(x - [10.0, 10.0 - w]) + 1.0 / descent.norm(x - [10.0, 0.0])

--| The square of how far from the origin the charge meets the axis, by Euler's method with steps of 0.1. `slope` is the
--| gradient of a function.
def miss(slope: ([2]f64 -> f64, [2]f64) -> [2]f64, w: f64) -> f64 =
  let h = 0.1
  let (x, v) = loop (x, v) = ([0.0, 8.0], [0.75, 0.0]) while x[1] + h * v[1] > 0.0 do
    (x + h * v, v - h * slope(\y => potential(y, w), x))
  let hit = x[0] - x[1] / v[1] * v[0]
  in hit * hit

--| The place `w` of the charge that makes the other hit the origin. `outer` and `inner` are gradients of functions, by one
--| mode or the other.
def aim(
  outer: ([1]f64 -> f64, [1]f64) -> [1]f64,
  inner: ([2]f64 -> f64, [2]f64) -> [2]f64,
  w: f64
) -> f64 =
  let f = \w => miss(inner, w[0])
  in descent.argmin(f, \w => outer(f, w), [w])[0]

def ff(w: f64) -> f64 = aim(descent.forward_mode, descent.forward_mode, w)
def fr(w: f64) -> f64 = aim(descent.forward_mode, descent.reverse_mode, w)
def rf(w: f64) -> f64 = aim(descent.reverse_mode, descent.forward_mode, w)
def rr(w: f64) -> f64 = aim(descent.reverse_mode, descent.reverse_mode, w)

test "the modes agree" within 1e-6 =
  (ff(0.0) == 0.20719187464861, fr(0.0) == ff(0.0), rf(0.0) == ff(0.0), rr(0.0) == ff(0.0))
